/* The stall tree as an icicle: commit at the top, causes below, each as wide as what is lost to it. One file without
 * outside parts; a click on a box widens it to the picture's width, a click on the top row goes back. Colours are by
 * component, a leaf is darker. */
#include "report/format.h"
#include "report/palette.h"
#include "report/stalls/report.h"
#include "report/svg.h"

#include <inttypes.h>
#include <string.h>

enum { WIDTH = 1200, ROW = 18, TOP = 46, MARGIN = 10, CHARACTER = 7 };

static const char script[] =
	"<script><![CDATA[\n"
	"const svg = document.currentScript.ownerSVGElement, boxes = [...svg.querySelectorAll('g.b')]\n"
	"const num = (g, k) => +g.dataset[k]\n"
	"function show(from, to) {\n"
	"  for (const g of boxes) {\n"
	"    const a = Math.max(num(g, 'x'), from), b = Math.min(num(g, 'x') + num(g, 'w'), to), r = g.children[0], t "
	"= "
	"g.children[1]\n"
	"    g.style.display = b > a ? '' : 'none'\n"
	"    if (b <= a) continue\n"
	"    const k = +svg.dataset.width / (to - from), w = (b - a) * k, x = +svg.dataset.margin + (a - from) * k\n"
	"    r.setAttribute('x', x)\n"
	"    r.setAttribute('width', w)\n"
	"    t.setAttribute('x', x + 3)\n"
	"    const n = Math.floor((w - 6) / 7), s = g.dataset.label\n"
	"    t.textContent = n < 3 ? '' : s.length <= n ? s : s.slice(0, n - 1) + '\\u2026'\n"
	"  }\n"
	"}\n"
	"for (const g of boxes) g.onclick = () => show(num(g, 'x'), num(g, 'x') + num(g, 'w'))\n"
	"]]></script>\n";

/* A box may be smaller than a line of text is worth. */
static double least(const struct stalls_report *r)
{
	return r->threshold / 10;
}

struct canvas {
	const struct stalls_report *r;
	FILE *out;
};

/* The palette's colour of a set of stall types, half white; of a root cause, nearly as it is. */
static const char *colour_of(const char *set, bool root, char text[8])
{
	static const struct {
		const char *set, *colour;
	} kin[] = {{"commit", "delay"}, {"memory", "l1d"},     {"predictor", "btb"}, {"execute", "unit"},
		   {"issue", "issue"},	{"dispatch", "limit"}, {"fetch", "fetch"}};
	const char *name = "other";
	for (size_t i = 0; i < sizeof kin / sizeof kin[0]; i++)
		if (!strcmp(kin[i].set, set))
			name = kin[i].colour;
	svg_tint(palette_find(name), root ? 80 : 40, text);
	return text;
}

/* A box from `x` on, both in opportunities. */
static void draw_box(struct canvas *c, uint64_t x, uint64_t amount, uint32_t row, const char *colour, const char *label,
		     const char *meaning)
{
	double scale = (WIDTH - 2 * MARGIN) / (double)c->r->results->lost;
	double left = MARGIN + (double)x * scale, width = (double)amount * scale;
	int y = TOP + (int)row * ROW;
	fprintf(c->out, "<g class=\"b\" data-x=\"%" PRIu64 "\" data-w=\"%" PRIu64 "\" data-label=\"", x, amount);
	format_xml(label, SIZE_MAX, c->out);
	fprintf(c->out,
		"\"><rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/><text x=\"%.2f\" y=\"%d\">",
		left, y, width, ROW - 1, colour, left + 3, y + 13);
	double room = (width - 6) / CHARACTER;
	if (room >= 3) {
		size_t length = strlen(label), most = (size_t)room;
		format_xml(label, length <= most ? length : most - 1, c->out);
		if (length > most)
			fputs("\xe2\x80\xa6", c->out);
	}
	fputs("</text><title>", c->out);
	format_xml(label, SIZE_MAX, c->out);
	fprintf(c->out, ": %" PRIu64 " slots, %.2f%% of all, %.2f%% of the lost\n", amount,
		stalls_percent(c->r, amount), 100 * (double)amount / (double)c->r->results->lost);
	format_xml(meaning, SIZE_MAX, c->out);
	fputs("</title></g>\n", c->out);
}

/* Draws the siblings first..end from opportunity `x` on; boxes narrower than the threshold are left out. */
static void draw_forest(struct canvas *c, size_t first, size_t end, uint64_t x)
{
	const struct culprit_stall_results *results = c->r->results;
	for (size_t i = first; i < end; i = results->nodes[i].end) {
		const struct culprit_stall_node *n = &results->nodes[i];
		if (stalls_percent(c->r, n->total) < least(c->r))
			break; /* largest first */
		const struct culprit_stall_type_info *t = &results->types[n->type];
		char label[160];
		snprintf(label, sizeof label, "%s: %s", t->set, t->type.label);
		char colour[8];
		draw_box(c, x, n->total, n->depth + 1, colour_of(t->set, n->own, colour), label, t->type.meaning);
		draw_forest(c, i + 1, n->end, x);
		x += n->total;
	}
}

static uint32_t rows_of(const struct stalls_report *r)
{
	uint32_t deepest = 0;
	for (size_t i = 0; i < r->results->node_count; i++) {
		const struct culprit_stall_node *n = &r->results->nodes[i];
		if (n->depth + 1 > deepest && stalls_percent(r, n->total) >= least(r))
			deepest = n->depth + 1;
	}
	return deepest + 1;
}

void stalls_report_svg(const struct stalls_report *r, FILE *out)
{
	const struct culprit_stall_results *x = r->results;
	char attributes[100];
	snprintf(attributes, sizeof attributes,
		 "data-width=\"%d\" data-margin=\"%d\" font-family=\"monospace\" font-size=\"11\"", WIDTH - 2 * MARGIN,
		 MARGIN);
	svg_begin(WIDTH, TOP + rows_of(r) * ROW + MARGIN, attributes, out);
	fprintf(out,
		"<style>g.b { cursor: pointer } g.b:hover rect { stroke: #000 } text { pointer-events: none }</style>\n"
		"<text x=\"%d\" y=\"18\" font-size=\"14\">",
		MARGIN);
	format_xml(r->program, SIZE_MAX, out);
	fputs(" on ", out);
	format_xml(r->machine, SIZE_MAX, out);
	if (r->place) {
		fputs(", at ", out);
		format_xml(r->place, SIZE_MAX, out);
	}
	fprintf(out,
		": %.1f%% of the opportunities to commit were lost</text>\n<text x=\"%d\" y=\"36\" fill=\"#555\">below "
		"each "
		"stall what caused it; darker: a root cause; click to widen, click the top row to go back</text>\n",
		stalls_percent(r, x->lost), MARGIN);
	struct canvas c = {.r = r, .out = out};
	if (x->lost) {
		draw_box(&c, 0, x->lost, 0, "#ddd", x->accumulator, "all that was lost");
		draw_forest(&c, 0, x->node_count, 0);
	}
	fputs(script, out);
	svg_end(out);
}
