/* System calls (which do nothing). */
#include "kernel.h"
	mv	s0, a0
	loop_start
	.rept	HEAD_OPS
	ecall
	.endr
	addi	s0, s0, -1
	bnez	s0, loop
	li	a0, 0
	finish
