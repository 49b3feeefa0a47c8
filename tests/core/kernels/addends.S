/* Multiply-adds, each of which adds to the result of the one before. */
#include "kernel.h"
	fcvt.d.l fa0, x0
	fcvt.d.l fa1, x0
	loop_start
	.rept	CHAIN_OPS
	fmadd.d	fa0, fa1, fa1, fa0
	.endr
	loop_end
