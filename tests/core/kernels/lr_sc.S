/* A lock-free count: each SC succeeds. */
#include "kernel.h"
	mv	s0, a0
	loop_start
	.rept	HEAD_OPS
	lr.d	t0, (a1)
	sc.d	t1, t0, (a1)
	.endr
	addi	s0, s0, -1
	bnez	s0, loop
	li	a0, 0
	finish
