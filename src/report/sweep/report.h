/* The report of a sweep: one struct that the command fills, printed as a table, JSON, CSV or a picture. Nothing in
 * it depends on the host or on how often the sweep was begun again. */
#ifndef CULPRIT_REPORT_SWEEP_REPORT_H
#define CULPRIT_REPORT_SWEEP_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SWEEP_REPORT_AXES = 6, SWEEP_REPORT_CAUSES = 32 };

struct sweep_report_value {
	const char *name;
	char *const *sets; /* "window.rob=64": what it changes of a machine */
	uint32_t set_count;
};

struct sweep_report_axis {
	const char *name;
	const char *key; /* NULL: choices */
	uint32_t value_count;
	const struct sweep_report_value *values;
};

/* Before an axis changes it. */
struct sweep_report_machine {
	const char *name;
	json_t *keys; /* in full, laid out as a machine file */
};

struct sweep_report_point {
	const char *machine, *program, *region, *command;
	const char *values[SWEEP_REPORT_AXES];
	bool own[SWEEP_REPORT_AXES]; /* what the machine has anyway */
	uint32_t reference;	     /* the point that it is compared with */
	const char *trouble;	     /* why there is no result, or what is wrong with it; NULL = nothing */
	bool known;
	uint64_t instructions, cycles;
	int exit_status; /* -1: the program had not ended */
	uint32_t cause_count;
	struct {
		const char *name, *label;
		uint64_t cycles;
	} causes[SWEEP_REPORT_CAUSES];
};

struct sweep_report {
	const char *version, *title, *results; /* results: or NULL */
	const char *cut;		       /* "interrupted"; NULL = all was tried */
	uint32_t machine_count;
	const struct sweep_report_machine *machines;
	uint32_t axis_count;
	const struct sweep_report_axis *axes;
	uint32_t count;
	const struct sweep_report_point *points; /* those of one program and region stand together */
	uint32_t known, simulated, failed;
	uint32_t killed; /* of the known: programs that a signal killed */
};

struct sweep_report_view {
	unsigned width;
};

/* The component of the CPI stack that differs most from the reference's, and by how much; NULL: nothing to compare. */
const char *sweep_moved(const struct sweep_report *r, uint32_t point, double *cpi);
/* The reference's cycles over the point's; 0: not known. */
double sweep_speedup(const struct sweep_report *r, uint32_t point);
/* Past the last point of the group that begins at `first`. */
uint32_t sweep_group_end(const struct sweep_report *r, uint32_t first);
/* "window.rob 128*, l1d.size 32K": its values; where there are no axes, its machine. */
void sweep_point_name(const struct sweep_report *r, uint32_t point, char *text, size_t size);

void sweep_report_text(const struct sweep_report *r, const struct sweep_report_view *view, FILE *out);
json_t *sweep_report_json(const struct sweep_report *r); /* NULL: out of memory */
void sweep_report_csv(const struct sweep_report *r, FILE *out);
void sweep_report_svg(const struct sweep_report *r, FILE *out);

#endif
