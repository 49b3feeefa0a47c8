/* A sum of products: each multiply-add needs the one before, and a load whose address the integer side has long made. */
#include "kernel.h"
	li	t0, 1
	fcvt.d.l fa0, t0
	fcvt.d.l fa1, t0
	loop_start
	addi	t0, t0, 1
	andi	t1, t0, 7
	slli	t1, t1, 3
	add	t1, t1, a1
	fld	fa2, 0(t1)
	fmadd.d	fa0, fa0, fa1, fa2
	loop_end
