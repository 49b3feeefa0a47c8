/* machine.def at run time: one struct machine_row for each scalar key, in the table's order. Everything that treats
 * the keys alike (ranges, --set, printing, the manual, suggestions for misspelt keys) walks these rows. */
#ifndef CULPRIT_MACHINE_MACHINE_ROWS_H
#define CULPRIT_MACHINE_MACHINE_ROWS_H

#include "machine/machine.h"

#include <stddef.h>

enum machine_kind { MACHINE_KIND_UINT, MACHINE_KIND_BOOL, MACHINE_KIND_ENUM };

struct machine_word {
	const char *text;
	uint32_t value;
	const char *meaning;
};

struct machine_row {
	const char *section;
	const char *name;
	enum machine_kind kind;
	uint32_t fallback; /* value when no file gives one */
	uint32_t min, max;
	const char *unit; /* of a MACHINE_KIND_UINT, else "" */
	const char *meaning;
	const struct machine_word *words; /* of a MACHINE_KIND_ENUM */
	uint32_t word_count;
	size_t offset; /* in struct machine */
};

/* What a file may say under `validated`: a kind, a colon and a text. */
bool machine_validation_known(const char *text);

struct machine_section {
	const char *name;
	const char *meaning;
};

/* The limits of the keys that are not rows of machine.def. */
enum {
	MACHINE_OP_MAX = 1000, /* latency.OP, interval.OP */
	MACHINE_QUEUE_ENTRIES_MAX = 8192,
	MACHINE_QUEUE_WIDTH_MAX = 64,
	MACHINE_UNIT_COUNT_MAX = 64,
	MACHINE_DESCRIPTION_MAX = 255,
};

/* A number outside the scalar rows: latency.OP, interval.OP, queues.entries, queues.width, units.count. */
struct machine_range {
	uint32_t min, max;
	const char *unit;
};

extern const struct machine_row machine_rows[];
extern const size_t machine_row_count;
extern const struct machine_section machine_sections[];
extern const size_t machine_section_count;

const struct machine_row *machine_row_find(const char *section, const char *name);
uint32_t machine_row_get(const struct machine *m, const struct machine_row *row);
void machine_row_put(struct machine *m, const struct machine_row *row, uint32_t value);

/* The row's value from text (the word, number or truth value that a file may contain). On failure `reason` says what
 * was expected and what was found. */
bool machine_row_parse(const struct machine_row *row, const char *text, uint32_t *value, char *reason, size_t size);
/* The text that machine_row_parse reads back. */
const char *machine_row_text(const struct machine_row *row, uint32_t value, char buffer[16]);
/* "a whole number from 1 to 64 entries", "true or false", "one of lru, fifo". */
void machine_row_expected(const struct machine_row *row, char *text, size_t size);

/* The same for the numbers outside the rows; path as in a file or --set, list indices or names skipped:
 * "latency.load", "queues[0].entries". NULL when the path is not a number. */
const struct machine_range *machine_range_find(const char *path);
bool machine_range_parse(const struct machine_range *range, const char *text, uint32_t *value, char *reason,
			 size_t size);

/* Is this a top-level key that holds other keys: a section of machine.def, latency, interval, queues or units? */
bool machine_section_known(const char *name);
int machine_op_find(const char *name);	  /* enum culprit_op_class, or -1 */
int machine_event_find(const char *name); /* enum culprit_event_class, or -1 */
/* Letters, digits, '_' and '-': what a queue or unit may be called. */
bool machine_name_ok(const char *name);

/* The known key nearest to `path`, or NULL when none is near; list indices in `path` are skipped. */
const char *machine_key_nearest(const char *path);
/* Text from a file made fit for one line of an error: unprintable bytes replaced, long text cut. */
const char *machine_quotable(const char *text, char buffer[64]);

#endif
