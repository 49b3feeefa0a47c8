/* Random loops of vector loads, stores and sums, scalar ones between, every other one with branches that are
 * mispredicted. Held against a second execution that computes each access from registers and instruction:
 *
 * - the address in each record, and which store a load meets; that its cycles are those of a hit and of what it missed;
 * - without wrong paths how often the L1D was asked: a line at a time for unit strides, else by element; and which
 *   lines are in an L1D that loses none, which is empty at the start: those accessed and no others;
 * - no operation is ready before the writers of the registers that it reads allow, and a sum of whole groups is then;
 * - the state at the end, and the cycles with and without records. */
#include "core/state.h"
#include "kernel_rig.h"
#include "random_program.h"
#include "riscv/vector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
	PROGRAMS = 12,
	VLEN = 256,
	BODY = 40,
	CODE_BYTES = 8192,
	MOST = 20000,
	LOADED = 0x8000, /* bytes behind BARE_DATA that are read; as many behind are written */
	LINE_LEAST = 32,
	TAIL_AGNOSTIC = 1 << 6,
};
#define UNKNOWN UINT64_MAX

/* --- programs: x5 counts, x6 moves on, x7 points, x8 is a length, x9 a stride; v0 has indices --- */

struct writer {
	struct random_source random;
	uint8_t code[CODE_BYTES];
	size_t at;
	bool near; /* stores are close to each other, and some loads are of what they write */
};

static unsigned below(struct writer *w, uint32_t limit)
{
	return random_below(&w->random, limit);
}

static void emit(struct writer *w, uint32_t raw)
{
	assert_true(w->at + 4 <= CODE_BYTES);
	memcpy(w->code + w->at, &raw, 4);
	w->at += 4;
}

static void addi(struct writer *w, unsigned rd, unsigned rs1, int value)
{
	emit(w, 0x13 | rd << 7 | rs1 << 15 | ((uint32_t)value & 0xfff) << 20);
}

static void lui(struct writer *w, unsigned rd, uint32_t value)
{
	emit(w, 0x37 | rd << 7 | ((value + 0x800) & 0xfffff000));
	addi(w, rd, rd, (int)(value & 0xfff));
}

/* A group of up to four registers, not that of v0. */
static unsigned group(struct writer *w)
{
	return 4 * (1 + below(w, 7));
}

static void arithmetic(struct writer *w)
{
	static const uint32_t kinds[] = {0x00000057, 0x94002057, 0x00001057, 0x00002057}; /* vadd vmul vfadd vredsum */
	emit(w, kinds[below(w, 4)] | 1u << 25 | group(w) << 20 | group(w) << 15 | group(w) << 7);
}

static void length(struct writer *w)
{
	static const uint32_t lmul[] = {0, 1, 2}; /* 1, 2, 4 registers of elements of 32 bits */
	addi(w, 8, 0, (int)below(w, 36));
	emit(w, 0x7057 | 8 << 15 | (lmul[below(w, 3)] | 2 << 3 | below(w, 2) << 6 | 1 << 7) << 20);
}

static void point(struct writer *w, bool store)
{
	lui(w, 7,
	    (uint32_t)(BARE_DATA + (store ? LOADED : 0) + 0x1000 + below(w, store && w->near ? 0x40 : 0x1000) * 4));
	emit(w, 0x33 | 7 << 7 | 7 << 15 | 6 << 20);
}

static void memory(struct writer *w)
{
	static const uint32_t widths[] = {0, 5, 6};
	const bool store = below(w, 2);
	const uint32_t base = (store ? 0x27u : 0x07u) | 1u << 25 | 7 << 15 | group(w) << 7;
	point(w, store);
	switch (below(w, 3)) {
	case 0: /* half as many bytes, or as many, side by side */
		emit(w, base | widths[1 + below(w, 2)] << 12);
		break;
	case 1:
		addi(w, 9, 0, (int)below(w, 64) * 4 - 128);
		emit(w, base | 6u << 12 | 2u << 26 | 9 << 20);
		break;
	default:
		emit(w, base | 6u << 12 | 1u << 26 | 0 << 20);
	}
}

static void scalar(struct writer *w)
{
	const bool store = below(w, 2);
	point(w, store || (w->near && below(w, 2)));
	emit(w, store ? 0x2023 | 7 << 15 | 11 << 20 : 0x2003 | 7 << 15 | 11 << 7);
}

/* Over the next few operations, or not, by a bit of what was loaded last. */
static void over_some(struct writer *w)
{
	emit(w, 0x13 | 13 << 7 | 7 << 12 | 11 << 15 | 1u << below(w, 8) << 20); /* andi x13, x11, a bit */
	const size_t branch = w->at;
	emit(w, 0);
	for (unsigned i = 1 + below(w, 6); i; i--)
		arithmetic(w);
	const uint32_t by = (uint32_t)(w->at - branch),
		       raw = 0x63 | 13 << 15 | (by >> 1 & 15) << 8 | (by >> 5 & 63) << 25;
	memcpy(w->code + branch, &raw, sizeof raw);
}

static void random_loop(struct writer *w, uint64_t seed, bool branches)
{
	*w = (struct writer){.random = {seed}, .near = branches};
	addi(w, 5, 0, 12);
	addi(w, 10, 0, 0x7fc);
	addi(w, 12, 0, 68);
	addi(w, 8, 0, 32);
	emit(w, 0x7057 | 8 << 15 | (2 | 2 << 3 | 3 << 6) << 20); /* vsetvli of 32 elements */
	emit(w, 0x5208a057);					 /* vid.v v0 */
	emit(w, 0x96006057 | 12 << 15);				 /* vmul.vx v0, v0, x12 */
	emit(w, 0x26054057);					 /* vand.vx v0, v0, x10 */
	const size_t start = w->at;
	for (unsigned i = 0; i < BODY; i++) {
		const unsigned what = below(w, branches ? 15 : 10);
		if (what >= 12)
			scalar(w);
		else if (what >= 10)
			over_some(w);
		else if (what < 4)
			memory(w);
		else if (what < 7)
			arithmetic(w);
		else if (what < 9)
			length(w);
		else
			scalar(w);
	}
	addi(w, 6, 6, 4 * (int)below(w, 60));
	addi(w, 5, 5, -1);
	emit(w, 0x463 | 5 << 15); /* beq x5, x0, 8: jal reaches further */
	const uint32_t back = (uint32_t)(start - w->at);
	emit(w, 0x6f | (back & 0xff000) | (back >> 11 & 1) << 20 | (back >> 1 & 0x3ff) << 21 | (back >> 20 & 1) << 31);
	addi(w, 17, 0, 93);
	emit(w, 0x73);
}

/* --- the second execution --- */

struct step {
	bool accesses, stores;
	uint64_t address, end; /* from the lowest to the highest byte */
	uint64_t after[12];    /* numbers of those that it must wait for, + 1 */
	unsigned count;
	bool all; /* they are all that it waits for */
};

struct reference {
	struct step step[MOST];
	size_t count;
	uint64_t asked; /* accesses of the L1D */
	uint32_t line, dispatch_to_issue;
	bool touched[2 * LOADED / LINE_LEAST];
	uint64_t writer[32], scalar[32], length; /* numbers + 1; 0 = nobody */
	struct guest *end;
};

static void touch(struct reference *x, uint64_t address)
{
	assert_in_range(address, BARE_DATA, BARE_DATA + 2 * LOADED - 4);
	x->touched[(address - BARE_DATA) / x->line] = true;
}

static void wait_for(struct step *s, uint64_t writer)
{
	s->all &= writer != UNKNOWN;
	if (writer && writer != UNKNOWN)
		s->after[s->count++] = writer;
}

/* How many registers have vl elements of so many bytes. */
static unsigned registers(const struct riscv_vector *v, unsigned bytes)
{
	return (unsigned)((v->vl * bytes + v->vlenb - 1) / v->vlenb);
}

static void read_group(struct reference *x, struct step *s, unsigned first, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		wait_for(s, x->writer[first + i]);
}

/* All registers of the group: what was in them before, a later reader need not wait for. Of nothing, nobody knows. */
static void write_group(struct reference *x, unsigned first, unsigned count, uint64_t vl)
{
	for (unsigned i = 0; i < count; i++)
		x->writer[first + i] = vl ? x->count + 1 : UNKNOWN;
}

/* Registers of a whole group of such elements. */
static unsigned whole(const struct riscv_vector *v, unsigned bytes)
{
	const unsigned count = (1u << (v->vtype & 3)) * bytes / 4;
	return count ? count : 1;
}

static uint64_t element(const struct riscv_vector *v, uint64_t i)
{
	uint32_t index;
	memcpy(&index, v->bytes + 4 * i, sizeof index);
	return index;
}

/* Unit strides line by line, all else element by element. */
static void vector_access(struct reference *x, struct step *s, uint32_t raw, const struct riscv_hart *hart)
{
	const struct riscv_vector *v = hart->vector;
	const unsigned bytes = (raw >> 12 & 7) == 5 ? 2 : 4, how = raw >> 26 & 3;
	const uint64_t base = hart->r[raw >> 15 & 31], stride = hart->r[raw >> 20 & 31];
	uint64_t last_line = UINT64_MAX;
	s->accesses = v->vl != 0;
	s->stores = (raw & 0x7f) == 0x27;
	s->address = UINT64_MAX;
	for (uint64_t i = 0; i < v->vl; i++) {
		const uint64_t at = base + (how == 0 ? i * bytes : how == 2 ? i * stride : element(v, i));
		s->address = at < s->address ? at : s->address;
		s->end = at + bytes > s->end ? at + bytes : s->end;
		x->asked += how != 0 || at / x->line != last_line;
		last_line = at / x->line;
		touch(x, at);
	}
	if (how == 1)
		read_group(x, s, 0, registers(v, 4));
	if ((raw & 0x7f) == 0x27)
		read_group(x, s, raw >> 7 & 31, registers(v, bytes));
	else
		write_group(x, raw >> 7 & 31, whole(v, bytes), v->vl);
}

static void scalar_access(struct reference *x, struct step *s, uint32_t raw, const struct riscv_hart *hart)
{
	s->accesses = true;
	s->stores = (raw & 0x7f) == 0x23;
	s->address = hart->r[raw >> 15 & 31];
	s->end = s->address + 4;
	x->asked++;
	touch(x, s->address);
}

static void vector_operation(struct reference *x, struct step *s, uint32_t raw, const struct riscv_vector *v)
{
	const bool reduces = (raw & 0xfc00707f) == 0x00002057;
	if ((raw >> 12 & 7) == 7) {
		x->length = x->count + 1;
		return;
	}
	const unsigned count = registers(v, 4);
	if ((raw >> 12 & 7) < 3 && raw >> 26 != 0x14) { /* not those that make the indices */
		/* of a part of a group the rest of the old registers counts, too */
		s->all = v->vl == 8u * whole(v, 4) && (!reduces || v->vtype & TAIL_AGNOSTIC);
		read_group(x, s, raw >> 20 & 31, count);
		read_group(x, s, raw >> 15 & 31, reduces && count ? 1 : count);
		wait_for(s, x->length);
	}
	write_group(x, raw >> 7 & 31, reduces ? 1 : whole(v, 4), v->vl);
}

static void look(struct reference *x, uint32_t raw, const struct riscv_hart *hart)
{
	struct step *s = &x->step[x->count];
	*s = (struct step){.count = 0};
	switch (raw & 0x7f) {
	case 0x07:
	case 0x27:
		wait_for(s, x->scalar[7]);
		vector_access(x, s, raw, hart);
		break;
	case 0x03:
	case 0x23:
		scalar_access(x, s, raw, hart);
		break;
	case 0x57:
		vector_operation(x, s, raw, hart->vector);
		break;
	default:
		if ((raw & 0x7f) == 0x33)
			x->scalar[raw >> 7 & 31] = x->count + 1;
	}
	x->count++;
}

static struct guest *begin(const struct writer *w)
{
	struct guest *g = bare_guest_create(w->code, CODE_BYTES);
	guest_hart(g)->vector = riscv_vector_create(VLEN);
	assert_non_null(guest_hart(g)->vector);
	riscv_code_extend(guest_code(g), RISCV_EXT_V);
	for (uint32_t i = 0; i < 2 * LOADED; i++)
		*(uint8_t *)address_space_host(guest_memory(g), BARE_DATA + i) = (uint8_t)(i * i >> 3);
	return g;
}

static void execute(struct reference *x, const struct writer *w, const struct machine *m)
{
	struct riscv_outcome out = {0};
	memset(x, 0, sizeof *x);
	x->line = m->l1d_line;
	x->dispatch_to_issue = m->issue_dispatch_to_issue;
	x->end = begin(w);
	for (enum riscv_stop stop = RISCV_STOP_LIMIT; stop == RISCV_STOP_LIMIT;) {
		uint32_t raw;
		assert_true(x->count < MOST);
		assert_true(address_space_read(guest_memory(x->end), &raw, guest_hart(x->end)->pc, sizeof raw));
		look(x, raw, guest_hart(x->end));
		stop = riscv_run(guest_hart(x->end), guest_code(x->end), guest_memory(x->end), 1, &out);
		assert_true(stop == RISCV_STOP_LIMIT || stop == RISCV_STOP_ECALL);
		if (stop == RISCV_STOP_ECALL)
			assert_int_equal(guest_handle(x->end, stop, &out), GUEST_EXITED);
	}
}

/* --- the core --- */

struct records {
	struct culprit_record list[MOST];
	size_t count;
};

static void keep(void *context, const struct culprit_record *records, size_t count)
{
	struct records *all = context;
	assert_true(all->count + count <= MOST);
	memcpy(all->list + all->count, records, count * sizeof *records);
	all->count += count;
}

/* The youngest store whose range has any of its bytes, if that has not been written before the load goes. */
static void check_load(const struct reference *x, const struct records *all, size_t i, uint64_t *found)
{
	const struct step *load = &x->step[i];
	for (size_t back = 1; back <= i && all->list[i - back].commit > all->list[i].issue; back++) {
		const struct step *s = load - back;
		if (!s->accesses || !s->stores || s->address >= load->end || load->address >= s->end)
			continue;
		assert_int_equal(all->list[i].mem_producer, back);
		++*found;
		return;
	}
}

static void check_records(const struct reference *x, const struct records *all, uint64_t *found)
{
	assert_int_equal(all->count, x->count);
	for (size_t i = 0; i < x->count; i++) {
		const struct culprit_record *r = &all->list[i];
		const struct step *s = &x->step[i];
		if (s->accesses)
			assert_int_equal(r->mem_addr, s->address);
		if (s->accesses && !s->stores) {
			check_load(x, all, i, found);
			assert_int_equal(r->complete - r->issue, r->exec_latency + r->dtlb + r->dmiss);
		}
		uint64_t ready = r->dispatch + x->dispatch_to_issue;
		for (unsigned n = 0; n < s->count; n++) {
			const struct culprit_record *p = &all->list[s->after[n] - 1];
			ready = p->issue + p->wakeup > ready ? p->issue + p->wakeup : ready;
		}
		if (s->all ? r->ready != ready : r->ready < ready)
			fail_msg("instruction %zu: ready in %llu, not in %llu", i, (unsigned long long)r->ready,
				 (unsigned long long)ready);
	}
}

static void check_caches(const struct reference *x, const struct core *c)
{
	const struct hierarchy_statistics *s = core_hierarchy_statistics(c);
	assert_int_equal(s->l1d.accesses[false], x->asked);
	assert_int_equal(s->l1d.accesses[true], 0);
	for (uint64_t at = 0; at < 2 * LOADED; at += x->line)
		assert_int_equal(hierarchy_l1d_has(c->hierarchy, BARE_DATA + at), x->touched[at / x->line]);
}

static void check_state(struct guest *g, struct guest *end)
{
	assert_memory_equal(guest_hart(g)->r, guest_hart(end)->r, RISCV_NO_DEST * sizeof(uint64_t));
	assert_memory_equal(guest_hart(g)->vector, guest_hart(end)->vector, riscv_vector_size(guest_hart(end)->vector));
	assert_int_equal(guest_hart(g)->fflags, guest_hart(end)->fflags);
	assert_memory_equal(address_space_host(guest_memory(g), BARE_DATA),
			    address_space_host(guest_memory(end), BARE_DATA), 2 * LOADED);
}

/* What there is enough of: operations of wrong paths, loads that meet a store. */
struct seen {
	uint64_t wrong_path, stores;
};

/* Returns the cycles. */
static uint64_t simulate(const struct machine *m, const struct writer *w, const struct reference *x, bool recorded,
			 struct seen *seen)
{
	static struct records all;
	const struct culprit_record_sink sink = {.context = &all, .records = keep};
	struct error err;
	struct guest *g = begin(w);
	struct core *c = core_create(m, g, &err);
	if (!c)
		fail_msg("%s", err.text);
	all.count = 0;
	if (recorded)
		core_record(c, &sink, NULL);
	assert_int_equal(core_run(c, UINT64_MAX, &err), CORE_STOP_ENDED);
	core_flush_records(c);
	const uint64_t cycles = core_statistics(c)->cycles;
	if (recorded)
		check_records(x, &all, &seen->stores);
	seen->wrong_path += core_statistics(c)->issued_wrong_path;
	if (m->branch_predictor == direction_predictor_oracle)
		check_caches(x, c);
	check_state(g, x->end);
	core_destroy(c);
	guest_destroy(g);
	return cycles;
}

/* A machine's own widths, or wide; no wrong path, no prefetcher, and an L1D that holds all of the data. */
static void draw_machine(struct machine *m, struct random_source *r)
{
	static const char *const orders[] = {"perfect", "store_sets", "conservative"};
	kernel_machine(m, kernel_machines[random_below(r, kernel_machine_count)]);
	kernel_isolate(m);
	kernel_set(m, "l1d.size=%u", 8 * LOADED);
	kernel_set(m, "l1d.mshrs=%u", random_below(r, 3) * 4);
	kernel_set(m, "vector.vlen=%u", VLEN);
	kernel_set(m, "vector.lanes=%u", 1u << random_below(r, 3));
	kernel_set(m, "vector.chaining=%s", random_below(r, 2) ? "true" : "false");
	kernel_set(m, "lsq.disambiguation=%s", orders[random_below(r, 3)]);
	if (random_below(r, 2))
		kernel_widen(m);
	assert_true(m->l1d_line >= LINE_LEAST);
}

static void random_vectors(void **state)
{
	static struct writer w;
	static struct reference x;
	struct seen seen = {0, 0};
	(void)state;
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		struct random_source r = {~seed};
		const bool wrong = seed % 2;
		random_loop(&w, seed, wrong);
		for (unsigned n = 0; n < 6; n++) {
			struct machine m;
			draw_machine(&m, &r);
			if (wrong)
				kernel_set(&m, "branch.predictor=gshare");
			execute(&x, &w, &m);
			const uint64_t cycles = simulate(&m, &w, &x, true, &seen);
			assert_int_equal(simulate(&m, &w, &x, false, &seen), cycles);
			guest_destroy(x.end);
		}
	}
	print_message("%llu on wrong paths, %llu stores met\n", (unsigned long long)seen.wrong_path,
		      (unsigned long long)seen.stores);
	assert_true(seen.wrong_path > 1000 && seen.stores > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_vectors)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
