/* A loop of four instructions that begins 8 bytes before a boundary of 16. */
#include "kernel.h"
	j	loop
	.balign	1024
	nop
	nop
loop:	nop
	nop
	addi	a0, a0, -1
	bnez	a0, loop
	finish
