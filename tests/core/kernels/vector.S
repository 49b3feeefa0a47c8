/* Loops of vector operations; a1 says which. a2: vtype, a3: the length asked for, a4: a stride. */
#include "kernel.h"
	.option arch, +v
	vsetvl	x0, a3, a2
	li	a5, 0x4000000
	li	t1, 4
	lla	t2, loops
	slli	t3, a1, 9
	add	t2, t2, t3
	jr	t2

.macro pair_loop first, second
	.balign	OP_SLOT
1:
	.rept	VECTOR_OPS
	\first
	\second
	.endr
	addi	a0, a0, -1
	bnez	a0, 1b
	j	out
.endm
.macro vector_loop op:vararg
	.balign	OP_SLOT
1:
	.rept	VECTOR_OPS
	\op
	.endr
	addi	a0, a0, -1
	bnez	a0, 1b
	j	out
.endm
	.balign	1024
loops:
	vector_loop vadd.vv	v8, v8, v16
	vector_loop vadd.vv	v8, v16, v24
	vector_loop vadd.vv	v8, v16, v24, v0.t
	vector_loop vle32.v	v8, (a5)
	vector_loop vlse32.v	v8, (a5), a4
	vector_loop vse32.v	v8, (a5)
	vector_loop vredsum.vs	v8, v16, v8
	vector_loop vfredosum.vs v8, v16, v8
	vector_loop vsetvl	t1, t1, a2
	pair_loop "vsetvl t0, a3, a2", "vadd.vv v8, v16, v24"
	pair_loop "vsetvl t1, t1, a2", "vadd.vv v8, v16, v24"
	pair_loop "vmseq.vv v0, v16, v24", "vmerge.vvm v16, v16, v24, v0"
	pair_loop "vadd.vv v8, v9, v9", "vadd.vv v9, v8, v8"
	pair_loop "vadd.vv v11, v11, v16", "vmv4r.v v8, v8"
out:
	finish
