/* The table of measured kernels. Fields may stand in double quotes; a quote inside is doubled, as usual in CSV. */
#include "fit/fit.h"

#include "base/count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 8192, COLUMNS_MAX = 64 };
enum column { KERNEL, CYCLES, PROGRAM, LESS, COLUMN_COUNT };
static const char *const column_names[COLUMN_COUNT] = {"kernel", "cycles", "program", "less"};

struct reading {
	const char *path;
	size_t line;
	int at[COLUMN_COUNT]; /* which field; -1 = the table has none */
	char *fields[COLUMNS_MAX];
	int field_count, column_count;
};

static bool refuse(const struct reading *r, struct error *err, const char *what)
{
	return error_set(err, ERROR_INPUT, "%s:%zu: %s", r->path, r->line, what);
}

/* One field, made a string in place; the rest of the line begins behind it. NULL: a quote is not closed. */
static char *next_field(char **rest, bool *more)
{
	char *from = *rest, *to = from, *field = from;
	bool quoted = *from == '"';
	from += quoted;
	for (; *from && (quoted || *from != ','); from++) {
		if (quoted && *from == '"' && *++from != '"') {
			quoted = false;
			from--;
			continue;
		}
		*to++ = *from;
	}
	*more = *from == ',';
	*rest = from + *more;
	*to = '\0';
	return quoted ? NULL : field;
}

static bool split(struct reading *r, char *line, struct error *err)
{
	bool more = true;
	line[strcspn(line, "\r\n")] = '\0';
	for (r->field_count = 0; more; r->field_count++) {
		if (r->field_count == COLUMNS_MAX)
			return refuse(r, err, "more than 64 columns");
		r->fields[r->field_count] = next_field(&line, &more);
		if (!r->fields[r->field_count])
			return refuse(r, err, "a quote is not closed");
	}
	return true;
}

static bool read_header(struct reading *r, struct error *err)
{
	for (int c = 0; c < COLUMN_COUNT; c++) {
		r->at[c] = -1;
		for (int i = 0; i < r->field_count; i++) {
			if (strcmp(r->fields[i], column_names[c]) != 0)
				continue;
			if (r->at[c] >= 0)
				return error_set(err, ERROR_INPUT, "%s:%zu: %s: named twice", r->path, r->line,
						 column_names[c]);
			r->at[c] = i;
		}
	}
	r->column_count = r->field_count;
	return (r->at[KERNEL] >= 0 && r->at[CYCLES] >= 0) ||
	       refuse(r, err, "the first line must name the columns, among them kernel and cycles");
}

static const char *field(const struct reading *r, enum column c)
{
	return r->at[c] >= 0 && r->at[c] < r->field_count ? r->fields[r->at[c]] : "";
}

/* A path in the table, from where the table lies. */
static char *from_table(const struct reading *r, const char *path)
{
	const char *slash = strrchr(r->path, '/');
	char *joined = NULL;
	if (*path == '/' || !slash)
		return asprintf(&joined, "%s%s", strchr(path, '/') ? "" : "./", path) < 0 ? NULL : joined;
	return asprintf(&joined, "%.*s/%s", (int)(slash - r->path), r->path, path) < 0 ? NULL : joined;
}

static bool plain(const char *name)
{
	size_t length = strlen(name);
	for (const char *p = name; *p; p++)
		if (*p <= ' ' || *p > '~')
			return false;
	return length > 0 && length < FIT_NAME_MAX;
}

static bool read_kernel(const struct reading *r, struct fit_kernel *k, struct error *err)
{
	uint64_t cycles;
	if (!plain(field(r, KERNEL)))
		return refuse(r, err, "kernel: 1 to 63 printable characters without blanks");
	if (!count_parse(field(r, CYCLES), COUNT_THINGS, &cycles) || !cycles)
		return refuse(r, err, "cycles: a whole number above 0");
	*k = (struct fit_kernel){.measured = (double)cycles};
	memcpy(k->name, field(r, KERNEL), strlen(field(r, KERNEL)) + 1);
	k->program = from_table(r, *field(r, PROGRAM) ? field(r, PROGRAM) : k->name);
	if (*field(r, LESS))
		k->less = from_table(r, field(r, LESS));
	if (!k->program || (*field(r, LESS) && !k->less))
		return error_set(err, ERROR_SYSTEM, "out of memory for the table");
	return true;
}

static bool read_line(struct fit_table *t, struct reading *r, char *line, bool last, struct error *err)
{
	r->line++;
	if (!strchr(line, '\n') && !last)
		return refuse(r, err, strlen(line) + 1 == LINE_MAX_BYTES ? "the line is too long" : "a zero byte");
	if (line[strspn(line, " \t\r\n")] == '\0')
		return true;
	TRY(split(r, line, err));
	if (r->at[KERNEL] < 0)
		return read_header(r, err);
	if (r->field_count != r->column_count)
		return error_set(err, ERROR_INPUT, "%s:%zu: %d fields, and the first line names %d columns", r->path,
				 r->line, r->field_count, r->column_count);
	if (t->count == FIT_KERNELS_MAX)
		return refuse(r, err, "more than 4096 kernels");
	TRY(read_kernel(r, &t->kernels[t->count++], err));
	for (size_t i = 0; i + 1 < t->count; i++)
		if (!strcmp(t->kernels[i].name, t->kernels[t->count - 1].name))
			return refuse(r, err, "the kernel of this name is in the table already");
	return true;
}

bool fit_table_read(struct fit_table *t, const char *path, struct error *err)
{
	struct reading r = {.path = path, .at = {-1, -1, -1, -1}};
	char line[LINE_MAX_BYTES];
	t->kernels = calloc(FIT_KERNELS_MAX, sizeof *t->kernels);
	if (!t->kernels)
		return error_set(err, ERROR_SYSTEM, "out of memory for the table");
	FILE *in = fopen(path, "re");
	if (!in)
		return error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
	bool good = true;
	while (good && fgets(line, sizeof line, in))
		good = read_line(t, &r, line, feof(in), err);
	if (good && ferror(in))
		good = error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
	fclose(in);
	return good && (t->count || error_set(err, ERROR_INPUT, "%s: no kernels", path));
}

void fit_table_destroy(struct fit_table *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->kernels[i].program);
		free(t->kernels[i].less);
	}
	free(t->kernels);
}
