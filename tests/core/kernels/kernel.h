/* How every kernel here is made, and the counts that its test computes with.
 *
 * A kernel is flat code at BARE_CODE: a prologue, then a loop that runs a0 times, then exit with status a0 = 0. a1
 * to a6 are the test's. Instructions are 4 bytes long except where a kernel says `.option rvc`; a loop starts at a
 * multiple of 1 KiB. */
#ifndef TESTS_CORE_KERNEL_H
#define TESTS_CORE_KERNEL_H

#define CHAIN_OPS 32	/* chain.S, op_chain.S, op_stream.S, chase.S: operations in an iteration */
#define STREAM_ADDS 62	/* add_stream.S: with the loop's own two, 64 instructions */
#define FORWARD_PAIRS 8 /* forward.S, partial.S: store-load pairs */
#define BEHIND_ADDS 14	/* behind.S: additions before the load's address */
#define PAGE_PAIRS 5 /* pages.S: the same, each of another address */
#define STREAM_LOADS 14 /* stream.S */
#define SPACING 64	/* spaced.S: instructions in an iteration */
#define DEPENDENTS 16	/* dependents.S: instructions that wait for the load */
#define JUMPS 64	/* jumps.S: one to a 128-byte block; the loop's own is one more */
#define JUMP_BLOCK 128
#define STRAIGHT 256	/* straight.S: instructions without a branch */
#define CALL_DEPTH 12	/* calls.S */
#define HEAD_OPS 8	/* amo.S, fence.S, stores.S, branches.S, split.S, lines.S, pair_among.S, f0_pairs.S,
			   loads.S, fp_adds.S */
#define COPIES 30	/* copies.S: moves; with the loop's own two a multiple of 2 */
#define INSIDE_PERIOD 8 /* inside.S */
#define STEADY_JUMPS 8	/* steady.S */
#define ALTERNATE_ADDS 20 /* alternate.S */
#define AMONG_LOADS 64 /* pair_among.S */
#define LATE_DIVISIONS 16 /* late_first.S: before each of the two; once_forwarded.S */
#define FILLING 140000 /* filled.S: instructions behind the end */
#define WRONG_STORES 2600 /* wrong_many.S */

#define OP_SLOT 512 /* op_chain.S, op_stream.S: bytes from one operation's loop to the next */
#define OP_MUL 0
#define OP_DIV 1
#define OP_FADD 2
#define OP_FMUL 3
#define OP_FMA 4
#define OP_FDIV 5
#define OP_FSQRT 6
#define OP_FCVT 7
#define OP_FMOVE 8
#define OP_ADD 9

#define VECTOR_OPS 16 /* vector.S: operations, or pairs of them, in an iteration; which: */
#define VECTOR_CHAIN 0
#define VECTOR_STREAM 1
#define VECTOR_MASKED 2
#define VECTOR_LOAD 3
#define VECTOR_STRIDED 4
#define VECTOR_STORE 5
#define VECTOR_REDUCE 6
#define VECTOR_ORDERED 7
#define VECTOR_SET 8
#define VECTOR_SET_BETWEEN 9
#define VECTOR_SET_CHAIN 10
#define VECTOR_MASK_CHAIN 11
#define VECTOR_SINGLES 12
#define VECTOR_GROUPS 13

#ifdef __ASSEMBLER__
	.option norvc
	.option norelax
	.text
	.globl _start
_start:
.macro loop_start
	.balign 1024
loop:
.endm
.macro loop_end
	addi	a0, a0, -1
	bnez	a0, loop
	finish
.endm
.macro finish
	li	a7, 93
	ecall
.endm
#endif

#endif
