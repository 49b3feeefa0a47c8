/* Two iterations of a store whose data come late, those of the first later than those of the second, and a load of the same word. */
#include "kernel.h"
	li	t0, 3
	li	t2, 1
	.rept	LATE_DIVISIONS
	div	t2, t2, t0
	.endr
	mv	t1, t2
	.rept	LATE_DIVISIONS
	div	t1, t1, t0
	.endr
loop:
	sd	t1, 0(a1)
	ld	t3, 0(a1)
	addi	a1, a1, 8
	mv	t1, t2
	loop_end
