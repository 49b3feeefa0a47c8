/* A branch over one addition, taken every second time; the sum goes on from iteration to iteration. */
#include "kernel.h"
	li	t0, 0
	loop_start
	andi	t1, a0, 1
	beqz	t1, 1f
	addi	t0, t0, 1
1:	loop_end
