#include "report/svg.h"

#include "report/format.h"

void svg_begin(double width, double height, const char *attributes, FILE *out)
{
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" %s>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		width, height, attributes);
}

void svg_text(double x, double y, const char *anchor, const char *words, FILE *out)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	format_xml(words, SIZE_MAX, out);
	fputs("</text>\n", out);
}

void svg_key(double x, double y, const char *colour, const char *name, FILE *out)
{
	fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x, y, colour);
	svg_text(x + 18, y + 11, "start", name, out);
}

static uint8_t tint(uint8_t part, unsigned percent)
{
	return (uint8_t)((part * percent + 255 * (100 - percent)) / 100);
}

void svg_tint(struct palette_colour c, unsigned percent, char text[8])
{
	snprintf(text, 8, "#%02x%02x%02x", tint(c.red, percent), tint(c.green, percent), tint(c.blue, percent));
}

void svg_end(FILE *out)
{
	fputs("</svg>\n", out);
}
