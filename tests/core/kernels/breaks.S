/* Dependent adds, and a breakpoint. */
#include "kernel.h"
	loop_start
	.rept	CHAIN_OPS
	addi	t0, t0, 1
	.endr
	ebreak
	loop_end
