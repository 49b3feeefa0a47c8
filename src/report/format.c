#include "report/format.h"

#include "base/output.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *format_grouped(int64_t v, char text[32])
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%" PRIu64, v < 0 ? 0 - (uint64_t)v : (uint64_t)v), o = 0;
	if (v < 0)
		text[o++] = '-';
	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			text[o++] = ',';
		text[o++] = digits[i];
	}
	text[o] = 0;
	return text;
}

const char *format_counted(uint64_t n, const char *one, char text[64])
{
	char number[32];
	snprintf(text, 64, "%s %.24s%s", format_grouped((int64_t)n, number), one, n == 1 ? "" : "s");
	return text;
}

void format_shell_word(const char *word, char *text, size_t size)
{
	const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-^~";
	size_t used = strlen(text);
	if (!*word)
		used += (size_t)snprintf(text + used, size - used, "''");
	for (const char *c = word; *c && used + 4 < size; c++) {
		const bool is_plain = strchr(plain, *c) && !(*c == '~' && c == word);
		if (*c == '\n')
			used += (size_t)snprintf(text + used, size - used, "'\n'");
		else if (is_plain || (unsigned char)*c >= 0x80)
			text[used++] = *c;
		else
			used += (size_t)snprintf(text + used, size - used, "\\%c", *c);
		text[used] = 0;
	}
	if (used + 1 < size)
		strcpy(text + used, " ");
}

void format_xml(const char *text, size_t most, FILE *out)
{
	for (size_t i = 0; i < most && text[i]; i++)
		switch (text[i]) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			if ((unsigned char)text[i] >= ' ')
				fputc(text[i], out);
		}
}

/* What cannot be written is output_commit's to tell. */
static bool dump(const json_t *root, struct output *o, struct error *err)
{
	if (json_dumpf(root, o->file, JSON_INDENT(2) | JSON_PRESERVE_ORDER) && !ferror(o->file))
		return error_set(err, ERROR_SYSTEM, "%s: out of memory for JSON", o->path);
	fputc('\n', o->file);
	return true;
}

bool format_write_json(json_t *root, const char *path, struct error *err)
{
	if (!root)
		return error_set(err, ERROR_SYSTEM, "out of memory for JSON");
	struct output o;
	bool good = output_open(&o, path, err) && output_finish(&o, dump(root, &o, err), err);
	json_decref(root);
	return good;
}

bool format_read_json(json_t **result, const char *path, struct error *err)
{
	json_error_t why;
	struct stat st;
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return error_set(err, ERROR_INPUT, "%s: not a file", path);
	if (access(path, R_OK)) /* jansson says it with a part of a long path */
		return error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
	*result = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	if (*result)
		return true;
	if (why.line < 0)
		return error_set(err, ERROR_INPUT, "%s", why.text);
	return error_set(err, ERROR_INPUT, "%s:%d:%d: no JSON: %s", path, why.line, why.column, why.text);
}

json_t *format_text(const char *text)
{
	json_t *s = json_string(text);
	if (s)
		return s;
	char plain[1000];
	size_t n = 0;
	for (; *text && n + 1 < sizeof plain; text++)
		plain[n++] = *text;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)plain[i] >= 0x80)
			plain[i] = '?';
	return json_stringn(plain, n);
}
