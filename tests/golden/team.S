# Several processes: two children share a page and write to one pipe, and each then executes the program of argument 1 in
# its place; the parent reads the pipe, counts in the page meanwhile, and waits for both. The second child is a vfork's.
	.option norelax
	.option norvc
	.text
	.globl _start
	.type _start, @function
_start:
	ld s2, 16(sp) # argv[1]
	li a0, 0
	li a1, 4096
	li a2, 3    # PROT_READ | PROT_WRITE
	li a3, 0x21 # MAP_SHARED | MAP_ANONYMOUS
	li a4, -1
	li a5, 0
	li a7, 222 # mmap
	ecall
	mv s0, a0
	la a0, pipe
	li a1, 0
	li a7, 59 # pipe2
	ecall
	li a0, 17 # SIGCHLD
	call make
	li a0, 0x4111 # CLONE_VFORK | CLONE_VM | SIGCHLD
	call make
	call gather
	li s1, 2
1:	li a0, -1
	la a1, status
	li a2, 0
	li a3, 0
	li a7, 260 # wait4
	ecall
	addi s1, s1, -1
	bnez s1, 1b
	ld a0, 0(s0) # both children's and its own
	li a7, 93    # exit
	ecall
	.size _start, . - _start

	# clone(a0); the child does not return
	.type make, @function
make:
	li a1, 0
	li a2, 0
	li a3, 0
	li a4, 0
	li a7, 220 # clone
	ecall
	beqz a0, child
	ret
	.size make, . - make

	.type child, @function
child:
	li t0, 2000
1:	amoadd.d zero, t0, (s0)
	addi t0, t0, -1
	bnez t0, 1b
	lw a0, pipe + 4
	la a1, pipe
	li a2, 8
	li a7, 64 # write
	ecall
	mv a0, s2
	addi a1, sp, 16
	li a2, 0
	li a7, 221 # execve
	ecall
	li a0, 99
	li a7, 93
	ecall
	.size child, . - child

	.type gather, @function
gather:
	li s1, 2
1:	lw a0, pipe
	la a1, bytes
	li a2, 8
	li a7, 63 # read
	ecall
	li t0, 1000
2:	amoadd.d zero, t0, (s0)
	addi t0, t0, -1
	bnez t0, 2b
	addi s1, s1, -1
	bnez s1, 1b
	ret
	.size gather, . - gather

	.bss
	.balign 8
pipe:	.space 8
bytes:	.space 8
status:	.space 8
