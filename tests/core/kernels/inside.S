/* A short loop with a branch inside that is taken in one iteration of INSIDE_PERIOD. */
#include "kernel.h"
	loop_start
	andi	t1, a0, INSIDE_PERIOD - 1
	beqz	t1, 1f
	nop
1:	loop_end
