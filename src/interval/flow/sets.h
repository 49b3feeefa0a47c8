/* What wrong paths do to a cache or TLB: its lines twice, as they are with wrong paths and as they would be without.
 * The sample says of each access whether it hits without them; only where the two differ is it otherwise. So neither
 * has to know what was there when the stretch began. Both replace the least recently used line. */
#ifndef CULPRIT_INTERVAL_FLOW_SETS_H
#define CULPRIT_INTERVAL_FLOW_SETS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Each set's lines + 1, the last used first; 0 = nobody knows. */
struct flow_sets {
	uint64_t mask;
	uint32_t ways;
	uint64_t *with, *without;
};

enum flow_seen { FLOW_AS_MEASURED, FLOW_BROUGHT, FLOW_LOST };

/* entries 0: none; ways 0: fully associative, taken to be 16-way. False: out of memory. */
bool flow_sets_create(struct flow_sets *s, uint64_t entries, uint32_t ways);
void flow_sets_free(struct flow_sets *s);
void flow_sets_forget(struct flow_sets *s);

static inline uint64_t *flow_set(const struct flow_sets *s, uint64_t *lines, uint64_t line)
{
	return &lines[(line & s->mask) * s->ways];
}

static inline bool flow_set_has(const struct flow_sets *s, const uint64_t *set, uint64_t line)
{
	for (uint32_t i = 0; i < s->ways; i++)
		if (set[i] == line + 1)
			return true;
	return false;
}

/* Use the line, replacing the one used longest ago if it is not there. */
static inline bool flow_set_use(const struct flow_sets *s, uint64_t *set, uint64_t line)
{
	uint64_t carried = line + 1;
	for (uint32_t i = 0; i < s->ways; i++) {
		uint64_t here = set[i];
		set[i] = carried;
		if (here == line + 1)
			return true;
		carried = here;
	}
	return false;
}

/* The right path uses the line. */
static inline enum flow_seen flow_sets_use(struct flow_sets *s, uint64_t line)
{
	if (!s->ways)
		return FLOW_AS_MEASURED;
	uint64_t *set = flow_set(s, s->with, line);
	if (set[0] == line + 1 && *flow_set(s, s->without, line) == line + 1)
		return FLOW_AS_MEASURED;
	bool with = flow_set_use(s, set, line), without = flow_set_use(s, flow_set(s, s->without, line), line);
	return with == without ? FLOW_AS_MEASURED : with ? FLOW_BROUGHT : FLOW_LOST;
}

/* A wrong path uses the line, which is missed if `absent` says so, or if it is known not to be there; returns whether
 * it is. */
static inline bool flow_sets_stray(struct flow_sets *s, uint64_t line, bool absent)
{
	if (!s->ways)
		return absent;
	uint64_t *with = flow_set(s, s->with, line);
	if (!flow_set_has(s, with, line)) {
		const uint64_t *without = flow_set(s, s->without, line);
		bool known = without[s->ways - 1] != 0;
		if (!absent && !known && !flow_set_has(s, without, line))
			return false; /* it may be there or not, and the right path does not care */
		flow_set_use(s, with, line);
		return true;
	}
	flow_set_use(s, with, line);
	return false;
}

#endif
