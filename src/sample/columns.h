/* Figures of all samples side by side, as estimators take them; and the events that they lean on. */
#ifndef CULPRIT_SAMPLE_COLUMNS_H
#define CULPRIT_SAMPLE_COLUMNS_H

#include "sample/estimate.h"
#include "sample/sample.h"

struct columns {
	double *x, *c, *instructions, *z; /* z: of each event, one behind the other */
	struct estimate_event events[SAMPLE_EVENTS];
	size_t event_count; /* learnt; 0: windows that were chosen, or none measured anything */
};

bool columns_create(struct columns *c, const struct sample *s);
void columns_destroy(struct columns *c);

/* Did it measure an instruction? */
bool sample_measured(const struct sample_unit *u);
/* How much a sample counts: those of a schedule all the same. */
double sample_weight(const struct sample *s, size_t unit);
/* What one sample measured of a component; what the start has of it. */
double columns_difference(const struct sample_unit *u, const char *path, const char *name);
double columns_started(const struct sample *s, const char *path, const char *name);

/* Is this event's part of a component's cycles? */
typedef bool columns_leans(enum sample_event event, const char *component);
struct column_names {
	const char *path, *name, *base; /* base: member of `counts` */
	columns_leans *leans;
};
/* Leaning on no event. */
struct estimate_samples columns_gather(const struct sample *s, struct columns *c, const char *path, const char *name,
				       const char *base);
/* Of a place, leaning on events that columns_cpi learnt: of the row of each of them it has `parts`. */
struct estimate_samples columns_place(const struct sample *s, struct columns *c, const struct column_names *names,
				      const double parts[SAMPLE_EVENTS]);
/* Learns the events, and cycles / instructions, leaning on all of them. */
struct estimate_samples columns_cpi(const struct sample *s, struct columns *c);
/* Leaning on events that columns_cpi learnt: those of which x has a part; its base on all, where that is cycles. */
struct estimate_samples columns_lean(const struct sample *s, struct columns *c, const struct column_names *names);

#endif
