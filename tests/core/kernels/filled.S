/* Dependent adds, and behind the end room for blocks of code. */
#include "kernel.h"
	loop_start
	.rept	CHAIN_OPS
	addi	t0, t0, 1
	.endr
	loop_end
	.rept	FILLING
	nop
	.endr
