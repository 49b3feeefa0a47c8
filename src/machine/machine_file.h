/* A machine file as libcyaml loads it: every key a pointer, NULL when the file does not give it, so that a file that
 * extends another overrides only what it names. */
#ifndef CULPRIT_MACHINE_MACHINE_FILE_H
#define CULPRIT_MACHINE_MACHINE_FILE_H

#include "machine/machine.h"
#include "machine/machine_outline.h"

/* struct file_SECTION, one for each section of machine.def; a section's row closes the one before it. */
/* clang-format off */
struct file_before_the_first_section {
	int unused;
#define MACHINE_SECTION(section, meaning) \
	}                                 \
	;                                 \
	struct file_##section {
#define MACHINE_UINT(section, name, def, min, max, unit, meaning) uint32_t *name;
#define MACHINE_BOOL(section, name, def, meaning) bool *name;
#define MACHINE_ENUM(section, name, tag, def, meaning) enum tag *name;
#include "machine/machine.def"
};
/* clang-format on */

struct file_ops { /* one number for each operation class */
#define OP_CLASS(name, label, event) uint32_t *name;
#include "culprit/op_class.def"
};

struct file_queue {
	char *name;
	uint32_t *entries;
	uint32_t *width;
};

struct file_unit {
	char *name;
	uint32_t *count;
	char *queue;
	uint32_t ops;
};

struct machine_file {
	char *description;
	char *extends;
#define MACHINE_SECTION(section, meaning) struct file_##section section;
#include "machine/machine.def"
	struct file_ops latency;
	struct file_ops interval;
	struct file_queue *queues;
	uint32_t queues_count;
	struct file_unit *units;
	uint32_t units_count;
	uint32_t *ideal;
};

/* Load and check what can be checked in one file: keys, types, words, ranges. Free after success. */
bool machine_file_read(struct machine_file **file, const char *text, size_t length, const struct outline *o,
		       struct error *err);
void machine_file_free(struct machine_file *file);
/* Put what the file gives over *m, which holds the machine that it extends (or the defaults). */
bool machine_file_apply(const struct machine_file *file, const struct outline *o, struct machine *m, struct error *err);

/* Turn libcyaml's log of a failed load into one error. */
bool machine_file_explain(const char *log, const struct outline *o, struct error *err);

/* The pointer in `file` that belongs to row number `row` of machine.def. */
const void *machine_file_row(const struct machine_file *file, size_t row);

#endif
