/* A forward branch that is always taken: static prediction is always wrong. On its wrong path there is nothing but
 * nops. */
#include "kernel.h"
	loop_start
	beq	x0, x0, 1f
	.rept	512
	nop
	.endr
	.balign	128
1:	loop_end
