/* The forms that vector operations come in. A row of vector_*.def is one operation; a form makes of it one VINSN for
 * each encoding, the suffix of its mnemonic and its operands:
 *
 * VINSN(id, mnemonic, operands, match, mask, class, flags, kind, ...)
 *   kind   what executes it, and what the rest is: the cases of vector_kinds.h
 *
 * Operand letters of their own (operands.c): w vd, v vs2, p vs1, n mask (`v0.t` or nothing), h v0, r k signed, unsigned
 * five-bit immediate in rs1's place, l six-bit rotation, y e vtype of vsetvli, vsetivli, g its five-bit length. */
#ifndef CULPRIT_RISCV_VECTOR_FORMS_H
#define CULPRIT_RISCV_VECTOR_FORMS_H

/* funct3 */
#define V_OPIVV 0
#define V_OPFVV 1
#define V_OPMVV 2
#define V_OPIVI 3
#define V_OPIVX 4
#define V_OPFVF 5
#define V_OPMVX 6

#define V_MATCH(funct6, funct3) ((uint32_t)(funct6) << 26 | (uint32_t)(funct3) << 12 | 0x57)
#define V_MASK 0xfc00707fu /* funct6 and funct3 */
#define V_VM 0x02000000u
#define V_VS1(n) ((uint32_t)(n) << 15)
#define V_VS2(n) ((uint32_t)(n) << 20)

/* Integer operations on a vector, a scalar register, a signed (I) or unsigned (U) immediate */
#define V_IVV(id, name, funct6, cls, ...) \
	VINSN(id##_vv, name ".vv", "wvpn", V_MATCH(funct6, V_OPIVV), V_MASK, cls, 0, __VA_ARGS__)
#define V_IVX(id, name, funct6, cls, ...) \
	VINSN(id##_vx, name ".vx", "wvsn", V_MATCH(funct6, V_OPIVX), V_MASK, cls, 0, __VA_ARGS__)
#define V_IVI(id, name, funct6, cls, ...) \
	VINSN(id##_vi, name ".vi", "wvrn", V_MATCH(funct6, V_OPIVI), V_MASK, cls, 0, __VA_ARGS__)
#define V_IVU(id, name, funct6, cls, ...) \
	VINSN(id##_vi, name ".vi", "wvkn", V_MATCH(funct6, V_OPIVI), V_MASK, cls, 0, __VA_ARGS__)
#define V_IVV_IVX(id, name, funct6, cls, ...)     \
	V_IVV(id, name, funct6, cls, __VA_ARGS__) \
	V_IVX(id, name, funct6, cls, __VA_ARGS__)
#define V_IVX_IVI(id, name, funct6, cls, ...)     \
	V_IVX(id, name, funct6, cls, __VA_ARGS__) \
	V_IVI(id, name, funct6, cls, __VA_ARGS__)
#define V_IVX_IVU(id, name, funct6, cls, ...)     \
	V_IVX(id, name, funct6, cls, __VA_ARGS__) \
	V_IVU(id, name, funct6, cls, __VA_ARGS__)
#define V_IVV_IVX_IVI(id, name, funct6, cls, ...)     \
	V_IVV_IVX(id, name, funct6, cls, __VA_ARGS__) \
	V_IVI(id, name, funct6, cls, __VA_ARGS__)
#define V_IVV_IVX_IVU(id, name, funct6, cls, ...)     \
	V_IVV_IVX(id, name, funct6, cls, __VA_ARGS__) \
	V_IVU(id, name, funct6, cls, __VA_ARGS__)

/* The same, from twice the width */
#define V_IWV_IWX_IWU(id, name, funct6, cls, ...)                                                 \
	VINSN(id##_wv, name ".wv", "wvpn", V_MATCH(funct6, V_OPIVV), V_MASK, cls, 0, __VA_ARGS__) \
	VINSN(id##_wx, name ".wx", "wvsn", V_MATCH(funct6, V_OPIVX), V_MASK, cls, 0, __VA_ARGS__) \
	VINSN(id##_wi, name ".wi", "wvkn", V_MATCH(funct6, V_OPIVI), V_MASK, cls, 0, __VA_ARGS__)

/* v0 as carry or choice */
#define V_CARRY(id, name, form, letter, funct6, funct3, cls, ...)                                                  \
	VINSN(id##_##form##m, name "." #form "m", "wv" letter "h", V_MATCH(funct6, funct3), V_MASK | V_VM, cls, 0, \
	      __VA_ARGS__)
#define V_PLAIN(id, name, form, letter, funct6, funct3, cls, ...)                                              \
	VINSN(id##_##form, name "." #form, "wv" letter, V_MATCH(funct6, funct3) | V_VM, V_MASK | V_VM, cls, 0, \
	      __VA_ARGS__)

/* Multiplication and its like; the multiply-adds name vs1 before vs2 */
#define V_MVV(id, name, funct6, cls, ...) \
	VINSN(id##_vv, name ".vv", "wvpn", V_MATCH(funct6, V_OPMVV), V_MASK, cls, 0, __VA_ARGS__)
#define V_MVX(id, name, funct6, cls, ...) \
	VINSN(id##_vx, name ".vx", "wvsn", V_MATCH(funct6, V_OPMVX), V_MASK, cls, 0, __VA_ARGS__)
#define V_MVV_MVX(id, name, funct6, cls, ...)     \
	V_MVV(id, name, funct6, cls, __VA_ARGS__) \
	V_MVX(id, name, funct6, cls, __VA_ARGS__)
#define V_MWV_MWX(id, name, funct6, cls, ...)                                                     \
	VINSN(id##_wv, name ".wv", "wvpn", V_MATCH(funct6, V_OPMVV), V_MASK, cls, 0, __VA_ARGS__) \
	VINSN(id##_wx, name ".wx", "wvsn", V_MATCH(funct6, V_OPMVX), V_MASK, cls, 0, __VA_ARGS__)
#define V_MAC_X(id, name, funct6, cls, ...) \
	VINSN(id##_vx, name ".vx", "wsvn", V_MATCH(funct6, V_OPMVX), V_MASK, cls, 0, __VA_ARGS__)
#define V_MAC(id, name, funct6, cls, ...)                                                         \
	VINSN(id##_vv, name ".vv", "wpvn", V_MATCH(funct6, V_OPMVV), V_MASK, cls, 0, __VA_ARGS__) \
	V_MAC_X(id, name, funct6, cls, __VA_ARGS__)

/* Reductions: vs1's first element and all of vs2 */
#define V_REDUCE(id, name, funct6, funct3, cls, flags, ...) \
	VINSN(id##_vs, name ".vs", "wvpn", V_MATCH(funct6, funct3), V_MASK, cls, flags, __VA_ARGS__)

/* One source; vs1's field names the operation */
#define V_UNARY(id, name, funct6, funct3, code, cls, flags, ...) \
	VINSN(id, name, "wvn", V_MATCH(funct6, funct3) | V_VS1(code), V_MASK | V_VS1(31), cls, flags, __VA_ARGS__)

/* Floating point */
#define V_FVV(id, name, funct6, cls, ...) \
	VINSN(id##_vv, name ".vv", "wvpn", V_MATCH(funct6, V_OPFVV), V_MASK, cls, FP_FLAGS, __VA_ARGS__)
#define V_FVF(id, name, funct6, cls, ...) \
	VINSN(id##_vf, name ".vf", "wvSn", V_MATCH(funct6, V_OPFVF), V_MASK, cls, FP_FLAGS, __VA_ARGS__)
#define V_FVV_FVF(id, name, funct6, cls, ...)     \
	V_FVV(id, name, funct6, cls, __VA_ARGS__) \
	V_FVF(id, name, funct6, cls, __VA_ARGS__)
#define V_FWV_FWF(id, name, funct6, cls, ...)                                                            \
	VINSN(id##_wv, name ".wv", "wvpn", V_MATCH(funct6, V_OPFVV), V_MASK, cls, FP_FLAGS, __VA_ARGS__) \
	VINSN(id##_wf, name ".wf", "wvSn", V_MATCH(funct6, V_OPFVF), V_MASK, cls, FP_FLAGS, __VA_ARGS__)
#define V_FMA(id, name, funct6, ...)                                                                        \
	VINSN(id##_vv, name ".vv", "wpvn", V_MATCH(funct6, V_OPFVV), V_MASK, vec_fp, FP_FLAGS, __VA_ARGS__) \
	VINSN(id##_vf, name ".vf", "wSvn", V_MATCH(funct6, V_OPFVF), V_MASK, vec_fp, FP_FLAGS, __VA_ARGS__)

/* Masks: always whole registers of bits */
#define V_MASKS(id, name, funct6, expression) \
	VINSN(id, name ".mm", "wvp", V_MATCH(funct6, V_OPMVV) | V_VM, V_MASK | V_VM, vec_int, 0, masks, expression)

/* Memory: nf, mew and mop above the mask bit, lumop in rs2's place, width in funct3's; rd is vd or the data stored */
#define V_MEMORY(opcode, nf, mop, width) \
	((uint32_t)(nf) << 29 | (uint32_t)(mop) << 26 | (uint32_t)(width) << 12 | (opcode))
#define V_MEMORY_MASK 0xfc00707fu
#define V_LOAD_OPCODE 0x07
#define V_STORE_OPCODE 0x27

#endif
