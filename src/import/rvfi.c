/* Packets of RVFI, the RISC-V Formal Interface, as TestRIG lays them out (RVFI-DII, version 1): 88 bytes for each
 * instruction, little-endian,
 *
 *      0 u64 order    8 u64 pc    16 u64 next pc    24 u64 encoding    32 u64 rs1   40 u64 rs2   48 u64 rd
 *     56 u64 address 64 u64 read 72 u64 written     80 u8 bytes read  81 u8 bytes written
 *     82 u8 number of rs1, rs2, rd                  85 u8 trapped     86 u8 halts   87 u8 first of a handler
 *
 * A core may tell instructions out of their order: they are sorted. An order that rises by more than one is a part that
 * is missing; what trapped did not complete, is left out, and need not have an order of its own. */
#include "base/bytes.h"
#include "import/steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 88, LOOKED_AT = 16 };

struct packet {
	uint64_t order, next;
	struct riscv_follow_step step;
	uint64_t number; /* where the file has it, from 1 */
	bool trapped, halts, handler;
};

struct packets {
	struct packet *at;
	size_t count, room;
};

static bool wrong(const struct import_steps *s, uint64_t number, struct error *err, const char *why)
{
	return error_set(err, ERROR_INPUT, "%s: packet %" PRIu64 ": %s", s->place, number, why);
}

static const char *fault(const uint8_t *at)
{
	if (at[82] > 31 || at[83] > 31 || at[84] > 31)
		return "a register that there is not: they are 0 to 31";
	if (at[85] > 1 || at[86] > 1 || at[87] > 1)
		return "trapped, halts or handler: neither 0 nor 1";
	if (bytes_number(at + 28, 4))
		return "an encoding of more than 32 bits";
	if (!bytes_number(at + 24, 4) && !at[85] && !at[86])
		return "no encoding";
	return NULL;
}

/* A core may tell the word that the access lies in, and which of its bytes. */
static void take_access(const uint8_t *at, struct riscv_follow_step *step)
{
	const unsigned mask = at[80] ? at[80] : at[81];
	const unsigned skipped = mask ? (unsigned)__builtin_ctz(mask) : 0;
	if (!mask)
		return;
	step->address = bytes_number(at + 56, 8) + skipped;
	step->flags |= RISCV_FOLLOW_ADDRESS;
	if (step->flags & RISCV_FOLLOW_VALUE)
		return;
	step->value = bytes_number(at + (at[80] ? 64 : 72), 8) >> 8 * skipped;
	step->flags |= at[80] ? RISCV_FOLLOW_LOADED : RISCV_FOLLOW_STORED;
}

static void take(const uint8_t *at, uint64_t number, struct packet *p)
{
	*p = (struct packet){.order = bytes_number(at, 8), .next = bytes_number(at + 16, 8), .number = number};
	p->trapped = at[85];
	p->halts = at[86];
	p->handler = at[87];
	p->step.pc = bytes_number(at + 8, 8);
	p->step.bits = (uint32_t)bytes_number(at + 24, 4);
	if ((p->step.bits & 3) != 3)
		p->step.bits &= 0xffff;
	if (at[84]) {
		p->step.value = bytes_number(at + 48, 8);
		p->step.flags = RISCV_FOLLOW_VALUE;
	}
	take_access(at, &p->step);
}

static struct packet *add(const struct import_steps *s, struct packets *all, struct error *err)
{
	if (all->count == all->room) {
		const size_t room = all->room ? 2 * all->room : 4096;
		struct packet *grown = realloc(all->at, room * sizeof *grown);
		if (!grown) {
			error_set(err, ERROR_SYSTEM, "%s: out of memory for more than %zu packets", s->place,
				  all->count);
			return NULL;
		}
		all->at = grown;
		all->room = room;
	}
	return &all->at[all->count++];
}

static bool read_all(const struct import_steps *s, FILE *in, struct packets *all, struct error *err)
{
	uint8_t bytes[SIZE];
	size_t got;
	while ((got = fread(bytes, 1, sizeof bytes, in)) == sizeof bytes) {
		const char *why = fault(bytes);
		if (!why && all->count && all->at[all->count - 1].halts)
			why = "another trace behind the end of one";
		if (why)
			return wrong(s, all->count + 1, err, why);
		struct packet *p = add(s, all, err);
		TRY(p);
		take(bytes, all->count, p);
	}
	return !got || ferror(in) || wrong(s, all->count + 1, err, "cut short"); /* an error of `in` is told later */
}

static int by_order(const void *left, const void *right)
{
	const struct packet *a = left, *b = right;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Of two in their order. */
static const char *between(const struct packet *a, const struct packet *b)
{
	const bool trap = a->trapped || b->trapped || b->halts;
	if (b->order == a->order && !trap)
		return "the order of another packet";
	if (b->order - a->order > 1)
		return "its order follows no other: packets are missing in front";
	if (!trap && !b->handler && a->next != b->step.pc)
		return "not where the instruction in front leads";
	return NULL;
}

static bool hand_on(struct import_steps *s, const struct packets *all, struct error *err)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct packet *p = &all->at[i];
		const char *why = i ? between(p - 1, p) : NULL;
		if (why)
			return wrong(s, p->number, err, why);
		if (p->trapped || !p->step.bits) {
			s->left_out++;
			continue;
		}
		struct riscv_follow_step *step = import_steps_add(s, err);
		TRY(step);
		*step = p->step;
	}
	return true;
}

/* Its first packets, as far as they are there. */
bool import_rvfi_is(const char *head, size_t size)
{
	const uint8_t *at = (const uint8_t *)head;
	size_t i = 0;
	for (; i < LOOKED_AT && (i + 1) * SIZE <= size; i++)
		if (fault(at + i * SIZE) ||
		    (i && bytes_number(at + i * SIZE, 8) - bytes_number(at, 8) + LOOKED_AT > 2 * LOOKED_AT))
			return false;
	return i;
}

bool import_rvfi(struct import_steps *s, FILE *in, struct error *err)
{
	struct packets all = {.at = NULL};
	s->has_code = true;
	s->format = "RVFI";
	s->left_what = "packets";
	bool good = read_all(s, in, &all, err);
	if (good && all.count)
		qsort(all.at, all.count, sizeof *all.at, by_order);
	good = good && hand_on(s, &all, err);
	free(all.at);
	return good;
}
