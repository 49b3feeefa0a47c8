/* Building the hierarchy from a machine's parameters, and what idealising an event class means here. */
#include "machine/hierarchy.h"
#include "machine/hierarchy_inline.h"

#include <stdlib.h>

static uint32_t in_flight(const struct machine *m)
{
	return m->window_rob * (m->window_fold > 1 ? m->window_fold : 1) + m->window_released;
}

#define CACHE_PARAMETERS(m, c, place)                                                     \
	((struct cache_parameters){.name = #c,                                            \
				   .size = (m)->c##_size,                                 \
				   .ways = (m)->c##_ways,                                 \
				   .line = (m)->c##_line,                                 \
				   .latency = (m)->c##_latency,                           \
				   .mshrs = (m)->c##_mshrs,                               \
				   .interval = (m)->c##_interval,                         \
				   .miss_alias = (m)->c##_miss_alias,                     \
				   .replacement = (m)->c##_replacement,                   \
				   .prefetcher = (m)->c##_prefetcher,                     \
				   .prefetch_degree = (m)->c##_prefetch_degree,           \
				   .prefetch_distance = (m)->c##_prefetch_distance,       \
				   .prefetch_below = (m)->c##_prefetch_below,             \
				   .prefetch_pages = (m)->c##_prefetch_pages,             \
				   .prefetch_misses_only = (m)->c##_prefetch_misses_only, \
				   .page = (m)->tlb_page,                                 \
				   .in_flight = in_flight(m),                             \
				   .plugin = (m)->plugins ? &(m)->plugins->at[place] : NULL})

static bool check_lines(const struct machine *m, struct error *err)
{
	if (m->l1i_line > m->l2_line || m->l1d_line > m->l2_line || (m->l3_size && m->l2_line > m->l3_line))
		return error_set(err, ERROR_INPUT,
				 "cache lines must not get narrower from one level to the next: "
				 "l1i.line %u, l1d.line %u, l2.line %u, l3.line %u",
				 m->l1i_line, m->l1d_line, m->l2_line, m->l3_line);
	if (!m->tlb_page || m->tlb_page & (m->tlb_page - 1))
		return error_set(err, ERROR_INPUT, "tlb.page: %u is not a power of two", m->tlb_page);
	return true;
}

static void connect(struct hierarchy *h)
{
	h->data.l1.stats = &h->stats.l1d;
	h->instructions.l1.stats = &h->stats.l1i;
	h->l2.stats = &h->stats.l2;
	h->l3.stats = &h->stats.l3;
	h->l2.side_misses[false] = h->stats.l2_data_misses;
	h->l2.side_misses[true] = h->stats.l2_instruction_misses;
	h->data.tlb.stats = &h->stats.dtlb;
	h->instructions.tlb.stats = &h->stats.itlb;
	h->tlb2.stats = &h->stats.tlb2;
	h->memory.reads = &h->stats.memory_reads;
	h->memory.writes = &h->stats.memory_writes;
	h->data.l1.next = h->instructions.l1.next = &h->l2;
	h->l2.next = h->has_l3 ? &h->l3 : NULL;
	h->data.tlb.shared = h->instructions.tlb.shared = &h->tlb2;
	h->data.l1.memory = h->instructions.l1.memory = h->l2.memory = h->l3.memory = &h->memory;
}

static bool build(struct hierarchy *h, const struct machine *m, struct error *err)
{
	struct cache_parameters l1i = CACHE_PARAMETERS(m, l1i, PLUGIN_L1I), l1d = CACHE_PARAMETERS(m, l1d, PLUGIN_L1D),
				l2 = CACHE_PARAMETERS(m, l2, PLUGIN_L2), l3 = CACHE_PARAMETERS(m, l3, PLUGIN_L3);
	TRY(check_lines(m, err));
	h->has_l3 = m->l3_size;
	h->shortcuts = true;
	h->l1d_latency = m->l1d_latency;
	h->data.page_shift = h->instructions.page_shift = (uint32_t)__builtin_ctz(m->tlb_page);
	connect(h);
	TRY(cache_init(&h->instructions.l1, &l1i, CULPRIT_LEVEL_L1, err));
	TRY(cache_init(&h->data.l1, &l1d, CULPRIT_LEVEL_L1, err));
	TRY(cache_init(&h->l2, &l2, CULPRIT_LEVEL_L2, err));
	TRY(!h->has_l3 || cache_init(&h->l3, &l3, CULPRIT_LEVEL_L3, err));
	TRY(mshrs_init(&h->waiting, m->lsq_waiting_loads, err));
	if (m->lsq_fill && !(h->data.l1.fills = h->fills = calloc(1, sizeof *h->fills)))
		return error_set(err, ERROR_SYSTEM, "out of memory for the L1D");
	if (h->fills)
		h->fills->cycles = m->lsq_fill;
	h->memory.latency = m->memory_latency;
	port_init(&h->memory.port, m->memory_interval);
	TRY(tlb_init(&h->instructions.tlb, "tlb.i", m->tlb_i_entries, m->tlb_i_ways, err));
	TRY(tlb_init(&h->data.tlb, "tlb.d", m->tlb_d_entries, m->tlb_d_ways, err));
	TRY(tlb_shared_init(&h->tlb2, m, err));
	TRY(hierarchy_last_init(&h->instructions, err));
	TRY(hierarchy_last_init(&h->data, err));
	hierarchy_idealise(h, m->ideal);
	return true;
}

struct hierarchy *hierarchy_create(const struct machine *m, struct error *err)
{
	struct hierarchy *h = calloc(1, sizeof *h);
	if (!h) {
		error_set(err, ERROR_SYSTEM, "out of memory for the cache hierarchy");
		return NULL;
	}
	if (build(h, m, err))
		return h;
	hierarchy_destroy(h);
	return NULL;
}

void hierarchy_destroy(struct hierarchy *h)
{
	if (!h)
		return;
	cache_free(&h->instructions.l1);
	cache_free(&h->data.l1);
	free(h->instructions.last.lines);
	free(h->data.last.lines);
	mshrs_free(&h->waiting);
	free(h->fills);
	cache_free(&h->l2);
	cache_free(&h->l3);
	tlb_free(&h->instructions.tlb);
	tlb_free(&h->data.tlb);
	tlb_shared_free(&h->tlb2);
	free(h);
}

/* Finer classes of one side as they take effect. */
struct finer {
	bool l2, l3, memory, tlb;
};

/* First free level by the level where the line is: a hit in L2 or L3 costs as an L1 hit, memory as the last cache. */
static void set_free_levels(const struct hierarchy *h, struct hierarchy_side *s, struct finer f)
{
	bool last_is_free = h->has_l3 ? f.l3 : f.l2;
	uint8_t below_last = h->has_l3 ? CULPRIT_LEVEL_MEMORY : CULPRIT_LEVEL_L3;
	for (int level = 0; level < CULPRIT_LEVEL_COUNT; level++)
		s->free_by_level[level] = CACHE_NOTHING_FREE;
	if (f.l2)
		s->free_by_level[CULPRIT_LEVEL_L2] = CULPRIT_LEVEL_L2;
	if (f.l3)
		s->free_by_level[CULPRIT_LEVEL_L3] = CULPRIT_LEVEL_L2;
	if (f.memory)
		s->free_by_level[CULPRIT_LEVEL_MEMORY] = last_is_free ? CULPRIT_LEVEL_L2 : below_last;
	s->some_free = f.l2 || f.l3 || f.memory;
}

/* The inlined path knows neither L1 ports nor a prefetcher that learns from hits, as one of the user's may. */
static void choose_path(const struct hierarchy *h, struct hierarchy_side *s)
{
	bool hits = s->l1.prefetch.kind == prefetcher_stride || s->l1.prefetch.kind == prefetcher_stride_global;
	bool use = h->shortcuts && !s->all_hit && !s->l1.port.interval && !hits && !s->l1.plugged.calls;
	s->short_reach = use ? 1u << s->l1.shift : 0;
	s->last.trains = hits;
	s->last.reach = h->shortcuts && !s->all_hit && !s->l1.plugged.calls ? 1u << s->l1.shift : 0;
}

/* All finer classes together are the base class, to the last cycle, so they are made the same. A class that the
 * machine has no events of (no L3, a perfect TLB) does not stand in the way. */
static void idealise_side(const struct hierarchy *h, struct hierarchy_side *s, bool base, struct finer f)
{
	bool no_tlb = !s->tlb.sets.ways;
	s->all_hit = base || (f.l2 && f.memory && (f.l3 || !h->has_l3) && (f.tlb || no_tlb));
	s->tlb.perfect = no_tlb || f.tlb;
	set_free_levels(h, s, f);
	choose_path(h, s);
}

void hierarchy_idealise(struct hierarchy *h, culprit_event_set ideal)
{
#define HAS(name) (ideal & CULPRIT_EVENT_BIT(name)) != 0
	h->data.l1.latency = HAS(dl1) ? 0 : h->l1d_latency;
	idealise_side(h, &h->data, HAS(dmiss), (struct finer){HAS(dl2), HAS(dl3), HAS(dmem), HAS(dtlb)});
	idealise_side(h, &h->instructions, HAS(imiss), (struct finer){HAS(il2), HAS(il3), HAS(imem), HAS(itlb)});
#undef HAS
}

static void hint(struct cache_sets *s, bool use)
{
	s->hinted = use;
}

void hierarchy_use_shortcuts(struct hierarchy *h, bool use)
{
	struct hierarchy_side *sides[] = {&h->data, &h->instructions};
	h->shortcuts = use;
	for (int i = 0; i < 2; i++) {
		struct hierarchy_side *s = sides[i];
		hint(&s->l1.sets, use);
		hint(&s->tlb.sets, use);
		choose_path(h, s);
	}
	hint(&h->l2.sets, use);
	hint(&h->l3.sets, use);
	hint(&h->tlb2.sets, use);
}

void hierarchy_enter_space(struct hierarchy *h, uint64_t number)
{
	h->data.space = h->instructions.space = number << 52;
}

void hierarchy_settle(struct hierarchy *h)
{
	cache_settle(&h->instructions.l1);
	cache_settle(&h->data.l1);
	mshrs_settle(&h->waiting);
	if (h->fills)
		*h->fills = (struct cache_fills){.cycles = h->fills->cycles};
	cache_settle(&h->l2);
	if (h->has_l3)
		cache_settle(&h->l3);
	tlb_settle(&h->instructions.tlb);
	tlb_settle(&h->data.tlb);
	tlb_shared_settle(&h->tlb2);
	port_init(&h->memory.port, h->memory.port.interval);
	hierarchy_last_forget(&h->instructions);
	hierarchy_last_forget(&h->data);
	h->stats = (struct hierarchy_statistics){0};
}

const struct hierarchy_statistics *hierarchy_statistics(const struct hierarchy *h)
{
	return &h->stats;
}

const struct hierarchy_warmed *hierarchy_warmed(const struct hierarchy *h)
{
	return &h->warmed;
}

bool hierarchy_l1d_has(const struct hierarchy *h, uint64_t addr)
{
	return h->data.all_hit || cache_has(&h->data.l1, addr);
}
