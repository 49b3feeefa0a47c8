/* The program's code with what happened to it: functions, their instructions, source lines, and for each instruction
 * how often it ran, what commit waited for there, what missed, and what analyses say of it. A run fills it
 * (src/run/code.c); it is the section `code` of the run's JSON, and is read back from there: so whoever shows code
 * needs a result file and nothing else. Numbers of entries (files, inlined calls) count from 0; CODE_NONE = there is
 * none. */
#ifndef CULPRIT_REPORT_CODE_CODE_H
#define CULPRIT_REPORT_CODE_CODE_H

#include "base/error.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

enum { CODE_CAUSES_MAX = 24, CODE_DEEPEST = 64 };
#define CODE_NONE UINT32_MAX

/* Data accesses that missed, by level: those of a level are among those of the level before. */
enum code_level { CODE_L1D, CODE_L2, CODE_MEMORY, CODE_LEVELS };
const char *code_level_name(enum code_level level);

struct code_counts {
	uint64_t executions; /* of a function: of all its instructions */
	uint64_t cycles;     /* that commit was exposed to it: */
	uint64_t causes[CODE_CAUSES_MAX];
	uint64_t mispredictions;
	uint64_t refill; /* of a branch: cycles of the next instruction that its mispredictions cost */
	uint64_t misses[CODE_LEVELS];
};

/* What the critical path says, where it was asked. */
struct code_criticality {
	bool known, watched; /* watched: the figures behind `path` have been seen */
	uint64_t path;	     /* cycles of it */
	double cost;	     /* cycles of the run, were the latency 0 */
	double saved;	     /* ... were it one cycle less */
	double slack;	     /* cycles, mean */
};

struct code_insn {
	uint64_t pc;
	char *text; /* disassembled; blanks between, no tabs */
	uint32_t file, line;
	uint32_t inlined; /* the innermost inlined call that it came in by */
	struct code_counts counts;
	struct code_criticality criticality;
};

/* A call that was replaced by the function's own code. */
struct code_inlined {
	char *function;
	uint32_t file, line; /* of the call */
	uint32_t outer;	     /* the call around it: stands before it in the list */
	uint32_t depth;	     /* calls around it, at most CODE_DEEPEST - 1 */
};

struct code_line {
	uint32_t number;
	char *text;
};

struct code_file {
	char *path;		 /* as the compiler recorded it */
	struct code_line *lines; /* those that were asked for and found, by number */
	size_t count;
};

struct code_function {
	char *name, *symbol; /* as written; as in the object's symbol table, or NULL */
	char *object;
	uint64_t start, end; /* first <= pc < end */
	struct code_counts counts;
	struct code_insn *insns; /* by address; none: only the sums are kept */
	size_t count;
};

/* A call from an instruction to an address, with all that happened until it came back. A call of what runs already has
 * no costs of its own. */
struct code_call {
	uint64_t site, target;
	uint64_t count;
	struct code_counts counts; /* no refill */
};

struct code {
	uint32_t cause_count;
	char *causes[CODE_CAUSES_MAX]; /* names; the first is committing */
	char *labels[CODE_CAUSES_MAX];
	uint64_t outside; /* cycles of no instruction: after the last commit */
	bool has_criticality;
	struct code_function *functions; /* most cycles first */
	size_t function_count;
	struct code_file *files;
	size_t file_count;
	struct code_inlined *inlined;
	size_t inlined_count;
	struct code_call *calls; /* by site, then target; NULL: not known */
	size_t call_count;
};

void code_destroy(struct code *c);
/* The table's number of a file; CODE_NONE: out of memory. `path` NULL: CODE_NONE, too. */
uint32_t code_file(struct code *c, const char *path);
/* The instruction at pc in the functions that have theirs; NULL: none. */
struct code_insn *code_find(const struct code *c, uint64_t pc);
/* The line of the function itself that the instruction belongs to: where an inlined call stands, the call's. */
void code_own_line(const struct code *c, const struct code_insn *n, uint32_t *file, uint32_t *line);
/* "+0x3a40" of "gzip+0x3a40", as a function of an object without symbols is called; "0x3a40" itself, where no object
 * is; NULL: it has a name. */
const char *code_nameless(const struct code_function *f);
/* An instruction's offset from its function; in an object without symbols from the object. */
uint64_t code_offset(const struct code_function *f, uint64_t pc);
/* It with what it counts from: "memcpy+0x12", "gzip+0x3ade". */
void code_place(const struct code_function *f, uint64_t pc, char *text, size_t size);
void code_counts_add(struct code_counts *sum, const struct code_counts *c, uint32_t causes);

/* json.c */
json_t *code_json(const struct code *c);

#endif
