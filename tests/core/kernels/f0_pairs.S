/* Pairs of an operation into f0 and one into an integer register, which depend on nothing. */
#include "kernel.h"
	loop_start
	.rept	HEAD_OPS
	fadd.d	f0, f1, f2
	li	t0, 1
	.endr
	loop_end
