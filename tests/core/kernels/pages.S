/* A value goes round through the words at a1 to a5: each load takes it from the store before it. */
#include "kernel.h"
.macro pass address
	sd	t0, 0(\address)
	ld	t0, 0(\address)
.endm
	loop_start
	pass	a1
	pass	a2
	pass	a3
	pass	a4
	pass	a5
	loop_end
