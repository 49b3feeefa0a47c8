/* Checkpoints: states of a running program in a file, from which a simulation starts. A file has one or many of one
 * program; a page of memory that several have stands in it once.
 *
 * Warm state. A checkpoint for the place N holds the program as it was `warmup` instructions before N. Who starts from
 * it executes these and trains its caches and predictors with them. The program itself is the recorded trace of the
 * last accesses and branches, so that it serves every machine and takes no room. docs/explanation/checkpoint.md. */
#ifndef CULPRIT_CHECKPOINT_CHECKPOINT_H
#define CULPRIT_CHECKPOINT_CHECKPOINT_H

#include "base/bytes.h"
#include "guest/guest.h"

#include <stdio.h>

enum { CHECKPOINT_VERSION = 1, CHECKPOINTS_MOST = 1 << 20 };

/* --- writing --- */

struct checkpoint_writer;

/* `argv`: the guest's command, NULL-terminated. */
struct checkpoint_writer *checkpoint_writer_create(char *const *argv, struct error *err);
void checkpoint_writer_destroy(struct checkpoint_writer *w);
/* The guest as it is, after `executed` instructions; the place is `warmup` further on. */
bool checkpoint_writer_add(struct checkpoint_writer *w, struct guest *guest, uint64_t executed, uint64_t warmup,
			   struct error *err);
/* Only the first `count`; none may be added behind them. */
void checkpoint_writer_keep(struct checkpoint_writer *w, size_t count);
bool checkpoint_writer_finish(const struct checkpoint_writer *w, FILE *out, struct error *err);
/* What there is so far: pages of all together, and those that differ. */
void checkpoint_writer_size(const struct checkpoint_writer *w, uint64_t *pages, uint64_t *different);

/* --- reading --- */

struct checkpoint {
	uint64_t executed, warmup;
	const uint8_t *state, *pages; /* pages: 12 bytes each */
	uint64_t state_size, page_count;
};

struct checkpoint_file {
	char **argv; /* NULL-terminated */
	struct checkpoint *points;
	size_t count;
	const uint8_t *contents; /* pages */
	uint64_t content_count;
	struct bytes bytes; /* what the others point into */
};

/* One error with the file and the reason. Afterwards checkpoint_file_destroy, in any case. */
bool checkpoint_file_read(struct checkpoint_file *f, const char *path, struct error *err);
/* What a file unpacks to; takes `bytes` over. `place` names it in errors. */
bool checkpoint_file_parse(struct checkpoint_file *f, struct bytes *bytes, const char *place, struct error *err);
void checkpoint_file_destroy(struct checkpoint_file *f);
/* The guest as it was: guest_restore. NULL and *err. */
struct guest *checkpoint_restore(const struct checkpoint_file *f, size_t index, const struct guest_options *how,
				 const char *place, struct error *err);

#endif
