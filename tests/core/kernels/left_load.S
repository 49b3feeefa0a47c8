/* A load of a new line a2 bytes on, and a forward branch that static prediction always has wrong; on its wrong path
 * there is nothing but nops. */
#include "kernel.h"
	loop_start
	ld	t0, 0(a1)
	add	a1, a1, a2
	beq	x0, x0, 1f
	.rept	512
	nop
	.endr
	.balign	128
1:	loop_end
