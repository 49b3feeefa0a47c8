/* The results of sweeps in an SQLite file. What has been simulated (tables result and cause) stays for ever, by the
 * id of its point: no later sweep into the same file simulates it again. Tables plan, point and setting are of the
 * last plan, and the view `run` joins all for those who ask (docs/reference/sweep-plan.md). Each result is one
 * transaction, so that whatever ends the process loses none that is in the file. */
#ifndef CULPRIT_SWEEP_STORE_H
#define CULPRIT_SWEEP_STORE_H

#include "sweep/points.h"

#include <jansson.h>

struct sweep_store;

enum { SWEEP_CAUSES = 32 };

/* What the table is made of. */
struct sweep_result {
	bool known;
	uint64_t instructions, cycles;
	int exit_status;  /* the guest's; -1: it had not ended */
	char killed[300]; /* "killed by SIGSEGV: reason"; "" = it was not */
	uint32_t cause_count;
	struct {
		char name[32];
		uint64_t cycles;
	} causes[SWEEP_CAUSES]; /* in the order of `culprit run`; they sum to the cycles */
};

/* Opens it, or makes it. NULL: *err says why. One process at a time: another one waits for nothing and is refused. */
struct sweep_store *sweep_store_open(const char *path, struct error *err);
/* Has this process made the file, and is no result in it? */
bool sweep_store_useless(struct sweep_store *store);
/* A useless file goes, unless it is to be kept. */
void sweep_store_close(struct sweep_store *store, bool keep);
/* The plan from now on. */
bool sweep_store_plan(struct sweep_store *store, const struct sweep_plan *plan, const struct sweep_points *points,
		      struct error *err);
/* result->known: false when this has not been simulated yet. */
bool sweep_store_get(struct sweep_store *store, const char *id, struct sweep_result *result, struct error *err);
/* A point's result as `culprit run --json` wrote it. False without an error (err->code 0): it is not whole, and
 * counts for nothing. */
bool sweep_store_put(struct sweep_store *store, const char *id, const json_t *result, struct error *err);
/* Why a point has no result; NULL: it has no trouble any more. */
bool sweep_store_fail(struct sweep_store *store, uint32_t point, const char *why, struct error *err);

#endif
