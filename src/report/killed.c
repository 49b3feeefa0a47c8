#include "report/killed.h"

#include "report/format.h"

enum { WHERE_MAX = 1200 }; /* two places */

/* "main+0x1a (gzip), gzip.c:12"; "gzip+0x3ade" of an object without symbols, and the address where no object is. */
static int place(const struct report_place *p, char *text, size_t size)
{
	const char *base = *p->function ? p->function : p->object;
	const bool both = *p->function && *p->object;
	char line[16];
	snprintf(line, sizeof line, ":%u", p->line);
	return snprintf(text, size, "%s%s0x%llx%s%s%s%s%s%s", base, *base ? "+" : "",
			(unsigned long long)(*base ? p->offset : p->pc), both ? " (" : "", both ? p->object : "",
			both ? ")" : "", *p->file ? ", " : "", p->file, *p->file ? line : "");
}

static const char *where(const struct report_killed *k, char text[WHERE_MAX])
{
	int used = place(&k->at, text, WHERE_MAX);
	if (k->has_caller) {
		used += snprintf(text + used, WHERE_MAX - (size_t)used, ", called from ");
		place(&k->caller, text + used, WHERE_MAX - (size_t)used);
	}
	return text;
}

void killed_line(const struct report_killed *k, char *text, size_t size)
{
	char at[WHERE_MAX];
	text[0] = 0;
	if (k->signal)
		snprintf(text, size, "killed by %s (signal %d) at %s: %s", k->name, k->signal, where(k, at), k->reason);
}

void killed_head(const struct report_killed *k, FILE *out)
{
	char at[WHERE_MAX];
	if (k->signal)
		fprintf(out, "  *** %s%skilled by %s (signal %d): %s ***\n  at %s%s%s\n", k->program,
			*k->program ? ": " : "", k->name, k->signal, k->reason, where(k, at),
			*k->instruction ? ": " : "", k->instruction);
}

static json_t *text_or_null(const char *text)
{
	return *text ? json_string(text) : json_null();
}

static json_t *place_json(const struct report_place *p)
{
	json_t *o = json_object();
	json_object_set_new(o, "pc", format_integer(p->pc));
	json_object_set_new(o, "function", text_or_null(p->function));
	json_object_set_new(o, "object", text_or_null(p->object));
	json_object_set_new(o, "file", text_or_null(p->file));
	json_object_set_new(o, "line", p->line ? json_integer(p->line) : json_null());
	return o;
}

json_t *killed_json(const struct report_killed *k)
{
	if (!k->signal)
		return json_null();
	json_t *o = place_json(&k->at);
	json_object_set_new(o, "signal", json_integer(k->signal));
	json_object_set_new(o, "name", json_string(k->name));
	if (*k->program)
		json_object_set_new(o, "program", json_string(k->program));
	json_object_set_new(o, "instruction", text_or_null(k->instruction));
	json_object_set_new(o, "address", k->has_address ? format_integer(k->address) : json_null());
	json_object_set_new(o, "called_from", k->has_caller ? place_json(&k->caller) : json_null());
	json_object_set_new(o, "reason", json_string(k->reason));
	return o;
}
