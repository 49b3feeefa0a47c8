/* predictions streams STREAMS SEED: the interval model's flow of instructions drawn at random, with wrong paths, on
 * machines drawn at random: with all of its parts, with each part left out, and with all of them again, which has to
 * give the first figures. Addresses are few, so that lines, pages and stores meet. */
#include "streams.h"

#include "any_machine.h"
#include "interval/flow/flow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 3000, STRAYS = 24 };

struct drawn {
	struct interval_sample samples[COUNT], strays[COUNT / 4 * STRAYS];
	struct interval_wrong_path wrong[COUNT / 4];
	size_t wrong_count, stray_count;
};

static uint32_t below(struct random_source *r, uint32_t most)
{
	return (uint32_t)(random_next(r) % most);
}

/* From the first level mostly; a third of the rest from memory. */
static uint8_t level(struct random_source *r, uint32_t rare)
{
	return (uint8_t)(below(r, rare) ? CULPRIT_LEVEL_L1
					: CULPRIT_LEVEL_L1 + 1 + below(r, CULPRIT_LEVEL_MEMORY - CULPRIT_LEVEL_L1));
}

static void access(struct interval_sample *s, struct random_source *r, uint32_t before)
{
	const bool store = below(r, 3) == 0;
	s->op = store ? CULPRIT_OP_store : CULPRIT_OP_load;
	s->flags |= store ? SAMPLE_STORE : SAMPLE_LOAD;
	s->dest = store ? SAMPLE_DEST_NONE : SAMPLE_DEST_INT;
	s->address = 1000 + 4 * below(r, 300);
	s->dlevel = level(r, 4);
	s->dtlb = below(r, 10) ? CULPRIT_LEVEL_L1 : CULPRIT_LEVEL_MEMORY;
	s->prefetched = below(r, 12) == 0;
	if (!store && before && below(r, 6) == 0) {
		s->mem_producer = (uint16_t)(1 + below(r, before < 30 ? before : 30));
		s->covers = below(r, 2);
	}
}

static void branch(struct interval_sample *s, struct random_source *r)
{
	s->op = CULPRIT_OP_branch;
	s->dest = SAMPLE_DEST_NONE;
	s->flags |= below(r, 2) ? SAMPLE_TAKEN : 0;
	s->flags |= below(r, 6) ? 0 : SAMPLE_MISPREDICTED;
	s->flags |= below(r, 10) ? 0 : SAMPLE_BTB_MISS;
}

/* `before`: instructions that a producer can be among. */
static struct interval_sample sample(struct random_source *r, uint32_t pc, uint32_t before)
{
	static const uint8_t ops[] = {CULPRIT_OP_int_alu, CULPRIT_OP_int_mul, CULPRIT_OP_int_div, CULPRIT_OP_fp_add,
				      CULPRIT_OP_fp_mul,  CULPRIT_OP_fp_div,  CULPRIT_OP_int_alu, CULPRIT_OP_int_alu};
	struct interval_sample s = {.pc = pc, .op = ops[below(r, sizeof ops)], .dest = SAMPLE_DEST_INT};
	const uint32_t what = below(r, 100);
	for (unsigned i = 0; i < 2 && before; i++)
		s.producer[i] = (uint16_t)(below(r, 3) ? 1 + below(r, before < 20 ? before : 20) : 0);
	s.flags = below(r, 3) ? 0 : SAMPLE_SHORT;
	if (what < 35)
		access(&s, r, before);
	else if (what < 50)
		branch(&s, r);
	else if (what == 50)
		s.flags |= SAMPLE_SERIALISING | SAMPLE_AT_HEAD;
	else if (what < 60)
		s.dest = SAMPLE_DEST_FP;
	if (below(r, 6) == 0) {
		s.ilevel = level(r, 6);
		s.itlb = below(r, 20) ? CULPRIT_LEVEL_L1 : CULPRIT_LEVEL_MEMORY;
	}
	return s;
}

/* Loads and stores name only stores, as in a profile. */
static void keep_stores(struct interval_sample *list, size_t i)
{
	struct interval_sample *s = &list[i];
	while (s->mem_producer && s->mem_producer <= i && !(list[i - s->mem_producer].flags & SAMPLE_STORE))
		s->mem_producer--;
}

static void draw_wrong_path(struct drawn *d, struct random_source *r, uint32_t at)
{
	struct interval_wrong_path *w = &d->wrong[d->wrong_count++];
	*w = (struct interval_wrong_path){at, (uint32_t)d->stray_count, 1 + below(r, STRAYS)};
	for (uint32_t i = 0; i < w->count; i++) {
		struct interval_sample *s = &d->strays[d->stray_count++];
		*s = sample(r, 4000 + 2 * below(r, 200), at + i);
		s->mem_producer = 0;
		s->flags &= (uint8_t)~SAMPLE_INNER;
		s->flags |= below(r, 5) ? 0 : SAMPLE_INNER;
	}
}

static void draw(struct drawn *d, struct random_source *r)
{
	uint32_t pc = 4000;
	memset(d, 0, sizeof *d);
	for (uint32_t i = 0; i < COUNT; i++) {
		struct interval_sample *s = &d->samples[i];
		*s = sample(r, pc, i);
		keep_stores(d->samples, i);
		pc = s->flags & SAMPLE_TAKEN ? 4000 + 2 * below(r, 200) : pc + (s->flags & SAMPLE_SHORT ? 1 : 2);
		if ((s->flags & SAMPLE_MISPREDICTED) && d->wrong_count < COUNT / 4)
			draw_wrong_path(d, r, i);
	}
}

static void print_flow(struct flow *f, const struct flow_stream *stream, uint32_t parts, const char *left_out)
{
	struct flow_result x;
	flow_run(f, stream, parts, &x);
	printf("  without %s: %" PRIu64 " cycles of %" PRIu64 ", %" PRIu64 " to resolve %" PRIu64 "\n", left_out,
	       x.cycles, x.instructions, x.resolution, x.mispredictions);
}

static void print_stream(struct drawn *d, const struct machine *m, uint32_t stretch)
{
	static const char *const names[] = {
#define FLOW_PART(name, kind, meaning) #name,
#include "interval/flow/part.def"
	};
	struct error err;
	struct flow_stream stream = {.samples = d->samples,
				     .count = COUNT,
				     .stretch = stretch,
				     .wrong = d->wrong,
				     .wrong_count = d->wrong_count,
				     .strays = d->strays,
				     .prefetched = stretch != 0};
	struct flow *f = flow_create(m, &err);
	if (!f || !flow_judge_strays(&stream, m, d->strays, &err)) {
		printf("  %s\n", err.text);
		flow_destroy(f);
		return;
	}
	print_flow(f, &stream, FLOW_ALL, "nothing");
	for (unsigned part = 0; part < FLOW_PARTS; part++)
		print_flow(f, &stream, FLOW_ALL & ~(1u << part), names[part]);
	print_flow(f, &stream, FLOW_ALL, "nothing, again");
	flow_destroy(f);
}

void print_streams(uint64_t streams, uint64_t seed)
{
	struct drawn *d = malloc(sizeof *d);
	if (!d)
		exit(2);
	for (uint64_t end = seed + streams; seed < end; seed++) {
		struct random_source r = {~seed};
		struct machine m;
		any_machine(&m, &r);
		m.ideal = 0;
		draw(d, &r);
		printf("seed %" PRIu64 ": around %s\n", seed, m.name);
		print_stream(d, &m, seed % 3 ? 0 : COUNT / 3);
	}
	free(d);
}
