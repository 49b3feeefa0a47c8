/* A chain of FP operations that give back their operand, the bits a2. a1: which, in bytes: doubles by 1, OP_SLOT on
 * singles by 1, square roots behind them. */
#include "kernel.h"
	fmv.d.x	fa0, a2
	lla	t0, slots
	add	t0, t0, a1
	li	a2, 1
	fcvt.d.l fa1, a2
	fcvt.s.l fa2, a2
	jr	t0
	.balign 1024
slots:
1:
	.rept	CHAIN_OPS
	fdiv.d	fa0, fa0, fa1
	.endr
	addi	a0, a0, -1
	bnez	a0, 1b
	finish
	.balign OP_SLOT
1:
	.rept	CHAIN_OPS
	fdiv.s	fa0, fa0, fa2
	.endr
	addi	a0, a0, -1
	bnez	a0, 1b
	finish
	.balign OP_SLOT
1:
	.rept	CHAIN_OPS
	fsqrt.d	fa0, fa0
	.endr
	addi	a0, a0, -1
	bnez	a0, 1b
	finish
