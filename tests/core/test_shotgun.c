/* The whole profiler on the real core: kernels whose path is known because the core recorded it. Each signature sample's
 * fragment must be the recorded sequence, instruction by instruction, with the latencies and dependences of its records -
 * the same stretch is found in the stream by where the monitor stood. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/shotgun/machine.h"
#include "riscv/static_insn.h"
#include "kernel_rig.h"

enum { CODE_MAX = 1 << 16, LENGTH = 600, CONTEXT = 10, WARMUP = 200 };

struct rig {
	uint8_t code[CODE_MAX];
	size_t code_size;
	struct culprit_record *records;
	size_t count, room;
	struct culprit_monitor *monitor;
	size_t *starts; /* of signature samples, in the stream */
};

static void load_code(struct rig *x, const char *name)
{
	char path[300];
	snprintf(path, sizeof path, CORE_KERNELS "/%s", name);
	FILE *f = fopen(path, "rb");
	if (!f)
		fail_msg("no kernel %s", path);
	memset(x->code, 0, sizeof x->code);
	x->code_size = fread(x->code, 1, CODE_MAX - 256, f);
	fclose(f);
}

static bool decode(void *context, uint64_t pc, struct culprit_static_insn *insn)
{
	const struct rig *x = context;
	uint32_t raw;
	if (pc < BARE_CODE || pc - BARE_CODE + 4 > CODE_MAX)
		return false;
	memcpy(&raw, x->code + (pc - BARE_CODE), 4);
	return riscv_static_insn((raw & 3) == 3 ? raw : raw & 0xffff, pc, insn);
}

static void keep(void *context, const struct culprit_record *records, size_t count)
{
	struct rig *x = context;
	if (x->count + count > x->room) {
		x->room = 2 * (x->count + count);
		x->records = realloc(x->records, x->room * sizeof *x->records);
		assert_non_null(x->records);
	}
	memcpy(x->records + x->count, records, count * sizeof *records);
	x->count += count;
}

static void run(struct rig *x, const struct machine *m, const char *kernel, uint64_t iterations, uint64_t a2)
{
	struct error err;
	memset(x, 0, sizeof *x);
	load_code(x, kernel);
	struct guest *g = bare_guest_create(x->code, x->code_size + 256);
	guest_hart(g)->r[10] = iterations;
	guest_hart(g)->r[11] = BARE_DATA; /* a1: where kernels that use memory find it */
	guest_hart(g)->r[12] = a2;
	struct core *c = core_create(m, g, &err);
	assert_non_null(c);
	struct culprit_record_sink sink = {.context = x, .records = keep};
	core_record(c, &sink, NULL);
	assert_int_equal(core_run(c, UINT64_MAX, &err), CORE_STOP_ENDED);
	core_flush_records(c);
	core_destroy(c);
	guest_destroy(g);
}

/* One at a time, so that it is known where in the stream each sample was taken. */
static void monitor(struct rig *x, const char *kernel)
{
	struct culprit_monitor_params p = {.length = LENGTH,
					   .context = CONTEXT,
					   .stack = 8,
					   .signature_interval = 900,
					   .detail_interval = 13,
					   .seed = 3};
	x->monitor = culprit_monitor_create(&p, NULL);
	x->starts = calloc(x->count, sizeof *x->starts);
	size_t known = 0;
	for (size_t i = 0; i < x->count; i++) {
		culprit_monitor_push(x->monitor, &x->records[i], 1);
		size_t taken = culprit_monitor_samples(x->monitor)->signature_count;
		if (taken > known) /* the last position is i */
			x->starts[known++] = i + 1 - LENGTH - CONTEXT;
	}
	if (known <= 3)
		fail_msg("%s: %zu instructions are too few for samples", kernel, x->count);
}

static void release(struct rig *x)
{
	culprit_monitor_destroy(x->monitor);
	free(x->records);
	free(x->starts);
}

static uint32_t inside(uint32_t distance, uint32_t step)
{
	return distance <= step ? distance : 0;
}

static void check(const char *kernel, const struct culprit_record *true_one, const struct culprit_record *r,
		  uint32_t step)
{
	const struct culprit_record *t = true_one;
	const uint16_t flags = CULPRIT_TAKEN | CULPRIT_LOAD | CULPRIT_STORE | CULPRIT_SERIALISING | CULPRIT_AT_HEAD;
	if (r->pc != t->pc || r->op_class != t->op_class || (r->flags & flags) != (t->flags & flags))
		fail_msg("%s: step %u is at %llx, should be at %llx", kernel, step, (unsigned long long)r->pc,
			 (unsigned long long)t->pc);
	assert_int_equal(r->length, t->length);
	assert_int_equal(r->branch, t->branch);
	assert_int_equal(r->dest, t->dest);
	assert_int_equal(r->unit, t->unit);
	assert_int_equal(r->queue, t->queue);
	uint32_t a[3], b[3];
	for (unsigned i = 0; i < 3; i++) {
		a[i] = inside(t->producer[i], step);
		b[i] = r->producer[i];
	}
	/* mv is an addition that the reconstruction sees the other way round */
	assert_int_equal(a[0] + a[1] + a[2], b[0] + b[1] + b[2]);
}

static uint64_t latencies(const struct culprit_record *r, size_t count)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += r[i].exec_latency + r[i].dmiss + r[i].imiss + r[i].write_miss;
	return sum;
}

static void reconstruct(const struct machine *m, const char *kernel, uint64_t iterations, uint64_t a2)
{
	static struct rig x;
	run(&x, m, kernel, iterations, a2);
	monitor(&x, kernel);
	const struct culprit_samples *s = culprit_monitor_samples(x.monitor);
	struct culprit_shotgun_machine machine;
	shotgun_machine_from_machine(&machine, m);
	struct culprit_shotgun_params params = {.seed = 1, .warmup = WARMUP, .context = CONTEXT, .signature_bits = 2};
	struct culprit_code code = {&x, decode};
	struct culprit_shotgun *shotgun = culprit_shotgun_create(&machine, &params, s, &code, NULL);
	assert_non_null(shotgun);
	uint64_t ours = 0, theirs = 0, cycles = 0;
	for (size_t n = 0; n < s->signature_count; n++) {
		struct culprit_record r[LENGTH];
		enum culprit_abort why;
		if (culprit_shotgun_fragment(shotgun, n, r, LENGTH, &why) != LENGTH)
			fail_msg("%s on %s: sample %zu: %s", kernel, m->name, n, culprit_abort_meaning(why));
		for (uint32_t i = 0; i < LENGTH; i++)
			check(kernel, &x.records[x.starts[n] + i], &r[i], i);
		ours += latencies(r, LENGTH);
		const struct culprit_record *t = x.records + x.starts[n];
		theirs += latencies(t, LENGTH);
		cycles += t[LENGTH - 1].commit - t[-1].commit; /* samples begin after some context */
	}
	if (ours * 20 < theirs * 19 || ours * 19 > theirs * 20)
		fail_msg("%s on %s: latencies of %llu cycles, recorded %llu", kernel, m->name, (unsigned long long)ours,
			 (unsigned long long)theirs);
	struct culprit_shotgun_results results;
	assert_true(culprit_shotgun_run(shotgun, &results));
	assert_int_equal(results.aborted + results.shortened, 0);
	/* and they take the time that the same instructions took, within two percent */
	double measured = (double)cycles / (double)results.instructions;
	if (results.cpi < 0.98 * measured || results.cpi > 1.02 * measured)
		fail_msg("%s on %s: %.4f cycles an instruction, measured %.4f", kernel, m->name, results.cpi, measured);
	culprit_shotgun_destroy(shotgun);
	release(&x);
}

/* Samples do not tell of predictions that come late. */
static void no_bubbles(struct machine *m)
{
	kernel_set(m, "branch.l0_bubble=0");
	kernel_set(m, "branch.early_bubble=0");
	kernel_set(m, "branch.return_bubble=0");
	kernel_set(m, "branch.indirect_bubble=0");
	kernel_set(m, "branch.call_bubble=0");
}

static void fragments_are_what_was_recorded(void **state)
{
	static const char *const kernels[] = {"calls",	    "indirect", "alternate", "forward",
					      "straight_c", "chain",	"jumps",     "partial"};
	static const uint64_t iterations[] = {400, 3000, 800, 1000, 100, 600, 300, 1000};
	for (unsigned machine = 0; machine < kernel_machine_count; machine++)
		for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
			struct machine m;
			kernel_machine(&m, kernel_machines[machine]);
			no_bubbles(&m);
			reconstruct(&m, kernels[k], iterations[k], BARE_DATA + 4096);
		}
}

/* Stores that miss hold the store queue long after their commits. The prefetcher of zen4 brings lines, late, that no miss is named
 * for. */
static void stores_are_written(void **state)
{
	static const struct {
		const char *machine, *prefetcher;
	} cases[] = {{"zen4", "stride"}, {"zen4", "none"}, {"boom-large", "none"}, {"eyerman2009-4w", "none"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct machine m;
		kernel_machine(&m, cases[i].machine);
		kernel_set(&m, "l1d.prefetcher=%s", cases[i].prefetcher);
		for (uint64_t step = 8; step <= 32; step *= 2)
			reconstruct(&m, "spaced_store", 2000, step);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(fragments_are_what_was_recorded),
					   cmocka_unit_test(stores_are_written)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
