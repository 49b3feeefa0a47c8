/* A chain of register moves, COPIES of them: an even number, as all of the loop. */
#include "kernel.h"
	loop_start
	.rept	COPIES / 2
	mv	t1, t0
	mv	t0, t1
	.endr
	loop_end
