/* A window of the pipeline as it stands in a result (`pipeline`), with times in cycles from the window's first fetch,
 * in the order of fetch: committed instructions, and between them those that were squashed. */
#ifndef CULPRIT_EXPORT_WINDOW_H
#define CULPRIT_EXPORT_WINDOW_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct export_code {
	uint64_t pc;
	const char *text, *function, *line; /* "" = not known */
};

enum { EXPORT_PRODUCERS = 4 }; /* rs1, rs2, rs3, the store */

struct export_op {
	bool squashed, dispatched;
	uint64_t number; /* in the committed stream, from the run's first; squashed: that it would have had */
	uint64_t fetch, dispatch, ready, issue, complete;
	uint64_t end;			/* commit, or squash: the cycle */
	const struct export_code *code; /* NULL: squashed, not known */
	const char *why;		/* squashed: why; else what commit waited for, or "" */
	uint64_t wait;			/* cycles that commit waited for it */
	bool store;
	size_t producers[EXPORT_PRODUCERS]; /* places in the list; EXPORT_NO_OP = none there */
};

#define EXPORT_NO_OP SIZE_MAX

struct export_window {
	const char *program;
	uint64_t first_cycle;
	struct export_op *ops;
	size_t count;
	struct export_code *code;
	size_t code_count;
};

/* Texts are those of `root`, which must outlive the window. What does not add up is refused. */
bool export_window_take(struct export_window *w, const json_t *root, struct error *err);
void export_window_destroy(struct export_window *w);

/* The window's instruction as text: "0x10074 addi a0,a0,1", or what is known of one squashed. */
void export_op_text(const struct export_op *op, char *text, size_t size);

#endif
