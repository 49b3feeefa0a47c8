#include "run/killed.h"

#include "base/plain.h"
#include "report/lines.h"
#include "report/symbols.h"

#include <string.h>

static void name_place(struct report_place *p, uint64_t pc, const struct symbols *symbols, const struct lines *lines)
{
	const struct symbol_place found = symbols_find(symbols, pc);
	const struct line_place line = lines_find(lines, pc);
	p->space = found.object ? pc >> GUEST_SPACE_SHIFT << GUEST_SPACE_SHIFT : 0;
	p->pc = pc - p->space;
	if (!found.object)
		return;
	snprintf(p->object, sizeof p->object, "%s", found.object);
	snprintf(p->function, sizeof p->function, "%s", found.function ? found.function : "");
	p->offset = found.offset;
	snprintf(p->file, sizeof p->file, "%s", line.file ? line.file : "");
	p->line = line.file ? line.line : 0;
}

void killed_fill(struct report_killed *k, const struct guest_death *d, const struct symbols *symbols,
		 const struct lines *lines)
{
	*k = (struct report_killed){.signal = d->signal};
	if (!d->signal)
		return;
	snprintf(k->name, sizeof k->name, "%s", guest_signal_name(d->signal));
	plain_copy(d->program ? d->program : "", k->program, sizeof k->program);
	snprintf(k->reason, sizeof k->reason, "%s", d->reason);
	for (size_t i = 0; d->instruction[i]; i++)
		k->instruction[i] = d->instruction[i] == '\t' ? ' ' : d->instruction[i];
	k->has_address = d->has_address;
	k->address = d->address;
	k->has_caller = d->caller != 0;
	name_place(&k->at, d->pc, symbols, lines);
	if (!k->has_caller)
		return;
	name_place(&k->caller, d->caller - 1, symbols, lines); /* the call ends there */
	k->caller.offset++;
	k->caller.pc++;
}

/* Only what is asked for: a library's tables are long. */
static bool add_objects(struct symbols *symbols, struct lines *lines, const struct guest *guest, struct error *err)
{
	const struct guest_death *d = guest_death(guest);
	struct guest_object o;
	for (size_t i = 0; guest_object(guest, i, &o); i++) {
		if (d->pc - o.start >= o.end - o.start && d->caller - 1 - o.start >= o.end - o.start)
			continue;
		TRY(symbols_add(symbols, o.path, o.start, o.end, o.bias, err));
		TRY(lines_add(lines, o.path, o.bias, err));
	}
	return true;
}

bool killed_find(struct report_killed *k, const struct guest *guest, struct error *err)
{
	memset(k, 0, sizeof *k);
	TRY(guest_check(guest, err));
	if (!guest_death(guest)->signal)
		return true;
	struct symbols *symbols = symbols_create(err);
	struct lines *lines = symbols ? lines_create(err) : NULL;
	const bool good = lines && add_objects(symbols, lines, guest, err);
	if (good)
		killed_fill(k, guest_death(guest), symbols, lines);
	symbols_destroy(symbols);
	lines_destroy(lines);
	return good;
}

void killed_say(const struct report_killed *k, const char *program)
{
	char line[2 * sizeof *k], name[4096];
	killed_line(k, line, sizeof line);
	if (*line)
		fprintf(stderr, "culprit: %s: %s\n", *k->program ? k->program : plain_copy(program, name, sizeof name),
			line);
}
