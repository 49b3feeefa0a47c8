/* A machine as a complete YAML file: every key, with its unit and meaning as a comment; nothing is left to a default
 * or to another file, so machine_parse reads back exactly the same machine. */
#include "base/memory_stream.h"
#include "machine/machine_rows.h"

#include <stdlib.h>
#include <string.h>

/* One code point of UTF-8 (checked when it was read) and its length. */
static uint32_t code_point(const unsigned char *p, unsigned *length)
{
	*length = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
	uint32_t c = *length == 1 ? *p : *p & (0x7fu >> *length);
	for (unsigned i = 1; i < *length; i++) {
		if ((p[i] & 0xc0) != 0x80) { /* not from a file: a name given by a program */
			*length = 1;
			return '?';
		}
		c = c << 6 | (p[i] & 0x3f);
	}
	return c;
}

/* Double-quoted. Escaped: what YAML readers refuse or fold into a blank (controls, line separators). */
static void quoted(const char *text, FILE *out)
{
	unsigned length;
	fputc('"', out);
	for (const unsigned char *p = (const unsigned char *)text; *p; p += length) {
		uint32_t c = code_point(p, &length);
		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", (int)c);
		else if (c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff ||
			 c == 0xfffe || c == 0xffff)
			fprintf(out, "\\u%04X", c);
		else if (length == 1)
			fputc((int)c, out);
		else
			fwrite(p, 1, length, out);
	}
	fputs("\"\n", out);
}

static void print_rows(const struct machine *m, const char *section, FILE *out)
{
	for (size_t i = 0; i < machine_row_count; i++) {
		const struct machine_row *row = &machine_rows[i];
		char buffer[16];
		if (strcmp(row->section, section))
			continue;
		const char *text = machine_row_text(row, machine_row_get(m, row), buffer);
		int width = fprintf(out, "  %s: %s", row->name, text);
		fprintf(out, "%*s# %s%s%s%s\n", width < 32 ? 32 - width : 1, "", row->meaning, *row->unit ? " (" : "",
			row->unit, *row->unit ? ")" : "");
	}
}

static void print_ops(const char *key, const uint32_t value[CULPRIT_OP_COUNT], FILE *out)
{
	fprintf(out, "%s:\n", key);
	for (int op = 0; op < CULPRIT_OP_COUNT; op++)
		fprintf(out, "  %s: %u\n", culprit_op_name(op), value[op]);
}

static void print_unit(const struct machine *m, const struct machine_unit *u, FILE *out)
{
	const char *separator = "";
	fprintf(out, "  - { name: \"%s\", count: %u, queue: \"%s\", ops: [", u->name, u->count,
		m->queues[u->queue].name);
	for (int op = 0; op < CULPRIT_OP_COUNT; op++)
		if (u->ops >> op & 1) {
			fprintf(out, "%s%s", separator, culprit_op_name(op));
			separator = ", ";
		}
	fputs("] }\n", out);
}

static void print_ideal(culprit_event_set ideal, FILE *out)
{
	const char *separator = "";
	fputs("ideal: [", out);
	for (int event = 0; event < CULPRIT_EVENT_COUNT; event++)
		if (ideal >> event & 1) {
			fprintf(out, "%s%s", separator, culprit_event_name(event));
			separator = ", ";
		}
	fputs("]\n", out);
}

bool machine_print(const struct machine *m, FILE *out)
{
	fputs("description: ", out);
	quoted(m->description, out);
	if (*m->validated) {
		fputs("validated: ", out);
		quoted(m->validated, out);
	}
	for (size_t i = 0; i < machine_section_count; i++) {
		fprintf(out, "%s: # %s\n", machine_sections[i].name, machine_sections[i].meaning);
		print_rows(m, machine_sections[i].name, out);
	}
	print_ops("latency", m->latency, out);
	print_ops("interval", m->interval, out);
	fputs("queues:\n", out);
	for (uint32_t i = 0; i < m->queue_count; i++)
		fprintf(out, "  - { name: \"%s\", entries: %u, width: %u }\n", m->queues[i].name, m->queues[i].entries,
			m->queues[i].width);
	fputs("units:\n", out);
	for (uint32_t i = 0; i < m->unit_count; i++)
		print_unit(m, &m->units[i], out);
	print_ideal(m->ideal, out);
	return !ferror(out);
}

char *machine_text(const struct machine *m)
{
	struct memory_stream out;
	bool good = memory_stream_open(&out) && machine_print(m, out.file);
	char *text = memory_stream_close(&out);
	if (good)
		return text;
	free(text);
	return NULL;
}
