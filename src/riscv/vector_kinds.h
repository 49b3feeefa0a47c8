/* What the last columns of a vector row mean: for each kind, its function of an element (V_FUNCTION_kind) and its
 * row of the tables (V_ROW_kind). Included by the files that make them. */
#ifndef CULPRIT_RISCV_VECTOR_KINDS_H
#define CULPRIT_RISCV_VECTOR_KINDS_H

#include "riscv/vector_unit.h"

#define UA e->ua
#define UB e->ub
#define UD e->ud
#define A e->a
#define B e->b
#define SEW e->sew
#define CARRY e->carry

#define V_FUNCTION(id, ...)                                    \
	static uint64_t element_##id(struct vector_element *e) \
	{                                                      \
		(void)e;                                       \
		return (uint64_t)(__VA_ARGS__);                \
	}

/* Shapes: {dest, source, least, most SEW, to_mask, carried, no_source, no_vs1, sums, moves} */
#define V_SHAPE_SAME                               \
	{                                          \
		0, 0, V_LEAST, 3, 0, 0, 0, 0, 0, 0 \
	}
#define V_SHAPE_CARRIED                            \
	{                                          \
		0, 0, V_LEAST, 3, 0, 1, 0, 0, 0, 0 \
	}
#define V_SHAPE_CARRY_OUT                    \
	{                                    \
		0, 0, 0, 3, 1, 1, 0, 0, 0, 0 \
	}
#define V_SHAPE_COMPARE                            \
	{                                          \
		0, 0, V_LEAST, 3, 1, 0, 0, 0, 0, 0 \
	}
#define V_SHAPE_FROM_VS1                           \
	{                                          \
		0, 0, V_LEAST, 3, 0, 0, 1, 0, 0, 0 \
	}
#define V_SHAPE_INDEX                        \
	{                                    \
		0, 0, 0, 3, 0, 0, 1, 1, 0, 0 \
	}
#define V_SHAPE_ONE                                \
	{                                          \
		0, 0, V_LEAST, 3, 0, 0, 0, 1, 0, 0 \
	}
#define V_SHAPE_NARROW                       \
	{                                    \
		0, 1, 0, 2, 0, 0, 0, 0, 0, 0 \
	}
#define V_SHAPE_WIDEN                              \
	{                                          \
		1, 0, V_LEAST, 2, 0, 0, 0, 0, 0, 0 \
	}
#define V_SHAPE_WIDEN_SUM                          \
	{                                          \
		1, 0, V_LEAST, 2, 0, 0, 0, 0, 1, 0 \
	}
#define V_SHAPE_WIDEN_WIDE                         \
	{                                          \
		1, 1, V_LEAST, 2, 0, 0, 0, 0, 0, 0 \
	}
#define V_SHAPE_EXTEND2                       \
	{                                     \
		0, -1, 1, 3, 0, 0, 0, 1, 0, 0 \
	}
#define V_SHAPE_EXTEND4                       \
	{                                     \
		0, -2, 2, 3, 0, 0, 0, 1, 0, 0 \
	}
#define V_SHAPE_EXTEND8                       \
	{                                     \
		0, -3, 3, 3, 0, 0, 0, 1, 0, 0 \
	}
/* conversions: from a float; from an integer; between floats (with Zvfhmin already) */
#define V_SHAPE_WIDEN_ONE                    \
	{                                    \
		1, 0, 1, 2, 0, 0, 0, 1, 0, 0 \
	}
#define V_SHAPE_WIDEN_INTEGER                \
	{                                    \
		1, 0, 0, 2, 0, 0, 0, 1, 0, 0 \
	}
#define V_SHAPE_WIDEN_FLOAT                  \
	{                                    \
		1, 0, 1, 2, 0, 0, 0, 1, 0, 1 \
	}
#define V_SHAPE_NARROW_INTEGER               \
	{                                    \
		0, 1, 0, 2, 0, 0, 0, 1, 0, 0 \
	}
#define V_SHAPE_NARROW_ONE                   \
	{                                    \
		0, 1, 1, 2, 0, 0, 0, 1, 0, 0 \
	}
#define V_SHAPE_NARROW_FLOAT                 \
	{                                    \
		0, 1, 1, 2, 0, 0, 0, 1, 0, 1 \
	}

#define V_FUNCTION_elements(id, shape, ...) V_FUNCTION(id, __VA_ARGS__)
#define V_FUNCTION_float_elements V_FUNCTION_elements
#define V_FUNCTION_reduce V_FUNCTION_elements
#define V_FUNCTION_float_reduce V_FUNCTION_elements
#define V_FUNCTION_masks(id, ...) V_FUNCTION(id, __VA_ARGS__)
#define V_FUNCTION_mask_count(id, ...)
#define V_FUNCTION_mask_first V_FUNCTION_mask_count
#define V_FUNCTION_iota V_FUNCTION_mask_count
#define V_FUNCTION_slide V_FUNCTION_mask_count
#define V_FUNCTION_gather V_FUNCTION_mask_count
#define V_FUNCTION_compress V_FUNCTION_mask_count
#define V_FUNCTION_first_element V_FUNCTION_mask_count
#define V_FUNCTION_whole V_FUNCTION_mask_count

#define V_ROW_elements(id, form, ...)                                                        \
	{                                                                                    \
		.execute = vector_elements, .element = element_##id, .shape = V_SHAPE_##form \
	}
#define V_ROW_float_elements(id, form, ...)                                                        \
	{                                                                                          \
		.execute = vector_float_elements, .element = element_##id, .shape = V_SHAPE_##form \
	}
#define V_ROW_reduce(id, widths, ...)                                                                               \
	{                                                                                                           \
		.execute = vector_reduce, .element = element_##id, .shape = {.dest = (widths)-1, .least = V_LEAST } \
	}
#define V_ROW_float_reduce(id, widths, ...)                                         \
	{                                                                           \
		.execute = vector_float_reduce, .element = element_##id, .shape = { \
			.dest = (widths)-1,                                         \
			.least = V_LEAST                                            \
		}                                                                   \
	}
#define V_ROW_masks(id, ...)                                     \
	{                                                        \
		.execute = vector_masks, .element = element_##id \
	}
#define V_ROW_mask_count(id, ...)            \
	{                                    \
		.execute = vector_mask_count \
	}
#define V_ROW_mask_first(id, ...)            \
	{                                    \
		.execute = vector_mask_first \
	}
#define V_ROW_iota(id, ...)            \
	{                              \
		.execute = vector_iota \
	}
#define V_ROW_slide(id, ...)            \
	{                               \
		.execute = vector_slide \
	}
#define V_ROW_gather(id, ...)            \
	{                                \
		.execute = vector_gather \
	}
#define V_ROW_compress(id, ...)            \
	{                                  \
		.execute = vector_compress \
	}
#define V_ROW_first_element(id, ...)            \
	{                                       \
		.execute = vector_first_element \
	}
#define V_ROW_whole(id, ...)            \
	{                               \
		.execute = vector_whole \
	}
#define V_ROW_configure(id, ...)            \
	{                                   \
		.execute = vector_configure \
	}
#define V_ROW_memory(id, kind, nf, width)                                                  \
	{                                                                                  \
		.execute = vector_memory, .memory = V_##kind, .fields = nf, .bytes = width \
	}

#endif
