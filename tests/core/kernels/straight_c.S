/* Code without branches, 2 bytes each. */
#include "kernel.h"
	loop_start
	.option	rvc
	.rept	STRAIGHT
	c.nop
	.endr
	.option	norvc
	loop_end
