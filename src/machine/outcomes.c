#include "machine/outcomes.h"

#include <stdlib.h>
#include <string.h>

enum { CYCLES = 3 }; /* in which outcomes arrive before the first of them is over: see core/train.h */

bool outcomes_create(struct outcomes *o, uint32_t room, struct error *err)
{
	*o = (struct outcomes){.room = room};
	if (!room)
		return true;
	o->waiting = calloc(room, sizeof *o->waiting);
	o->arriving = calloc((size_t)CYCLES * (room + 1), sizeof *o->arriving);
	return (o->waiting && o->arriving) || error_set(err, ERROR_SYSTEM, "branch.train_queue: out of memory");
}

void outcomes_destroy(struct outcomes *o)
{
	free(o->waiting);
	free(o->arriving);
}

void outcomes_read(struct outcomes *o, uint64_t cycle)
{
	if (cycle > o->done && cycle - o->done <= 64)
		o->reads |= 1ull << (cycle - o->done - 1);
}

/* No cycle takes more than one to write and as many as the queue holds. */
void outcomes_arrive(struct outcomes *o, const struct outcome *one)
{
	uint32_t same = 0;
	while (same < o->arrivals && o->arriving[o->arrivals - 1 - same].when == one->when)
		same++;
	if (same <= o->room && o->arrivals < CYCLES * (o->room + 1))
		o->arriving[o->arrivals++] = *one;
}

static void drop_first(struct outcome *list, uint32_t *count)
{
	memmove(list, list + 1, --*count * sizeof *list);
}

/* The first that arrives in this cycle. */
static bool take_arrival(struct outcomes *o, uint64_t cycle, struct outcome *out)
{
	if (!o->arrivals || o->arriving[0].when > cycle)
		return false;
	*out = o->arriving[0];
	drop_first(o->arriving, &o->arrivals);
	return true;
}

static bool one_cycle(struct outcomes *o, bool reading, struct outcome *out)
{
	const uint64_t cycle = ++o->done;
	const bool read = reading || (o->reads & 1);
	bool written = false;
	uint32_t left = o->room - o->waits;
	o->reads >>= 1;
	if (o->waits && !read) {
		*out = o->waiting[0];
		drop_first(o->waiting, &o->waits);
		written = true;
	}
	for (struct outcome one; take_arrival(o, cycle, &one);) {
		if (!read && !written) {
			*out = one;
			written = true;
		} else if (left) {
			left--;
			o->waiting[o->waits++] = one;
			o->entered++;
		}
	}
	return written;
}

bool outcomes_next(struct outcomes *o, uint64_t end, bool reading, struct outcome *out)
{
	while (o->done < end) {
		const uint64_t first = o->arrivals ? o->arriving[0].when : end + 1;
		const uint64_t idle = first > end ? end : first > o->done ? first - 1 : o->done; /* nothing happens */
		if ((!o->waits || reading) && idle > o->done) {
			o->reads = idle - o->done < 64 ? o->reads >> (idle - o->done) : 0;
			o->done = idle;
		} else if (one_cycle(o, reading, out)) {
			return true;
		}
	}
	return false;
}

const struct outcome *outcomes_find(const struct outcomes *o, uint32_t meta, uint32_t gshare)
{
	const struct outcome *found = NULL;
	uint32_t lowest = o->room;
	for (uint32_t i = 0; i < o->waits; i++) {
		const uint32_t place = (o->entered - o->waits + i) % o->room;
		if (o->waiting[i].note.meta == meta && o->waiting[i].note.gshare == gshare && place < lowest) {
			lowest = place;
			found = &o->waiting[i];
		}
	}
	return found;
}
