/* A branch predictor or a prefetcher of your own, as a shared object that the simulator loads:
 *
 *     cc -shared -fPIC -O2 -I include -o mine.so mine.c
 *     culprit run --predictor ./mine.so --prefetcher l2=./mine.so -- PROG
 *
 * The object exports one function, `culprit_plugin`, which returns its description. Everything else is called through
 * the tables there. A plug-in keeps all that it learns in what `create` returns: a command may create several, and the
 * simulator must give the same result for the same input. One is never called by two threads at once. This header needs
 * no library. How to write one: docs/how-to/new-predictor.md. In C++: culprit/cbp.hpp and culprit/champsim.hpp. */
#ifndef CULPRIT_PLUGIN_H
#define CULPRIT_PLUGIN_H

#include "culprit/types.h"

#include <stddef.h>

CULPRIT_C_BEGIN

/* Rises whenever something below changes. A plug-in that was made for another number is refused. */
#define CULPRIT_PLUGIN_ABI 1

/* --- predictors --- */

/* Bytes that a predictor may keep with a prediction until its branch commits, aligned to 8. */
enum { CULPRIT_PLUGIN_NOTE = 96 };

struct culprit_plugin_branch {
	uint64_t pc;
	uint64_t direct_target; /* where it goes when taken: of conditional and direct branches; else 0 */
	uint8_t length;		/* bytes: pc + length follows it */
	uint8_t kind;		/* enum culprit_branch */
	bool wrong_path;	/* it was fetched behind a misprediction, and will be squashed */
	/* What it will do. No hardware knows this when it predicts: for oracles, and for simulations that train at once. */
	bool actual_taken;
	uint64_t actual_next;
};

/* For each branch that is fetched: predict (or target), then speculate. If the prediction was wrong: when the branch has
 * completed, repair to the checkpoint taken between the two, and speculate once more, with what the branch really did.
 * When it commits: update. Branches on a wrong path are predicted and never updated. While caches and predictors are
 * warmed up: predict, speculate with what the branch does, update. */
struct culprit_predictor_plugin {
	/* NULL: it cannot be created, and *why (if set) says why. `parameters`: what the command line has behind the file's
	 * name and a colon; "" when there is none. */
	void *(*create)(const char *parameters, const char **why);
	void (*destroy)(void *self);
	/* Of a conditional branch: taken? Changes nothing that a later prediction could see. */
	bool (*predict)(void *self, const struct culprit_plugin_branch *branch, void *note);
	/* Or NULL: targets are the machine's own. Of an indirect jump or call (a return, if the machine has no return
	 * stack): false = not known, and fetch waits for the branch. */
	bool (*target)(void *self, const struct culprit_plugin_branch *branch, void *note, uint64_t *target);
	/* Or NULL. The history moves on: this branch, of any kind, goes this way. */
	void (*speculate)(void *self, const struct culprit_plugin_branch *branch, bool taken, uint64_t next_pc);
	/* A branch of any kind commits: train the tables. `note` is as predict or target left it; 0 before that. */
	void (*update)(void *self, const struct culprit_plugin_branch *branch, const void *note, bool taken,
		       uint64_t next_pc);
	/* All three or none (a predictor without a speculative history). The size is asked once. */
	size_t (*checkpoint_size)(const void *self);
	void (*checkpoint)(const void *self, void *to);
	void (*repair)(void *self, const void *from);
};

/* --- prefetchers --- */

struct culprit_plugin_cache {
	const char *name;	   /* "l1i", "l1d", "l2", "l3" */
	uint32_t size, ways, line; /* bytes; 0 ways = fully associative */
	uint32_t page;		   /* bytes: what is asked for outside the page of the access is dropped */
};

struct culprit_plugin_access {
	uint64_t cycle;
	uint64_t pc;   /* of the load or store; 0 for instruction fetch */
	uint64_t addr; /* virtual address */
	bool hit;
	bool first_use; /* a hit, for the first time, in a line that this prefetcher brought */
	bool store;
	bool instruction;
	bool wrong_path;
};

struct culprit_plugin_fill {
	uint64_t cycle;	  /* when its data are here */
	uint64_t addr;	  /* of the line */
	uint64_t evicted; /* the line that it replaces */
	bool evicts;	  /* there is one */
	bool prefetch;	  /* this prefetcher asked for it */
};

struct culprit_prefetcher_plugin {
	void *(*create)(const char *parameters, const struct culprit_plugin_cache *cache, const char **why);
	void (*destroy)(void *self);
	/* A demand access of this cache, hit or miss. Up to `room` addresses to bring go to `addresses`; returns how many.
	 * They are brought if the cache and those below have MSHRs left. */
	uint32_t (*access)(void *self, const struct culprit_plugin_access *access, uint64_t *addresses, uint32_t room);
	/* Or NULL. A line was put into this cache. */
	void (*fill)(void *self, const struct culprit_plugin_fill *fill);
};

/* --- the description --- */

struct culprit_plugin {
	uint32_t abi; /* CULPRIT_PLUGIN_ABI */
	const char *name;
	const char *description;			    /* one line */
	const struct culprit_predictor_plugin *predictor;   /* or NULL */
	const struct culprit_prefetcher_plugin *prefetcher; /* or NULL */
};

/* What the shared object has to export. */
const struct culprit_plugin *culprit_plugin(void);

CULPRIT_C_END

#endif
