/* The shotgun profiler's monitor against the stream it saw: every pc of the stream is different, so a sample says by itself
 * which instructions it must have seen, and their bits are computed here a second time, from table 5 of the paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "culprit/shotgun.h"

enum { STREAM = 40000, FIRST_PC = 0x1000 };

static uint32_t next(uint32_t *state)
{
	return *state = *state * 1664525 + 1013904223;
}

static uint32_t below(uint32_t *state, uint32_t n)
{
	return (uint32_t)((uint64_t)next(state) * n >> 32);
}

static struct culprit_record random_record(uint32_t *state, uint64_t i)
{
	struct culprit_record r = {
		.seq = i, .pc = FIRST_PC + 4 * i, .length = 4, .fetch = 1000 + i, .commit = 2000 + i};
	r.ready = r.issue = 1500 + i;
	uint32_t kind = below(state, 4);
	if (kind == 0) {
		r.flags = CULPRIT_LOAD;
		r.dlevel = CULPRIT_LEVEL_L1;
		if (!below(state, 3)) {
			static const uint8_t levels[] = {CULPRIT_LEVEL_L2, CULPRIT_LEVEL_L3, CULPRIT_LEVEL_MEMORY};
			r.dlevel = levels[below(state, 3)];
			r.dmiss = 10 + below(state, 5000);
			r.flags |= below(state, 2) ? CULPRIT_MERGED : 0;
		}
		r.dtlb = below(state, 8) ? 0 : 30;
	} else if (kind == 1) {
		r.flags = CULPRIT_STORE;
		r.write_level = CULPRIT_LEVEL_L1 + below(state, 4);
		r.write_miss = r.write_level > CULPRIT_LEVEL_L1 ? 10 + below(state, 5000) : 0;
		r.write_merged = r.write_miss && below(state, 2);
		r.write_dtlb = below(state, 8) ? 0 : 30;
		if (r.write_dtlb && below(state, 2)) { /* translated before */
			r.dtlb = r.write_dtlb;
			r.dtlb_level = CULPRIT_LEVEL_MEMORY;
			r.write_dtlb = 0;
		}
	} else if (kind == 2) {
		r.branch = 1 + below(state, CULPRIT_BRANCH_COUNT - 1);
		r.flags = r.branch != CULPRIT_BRANCH_CONDITIONAL || below(state, 2) ? CULPRIT_TAKEN : 0;
	}
	r.imiss = below(state, 16) ? 0 : 12;
	r.itlb = below(state, 32) ? 0 : 30;
	return r;
}

static struct culprit_record *random_stream(uint32_t seed)
{
	struct culprit_record *r = calloc(STREAM, sizeof *r);
	assert_non_null(r);
	for (uint64_t i = 0; i < STREAM; i++)
		r[i] = random_record(&seed, i);
	return r;
}

/* Table 5, row by row. */
static bool paper_bit1(const struct culprit_record *r)
{
	bool load_or_store = (r->flags & CULPRIT_LOAD) || (r->flags & CULPRIT_STORE);
	bool taken_branch = r->branch != CULPRIT_BRANCH_NONE && (r->flags & CULPRIT_TAKEN);
	bool l2_miss = (r->flags & CULPRIT_LOAD) && !(r->flags & CULPRIT_MERGED) &&
		       (r->dlevel == CULPRIT_LEVEL_L3 || r->dlevel == CULPRIT_LEVEL_MEMORY);
	bool l2_write_miss = (r->flags & CULPRIT_STORE) && !r->write_merged &&
			     (r->write_level == CULPRIT_LEVEL_L3 || r->write_level == CULPRIT_LEVEL_MEMORY);
	return l2_miss || l2_write_miss ? false : load_or_store || taken_branch;
}

static bool paper_bit2(const struct culprit_record *r)
{
	bool icache = r->imiss > 0, dcache = r->dmiss > 0 || r->write_miss > 0;
	bool tlb = r->itlb > 0 || r->dtlb > 0 || r->write_dtlb > 0;
	return icache || dcache || tlb;
}

static bool bit_at(const struct culprit_samples *s, size_t sample, unsigned bit, uint32_t position)
{
	return s->bits[(2 * sample + bit) * s->words + position / 64] >> (position % 64) & 1;
}

static void check_signatures(const struct culprit_samples *s, const struct culprit_record *r)
{
	for (size_t n = 0; n < s->signature_count; n++) {
		uint64_t start = (s->pc[n] - FIRST_PC) / 4;
		assert_true(start >= s->context && start + s->length + s->context <= STREAM);
		for (uint32_t p = 0; p < culprit_signature_positions(s); p++) {
			const struct culprit_record *at = &r[start - s->context + p];
			assert_int_equal(bit_at(s, n, 0, p), paper_bit1(at));
			assert_int_equal(bit_at(s, n, 1, p), paper_bit2(at));
		}
	}
}

/* Where the first jumps and calls of the sample's own instructions went, but for the last one's; then zeros. */
static void check_targets(const struct culprit_samples *s, const struct culprit_record *r)
{
	for (size_t n = 0; n < s->signature_count; n++) {
		uint64_t start = (s->pc[n] - FIRST_PC) / 4;
		uint32_t slot = 0;
		for (uint64_t i = start; i + 1 < start + s->length && slot < s->target_slots; i++)
			if (r[i].branch == CULPRIT_BRANCH_INDIRECT_JUMP || r[i].branch == CULPRIT_BRANCH_INDIRECT_CALL)
				assert_int_equal(s->targets[n * s->target_slots + slot++], r[i + 1].pc);
		for (; slot < s->target_slots; slot++)
			assert_int_equal(s->targets[n * s->target_slots + slot], 0);
	}
}

static void check_details(const struct culprit_samples *s, const struct culprit_record *r)
{
	for (size_t n = 0; n < s->detail_count; n++) {
		const struct culprit_detail *d = &s->details[n];
		uint64_t i = (d->pc - FIRST_PC) / 4;
		assert_true(i >= s->context);
		for (uint32_t p = 0; p < 2 * s->context + 1; p++) {
			assert_int_equal(d->bits[0] >> p & 1, paper_bit1(&r[i - s->context + p]));
			assert_int_equal(d->bits[1] >> p & 1, paper_bit2(&r[i - s->context + p]));
		}
		assert_int_equal((d->bits[0] | d->bits[1]) >> (2 * s->context + 1), 0);
		bool indirect = r[i].branch >= CULPRIT_BRANCH_INDIRECT_JUMP;
		assert_int_equal(d->target, indirect ? r[i + 1].pc : 0);
		assert_int_equal(d->imiss, r[i].imiss);
		bool store = r[i].flags & CULPRIT_STORE; /* its write has the fields of a load's access */
		uint32_t miss = store ? r[i].write_miss : r[i].dmiss;
		uint8_t level = store ? r[i].write_level : r[i].dlevel;
		assert_int_equal(d->dmiss, miss < 4096 ? miss : 4095); /* twelve bits */
		assert_int_equal(d->dtlb, r[i].write_dtlb + r[i].dtlb);
		assert_int_equal(d->dtlb_level, r[i].dtlb_level);
		assert_int_equal(d->dlevel, level > CULPRIT_LEVEL_L1 ? level : 0);
		assert_int_equal(d->flags, (r[i].flags & CULPRIT_DETAIL_FLAGS) |
						   (store && r[i].write_merged ? CULPRIT_MERGED : 0));
	}
}

static struct culprit_monitor_params params(uint32_t length, uint32_t context, uint32_t stack, uint64_t signatures,
					    uint64_t details, uint64_t seed)
{
	return (struct culprit_monitor_params){.length = length,
					       .context = context,
					       .stack = stack,
					       .signature_interval = signatures,
					       .detail_interval = details,
					       .seed = seed};
}

static struct culprit_monitor *try_create(struct culprit_monitor_params p, const char **why)
{
	return culprit_monitor_create(&p, why);
}

static void sample_stream(struct culprit_monitor_params params)
{
	const struct culprit_monitor_params *p = &params;
	struct culprit_record *r = random_stream(p->length);
	struct culprit_monitor *m = culprit_monitor_create(p, NULL);
	assert_non_null(m);
	for (size_t at = 0, size = 1; at < STREAM; at += size, size = size % 97 + 1)
		culprit_monitor_push(m, r + at, size < STREAM - at ? size : STREAM - at);
	const struct culprit_samples *s = culprit_monitor_samples(m);
	check_signatures(s, r);
	check_targets(s, r);
	check_details(s, r);
	/* the means of the intervals, within five standard errors of a uniform distribution over half to one and a half */
	uint64_t shortest = p->length + p->context, signatures, details;
	culprit_monitor_intervals(m, &signatures, &details);
	assert_true((details == p->detail_interval) ==
		    (!p->most_details || STREAM / p->detail_interval < p->most_details));
	assert_true(!p->most_details || (s->detail_count <= p->most_details && s->detail_count >= p->most_details / 4));
	assert_true(!p->most_signatures || s->signature_count <= p->most_signatures);
	if (p->detail_interval == 100) {
		double expected = (double)STREAM / (double)details;
		assert_true(s->detail_count > expected * 0.8 && s->detail_count < expected * 1.2);
	}
	if (p->signature_interval > 2 * shortest) {
		double expected = (double)STREAM / (double)signatures;
		assert_true(s->signature_count >= expected * 0.5 && s->signature_count < expected * 1.5);
	}
	assert_true(s->detail_count > 0 && s->signature_count > 0);
	assert_int_equal(culprit_monitor_cut(m), 0);
	assert_int_equal(s->instructions, STREAM);
	assert_int_equal(s->cycles, r[STREAM - 1].commit - (r[0].fetch - r[0].imiss - r[0].itlb));
	culprit_monitor_destroy(m);
	free(r);
}

static void samples_say_what_happened(void **state)
{
	static const uint32_t lengths[] = {1, 43, 44, 64, 108, 1000}, contexts[] = {0, 1, 10, 31};
	for (size_t i = 0; i < 6; i++)
		for (size_t j = 0; j < 4; j++) {
			sample_stream(params(lengths[i], contexts[j], 4, 3000, 100, i + j));
			sample_stream(params(lengths[i], contexts[j], 0, 1, 1, i + j));
			struct culprit_monitor_params p = params(lengths[i], contexts[j], 4, 300, 100, i + j);
			p.targets = 1 + (uint32_t)(i * 8);
			sample_stream(p);
			p.stack = 3;
			p.most_signatures = 8;
			p.most_details = 64;
			sample_stream(p);
		}
}

static void a_seed_decides(void **state)
{
	struct culprit_record *r = random_stream(1);
	uint64_t first[3];
	for (uint64_t seed = 0; seed < 3; seed++) {
		struct culprit_monitor_params p = params(100, 10, 0, 5000, 1000, seed / 2);
		struct culprit_monitor *m = culprit_monitor_create(&p, NULL);
		culprit_monitor_push(m, r, STREAM);
		first[seed] = culprit_monitor_samples(m)->pc[0];
		culprit_monitor_destroy(m);
	}
	assert_int_equal(first[0], first[1]);
	assert_int_not_equal(first[0], first[2]);
	free(r);
}

/* A jump in the pcs that no branch made: samples that span it are given up. */
static void switches_cut_samples(void **state)
{
	struct culprit_record *r = random_stream(1);
	enum { SWITCH = STREAM / 2 };
	r[SWITCH - 1].flags = 0;
	for (uint64_t i = SWITCH; i < STREAM; i++)
		r[i].pc += 0x100000;
	struct culprit_monitor_params p = params(1000, 10, 0, 1, 1, 7);
	struct culprit_monitor *m = culprit_monitor_create(&p, NULL);
	culprit_monitor_push(m, r, STREAM);
	const struct culprit_samples *s = culprit_monitor_samples(m);
	assert_int_equal(culprit_monitor_cut(m), 2); /* one of each kind was under way */
	for (size_t n = 0; n < s->signature_count; n++) {
		uint64_t start = (s->pc[n] - FIRST_PC) % 0x100000 / 4;
		assert_true(start + 1010 <= SWITCH || start >= SWITCH + 10);
	}
	culprit_monitor_destroy(m);
	free(r);
}

static void costs_are_counted(void **state)
{
	/* start pc of 48 bits; two bits for each of 1000 instructions and 10 on either side */
	assert_int_equal(culprit_signature_sample_bits(1000, 10, 0, 0), 48 + 2 * 1020);
	assert_int_equal(culprit_signature_sample_bits(1000, 10, 16, 0), 48 + 2 * 1020 + 16 * 48);
	assert_int_equal(culprit_signature_sample_bits(1000, 10, 16, 32), 48 + 2 * 1020 + (16 + 32) * 48);
	/* pc and target; five flags; latencies 12 + 10 + 8 + 8 + 12 + 10; three distances of 10; six levels of 2 */
	assert_int_equal(culprit_detail_bits(10), 96 + 5 + 60 + 30 + 12 + 48 + 2 * 21);
}

static void wrong_parameters_are_named(void **state)
{
	const char *why;
	assert_null(try_create(params(0, 10, 0, 1, 1, 0), &why));
	assert_non_null(strstr(why, "signature"));
	assert_null(try_create(params(1, 32, 0, 1, 1, 0), &why));
	assert_non_null(strstr(why, "31"));
	struct culprit_monitor_params many = params(1, 10, 0, 1, 1, 0);
	many.targets = CULPRIT_TARGETS_MAX + 1;
	assert_null(try_create(many, &why));
	assert_non_null(strstr(why, "256"));
	assert_null(try_create(params(1, 1, 0, UINT64_MAX, 1, 0), &why));
	assert_non_null(strstr(why, "interval"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_say_what_happened),  cmocka_unit_test(a_seed_decides),
		cmocka_unit_test(switches_cut_samples),	      cmocka_unit_test(costs_are_counted),
		cmocka_unit_test(wrong_parameters_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
