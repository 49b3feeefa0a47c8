/* Pipeline traces of other simulators, made records. A reader makes a table of instructions with their times, in any
 * order; import_build sorts it, holds every row against what a pipeline can do, adds what the code says, and hands the
 * records on. What a trace does not tell stays unknown (culprit/field.h), and what was guessed is said. */
#ifndef CULPRIT_IMPORT_IMPORT_H
#define CULPRIT_IMPORT_IMPORT_H

#include "base/error.h"
#include "culprit/field.h"
#include "import/code.h"
#include "machine/machine.h"

#include <stdio.h>

enum import_time { IMPORT_FETCH, IMPORT_DISPATCH, IMPORT_ISSUE, IMPORT_COMPLETE, IMPORT_COMMIT, IMPORT_TIMES };
#define IMPORT_NEVER UINT64_MAX

enum { IMPORT_PRODUCERS = 3, IMPORT_TEXT = 32 };

struct import_insn {
	uint64_t number; /* their order; two have not the same */
	uint64_t pc;
	uint64_t time[IMPORT_TIMES];	     /* in the trace's unit; IMPORT_NEVER = it has none */
	uint64_t line;			     /* where the trace has it */
	uint64_t producer[IMPORT_PRODUCERS]; /* numbers; IMPORT_NEVER = none */
	uint32_t bits;			     /* its encoding; 0 = not told */
	uint32_t replayed;		     /* what made a load issue again: enum import_replay, a bit for each */
	bool squashed;
	uint64_t wrong_pc;	/* of what is behind a squash: where the oldest of those squashed was; 0 = not told */
	bool part;		/* of the instruction in front: a later micro-operation */
	char text[IMPORT_TEXT]; /* the beginning of its disassembly; "" = none */
};

enum import_replay { IMPORT_REPLAY_MISS = 1, IMPORT_REPLAY_TLB = 2, IMPORT_REPLAY_OTHER = 4 };

struct import_trace {
	const char *place; /* names the trace in errors */
	const char *unit;  /* "line", "row" */
	struct import_insn *insns;
	size_t count, room;
	uint64_t ticks;	      /* of a cycle; 0 = to be guessed */
	bool tells_producers; /* import_insn.producer is filled */
	bool tells_replays;
	FILE *said; /* what was guessed, repaired or left out, a line each */
};

/* The next row, all of it unknown; NULL: no memory. */
struct import_insn *import_add(struct import_trace *t, struct error *err);
/* "PLACE:LINE: reason". Returns false. */
bool import_wrong(const struct import_trace *t, uint64_t line, struct error *err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A line for `said`, where the count is not 0: of "{branch is|branches are} early" it has what goes with the count. */
void import_say(const struct import_trace *t, uint64_t count, const char *what);
/* What a file holds may not break the line of an error. */
void import_clean(char *text);
void import_destroy(struct import_trace *t);

/* --- the readers --- */

enum import_format { IMPORT_O3PIPEVIEW, IMPORT_KANATA, IMPORT_PERFCCT };
/* By what stands at its beginning. */
bool import_recognise(const char *path, enum import_format *format, struct error *err);
/* Plain, gzip, zstd or STF's archive. */
FILE *import_open(const char *path, struct error *err);
/* What is packed in `in`, which is closed with it; NULL: no memory. */
FILE *import_unzstd(FILE *in);
bool import_is_zstd(const char *head, size_t size);
/* Why not, of a file with ferror(). */
const char *import_unreadable(FILE *in);

bool import_o3pipeview(struct import_trace *t, FILE *in, struct error *err);

/* Which stages of a Kanata file are which times: a YAML file with the keys fetch, dispatch, issue, complete and commit.
 * A value is STAGE (its first cycle), `end STAGE` (the cycle behind its last), or several with | between them: the
 * first that an instruction has. commit may be left out: it is when the instruction retires. */
struct import_stages {
	char *rule[IMPORT_TIMES]; /* NULL: of Culprit's own Kanata files */
};
bool import_stages_read(struct import_stages *s, const char *text, size_t length, const char *place, struct error *err);
void import_stages_destroy(struct import_stages *s);
bool import_kanata(struct import_trace *t, FILE *in, const struct import_stages *stages, struct error *err);

bool import_perfcct(struct import_trace *t, const char *path, struct error *err);

/* --- the records --- */

struct import_result {
	culprit_field_set unknown;
	uint64_t instructions, cycles;
	struct culprit_record *records; /* in the order of commit; malloc'd */
};
/* `code` may be NULL. `machine`: given what the trace shows (widths, stages, window) if `observe`. */
bool import_build(struct import_trace *t, const struct import_code *code, struct machine *machine, bool observe,
		  struct import_result *result, struct error *err);

#endif
