/* A branch that waits for a division and is always taken; on its wrong path there is nothing but nops, more than any
 * machine fetches before the division is done. */
#include "kernel.h"
	li	t0, 1
	li	t1, 1
	loop_start
	div	t0, t0, t1
	bnez	t0, 1f
	.rept	1000
	nop
	.endr
	.balign	128
1:	loop_end
