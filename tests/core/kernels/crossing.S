/* A value that goes to an FP register and back: by moves, or OP_SLOT bytes on by conversions. a1: which, in bytes. */
#include "kernel.h"
	lla	t0, slots
	add	t0, t0, a1
	li	a2, 7
	jr	t0
	.balign 1024
slots:
1:
	.rept	CHAIN_OPS / 2
	fmv.d.x	fa0, a2
	fmv.x.d	a2, fa0
	.endr
	addi	a0, a0, -1
	bnez	a0, 1b
	finish
	.balign OP_SLOT
1:
	.rept	CHAIN_OPS / 2
	fcvt.d.l fa0, a2
	fcvt.l.d a2, fa0
	.endr
	addi	a0, a0, -1
	bnez	a0, 1b
	finish
