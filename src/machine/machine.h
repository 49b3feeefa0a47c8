/* What a core is made of: the parameters of a machine file, checked. Scalars are rows of machine.def; issue queues
 * and units are lists; latencies and initiation intervals are one number for each operation class.
 *
 * A YAML file looks like
 *     description: one line
 *     validated: "parameters: sizes"   # optional: how far it is; see machine_rows.h
 *     extends: eyerman2009-4w          # optional: start from another machine
 *     window: { rob: 128 }
 *     latency: { int_alu: 1, int_mul: 3, int_div: 20 }
 *     interval: { int_div: 20 }
 *     queues: [ { name: all, entries: 0, width: 4 } ]
 *     units: [ { name: alu, count: 4, queue: all, ops: [int_alu, branch] } ] */
#ifndef CULPRIT_MACHINE_MACHINE_H
#define CULPRIT_MACHINE_MACHINE_H

#include "base/error.h"
#include "culprit/types.h"

#include <stdio.h>

/* enum disambiguation { disambiguation_perfect, ... } and so on; defined in machine_enums.h from machine_enums.def */
#include "machine/machine_enums.h"

enum { MACHINE_QUEUES_MAX = 8, MACHINE_UNITS_MAX = 16, MACHINE_NAME_MAX = 32 };

struct plugins;

struct machine_queue {
	char name[MACHINE_NAME_MAX];
	uint32_t entries; /* 0 = unlimited: the ROB is the only limit */
	uint32_t width;	  /* instructions issued from this queue per cycle; 0 = issue.width */
};

struct machine_unit {
	char name[MACHINE_NAME_MAX];
	uint32_t count;
	uint32_t queue; /* index into queues */
	uint32_t ops;	/* bit n = executes class n; a class belongs to one unit row, or to two of different queues */
};

struct machine {
	char name[64];
	char description[256];
	char validated
		[256]; /* how far the file is: "measured: ...", "published: ..." or "parameters: ..."; "": not told */
#define MACHINE_UINT(section, name, def, min, max, unit, meaning) uint32_t section##_##name;
#define MACHINE_BOOL(section, name, def, meaning) bool section##_##name;
#define MACHINE_ENUM(section, name, tag, def, meaning) enum tag section##_##name;
#include "machine/machine.def"
	uint32_t latency[CULPRIT_OP_COUNT];  /* cycles; load and amo: address generation before the cache access */
	uint32_t interval[CULPRIT_OP_COUNT]; /* cycles until the unit takes the next one; 1 = fully pipelined */
	uint32_t queue_count;
	struct machine_queue queues[MACHINE_QUEUES_MAX];
	uint32_t unit_count;
	struct machine_unit units[MACHINE_UNITS_MAX];
	culprit_event_set ideal; /* event classes that are idealised away */
	struct plugins
		*plugins; /* in place of predictor and prefetchers (machine/plugin.h), the session's; NULL: none */
};

/* Load by name (from the machine directories) or by path (contains a slash or ends in .yaml).
 * Errors name file and line. */
bool machine_load(struct machine *m, const char *name_or_path, struct error *err);
/* From text, for tests and fuzzing; `place` names it in errors. */
bool machine_parse(struct machine *m, const char *text, size_t length, const char *place, struct error *err);
/* "section.name=value"; also latency.OP=, interval.OP=, queues.NAME.entries=, units.NAME.count=. */
bool machine_set(struct machine *m, const char *assignment, struct error *err);
/* Every key and every text alike. */
bool machine_same(const struct machine *a, const struct machine *b);
/* As machine_load gives it by its name, without plug-ins: what is known of that name is true of it. */
bool machine_as_named(const struct machine *m);
/* Rules between keys (a line is at most the cache, every op class has a unit, ...). Called by load and after sets. */
bool machine_check(const struct machine *m, const char *place, struct error *err);
/* The machine as a complete YAML file, which machine_parse reads back to the same machine. */
bool machine_print(const struct machine *m, FILE *out);
/* The same as a malloc'd string; NULL: no memory. */
char *machine_text(const struct machine *m);
/* Names of the machines found, sorted, into a malloc'd NULL-terminated array of malloc'd strings. */
char **machine_list(struct error *err);

/* Does `ideal` take away the latency of this class, and with it the time for which it holds its unit? */
bool machine_op_is_ideal(const struct machine *m, enum culprit_op_class class);

/* "dl1,win" or "all" -> set; error names the unknown class. */
bool culprit_event_set_parse(const char *text, culprit_event_set *set, struct error *err);

#endif
