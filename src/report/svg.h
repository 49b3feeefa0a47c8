/* What pictures share. Text is selectable, and nothing is loaded from elsewhere. */
#ifndef CULPRIT_REPORT_SVG_H
#define CULPRIT_REPORT_SVG_H

#include "report/palette.h"

#include <stdio.h>

#define SVG_SANS "font-family=\"sans-serif\" font-size=\"12\""
/* A white page. `attributes`: the font, and what a script wants to know. */
void svg_begin(double width, double height, const char *attributes, FILE *out);
/* `anchor`: which part of the words stands at x: "start", "middle", "end". */
void svg_text(double x, double y, const char *anchor, const char *words, FILE *out);
/* A legend's entry: a square of a colour ("#rrggbb"), and its name. */
void svg_key(double x, double y, const char *colour, const char *name, FILE *out);
/* "#rrggbb" of so many percent of the colour in white. */
void svg_tint(struct palette_colour colour, unsigned percent, char text[8]);
void svg_end(FILE *out);

#endif
