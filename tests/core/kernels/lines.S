/* Stores that go from one of two lines to the other and back. */
#include "kernel.h"
	loop_start
	.rept	HEAD_OPS / 2
	sd	x0, 0(a1)
	sd	x0, 256(a1)
	.endr
	loop_end
