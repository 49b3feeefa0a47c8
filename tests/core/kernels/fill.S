/* Stores that fill memory from a1 on. */
#include "kernel.h"
	loop_start
	sd	x0, 0(a1)
	addi	a1, a1, 8
	loop_end
