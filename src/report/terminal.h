/* What a report's stream is: its columns, and whether colour is wanted there (https://no-color.org). */
#ifndef CULPRIT_REPORT_TERMINAL_H
#define CULPRIT_REPORT_TERMINAL_H

#include "base/memory_stream.h"
#include "base/output.h"

#include <stdbool.h>
#include <stdio.h>

enum { TERMINAL_WIDTH = 80, TERMINAL_NARROWEST = 40 };

/* Columns: what the environment's COLUMNS says, else the terminal's; of what is no terminal TERMINAL_WIDTH. */
unsigned terminal_width(FILE *out);
bool terminal_colour(FILE *out);

/* Draw over the line that the cursor is in: cut, so that it never takes two. */
void terminal_progress(const char *line, FILE *out);

/* Lines that are wider than `width` go on in another line. What a table's last column says is broken between words and
 * goes on below its beginning, where the column has room; other rows are broken between columns (two blanks) and go on
 * from TERMINAL_FOLD_INDENT; a line without columns is broken between words. */
enum { TERMINAL_FOLD_INDENT = 12 };
void terminal_fold(const char *text, unsigned width, FILE *out);

/* What is printed between these two is folded to the width of `out`. */
struct terminal_folded {
	FILE *out;
	struct memory_stream memory;
};
FILE *terminal_fold_begin(struct terminal_folded *f, FILE *out, struct error *err); /* NULL: no memory */
bool terminal_fold_end(struct terminal_folded *f, struct error *err);

/* OUTPUT_WRITE (base/output.h) of a report: folded. */
#define REPORT_WRITE(path, otherwise, print, what, err)                                                  \
	({                                                                                               \
		struct output output_;                                                                   \
		struct terminal_folded folded_;                                                          \
		output_open_or(&output_, path, otherwise, err) &&                                        \
			output_finish(&output_, REPORT_FOLDED(folded_, output_, print, what, err), err); \
	})
#define REPORT_FOLDED(folded, output, print, what, err)        \
	(terminal_fold_begin(&(folded), (output).file, err) && \
	 (print(what, (folded).memory.file), terminal_fold_end(&(folded), err)))

/* The text broken at spaces, but for those behind a backslash, to lines of at most `width` columns, each `indent`
 * columns in. Returns the lines; with `out` NULL they are only counted. */
unsigned terminal_wrap(const char *text, unsigned indent, unsigned width, FILE *out);

#endif
