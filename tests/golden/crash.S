# A program that ends badly: argument "n" = a load from a null pointer, "i" = no instruction at all, "b" = ebreak; else it
# never ends.
	.option norelax
	.option norvc
	.text
	.globl _start
	.type _start, @function
_start:
	ld t0, 16(sp) # argv[1]
	lbu t0, 0(t0)
	li t1, 'n'
	beq t0, t1, null_pointer
	li t1, 'i'
	beq t0, t1, no_instruction
	li t1, 'b'
	beq t0, t1, breakpoint
1:	j 1b
	.size _start, . - _start
	.type null_pointer, @function
null_pointer:
	ld t2, 8(zero)
	.size null_pointer, . - null_pointer
	.type no_instruction, @function
no_instruction:
	.word 0xffffffff
	.size no_instruction, . - no_instruction
	.type breakpoint, @function
breakpoint:
	ebreak
	.size breakpoint, . - breakpoint
