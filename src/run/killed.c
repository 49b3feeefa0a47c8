#include "run/killed.h"

#include "base/plain.h"
#include "report/lines.h"
#include "report/symbols.h"

#include <string.h>

static bool name_function(struct report_place *p, const struct guest_object *o, struct error *err)
{
	struct symbols *symbols = symbols_create(err);
	bool good = symbols && symbols_add(symbols, o->path, o->start, o->end, o->bias, err);
	if (good) {
		struct symbol_place found = symbols_find(symbols, p->pc);
		snprintf(p->object, sizeof p->object, "%s", found.object);
		snprintf(p->function, sizeof p->function, "%s", found.function ? found.function : "");
		p->offset = found.offset;
	}
	symbols_destroy(symbols);
	return good;
}

static bool name_line(struct report_place *p, const struct guest_object *o, struct error *err)
{
	struct lines *lines = lines_create(err);
	bool good = lines && lines_add(lines, o->path, o->bias, err);
	if (good) {
		struct line_place found = lines_find(lines, p->pc);
		snprintf(p->file, sizeof p->file, "%s", found.file ? found.file : "");
		p->line = found.file ? found.line : 0;
	}
	lines_destroy(lines);
	return good;
}

static bool find_place(struct report_place *p, const struct guest *guest, uint64_t pc, struct error *err)
{
	struct guest_object o;
	p->pc = pc;
	for (size_t i = 0; guest_object(guest, i, &o); i++)
		if (pc >= o.start && pc < o.end)
			return name_function(p, &o, err) && name_line(p, &o, err);
	return true;
}

bool killed_find(struct report_killed *k, const struct guest *guest, struct error *err)
{
	const struct guest_death *d = guest_death(guest);
	memset(k, 0, sizeof *k);
	TRY(guest_check(guest, err));
	if (!d->signal)
		return true;
	k->signal = d->signal;
	snprintf(k->name, sizeof k->name, "%s", guest_signal_name(d->signal));
	snprintf(k->reason, sizeof k->reason, "%s", d->reason);
	for (size_t i = 0; d->instruction[i]; i++)
		k->instruction[i] = d->instruction[i] == '\t' ? ' ' : d->instruction[i];
	k->has_address = d->has_address;
	k->address = d->address;
	k->has_caller = d->caller != 0;
	TRY(find_place(&k->at, guest, d->pc, err));
	if (!k->has_caller)
		return true;
	TRY(find_place(&k->caller, guest, d->caller - 1, err)); /* the call ends there */
	k->caller.offset += d->caller - k->caller.pc;
	k->caller.pc = d->caller;
	return true;
}

void killed_say(const struct report_killed *k, const char *program)
{
	char line[2 * sizeof *k], name[4096];
	killed_line(k, line, sizeof line);
	if (*line)
		fprintf(stderr, "culprit: %s: %s\n", plain_copy(program, name, sizeof name), line);
}
