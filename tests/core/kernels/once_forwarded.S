/* A store's data come late. The load behind it that reads them has gone before; the others behind that one have, too: of an older
 * store's word, and two of a line of their own. */
#include "kernel.h"
	li	t0, 3
	li	t1, 1
	.rept	LATE_DIVISIONS
	div	t1, t1, t0
	.endr
loop:
	sd	t0, 8(a1)
	sd	t1, 0(a1)
	ld	t2, 0(a1)
	ld	t3, 8(a1)
	ld	t4, 64(a1)
	ld	t5, 72(a1)
	loop_end
