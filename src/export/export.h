/* Results in the forms of other programs' viewers. A format is made from one part of a result file: from the code with
 * its cycles, from a window of the pipeline, or from any list. Writers print; what was read and checked is in `in`.
 * Cycles add up to the run's in every format of code: `outside`, after the last commit, is a site of its own. */
#ifndef CULPRIT_EXPORT_EXPORT_H
#define CULPRIT_EXPORT_EXPORT_H

#include "export/window.h"
#include "report/code/result.h"

struct rows;

enum export_part { EXPORT_CODE, EXPORT_WINDOW, EXPORT_TABLE };

struct export_input {
	const char *version; /* of Culprit */
	const char *format;  /* its name */
	json_t *root;
	struct code_result result;   /* EXPORT_CODE */
	struct export_window window; /* EXPORT_WINDOW */
	const char *path;	     /* EXPORT_TABLE: the list, "code.functions" */
};

struct export_format {
	const char *name, *what;
	enum export_part part;
	/* False: memory ran out, or there is no such table. Errors of `out` are left to who closes it. */
	bool (*write)(const struct export_input *in, FILE *out, struct error *err);
	/* The same of a record file (rows.h); NULL: it has nothing for this format. */
	bool (*write_rows)(struct rows *rows, FILE *out, struct error *err);
};
/* NULL: *err lists them, and says what was meant. `name` NULL: none was given. */
const struct export_format *export_format_find(const char *name, struct error *err);

/* The file's part that the format needs. *in is to be destroyed in any case. */
bool export_read(struct export_input *in, const struct export_format *format, const char *file, struct error *err);
void export_destroy(struct export_input *in);

#define EXPORT_FORMAT(name, part, rows, what) \
	bool export_##name(const struct export_input *in, FILE *out, struct error *err);
#include "export/export_format.def"
bool export_rows_csv(struct rows *rows, FILE *out, struct error *err);
bool export_rows_parquet(struct rows *rows, FILE *out, struct error *err);

/* The rows of a record file: *rows is to be destroyed in any case. */
bool export_rows_open(struct rows *rows, const struct export_format *format, const char *file, struct error *err);

#endif
