/* Making a result again: rerun_command.c makes the command again from a result's provenance, rerun_start.c starts it
 * with standard streams like those of then; the subcommand compares what comes out. */
#ifndef CULPRIT_PROVENANCE_RERUN_H
#define CULPRIT_PROVENANCE_RERUN_H

#include "options/options.h"

#include <limits.h>

enum { RERUN_WORDS_MAX = 4096 };

struct rerun {
	struct options options;	  /* first */
	json_t *was, *is;	  /* the result as it was, and made again */
	const json_t *provenance; /* in `was` */
	char folder[192];	  /* of temporary files; "" = none */
	char result[224];	  /* there: the new result */
	char machine[PATH_MAX];	  /* there: the machine in full */
	char stream[3][224];	  /* there: files in place of standard output and error */
	char *words[RERUN_WORDS_MAX + 1];
	size_t count;
	char gone[400]; /* ": FILE: reason": of the files that it read the first that cannot be read; "" = none */
};

/* Fill `words` with the command; writes the machine's file. */
bool rerun_command(struct rerun *r, struct error *err);
/* Run it to its end; *status: what the shell would show. */
bool rerun_start(struct rerun *r, int *status, struct error *err);

#endif
