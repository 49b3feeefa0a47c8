/* One loop of dependent operations for each class; a1 says which. */
#include "kernel.h"
	li	t0, 3
	li	t1, 1
	fcvt.d.l fa0, t0
	fcvt.d.l fa1, t1
	fmv.d.x	fa2, x0
	lla	t2, loops
	slli	t3, a1, 9
	add	t2, t2, t3
	jr	t2

.macro op_loop first, second
	.balign	OP_SLOT
1:
	.rept	CHAIN_OPS / 2
	\first
	\second
	.endr
	addi	a0, a0, -1
	bnez	a0, 1b
	j	out
.endm
.macro same_loop op:vararg
	op_loop "\op", "\op"
.endm
	.balign	1024
loops:
	same_loop mul	t0, t0, t1
	same_loop div	t0, t0, t1
	same_loop fadd.d fa0, fa0, fa2
	same_loop fmul.d fa0, fa0, fa1
	same_loop fmadd.d fa0, fa0, fa1, fa2
	same_loop fdiv.d fa0, fa0, fa1
	same_loop fsqrt.d fa0, fa0
	op_loop	"fcvt.s.d fa0, fa0", "fcvt.d.s fa0, fa0"
	same_loop fsgnj.d fa0, fa0, fa0
	same_loop add	t0, t0, t1
out:
	finish
