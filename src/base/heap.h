/* A binary heap of times, the earliest first, in memory that the owner has made large enough. */
#ifndef CULPRIT_BASE_HEAP_H
#define CULPRIT_BASE_HEAP_H

#include <stdint.h>

struct heap_entry {
	uint64_t time, what;
};

struct heap {
	struct heap_entry *entries;
	uint32_t count;
};

static inline void heap_put(struct heap *h, uint64_t time, uint64_t what)
{
	uint32_t i = h->count++;
	for (; i && h->entries[(i - 1) / 2].time > time; i = (i - 1) / 2)
		h->entries[i] = h->entries[(i - 1) / 2];
	h->entries[i] = (struct heap_entry){time, what};
}

/* The earliest; there is one. */
static inline struct heap_entry heap_take(struct heap *h)
{
	struct heap_entry first = h->entries[0], moved = h->entries[--h->count];
	uint32_t i = 0;
	for (uint32_t child; (child = 2 * i + 1) < h->count; i = child) {
		child += child + 1 < h->count && h->entries[child + 1].time < h->entries[child].time;
		if (moved.time <= h->entries[child].time)
			break;
		h->entries[i] = h->entries[child];
	}
	h->entries[i] = moved;
	return first;
}

#endif
