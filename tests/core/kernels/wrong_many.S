/* A branch that waits for a division and is always taken. Its wrong path has WRONG_STORES stores, more than twice as many as there is
 * room for at first, over what the right path reads. */
#include "kernel.h"
	li	t0, 1
	li	t1, 1
	li	s1, 0
	loop_start
	addi	s1, s1, 3
	sd	s1, 0(a1)
	sd	s1, 8(a1)
	div	t0, t0, t1
	bnez	t0, 1f
	j	2f
1:	ld	t4, 0(a1)
	add	s1, s1, t4
	ld	t4, 8(a1)
	add	s1, s1, t4
	loop_end
2:	.rept	WRONG_STORES / 2
	sd	t0, 0(a1)
	sw	t1, 12(a1)
	.endr
	ecall
