/* The table that readers fill, and the files that they read. */
#include "import/import.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INSTRUCTIONS = UINT32_MAX - 1 };

struct import_insn *import_add(struct import_trace *t, struct error *err)
{
	if (t->count == t->room) {
		size_t room = t->room ? 2 * t->room : 4096;
		struct import_insn *grown = t->count < MOST_INSTRUCTIONS ? realloc(t->insns, room * sizeof *grown)
									 : NULL;
		if (!grown) {
			error_set(err, ERROR_SYSTEM, "%s: out of memory for more than %zu instructions", t->place,
				  t->count);
			return NULL;
		}
		t->insns = grown;
		t->room = room;
	}
	struct import_insn *i = &t->insns[t->count++];
	*i = (struct import_insn){.number = t->count};
	for (int n = 0; n < IMPORT_TIMES; n++)
		i->time[n] = IMPORT_NEVER;
	for (int n = 0; n < IMPORT_PRODUCERS; n++)
		i->producer[n] = IMPORT_NEVER;
	return i;
}

void import_say(const struct import_trace *t, uint64_t count, const char *what)
{
	if (!count)
		return;
	fprintf(t->said, "%" PRIu64 " ", count);
	for (const char *many; *what; what++) {
		if (*what != '{') {
			fputc(*what, t->said);
			continue;
		}
		many = strchr(what, '|');
		const char *end = strchr(many, '}'), *from = count == 1 ? what + 1 : many + 1;
		fwrite(from, 1, (size_t)((count == 1 ? many : end) - from), t->said);
		what = end;
	}
	fputc('\n', t->said);
}

void import_clean(char *text)
{
	for (; *text; text++)
		if (*text == '\t') /* between mnemonic and operands */
			*text = ' ';
		else if ((unsigned char)*text < ' ' || *text == 127)
			*text = '?';
}

bool import_wrong(const struct import_trace *t, uint64_t line, struct error *err, const char *format, ...)
{
	char why[300];
	va_list list;
	va_start(list, format);
	vsnprintf(why, sizeof why, format, list);
	va_end(list);
	import_clean(why);
	if (!strcmp(t->unit, "line"))
		return error_set(err, ERROR_INPUT, "%s:%" PRIu64 ": %s", t->place, line, why);
	return error_set(err, ERROR_INPUT, "%s: %s %" PRIu64 ": %s", t->place, t->unit, line, why);
}

void import_destroy(struct import_trace *t)
{
	free(t->insns);
	t->insns = NULL;
	t->count = t->room = 0;
}

/* --- files --- */

static bool starts(const char *head, size_t size, const char *with)
{
	size_t length = strlen(with);
	return size >= length && !memcmp(head, with, length);
}

bool import_recognise(const char *path, enum import_format *format, struct error *err)
{
	char head[1 << 16];
	FILE *in = import_open(path, err);
	if (!in)
		return false;
	size_t size = fread(head, 1, sizeof head, in);
	const char *failed = ferror(in) ? import_unreadable(in) : NULL;
	fclose(in);
	if (failed)
		return error_set(err, ERROR_INPUT, "%s: %s", path, failed);
	if (starts(head, size, "SQLite format 3")) {
		*format = IMPORT_PERFCCT;
	} else if (starts(head, size, "Kanata")) {
		*format = IMPORT_KANATA;
	} else if (memmem(head, size, "O3PipeView:", 11)) {
		*format = IMPORT_O3PIPEVIEW;
	} else {
		return error_set(err, ERROR_INPUT,
				 "%s: neither an O3PipeView nor a Kanata file, nor a database of PerfCCT", path);
	}
	return true;
}
