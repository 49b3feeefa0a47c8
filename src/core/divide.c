#include "core/divide.h"

/* What the divider works on: magnitudes, and which of the two were negative. Words of 32 bits are extended. */
static struct divide_operands operands(const struct riscv_insn *insn, uint64_t dividend, uint64_t divisor)
{
	bool word = insn->op == RISCV_OP_divw || insn->op == RISCV_OP_remw;
	bool unsigned_word = insn->op == RISCV_OP_divuw || insn->op == RISCV_OP_remuw;
	bool is_signed = word || insn->op == RISCV_OP_div || insn->op == RISCV_OP_rem;
	if (word) {
		dividend = (uint64_t)(int64_t)(int32_t)dividend;
		divisor = (uint64_t)(int64_t)(int32_t)divisor;
	} else if (unsigned_word) {
		dividend = (uint32_t)dividend;
		divisor = (uint32_t)divisor;
	}
	bool minus = is_signed && dividend >> 63, by_minus = is_signed && divisor >> 63;
	return (struct divide_operands){minus ? 0 - dividend : dividend, by_minus ? 0 - divisor : divisor,
					(uint8_t)(minus | by_minus << 1)};
}

static uint32_t bits_of(uint64_t v)
{
	return v ? 64 - (uint32_t)__builtin_clzll(v) : 0;
}

/* Cycles for the bits of the quotient until no remainder is left. That none is left before the last of them is seen
 * a cycle later. */
static uint32_t quotient_cycles(const struct divide_operands *o, const struct machine *m)
{
	if (!o->divisor || o->dividend < o->divisor)
		return m->divide_least;
	uint64_t quotient = o->dividend / o->divisor;
	bool exact = !(o->dividend % o->divisor);
	uint32_t bits = bits_of(quotient), zeros = exact ? (uint32_t)__builtin_ctzll(quotient) : 0;
	uint32_t all = (bits + m->divide_bits - 1) / m->divide_bits;
	uint32_t some = (bits - zeros + m->divide_bits - 1) / m->divide_bits;
	uint32_t cycles = some > m->divide_least ? some : m->divide_least;
	return cycles < all ? cycles + (some < all) : cycles;
}

static bool is_kept(const struct divider *d, const struct divide_operands *o)
{
	for (uint32_t i = 0; i < d->count; i++)
		if (d->kept[i].dividend == o->dividend && d->kept[i].divisor == o->divisor &&
		    d->kept[i].signs == o->signs)
			return true;
	return false;
}

/* In place of the oldest. */
static void keep(struct divider *d, uint32_t results, const struct divide_operands *o)
{
	if (!results)
		return;
	d->kept[d->next] = *o;
	d->next = (d->next + 1) % results;
	d->count += d->count < results;
}

uint16_t divide_early(struct divider *d, const struct machine *m, const struct riscv_insn *insn, uint64_t dividend,
		      uint64_t divisor)
{
	struct divide_operands o = operands(insn, dividend, divisor);
	uint32_t longest = (64 + m->divide_bits - 1) / m->divide_bits;
	uint32_t cycles = 0, most = m->latency[CULPRIT_OP_int_div] - 1;
	if (!is_kept(d, &o)) {
		keep(d, m->divide_results, &o);
		cycles = quotient_cycles(&o, m);
	}
	uint32_t early = cycles < longest ? longest - cycles : 0;
	return (uint16_t)(early < most ? early : most);
}
