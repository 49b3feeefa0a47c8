/* Traces of what a program executed, which drive our own core: plain addresses, commit logs of Spike, STF, packets of
 * RVFI, ChampSim's records. Read whole, then put over the memory of a process. */
#ifndef CULPRIT_IMPORT_STEPS_H
#define CULPRIT_IMPORT_STEPS_H

#include "base/error.h"
#include "riscv/follow.h"

#include <stdio.h>

struct import_steps {
	const char *place; /* names the trace in errors */
	struct riscv_follow_step *steps;
	size_t count, room;
	bool has_code; /* every step has its encoding */
	const char *format;
	bool is_made;	       /* ... which is made, since the trace has none */
	uint64_t left_out;     /* of the trace, which are no steps: */
	const char *left_what; /* "lines" */
	/* What registers hold before the first step, x and f; a bit for each that is told. */
	uint64_t first[64], has_first;
};

/* The format is told by the beginning. Plain or packed (import_open). */
bool import_steps_read(struct import_steps *s, const char *path, struct error *err);
/* From an open file, for fuzzing. */
bool import_steps_parse(struct import_steps *s, FILE *in, const char *head, size_t size, struct error *err);
void import_steps_destroy(struct import_steps *s);

/* Is every instruction of the trace in this memory? What is not, and has an encoding, is put there; code that the
 * program has otherwise is an error. */
bool import_steps_place(const struct import_steps *s, struct address_space *as, const char *program, struct error *err);

/* The readers. `line` counts. */
struct riscv_follow_step *import_steps_add(struct import_steps *s, struct error *err);
bool import_steps_wrong(const struct import_steps *s, uint64_t line, struct error *err, const char *why);
bool import_plain(struct import_steps *s, FILE *in, struct error *err);
bool import_spike_is(const char *text, size_t size);
bool import_spike(struct import_steps *s, FILE *in, struct error *err);
bool import_stf_is(const char *head, size_t size);
bool import_stf(struct import_steps *s, FILE *in, struct error *err);
bool import_rvfi_is(const char *head, size_t size);
bool import_rvfi(struct import_steps *s, FILE *in, struct error *err);
bool import_champsim(struct import_steps *s, FILE *in, struct error *err);

#endif
