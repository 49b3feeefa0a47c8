/* A forward branch that waits for a chain of adds, taken every second time: bit 2 of 20, 40, 60, ... is 1, 0, 1, ... */
#include "kernel.h"
	li	t0, 0
	loop_start
	.rept	ALTERNATE_ADDS
	addi	t0, t0, 1
	.endr
	andi	t1, t0, 4
	beqz	t1, 1f
	nop
	.balign	128 /* the right path begins in one line, whatever the line size */
1:	loop_end
