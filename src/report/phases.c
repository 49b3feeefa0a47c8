#include "report/phases.h"

#include "report/format.h"

#include <string.h>

enum { TEXT_ROWS = 24 };

static void add(struct phases_row *to, const struct phases_row *from, uint32_t causes)
{
	to->cycles += from->cycles;
	to->instructions += from->instructions;
	for (uint32_t c = 0; c < causes; c++)
		to->causes[c] += from->causes[c];
}

/* The largest causes but committing. */
static void print_causes(const struct phases_report *r, const struct phases_row *row, FILE *out)
{
	enum { SHOWN = 3 };
	bool said[PHASES_CAUSES_MOST] = {true};
	for (int n = 0; n < SHOWN; n++) {
		uint32_t best = 0;
		for (uint32_t c = 1; c < r->cause_count; c++)
			if (!said[c] && (!best || row->causes[c] > row->causes[best]))
				best = c;
		double share = 100 * format_ratio((double)row->causes[best], (double)row->cycles);
		if (!best || share < 0.5)
			break;
		said[best] = true;
		fprintf(out, "%s%s %.0f%%", n ? ", " : "", r->causes[best].label, share);
	}
	fputc('\n', out);
}

static void print_row(const struct phases_report *r, const struct phases_row *row, uint64_t first, FILE *out)
{
	char from[32];
	double commit = 100 * format_ratio((double)row->causes[0], (double)row->cycles);
	fprintf(out, "%16s %6.2f %8.1f  ", format_grouped((int64_t)first, from),
		format_ratio((double)row->instructions, (double)row->cycles), commit);
	print_causes(r, row, out);
}

void phases_report_text(const struct phases_report *r, FILE *out)
{
	const size_t together = (r->count + TEXT_ROWS - 1) / TEXT_ROWS;
	uint64_t first = 0;
	fputs("\nCauses over time: the run in equal slices\n", out);
	fprintf(out, "%16s %6s %8s  %s\n", "from cycle", "IPC", "% commit", "waits for, % of the slice");
	for (size_t i = 0; i < r->count; i += together) {
		struct phases_row row = {0};
		for (size_t j = i; j < i + together && j < r->count; j++)
			add(&row, &r->rows[j], r->cause_count);
		print_row(r, &row, first, out);
		first += row.cycles;
	}
}

/* By column, which is shorter and packs better. */
json_t *phases_report_json(const struct phases_report *r)
{
	json_t *root = json_object(), *causes = json_array(), *first = json_array(), *cycles = json_array();
	json_t *instructions = json_array(), *by_cause = json_array();
	uint64_t at = 0;
	for (uint32_t c = 0; c < r->cause_count; c++) {
		json_t *column = json_array();
		for (size_t i = 0; i < r->count; i++)
			json_array_append_new(column, format_integer(r->rows[i].causes[c]));
		json_array_append_new(causes, json_string(r->causes[c].name));
		json_array_append_new(by_cause, column);
	}
	for (size_t i = 0; i < r->count; at += r->rows[i++].cycles) {
		json_array_append_new(first, format_integer(at));
		json_array_append_new(cycles, format_integer(r->rows[i].cycles));
		json_array_append_new(instructions, format_integer(r->rows[i].instructions));
	}
	json_object_set_new(root, "slice", format_integer(r->length));
	json_object_set_new(root, "causes", causes);
	json_object_set_new(root, "first", first);
	json_object_set_new(root, "cycles", cycles);
	json_object_set_new(root, "instructions", instructions);
	json_object_set_new(root, "by_cause", by_cause);
	return root;
}
