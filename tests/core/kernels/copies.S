/* A chain of register moves in all forms, COPIES of them: an even number, as all of the loop. */
#include "kernel.h"
	loop_start
	.rept	COPIES / 6
	mv	t1, t0
	add	t0, x0, t1
	mv	t1, t0
	mv	t0, t1
	add	t1, t0, x0
	mv	t0, t1
	.endr
	loop_end
