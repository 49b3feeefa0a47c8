/* How often each miss event happens on a machine, read out of the profile's sweeps. L2 and L3 counts are those behind the reference
 * machine's first level; a machine without the reference's second TLB level walks at every miss.
 *
 * The sweeps replace the least recently used line. Of the reference machine itself the misses are known as they are: a cache with
 * another policy, which the reference has too, misses as many times more than the sweep says as the reference's does. */
#include "interval/model/model.h"

#include <math.h>

/* A cache of the machine asked for and of the reference, and how often the reference's was missed. */
struct level {
	struct interval_cache here, reference;
	enum replacement policy, reference_policy;
};

#define LEVEL(name)                                                                                    \
	{                                                                                              \
		.here = {m->name##_size, m->name##_ways, m->name##_line},                              \
		.reference = {p->machine.name##_size, p->machine.name##_ways, p->machine.name##_line}, \
		.policy = (enum replacement)m->name##_replacement,                                     \
		.reference_policy = (enum replacement)p->machine.name##_replacement,                   \
	}

static bool swept(const struct interval_sweep *s, enum interval_kind kind, const struct interval_cache *c,
		  double *count, struct error *err)
{
	uint64_t n;
	TRY(interval_misses(s, kind, c->size, c->ways, c->line, &n, err));
	*count = (double)n;
	return true;
}

static bool misses(const struct interval_sweep *s, enum interval_kind kind, const struct level *l, double measured,
		   double *count, struct error *err)
{
	const struct interval_cache *a = &l->here, *b = &l->reference;
	double base;
	bool known = l->policy == l->reference_policy && measured > 0;
	if (known && a->size == b->size && a->ways == b->ways && a->line == b->line &&
	    (l->policy != replacement_lru || !swept(s, kind, a, count, NULL))) {
		*count = measured;
		return true;
	}
	TRY(swept(s, kind, a, count, err));
	if (known && l->policy != replacement_lru && swept(s, kind, b, &base, NULL) && base > 0)
		*count *= measured / base;
	return true;
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

static bool first_level(const struct interval_profile *p, const struct machine *m, struct model_counts *c,
			struct error *err)
{
	const struct level l1i = LEVEL(l1i), l1d = LEVEL(l1d);
	if (!misses(&p->l1i, INTERVAL_FETCH, &l1i, fetches_beyond(p, CULPRIT_LEVEL_L1), &c->l1i, err))
		return error_context(err, "l1i");
	if (!misses(&p->l1d, INTERVAL_LOAD, &l1d, data_beyond(p, CULPRIT_LEVEL_L1, false), &c->l1d, err) ||
	    !misses(&p->l1d, INTERVAL_STORE, &l1d, data_beyond(p, CULPRIT_LEVEL_L1, true), &c->l1d_stores, err))
		return error_context(err, "l1d");
	return true;
}

/* The L3 sweep exists when the reference has an L3; otherwise a larger L2 stands for L2 and L3 together. */
static bool third_level(const struct interval_profile *p, const struct machine *m, struct model_counts *c,
			struct error *err)
{
	c->l3_share = 1;
	if (!m->l3_size)
		return true;
	const struct level l3 = LEVEL(l3);
	double load, fetch;
	const struct interval_sweep *s = p->reference.l3.size ? &p->l3 : &p->l2;
	if (!misses(s, INTERVAL_LOAD, &l3, data_beyond(p, CULPRIT_LEVEL_L3, false), &load, err) ||
	    !misses(s, INTERVAL_FETCH, &l3, fetches_beyond(p, CULPRIT_LEVEL_L3), &fetch, err))
		return error_context(err, "l3");
	double all = c->l2d + c->l2i;
	c->l3_share = all > 0 ? fmin((load + fetch) / all, 1) : 1;
	return true;
}

static bool second_level(const struct interval_profile *p, const struct machine *m, struct model_counts *c,
			 struct error *err)
{
	const struct level l2 = LEVEL(l2);
	if (!misses(&p->l2, INTERVAL_FETCH, &l2, fetches_beyond(p, CULPRIT_LEVEL_L2), &c->l2i, err) ||
	    !misses(&p->l2, INTERVAL_LOAD, &l2, data_beyond(p, CULPRIT_LEVEL_L2, false), &c->l2d, err) ||
	    !misses(&p->l2, INTERVAL_STORE, &l2, data_beyond(p, CULPRIT_LEVEL_L2, true), &c->l2d_stores, err))
		return error_context(err, "l2");
	c->l2i = fmin(c->l2i, c->l1i); /* behind a larger L1 than the reference's there are no more than it misses */
	c->l2d = fmin(c->l2d, c->l1d);
	c->l2d_stores = fmin(c->l2d_stores, c->l1d_stores);
	return third_level(p, m, c, err);
}

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

static bool translation(const struct interval_profile *p, const struct machine *m, struct model_counts *c,
			struct error *err)
{
	uint64_t itlb, dtlb, walks;
	if (m->tlb_page != p->reference.page && (m->tlb_i_entries || m->tlb_d_entries))
		return error_set(err, ERROR_INPUT, "tlb: the profile is of pages of %llu bytes, the machine has %u",
				 (unsigned long long)p->reference.page, m->tlb_page);
	if (same_tlbs(m, &p->machine) && p->instruction_pages.accesses) {
		measured_translation(p, c);
		return true;
	}
	if (!interval_page_misses(&p->itlb, m->tlb_i_entries, m->tlb_i_ways, &itlb, err) ||
	    !interval_page_misses(&p->dtlb, m->tlb_d_entries, m->tlb_d_ways, &dtlb, err))
		return error_context(err, "tlb");
	c->itlb = (double)itlb;
	c->dtlb = (double)dtlb;
	c->itlb_walk = c->dtlb_walk = 1;
	if (!m->tlb_l2_entries)
		return true;
	if (!interval_page_misses(&p->tlb2, m->tlb_l2_entries, m->tlb_l2_ways, &walks, err))
		return error_context(err, "second-level tlb");
	double share = p->tlb2.accesses ? (double)walks / (double)p->tlb2.accesses : 1;
	c->itlb_walk = c->dtlb_walk = share;
	return true;
}

/* Return stacks between the sizes swept count as the next smaller one. */
static double wrong_returns(const struct interval_profile *p, uint64_t entries)
{
	unsigned at = 0;
	while (at + 1 < INTERVAL_RAS && (!entries || 2ull << at <= entries))
		at++;
	return (double)p->returns.wrong[at];
}

static bool prediction(const struct interval_profile *p, const struct machine *m, struct model_counts *c,
		       struct error *err)
{
	c->mispredictions = c->redirects = 0;
	if (m->branch_predictor == direction_predictor_oracle)
		return true;
	const struct interval_predictor *found = interval_predictor_of(p, m);
	if (!found)
		return error_set(err, ERROR_INPUT,
				 "branch: the profile has no predictor with these parameters: it holds the reference "
				 "machine's (%s) and bimodal-4k, gshare-4k, gshare-64k, combined-1k, -4k, -16k; with "
				 "--tage also tage-8k, -64k",
				 p->reference.machine);
	const struct interval_branch wanted = interval_branch_of(m), *held = &found->branch;
	c->mispredictions = (double)interval_mispredictions(found);
	c->redirects = (double)found->right_redirects;
	if (wanted.ras != held->ras)
		c->mispredictions += wrong_returns(p, wanted.ras) - wrong_returns(p, held->ras);
	if (wanted.btb_entries == held->btb_entries && wanted.btb_ways == held->btb_ways)
		return true;
	uint64_t direct, indirect, held_direct, held_indirect;
	if (!interval_btb_misses(&p->btb, wanted.btb_entries, wanted.btb_ways, &direct, &indirect, err) ||
	    !interval_btb_misses(&p->btb, held->btb_entries, held->btb_ways, &held_direct, &held_indirect, err))
		return error_context(err, "btb");
	c->redirects = fmax(c->redirects + (double)direct - (double)held_direct, 0);
	if (wanted.indirect == indirect_predictor_btb)
		c->mispredictions = fmax(c->mispredictions + (double)indirect - (double)held_indirect, 0);
	return true;
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

bool model_count(const struct model *model, const struct machine *m, struct model_counts *c, struct error *err)
{
	const struct interval_profile *p = model->profile;
	*c = (struct model_counts){.instructions = (double)p->instructions};
	TRY(first_level(p, m, c, err));
	TRY(second_level(p, m, c, err));
	TRY(translation(p, m, c, err));
	TRY(prediction(p, m, c, err));
	overlaps(p, m, c);
	return true;
}
