# The golden outputs' program: some 100,000 instructions with every sort of behaviour, each in a function of its own, so that
# no row of a report stays empty. Every byte of code and data, and the place of each, is fixed here and in program.ld: no libc,
# no compressed code but where it is written so, no relaxation, a stack of its own (where the host puts
# the program shows in the kernel's). Whatever assembler makes it, the addresses,
# the path taken and hence each figure of a run are the same.
#
# Registers through the whole program: s0 = the state of a linear congruential generator, s1 = its multiplier.
	.option norelax
	.option norvc

	.macro random register # the generator's upper bits
	mul s0, s0, s1
	addi s0, s0, 1237
	srli \register, s0, 33
	.endm

	.macro function name
	.globl \name
	.type \name, @function
	.balign 64
\name:
	.endm

	.macro endfunction name
	.size \name, . - \name
	.endm

	.text
function _start
	lui sp, %hi(stack_top)
	addi sp, sp, %lo(stack_top)
	li s0, 42
	li s1, 1664525
	li s2, 2 # rounds, so that caches, predictors and samples see each phase again
again:
	call chase
	call sweep
	call stream
	call forward
	call partial
	call violate
	call burst
	call guess
	call recurse_all
	call dispatch
	call float_chain
	call float_slow
	call divide
	call atomics
	call far_code
	call compressed
	call system_calls
	addi s2, s2, -1
	bnez s2, again
	li a0, 7
	li a7, 93 # exit(7)
	ecall
endfunction _start

# A chain of loads over 2 MB: the next address waits for the loaded (zero) value; data TLBs and all caches miss.
function chase
	lui a1, %hi(cold)
	addi a1, a1, %lo(cold)
	li a2, 0
	li a3, 0x1fffc0
	li a4, 250
1:	add a5, a1, a2
	ld a6, 0(a5)
	add a2, a2, a6
	slli a7, a2, 2
	add a2, a2, a7
	lui a7, 17 # odd number of lines on: (17 << 12) + 64
	addi a7, a7, 64
	add a2, a2, a7
	and a2, a2, a3
	addi a4, a4, -1
	bnez a4, 1b
	ret
endfunction chase

# 64 KB, line by line, twice: the L1D misses, the L2 hits the second time. Independent: misses overlap.
function sweep
	li a4, 2
2:	lui a1, %hi(warm)
	addi a1, a1, %lo(warm)
	li a2, 1024
1:	ld a5, 0(a1)
	sd a5, 8(a1)
	addi a1, a1, 64
	addi a2, a2, -1
	bnez a2, 1b
	addi a4, a4, -1
	bnez a4, 2b
	ret
endfunction sweep

# Words one after the other, from memory: what prefetchers are for.
function stream
	lui a1, %hi(cold)
	addi a1, a1, %lo(cold)
	lui a2, 0x80 # behind what chase read: 512 KB on, and further on in the second round
	mul a2, a2, s2
	add a1, a1, a2
	li a2, 1200
	li a3, 0
1:	ld a4, 0(a1)
	add a3, a3, a4
	addi a1, a1, 8
	addi a2, a2, -1
	bnez a2, 1b
	ret
endfunction stream

# Stores that the next loads take from the store queue.
function forward
	addi sp, sp, -32
	li a1, 600
	li a2, 1
1:	sd a2, 0(sp)
	ld a3, 0(sp)
	addi a3, a3, 3
	sd a3, 8(sp)
	lw a2, 8(sp)
	addi a1, a1, -1
	bnez a1, 1b
	addi sp, sp, 32
	ret
endfunction forward

# A load of bytes from two stores, and one of more bytes than the store wrote: neither can be forwarded.
function partial
	addi sp, sp, -32
	li a1, 250
1:	sb a1, 0(sp)
	sb a1, 1(sp)
	lhu a2, 0(sp)
	sw a2, 8(sp)
	ld a3, 8(sp)
	addi a1, a1, -1
	bnez a1, 1b
	addi sp, sp, 32
	ret
endfunction partial

# A store whose address comes late, and a load of the same place that may go ahead of it.
function violate
	lui a1, %hi(warm)
	addi a1, a1, %lo(warm)
	li a2, 150
	li a6, 3
1:	mul a3, a2, a6
	mul a3, a3, a6
	andi a3, a3, 24
	add a4, a1, a3
	sd a2, 0(a4)
	ld a5, 8(a1) # the same place every fourth time or so
	add a5, a5, a5
	addi a2, a2, -1
	bnez a2, 1b
	ret
endfunction violate

# Stores one after the other, to one line.
function burst
	addi sp, sp, -64
	li a1, 60
1:	sd a1, 0(sp)
	sd a1, 8(sp)
	sd a1, 16(sp)
	sd a1, 24(sp)
	sd a1, 32(sp)
	sd a1, 40(sp)
	sd a1, 48(sp)
	sd a1, 56(sp)
	addi a1, a1, -1
	bnez a1, 1b
	addi sp, sp, 64
	ret
endfunction burst

# Branches that nobody can predict, and one that everybody can.
function guess
	li a1, 1200
	li a2, 0
1:	random a3
	andi a4, a3, 1
	beqz a4, 2f
	addi a2, a2, 1
2:	andi a4, a3, 14
	bnez a4, 3f
	xor a2, a2, a3
3:	addi a1, a1, -1
	bnez a1, 1b
	ret
endfunction guess

# Calls deeper than small return stacks.
function recurse_all
	addi sp, sp, -16
	sd ra, 0(sp)
	li a0, 11
	call fibonacci
	li a0, 24
	call descend
	ld ra, 0(sp)
	addi sp, sp, 16
	ret
endfunction recurse_all

function fibonacci
	li a1, 2
	blt a0, a1, 1f
	addi sp, sp, -32
	sd ra, 0(sp)
	sd a0, 8(sp)
	addi a0, a0, -1
	call fibonacci
	sd a0, 16(sp)
	ld a0, 8(sp)
	addi a0, a0, -2
	call fibonacci
	ld a2, 16(sp)
	add a0, a0, a2
	ld ra, 0(sp)
	addi sp, sp, 32
1:	ret
endfunction fibonacci

function descend
	addi sp, sp, -16
	sd ra, 0(sp)
	addi a0, a0, -1
	beqz a0, 1f
	call descend
1:	ld ra, 0(sp)
	addi sp, sp, 16
	ret
endfunction descend

# Jumps and calls through a table, at random and in turn.
function dispatch
	addi sp, sp, -32
	sd ra, 0(sp)
	sd s3, 8(sp)
	li s3, 400
	lui t1, %hi(jump_table)
	addi t1, t1, %lo(jump_table)
	lui t2, %hi(call_table)
	addi t2, t2, %lo(call_table)
1:	random a3
	andi a3, a3, 24
	add a4, t1, a3
	ld a4, 0(a4)
	jr a4
case0:	addi a5, a5, 1
	j 2f
case1:	addi a5, a5, 2
	j 2f
case2:	xori a5, a5, 3
	j 2f
case3:	slli a5, a5, 1
2:	andi a3, s3, 1
	slli a3, a3, 3
	add a4, t2, a3
	ld a4, 0(a4)
	jalr a4
	addi s3, s3, -1
	bnez s3, 1b
	ld ra, 0(sp)
	ld s3, 8(sp)
	addi sp, sp, 32
	ret
endfunction dispatch

function leaf_even
	addi a6, a6, 1
	ret
endfunction leaf_even

function leaf_odd
	addi a7, a7, 1
	ret
endfunction leaf_odd

# Additions, multiplications and fused ones, each waiting for the one before.
function float_chain
	li a1, 3
	fcvt.d.w fa0, a1
	fcvt.d.w fa1, a1
	fcvt.s.w fa3, a1
	li a2, 400
1:	fadd.d fa0, fa0, fa1
	fmul.d fa2, fa0, fa1
	fmadd.d fa0, fa2, fa1, fa0
	fsgnjx.d fa0, fa0, fa1
	fadd.s fa3, fa3, fa3
	fsub.d fa0, fa1, fa0
	addi a2, a2, -1
	bnez a2, 1b
	fcvt.l.d a0, fa0, rtz
	ret
endfunction float_chain

function float_slow
	li a1, 7
	fcvt.d.w fa0, a1
	fcvt.d.w fa1, a1
	li a2, 40
1:	fdiv.d fa0, fa0, fa1
	fsqrt.d fa2, fa1
	fadd.d fa0, fa0, fa2
	flt.d a3, fa0, fa1
	addi a2, a2, -1
	bnez a2, 1b
	ret
endfunction float_slow

function divide
	li a1, 90
	lui a2, 0x12345
1:	div a3, a2, a1
	rem a4, a3, a1
	mul a5, a3, a4
	addi a1, a1, -1
	bnez a1, 1b
	ret
endfunction divide

function atomics
	lui a1, %hi(warm)
	addi a1, a1, %lo(warm)
	li a2, 80
	li a3, 1
1:	amoadd.d a4, a3, (a1)
	lr.d a5, (a1)
	addi a5, a5, 1
	sc.d a6, a5, (a1)
	sd a2, 16(a1)
	fence rw, rw
	addi a2, a2, -1
	bnez a2, 1b
	ret
endfunction atomics

# Code further apart than small instruction caches and TLBs reach: 79 blocks 4 KB and 256 bytes apart, four times.
function far_code
	addi sp, sp, -16
	sd ra, 0(sp)
	li a1, 4
1:	call far_first
	addi a1, a1, -1
	bnez a1, 1b
	ld ra, 0(sp)
	addi sp, sp, 16
	ret
endfunction far_code

# Two-byte instructions, so that fetch groups hold more than four.
function compressed
	li a1, 300
	li a2, 0
	.option push
	.option rvc
1:	c.addi a2, 1
	c.mv a3, a2
	c.add a3, a2
	c.slli a3, 2
	c.addi a1, -1
	c.bnez a1, 1b
	.option pop
	ret
endfunction compressed

# write(1, "round\n", 6), a count of cycles that nobody looks at, rounding flags, and getpid().
function system_calls
	li a0, 1
	lui a1, %hi(message)
	addi a1, a1, %lo(message)
	li a2, 6
	li a7, 64
	ecall
	csrr a3, fcsr
	fence.i
	li a7, 172
	ecall
	ret
endfunction system_calls

	.section .far, "ax", @progbits
function far_first
	.rept 79
	addi a2, a2, 1
	xori a3, a2, 5
	j . + 0x1100 - 8
	.zero 0x1100 - 12
	.endr
	ret
endfunction far_first

	.section .rodata, "a", @progbits
	.balign 64
jump_table:
	.dword case0, case1, case2, case3
call_table:
	.dword leaf_even, leaf_odd
message:
	.ascii "round\n"

	.bss
	.balign 4096
cold:	.zero 0x200000
warm:	.zero 0x10000
	.zero 0x4000
stack_top:
	.zero 64
