/* CPI stacks side by side: one struct that the command fills, printed as text, JSON or a picture. Every stack is a
 * column of integer amounts that sum to its total exactly; the smallest unit is a cycle, or a slot of a stage. */
#ifndef CULPRIT_REPORT_STACKS_REPORT_H
#define CULPRIT_REPORT_STACKS_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { STACKS_ROWS_MAX = 32, STACKS_COLUMNS_MAX = 8, STACKS_FACTS_MAX = 24 };

struct stacks_row {
	const char *name, *meaning;
	const char *parent; /* the slots tree's second level: the row it is part of; else NULL */
};

struct stacks_column {
	const char *name, *label, *meaning;
	bool has_storage;
	uint64_t storage_bits;
	int64_t amounts[STACKS_ROWS_MAX];
};

/* Stacks over the same rows; the first row is the base. */
struct stacks_table {
	const char *key, *title;
	uint32_t row_count, column_count;
	struct stacks_row rows[STACKS_ROWS_MAX];
	struct stacks_column columns[STACKS_COLUMNS_MAX];
	uint64_t unit; /* amounts in a cycle: 1, or a stage's width */
};

/* It charges more cycles than there were: what is left for the base is negative. */
static inline bool stacks_overcharges(const struct stacks_column *c)
{
	return c->amounts[0] < 0;
}

/* A figure with a name: penalties, overlaps. */
struct stacks_fact {
	const char *key, *label;
	uint32_t count; /* values; of penalties one for each architecture */
	double values[STACKS_COLUMNS_MAX];
	bool known[STACKS_COLUMNS_MAX];
};

struct stacks_report {
	const char *program, *machine;
	uint64_t cycles, instructions;
	struct stacks_table methods, stages, slots;
	bool has_slots;
	uint32_t fmt_rows, fmt_rows_used, counter_bits;
	uint64_t fmt_overflowed, fmt_untracked, fmt_filled;
	uint64_t contested;
	uint32_t overlap_count;
	struct stacks_row overlap_rows[STACKS_FACTS_MAX];
	uint64_t overlaps[STACKS_FACTS_MAX]; /* cycles */
	uint32_t event_count;
	struct {
		const char *name;
		uint64_t count; /* of committed instructions */
	} events[STACKS_FACTS_MAX];
	uint32_t fact_count;
	struct stacks_fact facts[STACKS_FACTS_MAX];
};

/* Colours when `out` is a terminal. */
void stacks_report_text(const struct stacks_report *r, FILE *out);
/* NULL: out of memory. */
json_t *stacks_report_json(const struct stacks_report *r);
/* Every figure on a line of its own. */
void stacks_report_csv(const struct stacks_report *r, FILE *out);
/* Normalised stacked bars, one for each architecture, in a group for each report (figure 11 of the paper). */
void stacks_report_svg(const struct stacks_report *const *reports, size_t count, FILE *out);

#endif
