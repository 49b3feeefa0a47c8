/* The elements of integer, fixed-point and mask operations: a function for each row of vector_integer.def. */
#include "riscv/semantics.h"
#include "riscv/vector_kinds.h"

#define V_LEAST 0 /* SEW */

static bool v_carries(const struct vector_element *e, bool carry)
{
	return ((unsigned __int128)e->ua + e->ub + carry) >> e->sew != 0;
}

/* Shifted right, rounded as vxrm says. */
static __int128 v_round(const struct vector_element *e, __int128 value, unsigned shift)
{
	enum { NEAREST_UP, NEAREST_EVEN, DOWN, TO_ODD };
	bool up = false;

	if (!shift)
		return value;
	__int128 rest = value & (((__int128)1 << shift) - 1), half = (__int128)1 << (shift - 1);
	__int128 result = value >> shift;
	switch (e->unit->v->vxrm) {
	case NEAREST_UP:
		up = rest >= half;
		break;
	case NEAREST_EVEN:
		up = rest > half || (rest == half && (result & 1));
		break;
	case TO_ODD:
		up = rest && !(result & 1);
		break;
	}
	return result + up;
}

static uint64_t v_clamp(const struct vector_element *e, __int128 value, __int128 low, __int128 high)
{
	if (value >= low && value <= high)
		return (uint64_t)value;
	e->unit->v->vxsat = 1;
	return (uint64_t)(value < low ? low : high);
}

static uint64_t v_saturate(const struct vector_element *e, __int128 value)
{
	__int128 high = ((__int128)1 << (e->sew - 1)) - 1;

	return v_clamp(e, value, -high - 1, high);
}

static uint64_t v_saturate_u(const struct vector_element *e, __int128 value)
{
	return v_clamp(e, value, 0, ((__int128)1 << e->sew) - 1);
}

static uint64_t v_mulhsu(const struct vector_element *e)
{
	return (uint64_t)((__int128)e->a * (__int128)e->ub >> e->sew);
}

static uint64_t v_rotate_right(const struct vector_element *e, uint64_t by)
{
	by &= e->sew - 1;
	return by ? e->ua >> by | e->ua << (e->sew - by) : e->ua;
}

/* The bits of each group of `bits` in reverse. */
static uint64_t v_reverse(const struct vector_element *e, unsigned bits)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < e->sew; i++)
		result |= (e->ua >> i & 1) << ((i & ~(bits - 1)) + bits - 1 - (i & (bits - 1)));
	return result;
}

#define VINSN(id, mnemonic, operands, match, mask, op_class, flags, kind, ...) V_FUNCTION_##kind(id, __VA_ARGS__)
#include "riscv/vector_forms.h"
#include "riscv/vector_integer.def"
#undef VINSN

const struct vector_row vector_integer_rows[] = {
#define VINSN(id, mnemonic, operands, match, mask, op_class, flags, kind, ...) \
	[RISCV_OP_##id - RISCV_OP_vadd_vv] = V_ROW_##kind(id, __VA_ARGS__),
#include "riscv/vector_integer.def"
#undef VINSN
};
