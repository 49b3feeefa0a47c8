/* Predictors and prefetchers that come as shared objects (include/culprit/plugin.h): loading them, and what the
 * predictor and the caches call in place of their own parts. A machine points to what it uses; without plug-ins the
 * pointer is NULL, and the simulator never asks further. */
#ifndef CULPRIT_MACHINE_PLUGIN_H
#define CULPRIT_MACHINE_PLUGIN_H

#include "base/error.h"
#include "culprit/plugin.h"
#include "culprit/record.h"

enum plugin_place {
	PLUGIN_L1I,
	PLUGIN_L1D,
	PLUGIN_L2,
	PLUGIN_L3,
	PLUGIN_CACHES,
	PLUGIN_PREDICTOR = PLUGIN_CACHES,
	PLUGIN_PLACES
};

struct plugin {
	void *handle;	  /* of the shared object; NULL = there is none at this place */
	char *path;	  /* as it was given, without the rest */
	char *parameters; /* "" when none were given */
	const struct culprit_plugin *table;
};

struct plugins {
	struct plugin at[PLUGIN_PLACES];
};

/* "FILE[:PARAMETERS]" as a branch predictor; "[CACHE=]FILE[:PARAMETERS]" as a prefetcher, of the L1D if no cache is
 * named. *all is created when it is NULL; plugins_destroy ends it, also after an error. */
bool plugins_add_predictor(struct plugins **all, const char *text, struct error *err);
bool plugins_add_prefetcher(struct plugins **all, const char *text, struct error *err);
void plugins_destroy(struct plugins *all);
/* A line of a report for each: figures with them are not those of the machine. NULL: there are none. */
const char *plugins_lines(const struct plugins *all, char *text, size_t size);

/* One at work: created by a predictor or a cache. */
struct plugged_predictor {
	const struct culprit_predictor_plugin *calls; /* NULL: there is none */
	void *self;
	size_t checkpoint_size;
};

struct plugged_prefetcher {
	const struct culprit_prefetcher_plugin *calls; /* NULL: there is none */
	void *self;
};

/* `all` may be NULL, or may have none for this place: then *p has no calls. */
bool plugged_predictor_create(struct plugged_predictor *p, const struct plugins *all, struct error *err);
void plugged_predictor_destroy(struct plugged_predictor *p);
bool plugged_prefetcher_create(struct plugged_prefetcher *p, const struct plugin *plugin,
			       const struct culprit_plugin_cache *cache, struct error *err);
void plugged_prefetcher_destroy(struct plugged_prefetcher *p);

#endif
