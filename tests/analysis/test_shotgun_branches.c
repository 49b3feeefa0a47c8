/* Branch stacks of a path that is known become that path again, and nothing else; each count of what does not fit is
 * made to be one by one change. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "culprit/precise.h"
#include "shotgun_program.h"

enum { DEPTH = 20, SAMPLES = 40 };

static const struct culprit_code code = {NULL, program_decode};

struct hardware {
	struct path path;
	uint64_t commit[PATH];
	struct culprit_branch_record branches[SAMPLES * DEPTH];
	struct culprit_precise_sample samples[SAMPLES];
	uint32_t begin[SAMPLES], end[SAMPLES]; /* steps of the path that a stack spans */
	size_t count, branch_count;
};

static bool is_taken(const struct path *p, uint32_t i)
{
	return p->pc[i + 1] != p->pc[i] + 4;
}

/* A sample of step `at`: backwards through the branches before it, with those that were not taken if `all`. */
static void sample(struct hardware *h, uint32_t at, bool all)
{
	struct culprit_precise_sample *x = &h->samples[h->count];
	*x = (struct culprit_precise_sample){
		.ip = h->path.pc[at], .first_branch = h->branch_count, .flags = CULPRIT_PRECISE_STACK};
	h->end[h->count] = 0;
	for (uint32_t i = at; i-- > 0 && x->branch_count < DEPTH;) {
		bool taken = is_taken(&h->path, i);
		if (!program_at(h->path.pc[i])->branch || (!taken && !all))
			continue;
		uint32_t before = i;
		while (before-- > 0 &&
		       (!program_at(h->path.pc[before])->branch || (!is_taken(&h->path, before) && !all)))
			;
		h->end[h->count] = h->end[h->count] ? h->end[h->count] : i;
		h->begin[h->count] = i + 1; /* the oldest only says where the path begins */
		h->branches[h->branch_count++] = (struct culprit_branch_record){
			.from = h->path.pc[i],
			.to = h->path.pc[i + 1],
			.cycles = (uint32_t)(h->commit[i] - h->commit[before]),
			.flags = taken ? CULPRIT_BRANCH_WAS_PREDICTED : CULPRIT_BRANCH_NOT_TAKEN};
		x->branch_count++;
	}
	h->count++;
}

static void make(struct hardware *h, bool all)
{
	memset(h, 0, sizeof *h);
	path_make(&h->path, 7);
	for (uint32_t i = 0; i < PATH; i++)
		h->commit[i] = 3 * i + i % 2;
	for (uint32_t n = 0; n < SAMPLES; n++)
		sample(h, 400 + 61 * n, all);
}

static struct culprit_precise_made convert(struct hardware *h, struct culprit_samples *s)
{
	struct culprit_precise precise = {h->samples, h->count, h->branches};
	struct culprit_precise_made made;
	struct culprit_shotgun_machine machine = program_machine();
	assert_true(culprit_samples_from_branches(s, &precise, &code, &machine, &made));
	return made;
}

static void is_the_path(bool all)
{
	static struct hardware h;
	struct culprit_samples s;
	make(&h, all);
	struct culprit_precise_made made = convert(&h, &s);
	assert_int_equal(made.used, SAMPLES);
	assert_int_equal(made.cut + made.no_code + made.no_path, 0);
	assert_true(made.not_taken == all);
	struct culprit_shotgun_machine machine = program_machine();
	struct culprit_shotgun_params params = {.context = s.context, .signature_bits = 2};
	struct culprit_shotgun *x = culprit_shotgun_create(&machine, &params, &s, &code, NULL);
	assert_non_null(x);
	for (uint32_t n = 0; n < SAMPLES; n++) {
		uint32_t length = h.end[n] - h.begin[n] + 1;
		assert_int_equal(s.paths[n].length, length);
		assert_int_equal(s.paths[n].cycles, h.commit[h.end[n]] - h.commit[h.begin[n] - 1]);
		static struct culprit_record r[PATH];
		enum culprit_abort why;
		assert_true(culprit_shotgun_fragment(x, n, r, PATH, &why) >= length);
		for (uint32_t i = 0; i < length; i++) {
			assert_int_equal(r[i].pc, h.path.pc[h.begin[n] + i]);
			assert_int_equal(!!(r[i].flags & CULPRIT_TAKEN),
					 program_at(r[i].pc)->branch && is_taken(&h.path, h.begin[n] + i));
		}
	}
	culprit_shotgun_destroy(x);
	culprit_branch_samples_free(&s);
}

static void taken_branches_are_the_path(void **state)
{
	is_the_path(false);
}

static void so_are_all_branches(void **state)
{
	is_the_path(true);
}

/* All paths count alike: cycles an instruction are the mean over paths, by arithmetic. */
static void counted_cycles(void **state)
{
	static struct hardware h;
	struct culprit_samples s;
	make(&h, false);
	convert(&h, &s);
	double mean = 0;
	uint64_t instructions = 0;
	for (uint32_t n = 0; n < SAMPLES; n++) {
		mean += (double)s.paths[n].cycles / s.paths[n].length / SAMPLES;
		instructions += s.paths[n].length;
	}
	assert_int_equal(s.instructions, instructions);
	assert_int_equal(s.cycles, (uint64_t)(mean * (double)instructions + 0.5));
	culprit_branch_samples_free(&s);
}

/* A record of the middle of one stack is changed: what is newer remains. */
static void changed(uint64_t from, uint64_t to, uint64_t no_code, uint64_t no_path)
{
	static struct hardware h;
	struct culprit_samples s;
	make(&h, false);
	struct culprit_branch_record *b = &h.branches[h.samples[3].first_branch + DEPTH / 2];
	*b = (struct culprit_branch_record){.from = from ? from : b->from, .to = to ? to : b->to, .cycles = 1};
	struct culprit_precise_made made = convert(&h, &s);
	assert_int_equal(made.used, SAMPLES);
	assert_int_equal(made.cut, 1);
	assert_int_equal(made.no_code, no_code);
	assert_int_equal(made.no_path, no_path);
	assert_true(s.paths[3].branch_count == DEPTH / 2 || s.paths[3].branch_count == DEPTH / 2 - 1);
	culprit_branch_samples_free(&s);
}

static void strange_branches(void **state)
{
	changed(0, 0x50, 1, 0);	  /* to where no code is */
	changed(0, 0x5000, 0, 1); /* to behind the next branch */
	changed(0x104, 0, 0, 1);  /* from an addition */
}

/* An interrupt's cycles are in one record: what is newer remains, and the mean is that of the run without it, but for
 * the one path that is shorter. */
static void interrupted(void **state)
{
	static struct hardware h;
	struct culprit_samples whole, s;
	make(&h, false);
	convert(&h, &whole);
	h.branches[h.samples[3].first_branch + DEPTH / 2].cycles = 100000000;
	struct culprit_precise_made made = convert(&h, &s);
	assert_int_equal(made.used, SAMPLES);
	assert_int_equal(made.cut, 1);
	assert_int_equal(made.interrupted, 1);
	assert_int_equal(made.no_code + made.no_path, 0);
	assert_int_equal(s.paths[3].branch_count, DEPTH / 2);
	double before = (double)whole.cycles / (double)whole.instructions;
	double after = (double)s.cycles / (double)s.instructions;
	assert_true(fabs(after - before) < 0.05 * before);
	culprit_branch_samples_free(&whole);
	culprit_branch_samples_free(&s);
}

/* A block whose every instruction waits for memory twice is the program's own. */
static void slow_but_possible(void **state)
{
	static struct hardware h;
	struct culprit_samples s;
	make(&h, false);
	h.branches[h.samples[3].first_branch + DEPTH / 2].cycles = 2 * (142 + 142);
	assert_int_equal(convert(&h, &s).interrupted, 0);
	culprit_branch_samples_free(&s);
}

/* --- accesses --- */

static struct culprit_detail detail_of(struct culprit_precise_sample x, uint64_t *strange)
{
	static struct hardware h;
	struct culprit_samples s;
	make(&h, false);
	x.ip = x.ip ? x.ip : 0x100;
	x.flags |= CULPRIT_PRECISE_ACCESS;
	h.samples[0] = x;
	struct culprit_precise_made made = convert(&h, &s);
	*strange = made.strange;
	struct culprit_detail d = made.details ? s.details[0] : (struct culprit_detail){.pc = 0};
	culprit_branch_samples_free(&s);
	return d;
}

/* The machine's L1 hit takes 2 cycles, a miss to the L2 12 and to memory 142 more. */
static void latencies(void **state)
{
	static const struct {
		struct culprit_precise_sample sample;
		uint32_t dmiss, dtlb;
		uint8_t level;
	} rows[] = {
		{{.level = CULPRIT_LEVEL_L1, .latency = 9, .latency_of = CULPRIT_LATENCY_ACCESS}, 0, 0, 0},
		{{.level = CULPRIT_LEVEL_L2, .latency = 19, .latency_of = CULPRIT_LATENCY_ACCESS}, 17, 0, 2},
		{{.level = CULPRIT_LEVEL_L2, .latency = 19, .latency_of = CULPRIT_LATENCY_MISS}, 19, 0, 2},
		{{.level = CULPRIT_LEVEL_L2}, 12, 0, 2},
		{{.level = CULPRIT_LEVEL_MEMORY}, 142, 0, 4},
		{{.level = CULPRIT_LEVEL_L1,
		  .latency = 30,
		  .latency_of = CULPRIT_LATENCY_ACCESS,
		  .flags = CULPRIT_PRECISE_WALK},
		 0,
		 28,
		 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t strange;
		struct culprit_detail d = detail_of(rows[i].sample, &strange);
		assert_int_equal(strange, 0);
		assert_int_equal(d.exec_latency, 2);
		assert_int_equal(d.dmiss, rows[i].dmiss);
		assert_int_equal(d.dtlb, rows[i].dtlb);
		assert_int_equal(d.dlevel, rows[i].level);
	}
}

static void strange_accesses(void **state)
{
	uint64_t strange;
	detail_of((struct culprit_precise_sample){.ip = 0x104, .level = CULPRIT_LEVEL_L1}, &strange);
	assert_int_equal(strange, 1);
	detail_of((struct culprit_precise_sample){.ip = 0x5000, .level = CULPRIT_LEVEL_L1}, &strange);
	assert_int_equal(strange, 1);
}

/* Bits in front of a detailed sample are those of the path in front of it. */
static void bits_in_front(void **state)
{
	static struct hardware h;
	struct culprit_samples s;
	make(&h, false);
	h.branch_count = 0;
	for (uint32_t n = 0; n < SAMPLES; n++) {
		uint32_t at = 400 + 61 * n;
		while (!program_at(h.path.pc[at])->flags)
			at++;
		h.count = n;
		sample(&h, at, false);
		h.samples[n].flags |= CULPRIT_PRECISE_ACCESS;
		h.samples[n].level = CULPRIT_LEVEL_L1;
		h.begin[n] = at;
	}
	convert(&h, &s);
	assert_int_equal(s.detail_count, SAMPLES);
	for (uint32_t n = 0; n < SAMPLES; n++)
		for (uint32_t back = 0; back <= s.context; back++)
			assert_int_equal(s.details[n].bits[0] >> (s.context - back) & 1,
					 h.path.bits[h.begin[n] - back] & 1);
	culprit_branch_samples_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken_branches_are_the_path),
		cmocka_unit_test(so_are_all_branches),
		cmocka_unit_test(counted_cycles),
		cmocka_unit_test(strange_branches),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(slow_but_possible),
		cmocka_unit_test(latencies),
		cmocka_unit_test(strange_accesses),
		cmocka_unit_test(bits_in_front),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
