/* Small things that every report prints alike. */
#ifndef CULPRIT_REPORT_FORMAT_H
#define CULPRIT_REPORT_FORMAT_H

#include "base/error.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* -1234567 -> -1,234,567 into the caller's buffer, which is returned. */
const char *format_grouped(int64_t v, char text[32]);
/* "1 instruction", "1,234 instructions" */
const char *format_counted(uint64_t n, const char *one, char text[64]);

/* a / b; 0 when b is not positive. */
static inline double format_ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

/* What %.1f shall print: no -0.0. */
static inline double format_tenths(double v)
{
	return v > -0.05 && v < 0.05 ? 0 : v;
}

static inline json_t *format_integer(uint64_t v)
{
	return json_integer((json_int_t)v);
}

/* A word as a shell reads it: what a shell would take for something else stands behind a backslash. Appended to `text`,
 * with a blank behind it; cut at its size. */
void format_shell_word(const char *word, char *text, size_t size);

/* A text that is not UTF-8 loses what is not ASCII. */
json_t *format_text(const char *text);

/* At most `most` bytes of a text as XML: markup escaped, control characters left out. */
void format_xml(const char *text, size_t most, FILE *out);

/* Read a JSON file; what is no file (a pipe, a folder) is refused. */
bool format_read_json(json_t **root, const char *path, struct error *err);
/* Write a JSON file, whole or not at all, and give up the caller's reference. `root` NULL: out of memory. */
bool format_write_json(json_t *root, const char *path, struct error *err);

#endif
