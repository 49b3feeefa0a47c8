/* Units that transfer control forward, and the filling in of their offsets. */
#include "random/units.h"

static const uint32_t branch_words[] = {0x0063, 0x1063, 0x4063, 0x5063, 0x6063, 0x7063};

static void jump_forward(struct state *state, enum fixup_kind kind, size_t anchor)
{
	unsigned ahead = 1 + pick(state->random, 5), last = state->units;
	struct fixup *fixup = &state->fixups[state->fixup_count++];

	*fixup = (struct fixup){kind, state->program->halves, anchor, state->unit + ahead};
	if (fixup->unit > last)
		fixup->unit = last;
}

void unit_branch(struct state *state)
{
	size_t here = state->program->halves;

	if (pick(state->random, 3) == 0) {
		uint32_t compressed = 0xc001 | pick(state->random, 2) << 13;
		compressed |= pick(state->random, 8) << 7;
		jump_forward(state, FIX_C_BRANCH, here);
		program_emit16(state->program, (uint16_t)compressed);
		return;
	}
	uint32_t word = branch_words[pick(state->random, COUNT(branch_words))];
	uint32_t rs1 = pick(state->random, 32);
	uint32_t rs2 = pick(state->random, 4) ? pick(state->random, 32) : rs1;
	jump_forward(state, FIX_BRANCH, here);
	emit(state, word | rs1 << 15 | rs2 << 20);
}

void unit_jump(struct state *state)
{
	size_t here = state->program->halves;
	unsigned pointer = free_register(state, false);
	unsigned kind = pick(state->random, 4);

	if (kind == 0) {
		jump_forward(state, FIX_JAL, here);
		emit(state, 0x6f | destination(state) << 7);
		return;
	}
	if (kind == 1) {
		jump_forward(state, FIX_C_J, here);
		program_emit16(state->program, 0xa001);
		return;
	}
	emit(state, 0x17 | pointer << 7); /* auipc */
	if (kind == 2) {
		jump_forward(state, FIX_JALR, here);
		emit(state, 0x67 | destination(state) << 7 | pointer << 15);
		return;
	}
	jump_forward(state, FIX_ADDI, here);
	emit(state, addi(pointer, pointer, 0));
	/* c.jr, or c.jalr, which writes ra */
	program_emit16(state->program,
		       (uint16_t)(0x8002 | pointer << 7 | (kept(state, 1) ? 0 : pick(state->random, 2) << 12)));
}

uint32_t scatter_branch(uint32_t offset)
{
	return (offset >> 12 & 1) << 31 | (offset >> 5 & 63) << 25 | (offset >> 1 & 15) << 8 | (offset >> 11 & 1) << 7;
}

uint32_t scatter_jal(uint32_t offset)
{
	return (offset >> 20 & 1) << 31 | (offset >> 1 & 1023) << 21 | (offset >> 11 & 1) << 20 | (offset & 0xff000);
}

static uint16_t scatter_c_branch(uint32_t offset)
{
	return (uint16_t)((offset >> 8 & 1) << 12 | (offset >> 3 & 3) << 10 | (offset >> 6 & 3) << 5 |
			  (offset >> 1 & 3) << 3 | (offset >> 5 & 1) << 2);
}

static uint16_t scatter_c_j(uint32_t offset)
{
	return (uint16_t)((offset >> 11 & 1) << 12 | (offset >> 4 & 1) << 11 | (offset >> 8 & 3) << 9 |
			  (offset >> 10 & 1) << 8 | (offset >> 6 & 1) << 7 | (offset >> 7 & 1) << 6 |
			  (offset >> 1 & 7) << 3 | (offset >> 5 & 1) << 2);
}

static void apply(struct state *state, const struct fixup *fixup, const size_t *starts)
{
	uint32_t offset = (uint32_t)(2 * (starts[fixup->unit] - fixup->anchor)), word = 0;
	uint16_t *code = state->program->code + fixup->half;

	switch (fixup->kind) {
	case FIX_BRANCH:
		word = scatter_branch(offset);
		break;
	case FIX_JAL:
		word = scatter_jal(offset);
		break;
	case FIX_JALR:
		word = (offset | pick(state->random, 2)) << 20; /* the lowest bit does not count */
		break;
	case FIX_ADDI:
		word = (offset | pick(state->random, 2)) << 20;
		break;
	case FIX_C_BRANCH:
		word = scatter_c_branch(offset);
		break;
	case FIX_C_J:
		word = scatter_c_j(offset);
		break;
	}
	code[0] |= (uint16_t)word;
	if (word >> 16)
		code[1] |= (uint16_t)(word >> 16);
}

void jumps_resolve(struct state *state, const size_t *starts)
{
	for (unsigned i = 0; i < state->fixup_count; i++)
		apply(state, &state->fixups[i], starts);
}
