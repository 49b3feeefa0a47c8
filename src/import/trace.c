/* The table that readers fill, and the files that they read. */
#include "import/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

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

void import_clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 127)
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

/* zlib gives what there is of a file that was cut, and then no more: that is an error here. */
static ssize_t read_packed(void *cookie, char *to, size_t size)
{
	int got = gzread(cookie, to, (unsigned)size), why = Z_OK;
	gzerror(cookie, &why);
	if (got > 0 || (got == 0 && why != Z_BUF_ERROR))
		return got;
	errno = why == Z_ERRNO ? EIO : EBADMSG;
	return -1;
}

const char *import_unreadable(FILE *in)
{
	char byte;
	clearerr(in);
	errno = 0;
	bool again = fread(&byte, 1, 1, in) == 1; /* the place of the error is where it was */
	return !again && errno == EBADMSG ? "cannot be read: the gzip file is cut short or damaged" : "cannot be read";
}

static int close_packed(void *cookie)
{
	return gzclose(cookie);
}

FILE *import_open(const char *path, struct error *err)
{
	const cookie_io_functions_t calls = {.read = read_packed, .close = close_packed};
	struct stat st; /* it is read more than once, and must end */
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		error_set(err, ERROR_INPUT, "%s: not a file (a directory, a pipe, a device)", path);
		return NULL;
	}
	errno = 0;
	gzFile packed = gzopen(path, "rb");
	FILE *in = packed ? fopencookie(packed, "r", calls) : NULL;
	if (in)
		return in;
	if (packed)
		gzclose(packed);
	error_set(err, ERROR_INPUT, "%s: %s", path, errno ? strerror(errno) : "out of memory");
	return NULL;
}

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
		bool zstd = starts(head, size, "\x28\xb5\x2f\xfd");
		return error_set(err, ERROR_INPUT,
				 zstd ? "%s: packed by zstd: unpack it first"
				      : "%s: neither an O3PipeView nor a Kanata file, nor a database of PerfCCT",
				 path);
	}
	return true;
}
