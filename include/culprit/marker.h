/* Markers in a program: an instruction that does nothing on any RISC-V processor, and that a region of a run can begin
 * or end at. Nothing is to be linked; on another processor than RISC-V it is no instruction at all.
 *
 *	CULPRIT_MARKER(1);		culprit run --start-at marker-1 --stop-at marker-2 -- ./program
 *	work();
 *	CULPRIT_MARKER(2);
 *
 * It is `slti x0, x0, number`, which the architecture leaves to such use (a HINT for custom use). Memory accesses stay on
 * their side of it. */
#ifndef CULPRIT_MARKER_H
#define CULPRIT_MARKER_H

#ifdef __riscv
/* number: a constant from 0 to 2047 */
#define CULPRIT_MARKER(number) __asm__ volatile("slti x0, x0, %0" : : "i"(number) : "memory")
#else
#define CULPRIT_MARKER(number) __asm__ volatile("" : : "i"(number) : "memory")
#endif

#endif
