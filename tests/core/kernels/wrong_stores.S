/* A branch that waits for a division and is always taken. Its wrong path writes memory that the right path reads, and
 * registers, and calls. */
#include "kernel.h"
	li	t0, 1
	li	t1, 1
	li	t2, 7
	li	s1, 0
	loop_start
	div	t0, t0, t1
	bnez	t0, 1f
	sd	t2, 0(a1)
	sb	t2, 9(a1)
	addi	s1, s1, 1
	addi	t2, t2, 1
	fcvt.d.l fa0, t2
	amoadd.d t3, t2, (a1)
	sd	s1, 16(a1)
	ld	t4, 16(a1)
	jal	ra, 1f
	.balign	128
1:	ld	t4, 0(a1)
	add	s1, s1, t4
	ld	t4, 8(a1)
	add	s1, s1, t4
	loop_end
