/* Any list of a result as CSV (table.h). */
#include "export/table.h"

#include <stdlib.h>
#include <string.h>

struct csv {
	FILE *out;
	json_t *columns;
};

static void print_text(const char *text, FILE *out)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void print_cell(const json_t *v, FILE *out)
{
	char *made;
	const char *text = table_text(v, &made);
	if (text)
		print_text(text, out);
	free(made);
}

static void head(void *context, const json_t *columns)
{
	struct csv *w = context;
	const char *column, *comma = "";
	json_t *number;
	w->columns = json_incref((json_t *)columns);
	json_object_foreach(w->columns, column, number)
	{
		fputs(comma, w->out);
		print_text(column, w->out);
		comma = ",";
	}
	fputc('\n', w->out);
}

static void row(void *context, const json_t *cells)
{
	struct csv *w = context;
	const char *column, *comma = "";
	json_t *number;
	json_object_foreach(w->columns, column, number)
	{
		fputs(comma, w->out);
		print_cell(json_object_get(cells, column), w->out);
		comma = ",";
	}
	fputc('\n', w->out);
}

bool export_csv(const struct export_input *in, FILE *out, struct error *err)
{
	struct csv w = {.out = out};
	const struct table_sink sink = {&w, head, row};
	bool good = table_read(in, &sink, err);
	json_decref(w.columns);
	return good;
}
