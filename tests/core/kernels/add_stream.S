/* Independent adds. */
#include "kernel.h"
	loop_start
	.rept	STREAM_ADDS
	addi	t0, x0, 1
	.endr
	loop_end
