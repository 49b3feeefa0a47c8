/* A store whose address waits for a division, a load of the same word that does not wait for it, and a forward branch that is
 * always taken: static prediction is always wrong. On its wrong path there is nothing but nops. */
#include "kernel.h"
	li	t1, 1
	loop_start
	div	t0, a1, t1
	sd	x0, 0(t0)
	ld	t2, 0(a1)
	beq	x0, x0, 1f
	.rept	512
	nop
	.endr
	.balign	128
1:	loop_end
