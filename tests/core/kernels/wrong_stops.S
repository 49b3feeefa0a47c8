/* Branches that are always taken; each wrong path is a nop and then something that ends it. */
#include "kernel.h"
	loop_start
.macro stopped what:vararg
	beq	x0, x0, 1f
	nop
	\what
	.balign	64
1:
.endm
	stopped	ecall
	stopped	.word 0
	stopped	ld t3, 0(x0)
	stopped	sd t3, 0(x0)
	stopped	ebreak
	stopped	jr x0
	loop_end
