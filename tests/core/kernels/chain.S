/* Dependent adds. */
#include "kernel.h"
	loop_start
	.rept	CHAIN_OPS
	addi	t0, t0, 1
	.endr
	loop_end
