/* All that a core tells of a run as a few checksums, which a golden file can hold. Nothing is left out that has a meaning: each
 * field of each record, each entry of the log, each counter, and the state of caches, predictors and store sets at the end. */
#ifndef TESTS_CORE_CORE_DIGEST_H
#define TESTS_CORE_CORE_DIGEST_H

#include "core/core.h"

enum core_digest_part {
	DIGEST_COUNTS, /* of the core, the memory, warm-up, each program; lessons */
	DIGEST_TIMES,  /* of each record: from fetch to commit */
	DIGEST_CAUSES, /* all else of it */
	DIGEST_LOG,    /* with what was squashed */
	DIGEST_STATE,  /* caches, predictors, store sets */
	DIGEST_GUEST,  /* registers, and memory that programs write */
	DIGEST_PARTS
};

enum { DIGEST_LOG_ROOM = 512 };

struct core_digest {
	uint64_t part[DIGEST_PARTS];
	struct culprit_record_sink sink;
	struct culprit_log log;
	struct culprit_log_entry entries[DIGEST_LOG_ROOM];
};

/* Sink and log are for core_record. */
void core_digest_begin(struct core_digest *d);
/* When the core has run and its records are flushed. */
void core_digest_end(struct core_digest *d, struct core *c, struct guest *g);

#endif
