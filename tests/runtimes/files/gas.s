	.globl f
f:	addi a0, a0, 1
	beqz a0, f
	ret
