/* CALL_DEPTH nested calls, each to a function of its own. */
#include "kernel.h"
	loop_start
	jal	f1
	addi	a0, a0, -1
	beqz	a0, 2f
	j	loop
2:	finish
.macro nested name, keep, callee
	.balign	64
\name:	mv	\keep, ra
	jal	\callee
	mv	ra, \keep
	ret
.endm
	nested	f1, s0, f2
	nested	f2, s1, f3
	nested	f3, s2, f4
	nested	f4, s3, f5
	nested	f5, s4, f6
	nested	f6, s5, f7
	nested	f7, s6, f8
	nested	f8, s7, f9
	nested	f9, s8, f10
	nested	f10, s9, f11
	nested	f11, s10, f12
	.balign	64
f12:	ret
