#include "core/vector.h"

#include "core/access.h"
#include "core/path.h"
#include "core/place.h"
#include "core/schedule.h"
#include "machine/hierarchy.h"

#include <stdlib.h>

bool vector_create(struct core *c, struct error *err)
{
	if (!c->hart->vector)
		return true;
	c->vector = calloc(1, sizeof *c->vector);
	if (c->vector)
		c->vector->notes = calloc(c->mask + 1, sizeof *c->vector->notes);
	return (c->vector && c->vector->notes) ||
	       error_set(err, ERROR_SYSTEM, "out of memory for vectors in the window");
}

void vector_destroy(struct core *c)
{
	if (!c->vector)
		return;
	for (uint64_t i = 0; c->vector->notes && i <= c->mask; i++)
		free(c->vector->notes[i].accesses);
	free(c->vector->notes);
	free(c->vector);
	c->vector = NULL;
}

/* --- what it does, before it is executed --- */

static bool add_access(struct vector_note *n, uint64_t address, uint32_t size)
{
	if (n->access_count == n->access_room) {
		uint32_t room = n->access_room ? 2 * n->access_room : 16;
		void *grown = realloc(n->accesses, room * sizeof *n->accesses);
		if (!grown)
			return false;
		n->accesses = grown;
		n->access_room = room;
	}
	n->accesses[n->access_count++] = (struct riscv_vector_access){address, size};
	return true;
}

/* A run of bytes is read or written a line at a time. */
static bool add_lines(struct core *c, struct vector_note *n, const struct riscv_vector_access *run)
{
	uint64_t at = run->address, end = at + run->size, line = c->m.l1d_line;
	while (at < end) {
		uint64_t next = (at | (line - 1)) + 1;
		if (next > end)
			next = end;
		if (!add_access(n, at, (uint32_t)(next - at)))
			return false;
		at = next;
	}
	return true;
}

static bool note_accesses(struct core *c, struct vector_note *n, const struct riscv_insn *insn)
{
	struct riscv_vector_access accesses[RISCV_VECTOR_ACCESSES];
	unsigned count = riscv_vector_accesses(c->hart, insn, accesses);
	for (unsigned i = 0; i < count; i++)
		accesses[i].address = path_frame(c, accesses[i].address);
	n->first = UINT64_MAX, n->end = 0;
	n->run = count == 1;
	if (n->run && !add_lines(c, n, accesses))
		return false;
	for (unsigned i = 0; i < count; i++) {
		uint64_t end = accesses[i].address + accesses[i].size;
		n->first = accesses[i].address < n->first ? accesses[i].address : n->first;
		n->end = end > n->end ? end : n->end;
		if (!n->run && !add_access(n, accesses[i].address, accesses[i].size))
			return false;
	}
	return true;
}

bool vector_note(struct core *c, struct slot *s, const struct riscv_insn *insn)
{
	struct vector_note *n = vector_note_of(c, s);
	n->access_count = n->producer_count = 0;
	riscv_vector_operands(c->hart, insn, &n->operands);
	return !(insn->flags & (RISCV_LOAD | RISCV_STORE)) || note_accesses(c, n, insn);
}

/* --- rename --- */

static void add_producer(struct core *c, struct vector_note *n, uint64_t writer)
{
	if (writer <= c->head)
		return;
	for (uint32_t i = 0; i < n->producer_count; i++)
		if (n->producers[i] == writer)
			return;
	n->producers[n->producer_count++] = writer;
}

/* Three links at most; the latest that has issued already stands first among the record's producers. */
static void remember(struct slot *s, uint64_t writer, unsigned first)
{
	for (unsigned i = first; i < MEMORY_OPERAND; i++) {
		if (s->linked & 1u << i)
			continue;
		s->source[i] = writer;
		return;
	}
}

static bool is_younger(const struct core *c, const struct slot *a, const struct slot *b)
{
	uint64_t head = c->head & c->mask, of_a = (uint64_t)(a - c->slots), of_b = (uint64_t)(b - c->slots);
	return ((of_a - head) & c->mask) > ((of_b - head) & c->mask);
}

/* As link_operand, of a slot that is not the youngest: lists are in order of age, the youngest first. */
static void link_in_order(struct core *c, struct slot *s, unsigned operand, struct slot *producer)
{
	uint32_t *at = &producer->consumers;
	while (*at != NO_SLOT && is_younger(c, &c->slots[*at / OPERANDS], s))
		at = &c->slots[*at / OPERANDS].next[*at % OPERANDS];
	s->next[operand] = *at;
	*at = (uint32_t)(s - c->slots) * OPERANDS + operand;
	s->linked |= (uint8_t)(1u << operand);
	s->pending++;
}

/* Link what has not issued, as far as there are links from operand `first` on, and learn when the others wake their
 * dependents. */
static void wait_on_producers(struct core *c, struct slot *s, struct vector_note *n, unsigned first)
{
	uint32_t left = 0;
	for (uint32_t i = 0; i < n->producer_count; i++) {
		uint64_t writer = n->producers[i];
		struct slot *producer = slot_at(c, writer - 1);
		if (writer <= c->head)
			continue; /* it has committed: its result is there */
		if (producer->state == SLOT_ISSUED) {
			if (producer->wake > s->ready) {
				s->ready = producer->wake;
				remember(s, writer, first);
			}
			continue;
		}
		unsigned operand = (unsigned)__builtin_ctz(~(s->linked | ((1u << first) - 1)));
		if (operand >= MEMORY_OPERAND) {
			n->producers[left++] = writer;
			continue;
		}
		s->source[operand] = writer;
		link_in_order(c, s, operand, producer);
	}
	n->producer_count = left;
}

void vector_dispatch(struct core *c, struct slot *s, uint64_t index)
{
	struct vector_note *n = vector_note_of(c, s);
	const struct riscv_vector_operands *o = &n->operands;
	const uint8_t scalars[] = {s->insn->rs1, s->insn->rs2};
	n->producer_count = 0;
	s->source[0] = s->source[1] = s->source[2] = 0;
	for (unsigned i = 0; i < sizeof scalars; i++)
		add_producer(c, n, c->last_writer[scalars[i]]);
	for (uint32_t reads = o->reads; reads; reads &= reads - 1)
		add_producer(c, n, c->vector->last_writer[__builtin_ctz(reads)]);
	if (o->reads_vl)
		add_producer(c, n, c->vector->last_writer[VECTOR_VL]);
	wait_on_producers(c, s, n, 0);
	for (uint32_t writes = o->writes; writes; writes &= writes - 1)
		c->vector->last_writer[__builtin_ctz(writes)] = index + 1;
	if (o->writes_vl)
		c->vector->last_writer[VECTOR_VL] = index + 1;
}

/* Of what it waited for, the one that woke it last: the record has to name it. */
static void keep_latest(struct core *c, struct slot *s)
{
	for (unsigned i = 1; i < MEMORY_OPERAND; i++)
		if (s->source[i] > c->head && (s->source[0] <= c->head ||
					       slot_at(c, s->source[i] - 1)->wake > slot_at(c, s->source[0] - 1)->wake))
			s->source[0] = s->source[i];
}

bool vector_waits_on(struct core *c, struct slot *s)
{
	s->linked = 0;
	struct vector_note *n = vector_note_of(c, s);
	if (n->producer_count) {
		keep_latest(c, s);
		wait_on_producers(c, s, n, 1);
	}
	return s->pending != 0;
}

void vector_rebuild(struct core *c)
{
	struct vector_state *v = c->vector;
	memset(v->last_writer, 0, sizeof v->last_writer);
	for (uint64_t index = c->head; index < c->dispatched; index++) {
		const struct slot *s = slot_at(c, index);
		if (!slot_is_vector(c, s))
			continue;
		const struct riscv_vector_operands *o = &vector_note_of(c, s)->operands;
		for (uint32_t writes = o->writes; writes; writes &= writes - 1)
			v->last_writer[__builtin_ctz(writes)] = index + 1;
		if (o->writes_vl)
			v->last_writer[VECTOR_VL] = index + 1;
	}
}

/* --- time --- */

static uint32_t beats(const struct core *c, const struct vector_note *n)
{
	uint32_t a_beat = 8 * c->m.vector_lanes, count = (n->operands.bytes + a_beat - 1) / a_beat;
	return count ? count : 1;
}

uint32_t vector_interval(struct core *c, const struct slot *s)
{
	const struct vector_note *n = vector_note_of(c, s);
	uint32_t interval = c->d.interval[s->insn->op_class];
	if (s->flags & (SLOT_LOAD | SLOT_STORE))
		return n->access_count ? n->access_count : 1;
	if (!c->d.latency[s->insn->op_class])
		return 1;
	if (n->operands.serial)
		return n->operands.serial * c->d.latency[s->insn->op_class];
	return interval * beats(c, n);
}

uint32_t vector_latency(struct core *c, const struct slot *s)
{
	const struct vector_note *n = vector_note_of(c, s);
	uint32_t latency = c->d.latency[s->insn->op_class];
	if (!latency || (s->flags & SLOT_STORE))
		return latency;
	if (n->operands.serial)
		return n->operands.serial * latency;
	if (c->m.vector_chaining && !n->operands.whole)
		return latency;
	return latency + (beats(c, n) - 1) * c->d.interval[s->insn->op_class];
}

/* One access a cycle, each from its own cycle on; a load without any has its address's cycle and a hit's. */
void vector_load(struct core *c, struct slot *s, uint64_t index, struct memory_access *slowest)
{
	const struct vector_note *n = vector_note_of(c, s);
	const bool wrong = s->flags & SLOT_WRONG_PATH, hits = place_ideal(c, s->pc, CULPRIT_EVENT_BIT(dmiss));
	uint64_t start = c->now + c->d.latency[s->insn->op_class], seq = access_seq(c, index, wrong);
	*slowest = (struct memory_access){.done = start + c->d.l1d_latency, .hit_cycles = c->d.l1d_latency};
	for (uint32_t i = 0; i < n->access_count; i++) {
		const struct riscv_vector_access *at = &n->accesses[i];
		struct memory_access a;
		if (hits)
			hierarchy_data_at_once(c->hierarchy, start + i, seq, s->pc, at->address, at->size, wrong, false,
					       &a);
		else
			hierarchy_load(c->hierarchy, start + i, seq, s->pc, at->address, at->size, wrong, &a);
		if (i && a.done <= slowest->done)
			continue;
		*slowest = a;
		slowest->hit_cycles += i; /* its turn */
	}
}

void vector_store(struct core *c, const struct slot *s, uint64_t index, struct memory_access *slowest)
{
	const struct vector_note *n = vector_note_of(c, s);
	const bool hits = place_ideal(c, s->pc, CULPRIT_EVENT_BIT(dmiss));
	*slowest = (struct memory_access){.done = c->now};
	for (uint32_t i = 0; i < n->access_count; i++) {
		const struct riscv_vector_access *at = &n->accesses[i];
		struct memory_access a;
		if (hits)
			hierarchy_data_at_once(c->hierarchy, c->now + i, index, s->pc, at->address, at->size, false,
					       true, &a);
		else
			hierarchy_store(c->hierarchy, c->now + i, index, s->pc, at->address, at->size, &a);
		if (!i || a.done > slowest->done)
			*slowest = a;
	}
}
