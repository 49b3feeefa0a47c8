/* Branches that are not taken, and the loop's own. */
#include "kernel.h"
	loop_start
	.rept	HEAD_OPS
	beq	a0, x0, loop
	.endr
	loop_end
