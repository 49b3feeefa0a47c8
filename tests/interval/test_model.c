/* Equations (6) and (7) on numbers worked out by hand, and the refined model against flows of the whole sample. */
#include "model_rig.h"

#include <math.h>

/* N = 1000 on the default machine (D = 4, L2 10, memory 250, walk 30, c_fe 5 + redirect 1):
 * N / D = 250; intervals 20 + 2 + 10 + 3 = 35 (TLB misses have no edge, as printed), each 3/8: 13.125;
 * L1I 20 x 10 = 200; L2I 2 x 250 = 500; mispredictions 10 x (c_dr 7 + 6) = 130; L2D 3 x 250 = 750; ITLB 4 x 30 = 120; DTLB 5 x 30. */
static void equation_7(void **state)
{
	struct machine m = rig_machine("description: d\n");
	struct model_counts c = {.instructions = 1000,
				 .l1i = 20,
				 .l2i = 2,
				 .itlb = 4,
				 .mispredictions = 10,
				 .long_units = 3,
				 .walk_units = 5,
				 .itlb_walk = 1,
				 .dtlb_walk = 1,
				 .l3_share = 1};
	struct model_result r;
	model_plain_terms(&c, &m, 7, &r);
	assert_float_equal(r.lines[MODEL_dispatch].cycles, 250, 1e-9);
	assert_float_equal(r.lines[MODEL_edge].cycles, 13.125, 1e-9);
	assert_float_equal(r.lines[MODEL_l1i].cycles, 200, 1e-9);
	assert_float_equal(r.lines[MODEL_l2i].cycles, 500, 1e-9);
	assert_float_equal(r.lines[MODEL_resolve].cycles, 70, 1e-9);
	assert_float_equal(r.lines[MODEL_refill].cycles, 60, 1e-9);
	assert_float_equal(r.lines[MODEL_l2d].cycles, 750, 1e-9);
	assert_float_equal(r.lines[MODEL_itlb].cycles, 120, 1e-9);
	assert_float_equal(r.lines[MODEL_dtlb].cycles, 150, 1e-9);
	assert_float_equal(r.cycles, 250 + 13.125 + 200 + 500 + 130 + 750 + 120 + 150, 1e-9);
	assert_float_equal(r.cpi, 2.113125, 1e-9);
	double groups = 0;
	for (unsigned g = 0; g < MODEL_GROUPS; g++)
		groups += model_group_cycles(&r, g);
	assert_float_equal(groups, r.cycles, 1e-9);
}

static void open_rig(struct model *model, struct interval_profile **profile, uint32_t samples)
{
	struct error err;
	*profile = rig_profile(samples, 5);
	if (!model_open(model, *profile, &err))
		fail_msg("%s", err.text);
}

/* Counts are what the sweeps say: L1D of 16 KB in 4 ways of 32 bytes: 128 sets = 2^7 = 2^(4 + 3): depth 0 hits half, depths 1 to 3
 * each accesses / 100 * 4 / 4. 5000 accesses: 2500 - 150. */
static void counts_come_from_the_sweeps(void **state)
{
	struct interval_profile *p;
	struct model model;
	struct model_counts c;
	struct error err;
	open_rig(&model, &p, 20000);
	model_count(&model, &p->machine, &c);
	assert_float_equal(c.l1d, 2350, 0);
	assert_float_equal(c.mispredictions, 250, 0);
	assert_int_equal(c.nearest_count, 0);
	/* 128 KB in 32 ways, which the sweeps do not hold: as many lines in 256 sets of 16 ways. Of 5000 accesses 2500 hit at depth 0, at
	 * each of depths 1 to 15 50 * 5 / 4 = 62 (integers). With 512 sets of 8 ways, the same step further, 7 * 50 * 6 / 4 = 525. */
	struct machine m = p->machine;
	rig_set(&m, "l1d.ways=32");
	rig_set(&m, "l1d.size=131072");
	model_count(&model, &m, &c);
	assert_float_equal(c.l1d, 2500 - 15 * 62, 0);
	assert_int_equal(c.nearest_count, 1);
	assert_string_equal(c.nearest[0].structure, "l1d");
	assert_string_equal(c.nearest[0].text, "131072 bytes in 32 ways of 32-byte lines: taken as 131072 bytes in 16 "
					       "ways of 32-byte lines");
	assert_float_equal(c.nearest[0].off, 15 * 62 - 7 * 75, 1e-9);
	/* no other predictor was run: nothing tells how much another one would mispredict */
	m = p->machine;
	rig_set(&m, "branch.gshare_entries=8192");
	model_count(&model, &m, &c);
	assert_float_equal(c.mispredictions, 250, 0);
	assert_int_equal(c.nearest_count, 1);
	assert_string_equal(c.nearest[0].structure, "direction predictor");
	assert_float_equal(c.nearest[0].off, 250, 0);
	/* both at once: what they may be off by adds up, of the predictor by both parts of a misprediction's penalty */
	struct model_result r;
	rig_set(&m, "l1d.ways=32");
	rig_set(&m, "l1d.size=131072");
	assert_true(model_plain(&model, &m, &r, &err));
	assert_int_equal(r.counts.nearest_count, 2);
	assert_float_equal(model_all_nearest_cycles(&r),
			   (15 * 62 - 7 * 75) * r.lines[r.counts.nearest[0].term].penalty +
				   250 * (r.lines[MODEL_resolve].penalty + r.lines[MODEL_refill].penalty),
			   1e-6);
	assert_true(model_all_nearest_cycles(&r) > 250);
	m = p->machine;
	rig_set(&m, "ideal=dl1");
	assert_false(model_plain(&model, &m, &r, &err));
	model_close(&model);
	rig_profile_free(p);
}

/* Equation (8) of each length of an interval, weighted by how many there are: of one length it is that length's, and of two the mean.
 * Without an interval, or without a misprediction, there is nothing to drain. */
static void drains_are_weighted(void **state)
{
	struct interval_profile *p;
	struct model model;
	struct model_counts c = {.mispredictions = 4};
	open_rig(&model, &p, 20000);
	const struct machine *m = &p->machine;
	uint64_t *intervals = p->predictor[0].interval, *lengths = p->predictor[0].instructions;
	intervals[80] = 1;
	lengths[80] = 80;
	const double of_80 = ilp_drain(&model.ilp, 80, m->dispatch_width, m->issue_width, m->window_rob, 2);
	assert_float_equal(model_drain(&model, &c, m, 2), of_80, 1e-9);
	intervals[7] = 3;
	lengths[7] = 21;
	const double of_7 = ilp_drain(&model.ilp, 7, m->dispatch_width, m->issue_width, m->window_rob, 2);
	assert_true(of_7 != of_80);
	assert_float_equal(model_drain(&model, &c, m, 2), (of_80 + 3 * of_7) / 4, 1e-9);
	intervals[7] = intervals[80] = 0;
	assert_float_equal(model_drain(&model, &c, m, 2), 0, 0);
	intervals[80] = 1;
	c.mispredictions = 0;
	assert_float_equal(model_drain(&model, &c, m, 2), 0, 0);
	model_close(&model);
	rig_profile_free(p);
	(void)state;
}

/* All of the region is in the sample: on the reference machine the terms are the flow's, to the last cycle. */
static void the_reference_is_the_flow(void **state)
{
	struct interval_profile *p;
	struct model model;
	struct model_result r;
	struct flow_result whole;
	struct error err;
	open_rig(&model, &p, 20000);
	assert_true(model_refined(&model, &p->machine, MODEL_REFINED, &r, &err));
	struct flow *f = flow_create(&p->machine, &err);
	uint32_t parts = model_parts(&p->machine, MODEL_REFINED);
	flow_run(f, &model.stream, parts, &whole);
	flow_destroy(f);
	assert_float_equal(r.cycles, (double)whole.cycles, 1e-6 * (double)whole.cycles);
	assert_float_equal(r.lines[MODEL_dispatch].cycles, 5000, 1e-9);
	model_close(&model);
	rig_profile_free(p);
}

/* Twice the mispredictions: twice their term, and nothing else changes. */
static void terms_scale_with_their_events(void **state)
{
	struct interval_profile *p;
	struct model model;
	struct model_result one, two;
	struct error err;
	open_rig(&model, &p, 20000);
	assert_true(model_refined(&model, &p->machine, MODEL_REFINED, &one, &err));
	struct machine m = p->machine;
	rig_set(&m, "branch.history=8");
	p->predictor[1] = p->predictor[0];
	p->predictor[1].branch = interval_branch_of(&m);
	p->predictor[1].direction *= 2;
	assert_true(model_refined(&model, &m, MODEL_REFINED, &two, &err));
	double added = model_group_cycles(&one, MODEL_GROUP_bmisp);
	assert_float_equal(two.cycles - one.cycles, added, 1e-6 * added);
	model_close(&model);
	rig_profile_free(p);
}

/* Another L1D: the adapted sample misses as often as asked (400000 instructions: chance is off by a few percent); what misses memory stays. */
static void the_sample_is_adapted(void **state)
{
	struct interval_profile *p;
	struct model model, adapted;
	struct model_counts c;
	struct error err;
	open_rig(&model, &p, 400000);
	c = model.reference_counts;
	assert_true(model_adapt(&model, &p->machine, &c, &adapted, &err));
	assert_ptr_equal(adapted.stream.samples, model.stream.samples); /* nothing to change */
	for (unsigned i = 0; i < 2; i++) {
		double factor = i ? 2.5 : 0.4, shorts = c.l1d - c.l2d;
		struct model_counts here = c;
		here.l1d = c.l2d + shorts * factor;
		assert_true(model_adapt(&model, &p->machine, &here, &adapted, &err));
		double before = model.sampled[FLOW_l1d] - model.sampled[FLOW_l2d];
		double now = adapted.sampled[FLOW_l1d] - adapted.sampled[FLOW_l2d];
		assert_true(fabs(now / before / factor - 1) < 0.08);
		assert_float_equal(adapted.sampled[FLOW_l2d], model.sampled[FLOW_l2d], 1e-12);
		assert_float_equal(adapted.sampled[FLOW_l1i], model.sampled[FLOW_l1i], 1e-12);
		model_adapt_free(&adapted);
	}
	model_close(&model);
	rig_profile_free(p);
}

/* A BTB that misses 600 times where the reference's misses 300: the sample's 300 redirects become 600, of the branches furthest from their last
 * use; what were redirects remain. */
static void redirects_are_adapted(void **state)
{
	struct interval_profile *p = rig_profile(20000, 5);
	struct model model, adapted;
	struct error err;
	double flagged = 0, after = 0;
	for (uint32_t i = 0; i < 20000; i += 10) {
		struct interval_sample *s = &p->samples.list[i];
		*s = rig_op(i % 500, CULPRIT_OP_branch, 0);
		s->flags = SAMPLE_TAKEN | (i < 3000 ? SAMPLE_BTB_MISS : 0);
		flagged += i < 3000;
	}
	assert_true(model_open(&model, p, &err));
	struct model_counts here = model.reference_counts;
	model.reference_counts.redirects = 300;
	here.redirects = 600;
	assert_true(model_adapt(&model, &p->machine, &here, &adapted, &err));
	for (uint32_t i = 0; i < 20000; i++) {
		bool was = p->samples.list[i].flags & SAMPLE_BTB_MISS;
		bool is = adapted.stream.samples[i].flags & SAMPLE_BTB_MISS;
		assert_true(is || !was);
		after += is;
	}
	assert_float_equal(after, 2 * flagged, 0);
	model_adapt_free(&adapted);
	model_close(&model);
	rig_profile_free(p);
}

/* Without everything, the refined model is the plain one but for the edge term. */
static void without_refinements_it_is_plain(void **state)
{
	struct interval_profile *p;
	struct model model;
	struct model_result plain, none;
	struct error err;
	uint32_t bits;
	open_rig(&model, &p, 20000);
	assert_true(model_plain(&model, &p->machine, &plain, &err));
	assert_true(model_refined(&model, &p->machine, 0, &none, &err));
	for (unsigned i = 0; i < MODEL_TERMS; i++)
		if (i != MODEL_edge)
			assert_float_equal(none.lines[i].cycles, plain.lines[i].cycles, 1e-6);
	assert_true(model_refinements_parse("chain,bus", &bits, &err));
	assert_int_equal(bits, 1u << MODEL_REFINE_chain | 1u << MODEL_REFINE_bus);
	assert_false(model_refinements_parse("chain,,bus", &bits, &err));
	assert_false(model_refinements_parse("chains", &bits, &err));
	model_close(&model);
	rig_profile_free(p);
}

/* Another policy than LRU: the reference's own L1D misses as was measured, 3000 loads where the sweep says 2350; one of half the sets
 * misses 3000 / 2350 times what the sweep says of it. LRU: as swept, whatever was measured. */
static void other_policies_miss_as_measured(void **state)
{
	struct interval_profile *p;
	struct model model;
	struct model_counts c;
	open_rig(&model, &p, 20000);
	p->data_level[CULPRIT_LEVEL_L2][0] = 2990;
	p->data_level[CULPRIT_LEVEL_MEMORY][0] = 10;
	p->data_level[CULPRIT_LEVEL_L1][0] = 2000;
	struct machine half = p->machine;
	half.l1d_size /= 2;
	model_count(&model, &half, &c);
	double swept_half = c.l1d;
	model_count(&model, &p->machine, &c);
	assert_float_equal(c.l1d, 2350, 0);
	p->machine.l1d_replacement = half.l1d_replacement = replacement_random;
	model_count(&model, &p->machine, &c);
	assert_float_equal(c.l1d, 3000, 0);
	model_count(&model, &half, &c);
	assert_float_equal(c.l1d, swept_half * 3000 / 2350, 1e-9);
	half.l1d_replacement = replacement_lru; /* not the reference's policy: nothing is known of it */
	model_count(&model, &half, &c);
	assert_float_equal(c.l1d, swept_half, 0);
	model_close(&model);
	rig_profile_free(p);
}

/* A second-level TLB of 24 ways is in no sweep: known of the reference alone. 400 ITLB misses, of which 100 walk. */
static void tlbs_of_the_reference_need_no_sweep(void **state)
{
	struct interval_profile *p;
	struct model model;
	struct model_counts c;
	open_rig(&model, &p, 20000);
	p->machine.tlb_l2_entries = 3072;
	p->machine.tlb_l2_ways = 24;
	p->instruction_pages = (struct interval_translations){.accesses = 2500, .misses = 400, .walks = 100};
	p->data_pages = (struct interval_translations){.accesses = 6000, .misses = 50, .walks = 50};
	model_count(&model, &p->machine, &c);
	assert_float_equal(c.itlb, 400, 0);
	assert_float_equal(c.itlb_walk, 0.25, 0);
	assert_float_equal(c.dtlb, 50, 0);
	assert_float_equal(c.dtlb_walk, 1, 0);
	struct machine other = p->machine;
	other.tlb_l2_entries = 1536; /* 64 sets of 24 ways: nearest are 128 of 12 */
	model_count(&model, &other, &c);
	assert_string_equal(c.nearest[0].text, "1536 entries in 24 ways: taken as 1536 entries in 12 ways");
	model_close(&model);
	rig_profile_free(p);
}

/* Stores on another cache miss as often as the sweep says of stores. Of the sample's, all hit; the L2 that is wanted misses a tenth. */
static void stores_are_adapted_by_their_own_count(void **state)
{
	struct interval_profile *p;
	struct model model, adapted;
	struct error err;
	open_rig(&model, &p, 20000);
	double stores = 0, missing = 0;
	for (size_t i = 0; i < p->samples.count; i++) {
		struct interval_sample *s = &p->samples.list[i];
		if ((s->flags & (SAMPLE_LOAD | SAMPLE_STORE)) != SAMPLE_STORE)
			continue;
		s->dlevel = CULPRIT_LEVEL_L1;
		stores++;
	}
	struct model_counts here = model.reference_counts;
	model.reference_counts.l1d_stores = model.reference_counts.l2d_stores;
	here.l1d_stores = here.l2d_stores + stores / 10;
	assert_true(model_adapt(&model, &p->machine, &here, &adapted, &err));
	for (size_t i = 0; i < adapted.stream.count; i++) {
		const struct interval_sample *s = &adapted.stream.samples[i];
		if ((s->flags & (SAMPLE_LOAD | SAMPLE_STORE)) == SAMPLE_STORE)
			missing += s->dlevel == CULPRIT_LEVEL_L2;
		else
			assert_int_equal(s->dlevel, p->samples.list[i].dlevel);
	}
	assert_true(stores > 1000);
	assert_float_equal(missing / stores, 0.1, 0.02);
	model_adapt_free(&adapted);
	model_close(&model);
	rig_profile_free(p);
}

/* An L3 that has most of what loads miss and nothing of what stores do: stores that miss L2 go to memory. */
static void stores_have_their_own_share_of_the_l3(void **state)
{
	struct interval_profile *p;
	struct model model, adapted;
	struct model_counts here;
	struct error err;
	size_t memory = 0, l3 = 0;
	open_rig(&model, &p, 20000);
	for (unsigned line = 0; line < INTERVAL_LINES; line++)
		memset(p->l2.hits[line][INTERVAL_STORE], 0, sizeof p->l2.hits[line][INTERVAL_STORE]);
	struct machine m = p->machine;
	rig_set(&m, "l3.size=8388608");
	model_count(&model, &m, &here);
	assert_true(here.l3_share < 0.9);
	assert_true(model_adapt(&model, &m, &here, &adapted, &err));
	for (size_t i = 0; i < adapted.stream.count; i++) {
		const struct interval_sample *s = &adapted.stream.samples[i];
		if ((s->flags & (SAMPLE_LOAD | SAMPLE_STORE)) != SAMPLE_STORE)
			continue;
		memory += s->dlevel == CULPRIT_LEVEL_MEMORY;
		l3 += s->dlevel == CULPRIT_LEVEL_L3;
	}
	assert_int_equal(l3, 0);
	assert_true(memory > 10);
	model_adapt_free(&adapted);
	model_close(&model);
	rig_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equation_7),
		cmocka_unit_test(counts_come_from_the_sweeps),
		cmocka_unit_test(drains_are_weighted),
		cmocka_unit_test(the_reference_is_the_flow),
		cmocka_unit_test(terms_scale_with_their_events),
		cmocka_unit_test(the_sample_is_adapted),
		cmocka_unit_test(redirects_are_adapted),
		cmocka_unit_test(without_refinements_it_is_plain),
		cmocka_unit_test(other_policies_miss_as_measured),
		cmocka_unit_test(tlbs_of_the_reference_need_no_sweep),
		cmocka_unit_test(stores_are_adapted_by_their_own_count),
		cmocka_unit_test(stores_have_their_own_share_of_the_l3),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
