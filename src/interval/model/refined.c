/* The refined model. Each part of the machine is switched on in the flow of the sample, one after the other; what it
 * adds to the cycles is its term there. On the region the term is that, times how much more often its event happens:
 * because the machine's caches or predictor are not the reference's, and because a sample is not the whole.
 *
 * A term whose event is in the profile's counts but not in the sample has the plain model's penalty. */
#include "interval/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The events of a part in one sample. */
static unsigned events(const struct interval_sample *s, enum flow_part part)
{
	bool load = s->flags & SAMPLE_LOAD;
	switch (part) {
	case FLOW_l1d:
		return load && s->dlevel > CULPRIT_LEVEL_L1;
	case FLOW_l2d:
		return load && s->dlevel > CULPRIT_LEVEL_L2;
	case FLOW_store:
		return (s->flags & SAMPLE_STORE) && !load && s->dlevel > CULPRIT_LEVEL_L2;
	case FLOW_dtlb:
		return s->dtlb > CULPRIT_LEVEL_L1;
	case FLOW_l1i:
		return s->ilevel > CULPRIT_LEVEL_L1;
	case FLOW_l2i:
		return s->ilevel > CULPRIT_LEVEL_L2;
	case FLOW_itlb:
		return s->itlb > CULPRIT_LEVEL_L1;
	case FLOW_bmisp:
		return (s->flags & SAMPLE_MISPREDICTED) != 0;
	case FLOW_serial:
		return (s->flags & SAMPLE_SERIALISING) != 0;
	default:
		return 0;
	}
}

static void count_sample(struct model *model)
{
	for (unsigned part = 0; part < FLOW_PARTS; part++) {
		double n = 0;
		for (size_t i = 0; i < model->stream.count; i++)
			n += events(&model->stream.samples[i], part);
		model->sampled[part] = model->stream.count ? n / (double)model->stream.count : 0;
	}
}

void model_restrict(struct model *model, const struct flow_stream *stream)
{
	model->partial = stream->count < model->stream.count;
	model->stream = *stream;
	count_sample(model);
}

static bool measure_paths(struct model *model, struct error *err)
{
	struct ilp *ilp = &model->ilp;
	for (uint32_t w = 1; w <= ILP_WINDOW; w++) {
		ilp->k[w] = interval_critical_path(model->profile, INTERVAL_LATENCY_unit, w);
		if (ilp->k[w] > 0)
			ilp->measured = w;
	}
	if (!ilp_fit(ilp, MODEL_FIT_LOW, MODEL_FIT_HIGH))
		return error_set(err, ERROR_INPUT, "the profile is too short for a critical path curve");
	return true;
}

bool model_judge_strays(struct flow_stream *stream, const struct interval_profile *p, struct interval_sample **strays,
			struct error *err)
{
	size_t size = p->samples.stray_count * sizeof **strays;
	*strays = malloc(size + 1);
	if (!*strays)
		return error_set(err, ERROR_SYSTEM, "out of memory for the wrong paths");
	if (size)
		memcpy(*strays, p->samples.strays, size);
	stream->strays = *strays;
	return flow_judge_strays(stream, &p->machine, *strays, err);
}

bool model_open(struct model *model, const struct interval_profile *profile, struct error *err)
{
	*model = (struct model){.profile = profile, .reference = profile->machine};
	const struct interval_samples *s = &profile->samples;
	model->stream = (struct flow_stream){.samples = s->list,
					     .count = s->count,
					     .stretch = s->every == 1 ? 0 : (uint32_t)s->stretch,
					     .wrong = s->wrong,
					     .wrong_count = s->wrong_count};
	TRY(model_judge_strays(&model->stream, profile, &model->strays, err));
	TRY(measure_paths(model, err));
	count_sample(model);
	model_count(model, &model->reference, &model->reference_counts);
	return true;
}

void model_close(struct model *model)
{
	free(model->strays);
	model->strays = NULL;
}

static double count_of(const struct model_counts *c, enum flow_part part)
{
	switch (part) {
	case FLOW_l1d:
		return c->l1d;
	case FLOW_l2d:
		return c->l2d;
	case FLOW_store:
		return c->l2d_stores;
	case FLOW_dtlb:
		return c->dtlb;
	case FLOW_l1i:
		return c->l1i;
	case FLOW_l2i:
		return c->l2i;
	case FLOW_itlb:
		return c->itlb;
	case FLOW_bmisp:
		return c->mispredictions;
	default:
		return c->instructions;
	}
}

double model_scale(const struct model *model, const struct model_counts *counts, enum flow_part part)
{
	double here = count_of(counts, part), reference = count_of(&model->reference_counts, part);
	double instructions = counts->instructions / (double)model->stream.count;
	if (part == FLOW_serial && model->sampled[part] > 0) /* rare, and counted exactly, too */
		return (double)model->profile->mix.serialising / (model->sampled[part] * (double)model->stream.count);
	if (!flow_part_is_event(part) || part == FLOW_mshr || part == FLOW_bus)
		return instructions;
	if (model->sampled[part] <= 0)
		return part == FLOW_store ? instructions : 0; /* L2 serves them all */
	/* all of the region sampled: the sample's own count is the reference's, however the sweep counts accesses
	 * across lines */
	double whole = model->profile->samples.every == 1 && !model->partial ? reference / (double)model->stream.count
									     : model->sampled[part];
	return whole > 0 ? here / (whole * (double)model->stream.count) : 0;
}

static const enum model_term term_of[FLOW_PARTS] = {
	[FLOW_units] = MODEL_units, [FLOW_order] = MODEL_order,
	[FLOW_fetch] = MODEL_fetch, [FLOW_serial] = MODEL_serial,
	[FLOW_l1d] = MODEL_l1d,	    [FLOW_bmisp] = MODEL_resolve,
	[FLOW_l1i] = MODEL_l1i,	    [FLOW_l2i] = MODEL_l2i,
	[FLOW_itlb] = MODEL_itlb,   [FLOW_l2d] = MODEL_l2d,
	[FLOW_dtlb] = MODEL_dtlb,   [FLOW_mshr] = MODEL_mshr,
	[FLOW_bus] = MODEL_bus,	    [FLOW_violation] = MODEL_violation,
	[FLOW_store] = MODEL_store,
};

/* The machine as the flow takes it. Where the sample is not adapted to it, an L3 that the reference does not have
 * shortens the way to memory by its share of hits, and a second TLB likewise. */
static struct machine flow_machine(const struct model *model, const struct machine *m,
				   const struct model_counts *counts)
{
	struct machine machine = *m;
	if (model->own)
		return machine;
	if (m->l3_size && !model->reference.l3_size)
		machine.memory_latency = (uint32_t)lround(counts->l3_share * m->memory_latency);
	if (counts->itlb_walk < 1 && !model->reference.tlb_l2_entries)
		machine.tlb_walk_latency = (uint32_t)lround(counts->dtlb_walk * m->tlb_walk_latency);
	return machine;
}

/* Store sets are learnt anew whenever they are cleared, from as much of the program as then follows; that takes
 * about as long however much follows, and so it does in the sample. What learning all of the sample took, as a part
 * of the sample's cycles. */
static double learning(const struct model *model, const struct machine *m, const struct model_counts *counts,
		       double learning, double cycles)
{
	double sampled = (double)model->stream.count / counts->instructions;
	double periods = m->lsq_ssit_clear ? fmax(cycles / sampled / m->lsq_ssit_clear, 1) : 1;
	return learning * periods * fmin(sampled, 1);
}

/* Parts are switched on one after the other. The first run has them all: from it store sets are known, and what
 * learning them took. */
static void run_parts(const struct flow_stream *stream, struct flow *flow, uint32_t parts, struct model_flow *out)
{
	struct flow_result r;
	bool learns = parts & FLOW_BIT(violation);
	double learnt = 0, before;
	if (learns) {
		flow_run(flow, stream, parts, &r);
		learnt = (double)r.cycles;
	}
	flow_run(flow, stream, 0, &r);
	out->start = before = (double)r.cycles;
	uint32_t with = 0;
	for (unsigned part = 0; part < FLOW_PARTS; part++) {
		out->added[part] = 0;
		if (!(parts >> part & 1) || part == FLOW_violation)
			continue;
		with |= 1u << part;
		flow_run(flow, stream, with, &r);
		out->added[part] = (double)r.cycles - before;
		before = (double)r.cycles;
		if (part == FLOW_bmisp)
			out->resolution = r.mispredictions ? (double)r.resolution / (double)r.mispredictions : 0;
	}
	out->added[FLOW_violation] = learns ? learnt - before : 0;
	out->cycles = before;
}

static bool same_prefetcher(const struct machine *a, const struct machine *b)
{
	return a->l1d_prefetcher == b->l1d_prefetcher && a->l1d_prefetch_degree == b->l1d_prefetch_degree &&
	       a->l1d_prefetch_distance == b->l1d_prefetch_distance;
}

bool model_flow(const struct model *model, const struct machine *m, const struct model_counts *counts, uint32_t parts,
		struct model_flow *out, struct error *err)
{
	struct machine machine = flow_machine(model, m, counts);
	struct flow *flow = flow_create(&machine, err);
	if (!flow)
		return false;
	struct flow_stream stream = model->stream;
	stream.prefetched = same_prefetcher(m, &model->reference);
	run_parts(&stream, flow, parts, out);
	flow_destroy(flow);
	out->added[FLOW_violation] = learning(model, m, counts, out->added[FLOW_violation], out->cycles);
	return true;
}

static uint32_t parts_of(const struct machine *m, uint32_t refinements)
{
	uint32_t parts = FLOW_ALL;
	static const struct {
		enum model_refinement refinement;
		uint32_t parts;
	} off[] = {
		{MODEL_REFINE_units, FLOW_BIT(units)}, {MODEL_REFINE_order, FLOW_BIT(order) | FLOW_BIT(violation)},
		{MODEL_REFINE_fetch, FLOW_BIT(fetch)}, {MODEL_REFINE_serial, FLOW_BIT(serial)},
		{MODEL_REFINE_stray, FLOW_BIT(stray)}, {MODEL_REFINE_prefetch, FLOW_BIT(prefetch)},
		{MODEL_REFINE_short, FLOW_BIT(l1d)},   {MODEL_REFINE_mshr, FLOW_BIT(mshr)},
		{MODEL_REFINE_bus, FLOW_BIT(bus)},
	};
	for (size_t i = 0; i < sizeof off / sizeof off[0]; i++)
		if (!(refinements >> off[i].refinement & 1))
			parts &= ~off[i].parts;
	if (m->lsq_disambiguation != disambiguation_store_sets)
		parts &= ~FLOW_BIT(violation);
	if (m->branch_predictor == direction_predictor_oracle)
		parts &= ~FLOW_BIT(bmisp);
	if (!m->tlb_i_entries)
		parts &= ~FLOW_BIT(itlb);
	if (!m->tlb_d_entries)
		parts &= ~FLOW_BIT(dtlb);
	if (!m->l1i_mshrs && !m->l1d_mshrs && !m->l2_mshrs)
		parts &= ~FLOW_BIT(mshr);
	if (m->l1d_prefetcher == prefetcher_none && m->l2_prefetcher == prefetcher_none)
		parts &= ~FLOW_BIT(prefetch);
	if (!m->memory_interval)
		parts &= ~FLOW_BIT(bus);
	return parts;
}

uint32_t model_parts(const struct machine *m, uint32_t refinements)
{
	return parts_of(m, refinements);
}

static void set_cycles(struct model_result *r, enum model_term term, double count, double cycles)
{
	r->lines[term] = (struct model_line){count, count > 0 ? cycles / count : 0, cycles};
}

/* A misprediction's cycles are its refill, as far as it is not hidden, and the rest until the branch has completed. */
static void split_mispredictions(struct model_result *r, const struct machine *m, double cycles)
{
	double count = r->counts.mispredictions, refill = count * (m->frontend_stages + m->frontend_redirect);
	refill = fmin(refill, cycles);
	set_cycles(r, MODEL_refill, count, refill);
	set_cycles(r, MODEL_resolve, count, cycles - refill);
}

/* From the flow's cycles to the region's terms. */
void model_refined_terms(const struct model *model, const struct machine *m, const struct model_flow *flow,
			 uint32_t parts, struct model_result *r)
{
	const struct model_counts *c = &r->counts;
	double per_sample = c->instructions / (double)model->stream.count;
	double dispatch = c->instructions / m->dispatch_width;
	set_cycles(r, MODEL_dispatch, c->instructions, dispatch);
	set_cycles(r, MODEL_window, 0, fmax(flow->start * per_sample - dispatch, 0));
	for (unsigned part = 0; part < FLOW_PARTS; part++) {
		if (!(parts >> part & 1) || part == FLOW_stray || part == FLOW_prefetch)
			continue;
		bool event = flow_part_is_event(part) && part != FLOW_mshr && part != FLOW_bus;
		if (event && model->sampled[part] <= 0 && part != FLOW_store)
			continue; /* stays as the plain model has it */
		double count = event ? count_of(c, part) : 0;
		double cycles = flow->added[part] * model_scale(model, c, part);
		if (part == FLOW_bmisp)
			split_mispredictions(r, m, cycles);
		else
			set_cycles(r, term_of[part], count, cycles);
	}
}

static void drop(struct model_result *r, const struct model_line *plain, uint32_t refinements)
{
	static const struct {
		enum model_refinement refinement;
		enum model_term term;
	} back[] = {
		{MODEL_REFINE_window, MODEL_window}, {MODEL_REFINE_units, MODEL_units},
		{MODEL_REFINE_order, MODEL_order},   {MODEL_REFINE_order, MODEL_violation},
		{MODEL_REFINE_fetch, MODEL_fetch},   {MODEL_REFINE_serial, MODEL_serial},
		{MODEL_REFINE_short, MODEL_l1d},     {MODEL_REFINE_chain, MODEL_resolve},
		{MODEL_REFINE_chain, MODEL_refill},  {MODEL_REFINE_front, MODEL_l1i},
		{MODEL_REFINE_front, MODEL_l2i},     {MODEL_REFINE_front, MODEL_itlb},
		{MODEL_REFINE_long, MODEL_l2d},	     {MODEL_REFINE_long, MODEL_dtlb},
		{MODEL_REFINE_long, MODEL_store},    {MODEL_REFINE_mshr, MODEL_mshr},
		{MODEL_REFINE_bus, MODEL_bus},
	};
	for (size_t i = 0; i < sizeof back / sizeof back[0]; i++)
		if (!(refinements >> back[i].refinement & 1))
			r->lines[back[i].term] = plain[back[i].term];
}

bool model_refined(const struct model *model, const struct machine *m, uint32_t refinements, struct model_result *r,
		   struct error *err)
{
	struct model_flow flow = {.start = 0};
	uint32_t parts = parts_of(m, refinements);
	struct model_line plain[MODEL_TERMS];
	TRY(model_plain(model, m, r, err));
	memcpy(plain, r->lines, sizeof plain);
	if (!model->stream.count)
		return error_set(err, ERROR_INPUT, "the profile has no sample; --plain needs none");
	struct model adapted = *model;
	bool good = true;
	if (refinements >> MODEL_REFINE_geometry & 1)
		good = model_adapt(model, m, &r->counts, &adapted, err);
	good = good && model_flow(&adapted, m, &r->counts, parts, &flow, err);
	r->lines[MODEL_edge] = (struct model_line){.count = 0}; /* the flow's intervals end where they end */
	if (good)
		model_refined_terms(&adapted, m, &flow, parts, r);
	r->foreign = adapted.own || (m->l1d_prefetcher != prefetcher_none && !same_prefetcher(m, &model->reference));
	model_adapt_free(&adapted);
	if (!good)
		return false;
	drop(r, plain, refinements);
	r->resolution = flow.resolution;
	r->cycles = 0;
	for (unsigned i = 0; i < MODEL_TERMS; i++)
		r->cycles += r->lines[i].cycles;
	r->cpi = r->counts.instructions > 0 ? r->cycles / r->counts.instructions : 0;
	return true;
}
