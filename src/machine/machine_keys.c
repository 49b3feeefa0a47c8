/* docs/reference/machine-keys.md out of machine.def, machine_enums.def, machine_ops.def and the public tables. */
#include "machine/machine_keys.h"

#include "machine/machine_read.h"
#include "machine/machine_rows.h"

#include <string.h>

static const char *const op_labels[] = {
#define OP_CLASS(name, label, event, part) label,
#include "culprit/op_class.def"
};

static void values(const struct machine_row *row, FILE *out)
{
	if (row->kind == MACHINE_KIND_UINT) {
		fprintf(out, "%u to %u", row->min, row->max);
		return;
	}
	if (row->kind == MACHINE_KIND_BOOL) {
		fputs("`true`, `false`", out);
		return;
	}
	for (uint32_t i = 0; i < row->word_count; i++)
		fprintf(out, "%s`%s`", i ? ", " : "", row->words[i].text);
}

static void rows_of(const struct machine_section *section, FILE *out)
{
	fprintf(out, "\n## `%s`: %s\n\n| key | default | values | unit | meaning |\n|---|---|---|---|---|\n",
		section->name, section->meaning);
	for (size_t i = 0; i < machine_row_count; i++) {
		const struct machine_row *row = &machine_rows[i];
		char buffer[16];
		if (strcmp(row->section, section->name))
			continue;
		fprintf(out, "| `%s.%s` | %s | ", row->section, row->name,
			machine_row_text(row, row->fallback, buffer));
		values(row, out);
		fprintf(out, " | %s | %s |\n", row->unit, row->meaning);
	}
}

static void words(FILE *out)
{
	fputs("\n## Words\n\n| word | meaning |\n|---|---|\n", out);
#define MACHINE_ENUM_TAG(tag, meaning) fprintf(out, "| **%s** | |\n", meaning);
#define MACHINE_ENUM_VALUE(tag, name, word, meaning) fprintf(out, "| `%s` | %s |\n", word, meaning);
#include "machine/machine_enums.def"
}

static void operations(const struct machine *m, FILE *out)
{
	fputs("\n## `latency`, `interval`: execution\n\n"
	      "`latency.CLASS` is the number of cycles from issue to the result, `interval.CLASS` the number of "
	      "cycles\n"
	      "until the same unit takes the next instruction (1 = fully pipelined). 1 to 1000 each; `latency.load` "
	      "and\n"
	      "`latency.amo` count only what comes before the cache access, and may be 0.\n\n"
	      "| class | instructions | default latency | default interval |\n|---|---|---|---|\n",
	      out);
	for (int op = 0; op < CULPRIT_OP_COUNT; op++)
		fprintf(out, "| `%s` | %s | %u | %u |\n", culprit_op_name(op), op_labels[op], m->latency[op],
			m->interval[op]);
}

static void default_units(const struct machine *m, FILE *out)
{
	for (uint32_t i = 0; i < m->unit_count; i++) {
		const struct machine_unit *u = &m->units[i];
		const char *separator = "";
		fprintf(out, "| `%s` | %u | ", u->name, u->count);
		for (int op = 0; op < CULPRIT_OP_COUNT; op++)
			if (u->ops >> op & 1) {
				fprintf(out, "%s`%s`", separator, culprit_op_name(op));
				separator = ", ";
			}
		fputs(" |\n", out);
	}
}

static void lists(const struct machine *m, FILE *out)
{
	const struct machine_range *entries = machine_range_find("queues.entries");
	const struct machine_range *width = machine_range_find("queues.width");
	const struct machine_range *count = machine_range_find("units.count");
	fprintf(out,
		"\n## `queues`: issue queues\n\n"
		"A list of 1 to %d entries; the default is one queue `all` without a limit of its own.\n\n"
		"| key | default | values | meaning |\n|---|---|---|---|\n"
		"| `name` | required | letters, digits, `_`, `-` | what units and `--set queues.NAME.KEY=` call it |\n"
		"| `entries` | 0 | %u to %u | instructions that wait in it; 0 = the ROB is the only limit |\n"
		"| `width` | 0 | %u to %u | instructions issued from it in a cycle; 0 = `issue.width` |\n",
		MACHINE_QUEUES_MAX, entries->min, entries->max, width->min, width->max);
	fprintf(out,
		"\n## `units`: execution units\n\n"
		"A list of 1 to %d entries; every class belongs to one of them, or to two of different queues:\n"
		"dispatch then chooses one for each instruction (core-timing.md).\n\n"
		"| key | default | values | meaning |\n|---|---|---|---|\n"
		"| `name` | required | letters, digits, `_`, `-` | what `--set units.NAME.KEY=` calls it |\n"
		"| `count` | 1 | %u to %u | units of this kind |\n"
		"| `queue` | the only queue | a name in `queues` | where its instructions wait |\n"
		"| `ops` | required | a list of classes | what it executes |\n\n"
		"Default units:\n\n| name | count | classes |\n|---|---|---|\n",
		MACHINE_UNITS_MAX, count->min, count->max);
	default_units(m, out);
}

static void ideal(FILE *out)
{
	fputs("\n## `ideal`: what is idealised away\n\n"
	      "A list of event classes, empty by default (`--set ideal=dl1,win`; also `all` = the first eight, "
	      "`none`).\n\n"
	      "| class | events |\n|---|---|\n",
	      out);
	for (int event = 0; event < CULPRIT_EVENT_COUNT; event++)
		fprintf(out, "| `%s` | %s |\n", culprit_event_name(event), culprit_event_what(event));
}

bool machine_print_keys(FILE *out)
{
	struct machine m;
	machine_defaults(&m);
	fputs("# Keys of a machine file\n\n"
	      "Generated from the tables in `src/machine` by `test_machine_machine_keys --print`; do not edit. How to "
	      "write a "
	      "machine\n"
	      "file is told in [machines.md](machines.md).\n\n"
	      "| key | meaning |\n|---|---|\n",
	      out);
	fprintf(out,
		"| `description` | one line, at most %d bytes |\n"
		"| `validated` | how far the machine is validated: `measured`, `published` or `parameters` (sizes "
		"alone), a "
		"colon and one line, at most %d bytes in all. It is not inherited, and `--set` takes it away |\n"
		"| `extends` | the machine to start from: a name, looked for beside this file and in the machine "
		"directories |\n",
		MACHINE_DESCRIPTION_MAX, MACHINE_DESCRIPTION_MAX);
	for (size_t i = 0; i < machine_section_count; i++)
		rows_of(&machine_sections[i], out);
	operations(&m, out);
	lists(&m, out);
	ideal(out);
	words(out);
	return !ferror(out);
}
