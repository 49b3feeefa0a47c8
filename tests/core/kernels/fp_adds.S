/* Floating-point additions that depend on nothing. */
#include "kernel.h"
	loop_start
	.rept	HEAD_OPS
	fadd.d	f3, f1, f2
	.endr
	loop_end
