/* Integer loads SPACING instructions apart, each to the next place a2 bytes on; nothing else has a result but a1
 * and a0. */
#include "kernel.h"
	loop_start
	ld	t0, 0(a1)
	add	a1, a1, a2
	.rept	SPACING - 4
	nop
	.endr
	loop_end
