/* What a report's stream is: its columns, and whether colour is wanted there (https://no-color.org). */
#ifndef CULPRIT_REPORT_TERMINAL_H
#define CULPRIT_REPORT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

enum { TERMINAL_WIDTH = 80 }; /* of what is no terminal */

unsigned terminal_width(FILE *out);
bool terminal_colour(FILE *out);

/* Draw over the line that the cursor is in: cut, so that it never takes two. */
void terminal_progress(const char *line, FILE *out);

/* Lines of a table that are wider than `width` go on in another line, from TERMINAL_FOLD_INDENT on; broken between
 * columns (two blanks) where there is such a place, else between words. */
enum { TERMINAL_FOLD_INDENT = 12 };
void terminal_fold(const char *text, unsigned width, FILE *out);

/* The text broken at spaces to lines of at most `width` columns, each `indent` columns in. Returns the lines. */
unsigned terminal_wrap(const char *text, unsigned indent, unsigned width, FILE *out);

#endif
