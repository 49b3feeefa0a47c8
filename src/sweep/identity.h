/* What a point's figures follow from, as one hash. */
#ifndef CULPRIT_SWEEP_IDENTITY_H
#define CULPRIT_SWEEP_IDENTITY_H

#include "machine/machine.h"
#include "sweep/plan.h"

#include <jansson.h>

enum { SWEEP_ID = 65 };

/* The hashes of the last few files: thousands of points stand in the order of their programs. */
struct sweep_hashes {
	struct {
		char *path;
		json_t *hash; /* null: there is no such file */
	} all[4];
	size_t next;
};

/* One hash of the version, the command's words, the bytes of program and input, and the machine in full (NULL: any).
 * False: a word is not UTF-8, or no memory. */
bool sweep_identify(struct sweep_hashes *hashes, const struct sweep_program *program, const struct sweep_words *words,
		    const struct machine *machine, char id[SWEEP_ID]);
void sweep_hashes_free(struct sweep_hashes *hashes);

#endif
