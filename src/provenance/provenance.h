/* Provenance: what a result was made from, so that a result file is enough to make it again (`culprit rerun`) and to
 * see what has changed since. It goes into every JSON result beside the name of the result's schema. */
#ifndef CULPRIT_PROVENANCE_PROVENANCE_H
#define CULPRIT_PROVENANCE_PROVENANCE_H

#include "options/options.h"
#include "machine/machine.h"

#include <jansson.h>

struct guest;

/* What a standard stream led to when the command started. A program can see the difference, so that a rerun gives it
 * the same. */
struct provenance_stream {
	const char *kind; /* "file", "pipe", "terminal", "null", "device", "closed" */
	char *path;	  /* of a file; else NULL */
	int64_t offset;	  /* of a file: where reading or writing starts */
};

struct provenance {
	const struct options *options;
	enum option_user user;
	const char *kind;		     /* of result; NULL: the command's name */
	struct provenance_stream streams[3]; /* input, output, error */
	char *directory;		     /* where the command was started; NULL: it has none any more */
	json_t *files;			     /* programs, libraries and inputs, with SHA-256 */
	bool out_of_memory;		     /* some of it is missing: provenance_write says so */
};

/* At the start of a command, before anything is read or written. */
void provenance_begin(struct provenance *p, const struct options *options, enum option_user user);
/* Can the JSON that is asked for hold the command's words and paths? Before a long run. */
bool provenance_check(const struct provenance *p, struct error *err);
/* The file that a shell is to give as standard input for the same again, from where the command was started; NULL:
 * none, or it has no name any more, or was read before. */
const char *provenance_input(const struct provenance *p);
/* A file that the result depends on. `role`: "program", "library", "profile", "samples", "records", "input". A file
 * that cannot be read has no hash. */
bool provenance_add_file(struct provenance *p, const char *role, const char *path, struct error *err);
/* Everything that is mapped in the guest now. */
bool provenance_add_guest(struct provenance *p, const struct guest *guest, struct error *err);
/* `report` (the caller's reference is given up; NULL: out of memory) as the result of the command: first `schema`, last
 * `provenance`. `machine` may be NULL: the result has none. NULL: *err says why. */
json_t *provenance_result(struct provenance *p, const struct machine *machine, json_t *report, struct error *err);
/* Write that as JSON. */
bool provenance_write(struct provenance *p, const struct machine *machine, json_t *report, const char *path,
		      struct error *err);
void provenance_destroy(struct provenance *p);

/* The commit that this program was built from, or "unknown". */
const char *provenance_commit(void);
/* SHA-256 of a file as 64 hexadecimal digits; false when it cannot be read. */
bool provenance_hash(const char *path, char text[65]);

/* machine_json.c: the machine in full, laid out as a machine file is: written to a file, machine_load reads it back. */
json_t *machine_json(const struct machine *m);

#endif
