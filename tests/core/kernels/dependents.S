/* Loads, a2 bytes apart, with instructions after each that wait for it in the issue queue. */
#include "kernel.h"
	loop_start
	ld	t0, 0(a1)
	add	a1, a1, a2
	addi	a0, a0, -1
	.rept	DEPENDENTS
	addi	t1, t0, 1
	.endr
	bnez	a0, loop
	finish
