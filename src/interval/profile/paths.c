/* See the header. One lane for each set of latencies; lanes are the elements of a vector, so that all of them cost
 * about as much as one. Sums are kept in 32 bits and carried over before they can overflow. */
#include "interval/profile/paths.h"

#include "interval/profile/map.h"

#include <stdlib.h>
#include <string.h>

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

typedef int32_t lanes __attribute__((vector_size(4 * INTERVAL_LATENCIES)));

/* How a load is served decides its latencies. */
enum service { SERVED_OTHER, SERVED_HIT, SERVED_L2, SERVED_L3, SERVED_FORWARDED, SERVICES };

/* 2^31 / (1024 instructions of at most 3000 cycles each), with room to spare. */
enum { CARRY_WINDOWS = 256, WORDS_MOST = 2 * INTERVAL_WINDOW };

typedef void paths_loop(struct interval_paths_pass *p, const struct interval_batch *b);

struct interval_paths_pass {
	paths_loop *loop;
	lanes depth[EVENT_NO_REGISTER + 1]; /* of the value in each register; 0 = there before the window */
	lanes longest;
	lanes latency[SERVICES][CULPRIT_OP_COUNT];
	lanes recent[INTERVAL_WINDOW]; /* sums not carried over yet */
	uint32_t place;		       /* instructions of the present window */
	uint32_t recent_windows;
	struct interval_map words; /* 8-byte words stored in the window -> index into `stored` */
	lanes stored[WORDS_MOST];  /* depth of the last store to the word */
	uint32_t stored_count;
	uint64_t windows; /* complete ones */
	uint64_t forwarded, loads;
	uint64_t sum[INTERVAL_LATENCIES][INTERVAL_WINDOW];
	struct interval_depth ends; /* chains that end in a mispredicted branch */
};

/* *a becomes the larger of the two, lane by lane. */
ALWAYS_INLINE void deepen(lanes *a, const lanes *b)
{
	lanes more = *a > *b;
	*a = (*a & more) | (*b & ~more);
}

static void set_load(lanes *l, int32_t base, int32_t hit, int32_t beyond)
{
	(*l)[INTERVAL_LATENCY_unit] = 1;
	(*l)[INTERVAL_LATENCY_hit] = base + hit;
	(*l)[INTERVAL_LATENCY_hit_later] = base + hit + 1;
	(*l)[INTERVAL_LATENCY_shorts] = base + hit + beyond;
	(*l)[INTERVAL_LATENCY_shorts_double] = base + hit + 2 * beyond;
	(*l)[INTERVAL_LATENCY_alu_one] = base + hit;
	(*l)[INTERVAL_LATENCY_loads] = 1;
	(*l)[INTERVAL_LATENCY_misses] = beyond != 0;
}

static void set_latencies(struct interval_paths_pass *p, const struct machine *m, size_t op)
{
	int32_t base = (int32_t)m->latency[op];
	int32_t hit = (int32_t)m->l1d_latency, l2 = (int32_t)m->l2_latency, l3 = l2 + (int32_t)m->l3_latency;
	lanes *other = &p->latency[SERVED_OTHER][op];
	*other = (lanes){0};
	(*other)[INTERVAL_LATENCY_unit] = (*other)[INTERVAL_LATENCY_alu_one] = 1;
	(*other)[INTERVAL_LATENCY_hit] = (*other)[INTERVAL_LATENCY_hit_later] = base;
	(*other)[INTERVAL_LATENCY_shorts] = (*other)[INTERVAL_LATENCY_shorts_double] = base;
	set_load(&p->latency[SERVED_HIT][op], base, hit, 0);
	set_load(&p->latency[SERVED_L2][op], base, hit, l2);
	set_load(&p->latency[SERVED_L3][op], base, hit, l3);
	set_load(&p->latency[SERVED_FORWARDED][op], 0, (int32_t)m->lsq_forward_latency, 0);
	p->latency[SERVED_FORWARDED][op][INTERVAL_LATENCY_hit_later]--;
}

static paths_loop *best_loop(void);

static void begin_window(struct interval_paths_pass *p)
{
	memset(p->depth, 0, sizeof p->depth);
	p->longest = (lanes){0};
	p->place = 0;
	p->stored_count = 0;
	interval_map_clear(&p->words);
}

struct interval_paths_pass *interval_paths_create(const struct machine *reference)
{
	struct interval_paths_pass *p = aligned_alloc(64, (sizeof *p + 63) & ~(size_t)63);
	if (!p)
		return NULL;
	memset(p, 0, sizeof *p);
	p->loop = best_loop();
	for (size_t op = 0; op < CULPRIT_OP_COUNT; op++)
		set_latencies(p, reference, op);
	begin_window(p);
	return p;
}

void interval_paths_destroy(struct interval_paths_pass *p)
{
	free(p);
}

static void carry(struct interval_paths_pass *p)
{
	for (size_t w = 0; w < INTERVAL_WINDOW; w++) {
		for (size_t s = 0; s < INTERVAL_LATENCIES; s++)
			p->sum[s][w] += (uint32_t)p->recent[w][s];
		p->recent[w] = (lanes){0};
	}
	p->recent_windows = 0;
}

static void end_window(struct interval_paths_pass *p)
{
	p->windows++;
	if (++p->recent_windows == CARRY_WINDOWS)
		carry(p);
	begin_window(p);
}

/* The words of an access, first and last. */
static uint64_t last_word(const struct interval_event *e)
{
	return (e->address + (e->size ? e->size - 1 : 0)) >> 3;
}

ALWAYS_INLINE bool load_depth(struct interval_paths_pass *p, const struct interval_event *e, lanes *depth)
{
	bool found = false;
	p->loads++;
	if (!p->stored_count)
		return false;
	for (uint64_t word = e->address >> 3; word <= last_word(e); word++) {
		const uint32_t *at = interval_map_find(&p->words, word);
		if (at) {
			deepen(depth, &p->stored[*at]);
			found = true;
		}
	}
	p->forwarded += found;
	return found;
}

ALWAYS_INLINE void store_depth(struct interval_paths_pass *p, const struct interval_event *e, const lanes *depth)
{
	for (uint64_t word = e->address >> 3; word <= last_word(e); word++) {
		const uint32_t *at = interval_map_find(&p->words, word);
		uint32_t index = at ? *at : p->stored_count;
		if (!at) {
			interval_map_put(&p->words, word, index);
			p->stored_count++;
		}
		p->stored[index] = *depth;
	}
}

/* Long misses count as hits. */
static enum service served(const struct interval_event *e)
{
	return e->dlevel == CULPRIT_LEVEL_L2 ? SERVED_L2 : e->dlevel == CULPRIT_LEVEL_L3 ? SERVED_L3 : SERVED_HIT;
}

static void note_branch(struct interval_paths_pass *p, const lanes *depth)
{
	uint32_t place = p->place / (INTERVAL_WINDOW / INTERVAL_DEPTH_PLACES);
	p->ends.count[place]++;
	for (size_t s = 0; s < INTERVAL_LATENCIES; s++)
		p->ends.depth[s][place] += (uint32_t)(*depth)[s];
}

ALWAYS_INLINE void step(struct interval_paths_pass *p, const struct interval_event *e)
{
	lanes depth = p->depth[e->rs[0]];
	deepen(&depth, &p->depth[e->rs[1]]);
	if (e->rs[2])
		deepen(&depth, &p->depth[e->rs[2]]);
	enum service service = SERVED_OTHER;
	if (e->flags & EVENT_LOAD)
		service = load_depth(p, e, &depth) ? SERVED_FORWARDED : served(e);
	depth += p->latency[service][e->op];
	if (e->flags & EVENT_STORE)
		store_depth(p, e, &depth);
	p->depth[e->rd] = depth;
	if (e->flags & EVENT_MISPREDICTED)
		note_branch(p, &depth);
	deepen(&p->longest, &depth);
	p->recent[p->place] += p->longest;
	if (++p->place == INTERVAL_WINDOW)
		end_window(p);
}

static void loop_plain(struct interval_paths_pass *p, const struct interval_batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		step(p, &b->events[i]);
}

#if defined(__x86_64__)
/* The same with the host's 32-byte vectors: a third of the time. */
__attribute__((target("avx2"))) static void loop_avx2(struct interval_paths_pass *p, const struct interval_batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		step(p, &b->events[i]);
}

static paths_loop *best_loop(void)
{
	return __builtin_cpu_supports("avx2") ? loop_avx2 : loop_plain;
}
#else
static paths_loop *best_loop(void)
{
	return loop_plain;
}
#endif

void interval_paths_use_portable(struct interval_paths_pass *p)
{
	p->loop = loop_plain;
}

void interval_paths_push(struct interval_paths_pass *p, const struct interval_batch *b)
{
	p->loop(p, b);
}

void interval_paths_restart(struct interval_paths_pass *p)
{
	memset(p->recent, 0, sizeof p->recent);
	memset(p->sum, 0, sizeof p->sum);
	memset(&p->ends, 0, sizeof p->ends);
	p->recent_windows = 0;
	p->windows = p->forwarded = p->loads = 0;
	begin_window(p);
}

void interval_paths_finish(const struct interval_paths_pass *p, struct interval_profile *to)
{
	for (size_t w = 0; w < INTERVAL_WINDOW; w++) {
		to->paths.windows[w] = p->windows + (w < p->place);
		for (size_t s = 0; s < INTERVAL_LATENCIES; s++)
			to->paths.sum[s][w] = p->sum[s][w] + (uint32_t)p->recent[w][s];
	}
	to->depth = p->ends;
	to->mix.forwarded = p->forwarded;
	to->mix.window_loads = p->loads;
}
