/* The analyses that `--with` can name, beside the stack and the functions that every report has. Each is one row of
 * analyses.def and one file NAME.c beside it, between src/analysis/NAME and src/report/NAME; it reads records, or
 * records and the log, and adds to the report. */
#ifndef CULPRIT_WITH_ANALYSES_H
#define CULPRIT_WITH_ANALYSES_H

#include "analysis/graph/machine.h"
#include "analysis/pipe.h"
#include "culprit/field.h"
#include "options/options.h"
#include "machine/machine.h"
#include "report/code/code.h"
#include "report/graph/records.h"
#include "report/lines.h"
#include "report/run/report.h"
#include "report/symbols.h"

#include <jansson.h>
#include <stdio.h>

struct analysis_context {
	const struct options *options;
	const struct machine *machine;
	culprit_field_set unknown; /* what the records do not tell; what follows from the rest has been put in */
	bool threads;		   /* it may use all processors */
	struct graph_beyond beyond;
	bool foreign; /* the records are not known to be our own core's */
};
/* The graph's parameters for what these records tell. */
void analysis_graph_params(const struct analysis_context *context, struct culprit_graph_params *params);

/* Code bytes by address; false: there are none now. */
struct analysis_code {
	void *context;
	bool (*read)(void *context, uint64_t pc, uint16_t *parcel);
};

struct analysis_totals {
	uint64_t cycles, instructions;
	const struct symbols *symbols; /* of everything mapped */
	const struct lines *lines;     /* of the same */
	struct analysis_code code;
	struct guest *guest; /* its state is that of the region's end; NULL: records come from a file */
};

struct analysis {
	const char *name;
	const char *help;
	bool needs_guest; /* not only records and log */
	bool takes_long;  /* worth a thread of its own, where there are processors for it */
	size_t size;	  /* of its state, all zero at first; `destroy` takes it in any case */
	bool (*create)(void *self, const struct analysis_context *context, struct error *err);
	/* The region is about to start in this guest (NULL: records come from a file); or NULL. */
	bool (*start)(void *self, struct guest *guest, struct error *err);
	void (*records)(void *self, const struct culprit_record *records, size_t count); /* or NULL */
	void (*log)(void *self, const struct culprit_log_part *part);			 /* or NULL */
	bool (*finish)(void *self, const struct analysis_totals *totals, struct error *err);
	/* Of another core's records: how they fit the graph; NULL: that is not known. Or NULL. */
	const struct graph_records *(*fit)(void *self);
	void (*warn)(void *self, FILE *out); /* lines for the report's head, if there is something; or NULL */
	void (*costs)(void *self, struct report_costs *costs); /* what the verdict may quote; or NULL */
	/* Of another analysis that knows, when all have finished: what the verdict may quote; or NULL. */
	void (*learn_costs)(void *self, const struct report_costs *costs);
	void (*code)(void *self, struct code *code); /* what it knows of single instructions; or NULL */
	void (*text)(void *self, FILE *out);
	json_t *(*json)(void *self); /* one object, for its name in the result */
	void (*destroy)(void *self);
};

enum { ANALYSES_MAX = PIPE_READERS_MOST - 1 }; /* one more is the default report */

/* The analyses of one run, listening together. */
struct analyses {
	const struct analysis *rows[ANALYSES_MAX];
	void *selves[ANALYSES_MAX];
	bool finished[ANALYSES_MAX]; /* without error: it has something to report */
	size_t count;
	bool default_report; /* the stack and the functions */
};

/* `list`: comma-separated names; NULL = the default report; "none" = nothing. Unknown names are errors. */
/* Only whether it names analyses. */
bool analyses_known(const char *list, struct error *err);
bool analyses_create(struct analyses *a, const char *list, const struct analysis_context *context, struct error *err);
bool analyses_start(struct analyses *a, struct guest *guest, struct error *err);
/* Those of them that read, into `readers`; how many. */
size_t analyses_readers(const struct analyses *a, bool own_threads, struct pipe_reader *readers);
/* All of them; the first error counts, and those that failed report nothing. */
bool analyses_finish(struct analyses *a, const struct analysis_totals *totals, struct error *err);
/* What the report must not be read without. */
void analyses_warn(const struct analyses *a, FILE *out);
bool analyses_have(const struct analyses *a, const char *name);
/* Of the first that knows. */
void analyses_costs(const struct analyses *a, struct report_costs *costs);
/* Of all that know. */
void analyses_code(const struct analyses *a, struct code *code);
/* The sections that the view wants. */
void analyses_text(const struct analyses *a, const struct report_view *view, FILE *out);
/* Folded: their tables are as wide as they are. */
bool analyses_folded(const struct analyses *a, const struct report_view *view, FILE *out, struct error *err);
/* `show` names sections of the run's own (`own`) or of analyses that `with` names; NULL is good. */
bool analyses_check_sections(const char *show, const char *const *own, const char *with, struct error *err);
void analyses_json(const struct analyses *a, json_t *root);
void analyses_destroy(struct analyses *a);

#endif
