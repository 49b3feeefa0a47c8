/* What pictures share. Text is selectable, and nothing is loaded from elsewhere. */
#ifndef CULPRIT_REPORT_SVG_H
#define CULPRIT_REPORT_SVG_H

#include <stdio.h>

/* A white page. */
void svg_begin(double width, double height, FILE *out);
/* `anchor`: which part of the words stands at x: "start", "middle", "end". */
void svg_text(double x, double y, const char *anchor, const char *words, FILE *out);
/* A legend's entry: a square of a colour ("#rrggbb"), and its name. */
void svg_key(double x, double y, const char *colour, const char *name, FILE *out);
void svg_end(FILE *out);

#endif
