/* gem5's O3PipeView: seven lines for each dynamic instruction, written when it is destroyed, so not in order.
 *
 *     O3PipeView:fetch:TICK:0xPC:UPC:SEQ:DISASSEMBLY
 *     O3PipeView:decode:TICK          likewise rename, dispatch, issue, complete
 *     O3PipeView:retire:TICK:store:TICK
 *
 * Tick 0: never reached; retire 0: squashed. Lines of other debug flags may stand between. A cycle has a number of
 * ticks that the file does not tell.
 *
 * BOOM prints each line when it happens, so those of many instructions are mixed, each behind its number, and numbers
 * have blanks in front. A step that was not reached, as the retirement of what was squashed, has no line:
 *
 *     SEQ; O3PipeView:fetch:TICK:0xPC:0:SEQ:DASM(ENCODING)
 *     SEQ; O3PipeView:rename: TICK */
#include "import/import.h"

#include "base/map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "O3PipeView:";
/* In the order of the lines; which time each is. */
static const struct step {
	const char *name;
	int time;
} steps[] = {
	{"fetch", IMPORT_FETCH},       {"decode", IMPORT_DISPATCH}, {"rename", IMPORT_DISPATCH}, /* if no later one */
	{"dispatch", IMPORT_DISPATCH}, {"issue", IMPORT_ISSUE},	    {"complete", IMPORT_COMPLETE},
	{"retire", IMPORT_COMMIT},
};
enum { STEPS = sizeof steps / sizeof *steps };

/* A number, which may have blanks in front, and what stands behind it must be `stop` or, for 0, the end. */
static bool take_number(const char **at, int base, char stop, uint64_t *value)
{
	char *end;
	*at += strspn(*at, " ");
	if (strspn(*at, "0123456789abcdefABCDEFx") == 0)
		return false;
	*value = strtoull(*at, &end, base);
	if (end == *at || *end != stop)
		return false;
	*at = end + (stop != 0);
	return true;
}

/* DASM(ENCODING), as RTL prints it for a disassembler behind it. */
static uint32_t encoding(const char *text)
{
	uint64_t bits = 0;
	text += strspn(text, " ");
	if (strncmp(text, "DASM(", 5) != 0)
		return 0;
	text += 5;
	return take_number(&text, 16, ')', &bits) && bits <= UINT32_MAX ? (uint32_t)bits : 0;
}

static bool read_fetch(struct import_trace *t, const char *rest, uint64_t line, struct error *err)
{
	uint64_t tick, part;
	struct import_insn *i = import_add(t, err);
	TRY(i);
	i->line = line;
	if (!take_number(&rest, 10, ':', &tick) || !take_number(&rest, 16, ':', &i->pc) ||
	    !take_number(&rest, 10, ':', &part) || !take_number(&rest, 10, ':', &i->number))
		return import_wrong(t, line, err, "not fetch:TICK:0xPC:UPC:SEQ:DISASSEMBLY");
	i->time[IMPORT_FETCH] = tick;
	i->part = part != 0;
	i->bits = encoding(rest);
	snprintf(i->text, sizeof i->text, "%s", rest);
	return true;
}

static bool read_step(struct import_trace *t, struct import_insn *i, const struct step *step, char *rest, uint64_t line,
		      struct error *err)
{
	uint64_t tick;
	const char *at = rest;
	if (step->time == IMPORT_COMMIT) {
		char *store = strstr(rest, ":store:");
		uint64_t written;
		const char *value = store ? store + strlen(":store:") : "";
		if (store && !take_number(&value, 10, 0, &written))
			return import_wrong(t, line, err, "not retire:TICK:store:TICK");
		if (store)
			*store = 0;
	}
	if (!take_number(&at, 10, 0, &tick))
		return import_wrong(t, line, err, "not %s:TICK", step->name);
	if (tick)
		i->time[step->time] = tick;
	if (step->time == IMPORT_COMMIT)
		i->squashed = !tick;
	return true;
}

/* *expected: the step that comes next. */
static bool read_line(struct import_trace *t, char *text, uint64_t line, int *expected, struct error *err)
{
	const struct step *step = &steps[*expected];
	size_t length = strlen(step->name);
	text += sizeof prefix - 1;
	if (strncmp(text, step->name, length) != 0 || text[length] != ':') {
		if (!*expected)
			return import_wrong(t, line, err, "expected the fetch of an instruction, got '%.20s'", text);
		return import_wrong(t, line, err,
				    "expected the %s of instruction %" PRIu64 " of line %" PRIu64 ", got '%.20s'",
				    step->name, t->insns[t->count - 1].number, t->insns[t->count - 1].line, text);
	}
	text += length + 1;
	TRY(*expected ? read_step(t, &t->insns[t->count - 1], step, text, line, err) : read_fetch(t, text, line, err));
	*expected = (*expected + 1) % STEPS;
	return true;
}

/* --- lines with a number in front --- */

struct tagged {
	struct map numbers; /* to index + 1 */
	uint64_t strangers;
};

/* What stands behind `SEQ; O3PipeView:`, or NULL. */
static char *tag(char *text, uint64_t *number)
{
	const char *at = text;
	if (!take_number(&at, 10, ';', number))
		return NULL;
	at += strspn(at, " ");
	return strncmp(at, prefix, sizeof prefix - 1) != 0 ? NULL : text + (at - text) + sizeof prefix - 1;
}

static bool read_tagged(struct import_trace *t, struct tagged *all, char *text, uint64_t number, uint64_t line,
			struct error *err)
{
	const uint32_t known = map_get(&all->numbers, number);
	const size_t length = strcspn(text, ":");
	int n = 0;
	while (n < STEPS && (strlen(steps[n].name) != length || strncmp(text, steps[n].name, length) != 0))
		n++;
	if (n == STEPS || !text[length])
		return import_wrong(t, line, err, "expected a step of instruction %" PRIu64 ", got '%.20s'", number,
				    text);
	text += length + 1;
	if (n && !known) {
		all->strangers++;
		return true;
	}
	if (n)
		return read_step(t, &t->insns[known - 1], &steps[n], text, line, err);
	TRY(read_fetch(t, text, line, err));
	struct import_insn *i = &t->insns[t->count - 1];
	if (i->number != number)
		return import_wrong(t, line, err, "instruction %" PRIu64 " has the number %" PRIu64 " in front",
				    i->number, number);
	i->squashed = true; /* until it retires */
	return map_put(&all->numbers, number, (uint32_t)t->count) ||
	       error_set(err, ERROR_SYSTEM, "%s: out of memory", t->place);
}

bool import_o3pipeview(struct import_trace *t, FILE *in, struct error *err)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t length;
	uint64_t line = 0, others = 0;
	int expected = 0;
	bool good = true;
	struct tagged all = {.strangers = 0};
	t->unit = "line";
	while (good && (length = getline(&text, &room, in)) > 0) {
		uint64_t number;
		char *tagged;
		line++;
		while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
			text[--length] = 0;
		if (memchr(text, 0, (size_t)length))
			good = import_wrong(t, line, err, "a byte 0: this is no text");
		else if (!strncmp(text, prefix, sizeof prefix - 1))
			good = read_line(t, text, line, &expected, err);
		else if ((tagged = tag(text, &number)))
			good = read_tagged(t, &all, tagged, number, line, err);
		else
			others += length != 0;
	}
	free(text);
	map_destroy(&all.numbers);
	TRY(good);
	if (ferror(in))
		return import_wrong(t, line + 1, err, "%s", import_unreadable(in));
	if (expected)
		return import_wrong(t, line, err, "the file ends before the %s of instruction %" PRIu64,
				    steps[expected].name, t->insns[t->count - 1].number);
	import_say(t, all.strangers, "{line is|lines are} of instructions that were fetched before the trace begins");
	import_say(t, others, "{line of something else was|lines of something else were} left out");
	return true;
}
