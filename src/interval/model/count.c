/* How often each miss event happens on a machine, read out of the profile's sweeps. L2 and L3 counts are those
 * behind the reference machine's first level; a machine without the reference's second TLB level walks at every
 * miss.
 *
 * The sweeps replace the least recently used line. Of the reference machine itself the misses are known as they are:
 * a cache with another policy, which the reference has too, misses as many times more than the sweep says as the
 * reference's does.
 *
 * For what the profile does not hold the nearest structure is taken (profile/nearest.h), and noted. */
#include "interval/model/model.h"
#include "interval/profile/nearest.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* --- notes --- */

/* In what follows `off` is in events of a term, each of `penalty` cycles; 0: those of the term itself. */
__attribute__((format(printf, 7, 8))) static void note(struct model_counts *c, const char *structure,
						       enum model_term term, double count, double off, double penalty,
						       const char *texts, ...)
{
	if (c->nearest_count == MODEL_NEAREST)
		return;
	struct model_nearest *n = &c->nearest[c->nearest_count++];
	*n = (struct model_nearest){
		.structure = structure, .term = term, .count = count, .off = off, .penalty = penalty};
	va_list arguments;
	va_start(arguments, texts);
	vsnprintf(n->text, sizeof n->text, texts, arguments);
	va_end(arguments);
}

typedef char geometry_text[64];

static const char *geometry(geometry_text text, const struct interval_cache *c)
{
	int n = snprintf(text, sizeof(geometry_text), "%llu %s", (unsigned long long)c->size,
			 c->line ? "bytes" : "entries");
	if (c->ways)
		n += snprintf(text + n, sizeof(geometry_text) - (size_t)n, " in %llu ways",
			      (unsigned long long)c->ways);
	if (c->line)
		snprintf(text + n, sizeof(geometry_text) - (size_t)n, " of %llu-byte lines",
			 (unsigned long long)c->line);
	return text;
}

static uint64_t ways_of(const struct interval_cache *c)
{
	return c->ways ? c->ways : c->line ? c->size / c->line : c->size;
}

static void note_geometry(struct model_counts *c, const char *structure, enum model_term term, double penalty,
			  const struct interval_cache *wanted, const struct interval_estimate *e)
{
	geometry_text w, t;
	const struct interval_cache *taken = &e->taken;
	if (wanted->size != taken->size || wanted->line != taken->line || ways_of(wanted) != ways_of(taken))
		note(c, structure, term, e->count, e->off, penalty, "%s: taken as %s", geometry(w, wanted),
		     geometry(t, taken));
}

/* --- caches --- */

/* A cache of the machine asked for and of the reference, and how often the reference's was missed. */
struct level {
	const char *name;
	struct interval_cache here, reference;
	enum replacement policy, reference_policy;
};

#define LEVEL(cache)                                                                                      \
	{                                                                                                 \
		.name = #cache, .here = {m->cache##_size, m->cache##_ways, m->cache##_line},              \
		.reference = {p->machine.cache##_size, p->machine.cache##_ways, p->machine.cache##_line}, \
		.policy = (enum replacement)m->cache##_replacement,                                       \
		.reference_policy = (enum replacement)p->machine.cache##_replacement,                     \
	}

static const char *policy_name(enum replacement policy)
{
	static const char *const names[] = {[replacement_lru] = "lru",
					    [replacement_plru] = "plru",
					    [replacement_random] = "random",
					    [replacement_fifo] = "fifo",
					    [replacement_srrip] = "srrip"};
	return names[policy];
}

/* What is counted of a cache: whose misses, and the term they are events of (MODEL_TERMS: of none); `penalty` as in
 * note(). */
struct missed {
	enum interval_kind kind;
	enum model_term term;
	double measured, penalty;
};

static double misses(struct model_counts *c, const struct interval_sweep *s, const struct level *l,
		     const struct missed *of)
{
	const struct interval_cache *a = &l->here, *b = &l->reference;
	bool known = l->policy == l->reference_policy && of->measured > 0, lru = l->policy == replacement_lru;
	bool same = a->size == b->size && a->ways == b->ways && a->line == b->line;
	uint64_t exact;
	if (known && same && (!lru || !interval_misses(s, of->kind, a->size, a->ways, a->line, &exact, NULL)))
		return of->measured;
	struct interval_estimate e = interval_estimate_misses(s, of->kind, a);
	if (of->term != MODEL_TERMS)
		note_geometry(c, l->name, of->term, of->penalty, a, &e);
	if (lru)
		return e.count;
	double base = interval_estimate_misses(s, of->kind, b).count;
	if (known && base > 0)
		return e.count * of->measured / base;
	if (!known && of->term != MODEL_TERMS)
		note(c, l->name, of->term, e.count, interval_half_the_ways(s, of->kind, a), of->penalty,
		     "%s replacement: taken as lru", policy_name(l->policy));
	return e.count;
}

/* Of the reference: accesses that are served beyond `level`. */
static double fetches_beyond(const struct interval_profile *p, unsigned level)
{
	double n = 0;
	for (unsigned l = level + 1; l < CULPRIT_LEVEL_COUNT; l++)
		n += (double)p->fetch_level[l];
	return n;
}

static double data_beyond(const struct interval_profile *p, unsigned level, bool stores)
{
	double n = 0;
	for (unsigned l = level + 1; l < CULPRIT_LEVEL_COUNT; l++)
		n += (double)p->data_level[l][stores];
	return n;
}

static void first_level(const struct interval_profile *p, const struct machine *m, struct model_counts *c)
{
	const struct level l1i = LEVEL(l1i), l1d = LEVEL(l1d);
	const struct missed fetches = {INTERVAL_FETCH, MODEL_l1i, fetches_beyond(p, CULPRIT_LEVEL_L1), 0};
	const struct missed loads = {INTERVAL_LOAD, MODEL_l1d, data_beyond(p, CULPRIT_LEVEL_L1, false), 0};
	const struct missed stores = {INTERVAL_STORE, MODEL_TERMS, data_beyond(p, CULPRIT_LEVEL_L1, true), 0};
	c->l1i = misses(c, &p->l1i, &l1i, &fetches);
	c->l1d = misses(c, &p->l1d, &l1d, &loads);
	c->l1d_stores = misses(c, &p->l1d, &l1d, &stores);
	if (m->l1i_prefetcher != prefetcher_none)
		note(c, "l1i", MODEL_l1i, c->l1i, c->l1i, 0, "a prefetcher: taken as none");
}

/* The L3 sweep exists when the reference has an L3; otherwise a larger L2 stands for L2 and L3 together. */
static void third_level(const struct interval_profile *p, const struct machine *m, struct model_counts *c)
{
	c->l3_share = c->l3_store_share = 1;
	if (!m->l3_size)
		return;
	const struct level l3 = LEVEL(l3);
	const double far = m->memory_latency;
	const struct missed loads = {INTERVAL_LOAD, MODEL_l2d, data_beyond(p, CULPRIT_LEVEL_L3, false), far};
	const struct missed fetches = {INTERVAL_FETCH, MODEL_l2i, fetches_beyond(p, CULPRIT_LEVEL_L3), far};
	const struct missed stores = {INTERVAL_STORE, MODEL_TERMS, data_beyond(p, CULPRIT_LEVEL_L3, true), far};
	const struct interval_sweep *s = p->reference.l3.size ? &p->l3 : &p->l2;
	double beyond = misses(c, s, &l3, &loads) + misses(c, s, &l3, &fetches), all = c->l2d + c->l2i;
	c->l3_share = all > 0 ? fmin(beyond / all, 1) : 1;
	if (c->l2d_stores > 0)
		c->l3_store_share = fmin(misses(c, s, &l3, &stores) / c->l2d_stores, 1);
	if (m->l3_prefetcher != prefetcher_none)
		note(c, "l3", MODEL_l2d, beyond, beyond, far, "a prefetcher: taken as none");
}

static void second_level(const struct interval_profile *p, const struct machine *m, struct model_counts *c)
{
	const struct level l2 = LEVEL(l2);
	const struct missed fetches = {INTERVAL_FETCH, MODEL_l2i, fetches_beyond(p, CULPRIT_LEVEL_L2), 0};
	const struct missed loads = {INTERVAL_LOAD, MODEL_l2d, data_beyond(p, CULPRIT_LEVEL_L2, false), 0};
	const struct missed stores = {INTERVAL_STORE, MODEL_TERMS, data_beyond(p, CULPRIT_LEVEL_L2, true), 0};
	/* behind a larger L1 than the reference's there are no more than it misses */
	c->l2i = fmin(misses(c, &p->l2, &l2, &fetches), c->l1i);
	c->l2d = fmin(misses(c, &p->l2, &l2, &loads), c->l1d);
	c->l2d_stores = fmin(misses(c, &p->l2, &l2, &stores), c->l1d_stores);
	third_level(p, m, c);
}

/* --- translations --- */

static bool same_tlbs(const struct machine *a, const struct machine *b)
{
	return a->tlb_i_entries == b->tlb_i_entries && a->tlb_i_ways == b->tlb_i_ways &&
	       a->tlb_d_entries == b->tlb_d_entries && a->tlb_d_ways == b->tlb_d_ways &&
	       a->tlb_l2_entries == b->tlb_l2_entries && a->tlb_l2_ways == b->tlb_l2_ways;
}

/* The TLBs of the reference, also those that the sweeps do not hold. */
static void measured_translation(const struct interval_profile *p, struct model_counts *c)
{
	const struct interval_translations *i = &p->instruction_pages, *d = &p->data_pages;
	c->itlb = (double)i->misses;
	c->dtlb = (double)d->misses;
	c->itlb_walk = i->misses ? (double)i->walks / (double)i->misses : 1;
	c->dtlb_walk = d->misses ? (double)d->walks / (double)d->misses : 1;
}

/* Misses of a TLB. Pages of another size reach as far as more, or fewer, entries of the profile's would at most. */
static double page_misses(struct model_counts *c, const struct interval_profile *p, const struct interval_pages *s,
			  const char *name, enum model_term term, double penalty, const struct interval_cache *tlb,
			  uint32_t page)
{
	struct interval_estimate e = interval_estimate_pages(s, tlb->size, tlb->ways);
	note_geometry(c, name, term, penalty, tlb, &e);
	if (tlb->size && page != p->machine.tlb_page) {
		double reach = fmax((double)tlb->size * page / p->machine.tlb_page, 1);
		double other = interval_estimate_pages(s, (uint64_t)reach, tlb->ways < reach ? tlb->ways : 0).count;
		note(c, name, term, e.count, fabs(other - e.count), penalty, "pages of %u bytes: taken as %u", page,
		     p->machine.tlb_page);
	}
	return e.count;
}

static void translation(const struct interval_profile *p, const struct machine *m, struct model_counts *c)
{
	const struct interval_cache i = {m->tlb_i_entries, m->tlb_i_ways, 0}, d = {m->tlb_d_entries, m->tlb_d_ways, 0};
	const struct interval_cache second = {m->tlb_l2_entries, m->tlb_l2_ways, 0};
	if (same_tlbs(m, &p->machine) && p->instruction_pages.accesses && m->tlb_page == p->machine.tlb_page) {
		measured_translation(p, c);
		return;
	}
	c->itlb = page_misses(c, p, &p->itlb, "itlb", MODEL_itlb, 0, &i, m->tlb_page);
	c->dtlb = page_misses(c, p, &p->dtlb, "dtlb", MODEL_dtlb, 0, &d, m->tlb_page);
	c->itlb_walk = c->dtlb_walk = 1;
	if (!m->tlb_l2_entries)
		return;
	double walks =
		page_misses(c, p, &p->tlb2, "second-level tlb", MODEL_dtlb, m->tlb_walk_latency, &second, m->tlb_page);
	double all =
		c->itlb + c->dtlb; /* more may miss this first level than the reference's, and the second has them */
	c->itlb_walk = c->dtlb_walk = all > 0 ? fmin(walks / all, 1) : 1;
}

/* --- branches --- */

static const char *predictor_text(char text[96], const struct interval_branch *b)
{
	static const char *const kinds[] = {
		[direction_predictor_static_] = "static",      [direction_predictor_taken] = "taken",
		[direction_predictor_not_taken] = "not_taken", [direction_predictor_bimodal] = "bimodal",
		[direction_predictor_gshare] = "gshare",       [direction_predictor_combined] = "combined",
		[direction_predictor_tage_sc_l] = "tage_sc_l", [direction_predictor_oracle] = "oracle",
		[direction_predictor_bi_mode] = "bi_mode",     [direction_predictor_tournament] = "tournament"};
	if (b->tage_kib)
		snprintf(text, 96, "tage_sc_l of %llu KiB", (unsigned long long)b->tage_kib);
	else
		snprintf(text, 96, "%s of %llu counters, history %llu", kinds[b->kind],
			 (unsigned long long)b->bimodal + b->gshare + b->meta, (unsigned long long)b->history);
	return text;
}

static const struct interval_predictor *directions(const struct interval_profile *p, const struct machine *m,
						   struct model_counts *c)
{
	const struct interval_branch wanted = interval_branch_of(m);
	struct interval_direction_estimate e = interval_estimate_directions(p, m);
	char w[96], t[96];
	if (e.taken && !interval_predictor_of(p, m))
		note(c, "direction predictor", MODEL_resolve, e.count, e.off, 0, "%s: taken as %s%s",
		     predictor_text(w, &wanted), predictor_text(t, &e.taken->branch),
		     wanted.tage_kib && !e.taken->branch.tage_kib ? " (a profile made with --tage has TAGE)" : "");
	return e.taken;
}

static const struct interval_predictor *any_btb(const struct interval_profile *p,
						const struct interval_predictor *otherwise)
{
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++)
		if (*p->predictor[i].name && p->predictor[i].branch.indirect == indirect_predictor_btb)
			return &p->predictor[i];
	return otherwise;
}

/* Mispredicted targets of indirect branches, with the BTB of `held`. */
static double targets(const struct interval_profile *p, const struct machine *m, const struct interval_predictor *held,
		      struct model_counts *c)
{
	if (m->branch_indirect == held->branch.indirect &&
	    (m->branch_indirect != indirect_predictor_ittage || m->branch_ittage_kib == held->branch.ittage_kib))
		return (double)held->target;
	const struct interval_predictor *last = any_btb(p, held);
	if (m->branch_indirect != indirect_predictor_ittage)
		return (double)last->target;
	struct interval_direction_estimate e = interval_estimate_targets(p, m);
	if (!e.taken) {
		note(c, "indirect predictor", MODEL_resolve, (double)last->target, (double)last->target, 0,
		     "ittage of %u KiB: taken as the BTB's last target (a profile made with --tage has ITTAGE)",
		     m->branch_ittage_kib);
		return (double)last->target;
	}
	if (e.taken->branch.ittage_kib != m->branch_ittage_kib)
		note(c, "indirect predictor", MODEL_resolve, e.count, e.off, 0, "ittage of %u KiB: taken as %llu KiB",
		     m->branch_ittage_kib, (unsigned long long)e.taken->branch.ittage_kib);
	return e.count;
}

static double wrong_returns(const struct interval_profile *p, const struct machine *m,
			    const struct interval_predictor *held, struct model_counts *c)
{
	if (m->branch_ras == held->branch.ras)
		return (double)held->return_;
	struct interval_estimate here = interval_estimate_returns(&p->returns, m->branch_ras);
	if (here.taken.size != m->branch_ras)
		note(c, "return stack", MODEL_resolve, here.count, here.off, 0, "%u entries: taken as %llu",
		     m->branch_ras, (unsigned long long)here.taken.size);
	return (double)held->return_ + here.count - interval_estimate_returns(&p->returns, held->branch.ras).count;
}

/* Another BTB than the one that `held` was run with. */
static void other_btb(const struct interval_profile *p, const struct machine *m, const struct interval_predictor *held,
		      struct model_counts *c)
{
	struct interval_estimate here[2], there[2];
	const struct interval_branch *b = &held->branch;
	if (m->branch_btb_entries == b->btb_entries && m->branch_btb_ways == b->btb_ways)
		return;
	const struct interval_cache wanted = {m->branch_btb_entries, m->branch_btb_ways, 0};
	interval_estimate_btb(&p->btb, wanted.size, wanted.ways, here);
	interval_estimate_btb(&p->btb, b->btb_entries, b->btb_ways, there);
	note_geometry(c, "btb", MODEL_fetch, m->frontend_decode_redirect, &wanted, &here[0]);
	c->redirects = fmax(c->redirects + here[0].count - there[0].count, 0);
	if (m->branch_indirect != indirect_predictor_btb)
		return;
	note_geometry(c, "btb", MODEL_resolve, 0, &wanted, &here[1]);
	c->mispredictions = fmax(c->mispredictions + here[1].count - there[1].count, 0);
}

static void prediction(const struct interval_profile *p, const struct machine *m, struct model_counts *c)
{
	c->mispredictions = c->redirects = 0;
	if (m->branch_predictor == direction_predictor_oracle)
		return;
	const struct interval_predictor *held = directions(p, m, c);
	if (!held)
		return;
	c->mispredictions = (double)held->direction + targets(p, m, held, c) + wrong_returns(p, m, held, c);
	c->redirects = (double)held->right_redirects;
	other_btb(p, m, held, c);
}

/* m*(W) was measured for the reference hierarchy; other geometries have as many overlaps for each miss. */
static void overlaps(const struct interval_profile *p, const struct machine *m, struct model_counts *c)
{
	const struct interval_overlap *memory = &p->overlap[INTERVAL_CHAIN_memory];
	const struct interval_overlap *walk = &p->overlap[INTERVAL_CHAIN_walk];
	double window = m->window_rob, l2d = c->l2d * c->l3_share;
	c->long_units = memory->misses ? interval_overlapped(memory, false, window) * l2d / (double)memory->misses
				       : l2d;
	c->walk_units =
		walk->misses ? interval_overlapped(walk, false, window) * c->dtlb * c->dtlb_walk / (double)walk->misses
			     : c->dtlb * c->dtlb_walk;
}

void model_count(const struct model *model, const struct machine *m, struct model_counts *c)
{
	const struct interval_profile *p = model->profile;
	*c = (struct model_counts){.instructions = (double)p->instructions};
	first_level(p, m, c);
	second_level(p, m, c);
	translation(p, m, c);
	prediction(p, m, c);
	overlaps(p, m, c);
}
