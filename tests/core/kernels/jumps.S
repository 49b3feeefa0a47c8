/* Jumps, one to a block of JUMP_BLOCK bytes, over 8 KiB; the loop's end is one block more. */
#include "kernel.h"
	.balign	8192
loop:
	.rept	JUMPS
	j	1f
	.balign	JUMP_BLOCK
1:
	.endr
	addi	a0, a0, -1
	beqz	a0, 2f
	j	loop
2:	finish
