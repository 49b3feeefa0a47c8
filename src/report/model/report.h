/* The report of `culprit model`: one struct that the command fills, printed as text or as JSON. */
#ifndef CULPRIT_REPORT_MODEL_REPORT_H
#define CULPRIT_REPORT_MODEL_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MODEL_REPORT_TERMS = 32, MODEL_REPORT_WINDOWS = 16, MODEL_REPORT_NEAREST = 32 };

/* Of a profile that was interrupted, in all that is predicted from it. */
#define MODEL_REPORT_CUT "  *** the profile was interrupted: it is of the part executed until then ***\n"

struct model_report_row {
	const char *name, *group, *meaning;
	double count, penalty, cycles; /* count 0: the cycles are no product */
};

/* The IW characteristic: one window. */
struct model_report_window {
	uint32_t window;
	double path;   /* measured K(W), unit latency */
	double fit;    /* the law's */
	double rate;   /* W / K(W) */
	double latent; /* the same at the machine's average latency */
};

/* A structure that the profile does not hold. */
/* What predictions from profiles of other machines were off by when they were measured, per cent of the IPC. */
struct model_report_foreign {
	double mean, most; /* most: in nine of ten */
	uint32_t predictions;
};

struct model_report_nearest {
	const char *structure, *text, *component;
	double count, off; /* events, and how many more or fewer */
	double cycles;	   /* what `off` is in time */
};

struct model_report {
	const char *version, *machine, *program, *reference;
	const char *kind; /* "plain", "refined", or "refined without NAME,..." */
	bool cut;	  /* the profile was interrupted */
	bool changed;	  /* the machine, by --set */
	uint64_t instructions, sampled;
	double cycles, cpi;
	uint32_t term_count;
	struct model_report_row terms[MODEL_REPORT_TERMS];
	uint32_t group_count;
	struct model_report_row groups[MODEL_REPORT_TERMS]; /* name, meaning and cycles */
	uint32_t nearest_count;
	struct model_report_nearest nearest[MODEL_REPORT_NEAREST];
	double nearest_cycles;			    /* of all of them */
	const struct model_report_foreign *foreign; /* NULL: the profile is of this machine */
	double alpha, beta, residual;		    /* residual of ln K */
	uint32_t fit_low, fit_high;
	double latency;	   /* l */
	double drain;	   /* c_dr by equation (8), cycles */
	double resolution; /* by the flow; 0 = not asked */
	double balanced;   /* the ROB that equation (5) gives for the machine's width, unit latency; at l */
	double balanced_latent;
	uint32_t window_count;
	struct model_report_window windows[MODEL_REPORT_WINDOWS];
};

void model_report_text(const struct model_report *r, FILE *out);
/* A new object; NULL when out of memory. */
json_t *model_report_json(const struct model_report *r);
/* What the names of terms mean. */
json_t *model_report_legend(const struct model_report *r);

#endif
