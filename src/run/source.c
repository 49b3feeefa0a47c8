/* Source lines for the code table: those that instructions come from, those where calls were that have been inlined,
 * and of each function all between its first line and its last. */
#include "run/code.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_LINES = 1 << 20, FUNCTION_LINES = 5000, LINE_BYTES = 400, ABOVE = 3 };

/* Which lines of one file are wanted. */
struct wanted {
	unsigned char *lines; /* one for each, from 0 */
	uint32_t most;
};

static bool no_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for source lines");
}

static bool want(struct wanted *w, uint32_t line)
{
	if (!line || line > MOST_LINES)
		return true;
	if (line >= w->most) {
		uint32_t most = 2 * line;
		unsigned char *grown = realloc(w->lines, most);
		if (!grown)
			return false;
		memset(grown + w->most, 0, most - w->most);
		w->lines = grown;
		w->most = most;
	}
	w->lines[line] = 1;
	return true;
}

/* The function's own lines, from a few above the first, where its head may stand. */
static bool want_body(struct wanted *all, const struct code_function *f)
{
	uint32_t file = CODE_NONE, first = UINT32_MAX, last = 0;
	for (size_t i = 0; i < f->count; i++) {
		const struct code_insn *n = &f->insns[i];
		if (n->inlined != CODE_NONE || n->file == CODE_NONE || (file != CODE_NONE && n->file != file))
			continue;
		file = n->file;
		first = n->line < first ? n->line : first;
		last = n->line > last ? n->line : last;
	}
	if (file == CODE_NONE || last - first > FUNCTION_LINES)
		return true;
	first = first > ABOVE ? first - ABOVE : 1;
	for (uint32_t line = first; line <= last; line++)
		if (!want(&all[file], line))
			return false;
	return true;
}

static bool want_function(struct wanted *all, const struct code *c, const struct code_function *f)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->insns[i].file != CODE_NONE && !want(&all[f->insns[i].file], f->insns[i].line))
			return false;
	return want_body(all, f);
}

static FILE *open_file(const char *path)
{
	struct stat st; /* anything but a file may have no end */
	return !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
}

static FILE *find_file(const char *path, const char *const *dirs)
{
	char name[PATH_MAX];
	FILE *in = open_file(path);
	for (; !in && dirs && *dirs; dirs++)
		for (const char *rest = path; !in && rest; rest = strchr(rest, '/')) {
			rest += *rest == '/';
			if (snprintf(name, sizeof name, "%s/%s", *dirs, rest) < (int)sizeof name)
				in = open_file(name);
		}
	return in;
}

static bool keep_line(struct code_file *f, uint32_t number, char *text, size_t length)
{
	struct code_line *grown = f->lines;
	if (!(f->count & (f->count - 1)))
		grown = realloc(grown, 2 * (f->count + 1) * sizeof *grown);
	if (!grown)
		return false;
	f->lines = grown;
	while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
		length--;
	f->lines[f->count] = (struct code_line){number, strndup(text, length < LINE_BYTES ? length : LINE_BYTES)};
	return f->lines[f->count++].text;
}

static bool read_lines(struct code_file *f, const struct wanted *w, FILE *in)
{
	char *text = NULL;
	size_t room = 0;
	bool good = true;
	ssize_t length;
	for (uint32_t n = 1; good && n < w->most && (length = getline(&text, &room, in)) >= 0; n++)
		if (w->lines[n])
			good = keep_line(f, n, text, (size_t)length);
	free(text);
	return good;
}

static bool read_files(struct code *c, const struct wanted *all, const char *const *dirs)
{
	bool good = true;
	for (size_t i = 0; good && i < c->file_count; i++) {
		FILE *in = all[i].most ? find_file(c->files[i].path, dirs) : NULL;
		if (!in)
			continue;
		good = read_lines(&c->files[i], &all[i], in);
		fclose(in);
	}
	return good;
}

bool source_fill(struct code *c, const char *const *dirs, struct error *err)
{
	struct wanted *all = calloc(c->file_count + 1, sizeof *all);
	bool good = all;
	for (size_t i = 0; good && i < c->function_count; i++)
		good = want_function(all, c, &c->functions[i]);
	for (size_t i = 0; good && i < c->inlined_count; i++)
		good = c->inlined[i].file == CODE_NONE || want(&all[c->inlined[i].file], c->inlined[i].line);
	good = good && read_files(c, all, dirs);
	for (size_t i = 0; all && i < c->file_count; i++)
		free(all[i].lines);
	free(all);
	return good || no_memory(err);
}
