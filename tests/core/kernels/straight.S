/* Code without branches. */
#include "kernel.h"
	loop_start
	.rept	STRAIGHT
	nop
	.endr
	loop_end
