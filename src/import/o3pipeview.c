/* gem5's O3PipeView: seven lines for each dynamic instruction, written when it is destroyed, so not in order.
 *
 *     O3PipeView:fetch:TICK:0xPC:UPC:SEQ:DISASSEMBLY
 *     O3PipeView:decode:TICK          likewise rename, dispatch, issue, complete
 *     O3PipeView:retire:TICK:store:TICK
 *
 * Tick 0: never reached; retire 0: squashed. Lines of other debug flags may stand between. A cycle has a number of
 * ticks that the file does not tell. */
#include "import/import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "O3PipeView:";
/* In the order of the lines; which time each is. */
static const struct step {
	const char *name;
	int time;
} steps[] = {
	{"fetch", IMPORT_FETCH},       {"decode", -1},		{"rename", -1},
	{"dispatch", IMPORT_DISPATCH}, {"issue", IMPORT_ISSUE}, {"complete", IMPORT_COMPLETE},
	{"retire", IMPORT_COMMIT},
};
enum { STEPS = sizeof steps / sizeof *steps };

/* A number, and what stands behind it must be `stop` or, for 0, the end. */
static bool take_number(const char **at, int base, char stop, uint64_t *value)
{
	char *end;
	if (!**at || strspn(*at, "0123456789abcdefABCDEFx") == 0)
		return false;
	*value = strtoull(*at, &end, base);
	if (end == *at || *end != stop)
		return false;
	*at = end + (stop != 0);
	return true;
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
	snprintf(i->text, sizeof i->text, "%s", rest);
	return true;
}

static bool read_step(struct import_trace *t, const struct step *step, char *rest, uint64_t line, struct error *err)
{
	struct import_insn *i = &t->insns[t->count - 1];
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
	if (step->time >= 0 && tick)
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
	TRY(*expected ? read_step(t, step, text, line, err) : read_fetch(t, text, line, err));
	*expected = (*expected + 1) % STEPS;
	return true;
}

bool import_o3pipeview(struct import_trace *t, FILE *in, struct error *err)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t length;
	uint64_t line = 0, others = 0;
	int expected = 0;
	bool good = true;
	t->unit = "line";
	while (good && (length = getline(&text, &room, in)) > 0) {
		line++;
		while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
			text[--length] = 0;
		if (memchr(text, 0, (size_t)length))
			good = import_wrong(t, line, err, "a byte 0: this is no text");
		else if (!strncmp(text, prefix, sizeof prefix - 1))
			good = read_line(t, text, line, &expected, err);
		else
			others += length != 0;
	}
	free(text);
	TRY(good);
	if (ferror(in))
		return import_wrong(t, line + 1, err, "cannot be read");
	if (expected)
		return import_wrong(t, line, err, "the file ends before the %s of instruction %" PRIu64,
				    steps[expected].name, t->insns[t->count - 1].number);
	if (others)
		fprintf(t->said, "%" PRIu64 " lines of something else were left out\n", others);
	return true;
}
