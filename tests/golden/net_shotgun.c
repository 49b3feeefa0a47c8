/* Shotgun profiles: what the monitor samples, what is made of it, and samples made of branch records. */
#include "net.h"

#include "analysis/shotgun/machine.h"
#include "bare_guest.h"
#include "culprit/precise.h"
#include "riscv/static_insn.h"

#include <stdlib.h>
#include <string.h>

static bool decode(void *context, uint64_t pc, struct culprit_static_insn *insn)
{
	const struct net_stream *s = context;
	uint32_t raw;
	if (pc < BARE_CODE || pc - BARE_CODE + 4 > NET_CODE_BYTES)
		return false;
	memcpy(&raw, s->code + (pc - BARE_CODE), 4);
	return riscv_static_insn((raw & 3) == 3 ? raw : raw & 0xffff, pc, insn);
}

static struct culprit_code code_of(const struct net_stream *s)
{
	return (struct culprit_code){(void *)s, decode};
}

static void add_detail(struct net_sum *sum, const struct culprit_detail *d)
{
	const uint64_t words[] = {d->pc,	   d->target, d->address,    d->bits[0],      d->bits[1],
				  d->imiss,	   d->dmiss,  d->contention, d->mem_producer, d->primary_miss,
				  d->order_waited, d->itlb,   d->dtlb,	     d->exec_latency, d->flags,
				  d->ilevel,	   d->dlevel, d->dtlb_level, d->itlb_level,   d->istray,
				  d->dstray};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		net_add(sum, words[i]);
}

static void add_samples(struct net_sum *sum, const struct culprit_samples *s)
{
	const uint64_t words[] = {s->context, s->length,       s->words,	s->detail_count, s->signature_count,
				  s->stack,   s->target_slots, s->instructions, s->cycles};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		net_add(sum, words[i]);
	for (size_t i = 0; i < s->detail_count; i++)
		add_detail(sum, &s->details[i]);
	for (size_t i = 0; i < s->signature_count; i++)
		net_add(sum, s->pc[i]);
	for (size_t i = 0; i < 2 * s->signature_count * s->words; i++)
		net_add(sum, s->bits[i]);
	for (size_t i = 0; s->returns && i < s->signature_count * s->stack; i++)
		net_add(sum, s->returns[i]);
	for (size_t i = 0; s->targets && i < s->signature_count * s->target_slots; i++)
		net_add(sum, s->targets[i]);
	for (size_t i = 0; s->paths && i < s->signature_count; i++) {
		net_add(sum, s->paths[i].first_branch);
		net_add(sum, s->paths[i].branch_count);
		net_add(sum, s->paths[i].length);
		net_add(sum, s->paths[i].cycles);
	}
}

static void add_interval(struct net_sum *sum, const struct culprit_shotgun_interval *i)
{
	net_add_real(sum, i->fragments);
	net_add_real(sum, i->details);
	net_add_real(sum, i->bias);
	net_add_real(sum, i->unseen);
	net_add_real(sum, i->all);
}

static void add_counts(struct net_sum *sum, const struct culprit_shotgun_results *r)
{
	const uint64_t words[] = {r->built,
				  r->aborted,
				  r->shortened,
				  r->instructions,
				  r->borrowed,
				  r->missing,
				  r->compared,
				  r->agreed,
				  r->targets_sampled,
				  r->targets_stack,
				  r->targets_signature,
				  r->stores_missed,
				  r->primary_misses_missed,
				  r->stores_inferred,
				  r->compared_fragments,
				  r->accesses,
				  r->own_accesses};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		net_add(sum, words[i]);
	for (unsigned i = 0; i < CULPRIT_ABORT_COUNT; i++)
		net_add(sum, r->aborts[i]);
	for (unsigned i = 0; i < CULPRIT_BRANCH_COUNT; i++)
		net_add(sum, r->guessed[i]);
}

static void add_results(struct net_sum *sum, const struct culprit_shotgun_results *r)
{
	const double reals[] = {r->cpi,	       r->cpi_error,	r->cpi_fragments, r->cpi_details,
				r->cpi_unlike, r->recorded_cpi, r->scatter};
	add_counts(sum, r);
	for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
		net_add_real(sum, reals[i]);
	for (unsigned set = 0; set < CULPRIT_GRAPH_SETS; set++) {
		net_add(sum, r->graph.time[set]);
		net_add(sum, (uint64_t)r->graph.icost[set]);
		add_interval(sum, &r->cost_interval[set]);
		add_interval(sum, &r->icost_interval[set]);
	}
	for (unsigned i = 0; i < CULPRIT_GRAPH_CLASSES; i++) {
		net_add_real(sum, r->single[i]);
		net_add_real(sum, r->single_used[i]);
		net_add(sum, r->has_single[i]);
		net_add_real(sum, r->unlike[i]);
	}
}

/* In no order. */
static void add_places(struct net_sum *sum, const struct culprit_shotgun *x)
{
	struct culprit_shotgun_place p;
	uint64_t all = 0;
	for (size_t i = 0; culprit_shotgun_place(x, i, &p); i++) {
		struct net_sum one = {0};
		const uint64_t words[] = {p.pc, p.visits, p.samples, p.aborts, p.lacks};
		for (size_t k = 0; k < sizeof words / sizeof *words; k++)
			net_add(&one, words[k]);
		all += one.value;
	}
	net_add(sum, all);
}

static void add_fragment(struct net_sum *sum, struct culprit_shotgun *x, size_t index)
{
	static struct culprit_record records[1 << 12];
	enum culprit_abort why = CULPRIT_ABORT_COUNT;
	const size_t count = culprit_shotgun_fragment(x, index, records, sizeof records / sizeof *records, &why);
	for (size_t i = 0; i < count; i++)
		net_add_record(sum, &records[i]);
	net_add(sum, count ? CULPRIT_ABORT_COUNT : why);
}

static void rebuild(struct net_sum *sum, const struct net_stream *s, const struct culprit_samples *samples,
		    const struct culprit_shotgun_params *params)
{
	static struct culprit_shotgun_results results;
	const struct culprit_code code = code_of(s);
	double weight[CULPRIT_GRAPH_SETS] = {1, -1, 0, 2};
	const char *why = NULL;
	struct culprit_shotgun_machine machine;
	shotgun_machine_from_machine(&machine, &s->machine);
	struct culprit_shotgun *x = culprit_shotgun_create(&machine, params, samples, &code, &why);
	net_add_text(sum, why);
	for (size_t i = 0; x && i < samples->signature_count && i < 2; i++)
		add_fragment(sum, x, i);
	if (x && culprit_shotgun_run(x, &results)) {
		add_results(sum, &results);
		add_places(sum, x);
		const struct culprit_shotgun_interval interval = culprit_shotgun_interval_of(x, weight);
		add_interval(sum, &interval);
	} else if (x) {
		net_add_text(sum, culprit_shotgun_error(x));
	}
	culprit_shotgun_destroy(x);
}

static struct culprit_shotgun_params draw_rebuilding(struct random_source *r)
{
	return (struct culprit_shotgun_params){.seed = random_next(r),
					       .fragments = net_chance(r, 40) ? 1 + random_below(r, 9) : 0,
					       .length = net_chance(r, 40) ? 50 + random_below(r, 100) : 0,
					       .warmup = random_below(r, 80),
					       .context = random_below(r, 11),
					       .signature_bits = random_below(r, 3),
					       .thin = random_below(r, 4),
					       .half = (uint8_t)(net_chance(r, 20) ? 1 + random_below(r, 3) : 0),
					       .parts = net_chance(r, 20) ? 2 : 0,
					       .part = random_below(r, 2),
					       .follow = net_chance(r, 30),
					       .own_weight = random_below(r, 4),
					       .no_return = net_chance(r, 30),
					       .whole = net_chance(r, 30),
					       .no_borrowing = net_chance(r, 30),
					       .no_rare = net_chance(r, 30),
					       .no_strays = net_chance(r, 30),
					       .no_inference = net_chance(r, 30)};
}

void net_shotgun(const struct net_stream *s, FILE *out)
{
	struct random_source r = net_random(s, 12);
	const struct culprit_monitor_params params = {.length = 60 + random_below(&r, 200),
						      .context = random_below(&r, 14),
						      .stack = random_below(&r, 9),
						      .targets = random_below(&r, 6),
						      .signature_interval = 150 + random_below(&r, 200),
						      .detail_interval = 3 + random_below(&r, 8),
						      .seed = random_next(&r),
						      .wide = net_chance(&r, 60),
						      .l2_line = net_chance(&r, 60) ? 64 : 0,
						      .most_signatures = net_chance(&r, 25) ? 4 : 0,
						      .most_details = net_chance(&r, 25) ? 100 : 0};
	const struct culprit_shotgun_params rebuilding = draw_rebuilding(&r);
	struct net_sum sampled = {0}, built = {0};
	uint64_t intervals[2];
	const char *why = NULL;
	struct culprit_monitor *monitor = culprit_monitor_create(&params, &why);
	if (!monitor)
		abort();
	culprit_monitor_push(monitor, s->records, s->count / 2);
	culprit_monitor_push(monitor, s->records + s->count / 2, s->count - s->count / 2);
	const struct culprit_samples *samples = culprit_monitor_samples(monitor);
	culprit_monitor_intervals(monitor, &intervals[0], &intervals[1]);
	add_samples(&sampled, samples);
	net_add(&sampled, intervals[0]);
	net_add(&sampled, intervals[1]);
	net_add(&sampled, culprit_monitor_cut(monitor));
	net_print(out, &sampled);
	rebuild(&built, s, samples, &rebuilding);
	culprit_monitor_destroy(monitor);
	net_print(out, &built);
}

/* --- from branch records --- */

enum { DEPTH = 12, SAMPLES = 30 };

struct stacks_of_branches {
	struct culprit_precise_sample samples[SAMPLES];
	struct culprit_branch_record branches[SAMPLES * DEPTH];
	size_t count, branch_count;
};

static void sample_at(struct stacks_of_branches *x, const struct net_stream *s, size_t at, bool all)
{
	const struct culprit_record *r = &s->records[at];
	struct culprit_precise_sample *p = &x->samples[x->count++];
	*p = (struct culprit_precise_sample){.ip = r->pc,
					     .first_branch = x->branch_count,
					     .latency = (uint32_t)(at % 3 ? r->complete - r->issue : r->dmiss),
					     .level = r->dlevel,
					     .latency_of = at % 3 ? CULPRIT_LATENCY_ACCESS : CULPRIT_LATENCY_MISS,
					     .flags = CULPRIT_PRECISE_STACK};
	p->flags |= r->flags & (CULPRIT_LOAD | CULPRIT_STORE) ? CULPRIT_PRECISE_ACCESS : 0;
	p->flags |= r->flags & CULPRIT_MERGED ? CULPRIT_PRECISE_MERGED : 0;
	p->flags |= r->dtlb_level == CULPRIT_LEVEL_MEMORY ? CULPRIT_PRECISE_WALK : 0;
	uint64_t newer = 0;
	for (size_t i = at; i-- > 0 && p->branch_count < DEPTH;) {
		const struct culprit_record *b = &s->records[i];
		const bool taken = b->flags & CULPRIT_TAKEN;
		if (!b->branch || (!taken && !all))
			continue;
		if (newer)
			x->branches[x->branch_count - 1].cycles = (uint32_t)(newer - b->commit);
		newer = b->commit;
		x->branches[x->branch_count++] = (struct culprit_branch_record){
			.from = b->pc,
			.to = b[1].pc,
			.flags = (uint8_t)((taken ? 0 : CULPRIT_BRANCH_NOT_TAKEN) |
					   (b->flags & CULPRIT_MISPREDICTED ? CULPRIT_BRANCH_WAS_MISPREDICTED
									    : CULPRIT_BRANCH_WAS_PREDICTED))};
		p->branch_count++;
	}
}

static void spoil(struct stacks_of_branches *x, struct random_source *r)
{
	for (size_t i = 0; i < x->branch_count; i++) {
		if (!net_chance(r, 2))
			continue;
		const bool from = net_chance(r, 50);
		*(from ? &x->branches[i].from : &x->branches[i].to) += 2 * random_below(r, 5000);
		x->branches[i].cycles *= 1 + random_below(r, 100);
	}
}

static void add_made(struct net_sum *sum, const struct culprit_precise_made *m)
{
	const uint64_t words[] = {m->stacks,	   m->used,    m->cut,	   m->no_code, m->no_path,  m->interrupted,
				  m->instructions, m->details, m->strange, m->cycles,  m->not_taken};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		net_add(sum, words[i]);
}

void net_branches(const struct net_stream *s, FILE *out)
{
	static struct stacks_of_branches x;
	struct random_source r = net_random(s, 13);
	struct culprit_samples samples;
	struct culprit_precise_made made;
	struct culprit_shotgun_machine machine;
	struct net_sum sum = {0};
	const struct culprit_code code = code_of(s);
	if (s->number % 3) {
		fprintf(out, " %8s", "-");
		return;
	}
	const bool all = net_chance(&r, 30), cycles = net_chance(&r, 80);
	x.count = x.branch_count = 0;
	for (size_t at = 20; at < s->count && x.count < SAMPLES; at += 1 + random_below(&r, 60))
		sample_at(&x, s, at, all);
	if (net_chance(&r, 50))
		spoil(&x, &r);
	for (size_t i = 0; !cycles && i < x.branch_count; i++)
		x.branches[i].cycles = 0;
	const struct culprit_precise precise = {x.samples, x.count, x.branches};
	shotgun_machine_from_machine(&machine, &s->machine);
	net_add(&sum, culprit_samples_from_branches(&samples, &precise, &code, &machine, &made));
	add_made(&sum, &made);
	add_samples(&sum, &samples);
	struct culprit_shotgun_params params = draw_rebuilding(&r);
	params.context = samples.context;
	rebuild(&sum, s, &samples, &params);
	culprit_branch_samples_free(&samples);
	net_print(out, &sum);
}
