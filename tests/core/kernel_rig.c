/* See the header. */
#include "kernel_rig.h"

#include "riscv/isa.h"
#include "riscv/vector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDE = 64, CODE_MAX = 1 << 20, STEP_LIMIT = 1 << 28 };

#define NAME(name) name,
const char *const kernel_machines[] = {KERNEL_MACHINES(NAME)};
const unsigned kernel_machine_count = sizeof kernel_machines / sizeof *kernel_machines;

uint64_t kernel_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* --- machines --- */

void kernel_machine(struct machine *m, const char *name)
{
	struct error err;
	char path[128];
	snprintf(path, sizeof path, "machines/%s.yaml", name);
	if (!machine_load(m, path, &err))
		fail_msg("%s", err.text);
}

void kernel_set(struct machine *m, const char *format, ...)
{
	struct error err;
	char text[128];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	if (!machine_set(m, text, &err))
		fail_msg("%s: %s", text, err.text);
}

void kernel_isolate(struct machine *m)
{
	static const char *const caches[] = {"l1i", "l1d", "l2", "l3"};
	kernel_set(m, "branch.predictor=oracle");
	kernel_set(m, "branch.early_entries=0");
	kernel_set(m, "branch.l0_bubble=0");
	kernel_set(m, "branch.return_bubble=0");
	kernel_set(m, "branch.indirect_bubble=0");
	kernel_set(m, "branch.call_bubble=0");
	kernel_set(m, "lsq.store_data=with_address");
	kernel_set(m, "tlb.i_entries=0");
	kernel_set(m, "tlb.d_entries=0");
	kernel_set(m, "tlb.l2_entries=0");
	for (unsigned i = 0; i < 4; i++) {
		kernel_set(m, "%s.prefetcher=none", caches[i]);
		kernel_set(m, "%s.replacement=lru", caches[i]);
		kernel_set(m, "%s.mshrs=0", caches[i]);
		kernel_set(m, "%s.interval=0", caches[i]);
	}
	kernel_set(m, "l1i.size=65536");
	kernel_set(m, "memory.interval=0");
}

void kernel_take_none_back(struct machine *m)
{
	if (m->lsq_disambiguation == disambiguation_speculative)
		kernel_set(m, "lsq.store_data=apart");
}

void kernel_widen(struct machine *m)
{
	m->fetch_width = m->fetch_taken_limit = m->fetch_buffer = WIDE;
	m->fetch_within_line = false;
	m->fetch_block = m->fetch_bank = 0;
	m->dispatch_rows = false;
	m->dispatch_squash_width = 0;
	m->dispatch_width = m->issue_width = m->commit_width = WIDE;
	m->commit_stores = m->commit_branches = 0;
	m->window_rob = 4 * WIDE; /* larger ones make long scans of instructions that wait for a unit */
	m->window_lq = m->window_sq = m->window_lsq = m->window_branches = m->window_int_regs = m->window_fp_regs = 0;
	for (uint32_t i = 0; i < m->queue_count; i++)
		m->queues[i].entries = m->queues[i].width = 0;
	for (uint32_t i = 0; i < m->unit_count; i++)
		m->units[i].count = WIDE;
}

void kernel_wide_machine(struct machine *m, const char *name)
{
	kernel_machine(m, name);
	kernel_isolate(m);
	kernel_widen(m);
}

uint64_t kernel_wake(const struct machine *m, enum culprit_op_class op)
{
	return kernel_max(m->latency[op], m->issue_wakeup);
}

uint64_t kernel_load(const struct machine *m, enum culprit_level level)
{
	uint64_t cycles = m->latency[CULPRIT_OP_load] + m->l1d_latency;
	if (level > CULPRIT_LEVEL_L1)
		cycles += m->l2_latency;
	if (level > CULPRIT_LEVEL_L2 && m->l3_size)
		cycles += m->l3_latency;
	return level == CULPRIT_LEVEL_MEMORY ? cycles + m->memory_latency : cycles;
}

uint64_t kernel_fetch_to_issue(const struct machine *m)
{
	return m->frontend_stages + m->issue_dispatch_to_issue;
}

/* --- running --- */

struct guest *kernel_guest(const struct kernel *k, uint64_t iterations)
{
	static const uint32_t zero[64];
	char path[256];
	uint8_t *code = malloc(CODE_MAX);
	snprintf(path, sizeof path, CORE_KERNELS "/%s", k->name);
	FILE *f = fopen(path, "rb");
	if (!f || !code)
		fail_msg("no kernel %s", path);
	size_t size = fread(code, 1, CODE_MAX - sizeof zero, f);
	fclose(f);
	memcpy(code + size, zero, sizeof zero); /* what a wrong path meets behind the end is illegal */
	struct guest *g = bare_guest_create(code, size + sizeof zero);
	free(code);
	struct riscv_hart *hart = guest_hart(g);
	hart->r[10] = iterations;
	if (k->vlen) {
		hart->vector = riscv_vector_create((unsigned)k->vlen);
		assert_non_null(hart->vector);
		riscv_code_extend(guest_code(g), RISCV_EXT_V);
	}
	for (unsigned i = 0; i < 6; i++)
		hart->r[11 + i] = k->arg[i];
	for (uint64_t i = 0; i < k->ring_nodes; i++) {
		uint64_t next = BARE_DATA + (i + 1) % k->ring_nodes * k->ring_stride;
		memcpy(address_space_host(guest_memory(g), BARE_DATA + i * k->ring_stride), &next, sizeof next);
	}
	if (k->ring_nodes)
		hart->r[11] = BARE_DATA;
	return g;
}

static uint64_t checksum(struct guest *g)
{
	const uint8_t *data = address_space_host(guest_memory(g), BARE_DATA);
	uint64_t sum = 0xcbf29ce484222325;
	for (size_t i = 0; i < 1 << 20; i += 8) {
		uint64_t word;
		memcpy(&word, data + i, sizeof word);
		sum = (sum ^ word) * 0x100000001b3;
	}
	return sum;
}

static void run_functionally(struct guest *g)
{
	struct riscv_outcome out = {0};
	for (;;) {
		enum riscv_stop stop = riscv_run(guest_hart(g), guest_code(g), guest_memory(g), STEP_LIMIT, &out);
		if (stop == RISCV_STOP_LIMIT)
			fail_msg("the kernel does not end");
		if (guest_handle(g, stop, &out) != GUEST_RUNNING)
			return;
	}
}

static void compare_with_functional(const struct kernel *k, uint64_t iterations, struct guest *timed, uint64_t sum)
{
	struct guest *g = kernel_guest(k, iterations);
	run_functionally(g);
	assert_memory_equal(guest_hart(timed)->r, guest_hart(g)->r, RISCV_NO_DEST * sizeof(uint64_t));
	assert_int_equal(guest_hart(timed)->pc, guest_hart(g)->pc);
	assert_int_equal(guest_hart(timed)->instret, guest_hart(g)->instret);
	assert_int_equal(guest_hart(timed)->fflags, guest_hart(g)->fflags);
	assert_int_equal(guest_exit_status(timed), guest_exit_status(g));
	assert_int_equal(sum, checksum(g));
	guest_destroy(g);
}

void kernel_run(const struct machine *m, const struct kernel *k, uint64_t iterations, struct kernel_result *result)
{
	struct error err;
	if (!machine_check(m, k->name, &err))
		fail_msg("%s", err.text);
	struct guest *g = kernel_guest(k, iterations);
	struct core *c = core_create(m, g, &err);
	if (!c)
		fail_msg("%s", err.text);
	if (k->sink)
		core_record(c, k->sink, NULL);
	if (core_run(c, UINT64_MAX, &err) != CORE_STOP_ENDED)
		fail_msg("%s on %s: %s", k->name, m->name, err.text);
	core_flush_records(c);
	result->core = *core_statistics(c);
	result->memory = *core_hierarchy_statistics(c);
	result->cycles = result->core.cycles;
	result->data_checksum = checksum(g);
	assert_int_equal(core_guest_state(c), GUEST_EXITED);
	assert_int_equal(result->core.committed, guest_hart(g)->instret);
	compare_with_functional(k, iterations, g, result->data_checksum);
	core_destroy(c);
	guest_destroy(g);
}

void kernel_expect(const struct machine *m, const struct kernel *k, uint64_t cycles, uint64_t per, const char *what)
{
	struct kernel_result first, second;
	uint64_t before = k->before ? k->before : 40, after = k->after ? k->after : 280;
	kernel_run(m, k, before, &first);
	kernel_run(m, k, after, &second);
	uint64_t measured = second.cycles - first.cycles, iterations = after - before;
	if (measured * per != iterations * cycles)
		fail_msg("%s, %s on %s: %llu cycles in %llu iterations, expected %llu/%llu each = %.3f, measured %.3f",
			 k->name, what, m->name, (unsigned long long)measured, (unsigned long long)iterations,
			 (unsigned long long)cycles, (unsigned long long)per, (double)cycles / (double)per,
			 (double)measured / (double)iterations);
}
