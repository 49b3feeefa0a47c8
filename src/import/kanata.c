/* Kanata 0004, the format of the Konata viewer: a line for each thing that happens, in the order of time. Stages of
 * lane 0 are looked at; what they are called is the simulator's business, so rules say which stage is which time
 * (import_stages). An instruction's number is its id, which counts from the file's start in the order of fetch. */
#include "base/map.h"
#include "import/kanata_rules.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 4, STAGES_SHOWN = 16 };

/* --- the file --- */

/* Of an instruction, beside what import_insn has. */
struct life {
	char open[STAGE]; /* the stage of lane 0 that it is in; "" = none */
	uint64_t seen[IMPORT_TIMES][CHOICES];
	uint32_t entered; /* a bit for each of kanata.stages */
	bool retired, has_pc;
};

struct kanata {
	struct import_trace *t;
	struct kanata_rules rules;
	struct life *lives; /* as t->insns */
	size_t room;
	struct map ids; /* to index + 1 */
	uint64_t now, line, thread;
	char stages[STAGES_SHOWN][STAGE]; /* that the file has, for errors */
	unsigned stage_count;
};

static bool number(const char *text, uint64_t *value)
{
	char *end;
	if (!isdigit((unsigned char)*text))
		return false;
	*value = strtoull(text, &end, 10);
	return !*end;
}

static bool find(struct kanata *k, const char *text, size_t *index, struct error *err)
{
	uint64_t id;
	if (!number(text, &id))
		return import_wrong(k->t, k->line, err, "'%.20s' is no id", text);
	uint32_t slot = map_get(&k->ids, id);
	if (!slot)
		return import_wrong(k->t, k->line, err, "instruction %" PRIu64 " has not begun (no line I)", id);
	*index = slot - 1;
	return true;
}

static bool begin(struct kanata *k, char *const *field, struct error *err)
{
	uint64_t id, seq, thread;
	if (!number(field[1], &id) || !number(field[2], &seq) || !number(field[3], &thread))
		return import_wrong(k->t, k->line, err, "not I, id, number, thread");
	if (map_get(&k->ids, id))
		return import_wrong(k->t, k->line, err, "instruction %" PRIu64 " begins a second time", id);
	if (k->t->count && thread != k->thread)
		return import_wrong(k->t, k->line, err, "a second thread: %" PRIu64 " and %" PRIu64, k->thread, thread);
	k->thread = thread;
	struct import_insn *i = import_add(k->t, err);
	TRY(i);
	if (k->room < k->t->room) {
		struct life *grown = realloc(k->lives, k->t->room * sizeof *grown);
		if (!grown)
			return error_set(err, ERROR_SYSTEM, "%s: out of memory", k->t->place);
		k->lives = grown;
		k->room = k->t->room;
	}
	i->number = id;
	i->line = k->line;
	i->squashed = true; /* until it retires */
	memset(&k->lives[k->t->count - 1], 0xff, sizeof *k->lives);
	k->lives[k->t->count - 1].open[0] = 0;
	k->lives[k->t->count - 1].retired = k->lives[k->t->count - 1].has_pc = false;
	k->lives[k->t->count - 1].entered = 0;
	return map_put(&k->ids, id, (uint32_t)k->t->count) ||
	       error_set(err, ERROR_SYSTEM, "%s: out of memory", k->t->place);
}

/* The address: a first word of at least four hexadecimal digits, or the first 0x... in the text. */
static const char *find_address(const char *text, uint64_t *pc)
{
	size_t digits = strspn(text, "0123456789abcdefABCDEF");
	const char *at = text;
	if (digits < 4 || (text[digits] && !strchr(": \t", text[digits]))) {
		at = strstr(text, "0x");
		if (!at)
			return NULL;
		at += 2;
		digits = strspn(at, "0123456789abcdefABCDEF");
	}
	if (!digits || digits > 16)
		return NULL;
	*pc = strtoull(at, NULL, 16);
	at += digits;
	return at + strspn(at, ": \t");
}

static void label(struct kanata *k, size_t index, const char *type, const char *text)
{
	struct import_insn *i = &k->t->insns[index];
	const char *rest = strcmp(type, "0") != 0 || k->lives[index].has_pc ? NULL : find_address(text, &i->pc);
	if (!rest)
		return;
	k->lives[index].has_pc = true;
	snprintf(i->text, sizeof i->text, "%s", rest);
}

/* First times of fetch and dispatch; last ones of what may be done again. */
static void note(struct kanata *k, struct life *l, const char *stage, bool end)
{
	for (int time = 0; time < IMPORT_TIMES; time++)
		for (unsigned n = 0; n < k->rules.count[time]; n++) {
			const struct kanata_choice *c = &k->rules.choices[time][n];
			bool first = time <= IMPORT_DISPATCH && l->seen[time][n] != IMPORT_NEVER;
			if (c->end == end && !first && !strcmp(c->stage, stage))
				l->seen[time][n] = k->now;
		}
}

static void close_stage(struct kanata *k, struct life *l)
{
	if (*l->open)
		note(k, l, l->open, true);
	*l->open = 0;
}

/* Its bit; 0: it is not known, and there is no room for one more. */
static uint32_t stage_bit(struct kanata *k, const char *stage, bool add)
{
	for (unsigned i = 0; i < k->stage_count; i++)
		if (!strcmp(k->stages[i], stage))
			return 1u << i;
	if (!add || k->stage_count == STAGES_SHOWN)
		return 0;
	snprintf(k->stages[k->stage_count], STAGE, "%s", stage);
	return 1u << k->stage_count++;
}

/* Some writers end a stage after the next one has begun, or when the instruction has left. */
static bool end_stage(struct kanata *k, struct life *l, const char *stage)
{
	if (!strcmp(l->open, stage))
		close_stage(k, l);
	else if (!(l->entered & stage_bit(k, stage, false)))
		return false;
	else if (!l->retired)
		note(k, l, stage, true);
	return true;
}

static bool stage(struct kanata *k, size_t index, char *const *field, struct error *err)
{
	struct life *l = &k->lives[index];
	if (l->retired && *field[0] == 'S')
		return import_wrong(k->t, k->line, err, "a stage of instruction %" PRIu64 " after it has left",
				    k->t->insns[index].number);
	if (strcmp(field[2], "0") != 0)
		return true;
	if (!*field[3] || strlen(field[3]) >= STAGE)
		return import_wrong(k->t, k->line, err, "a stage's name of 1 to %d letters is expected", STAGE - 1);
	if (*field[0] == 'E')
		return end_stage(k, l, field[3]) ||
		       import_wrong(k->t, k->line, err, "stage %s ends, and instruction %" PRIu64 " is not in it",
				    field[3], k->t->insns[index].number);
	close_stage(k, l);
	l->entered |= stage_bit(k, field[3], true);
	note(k, l, field[3], false);
	snprintf(l->open, sizeof l->open, "%s", field[3]);
	return true;
}

static bool leave(struct kanata *k, size_t index, const char *type, struct error *err)
{
	struct life *l = &k->lives[index];
	struct import_insn *i = &k->t->insns[index];
	if (l->retired)
		return import_wrong(k->t, k->line, err, "instruction %" PRIu64 " leaves a second time", i->number);
	if (strcmp(type, "0") != 0 && strcmp(type, "1") != 0)
		return import_wrong(k->t, k->line, err, "neither retired (0) nor flushed (1): '%.20s'", type);
	close_stage(k, l);
	l->retired = true;
	i->squashed = *type == '1';
	i->time[IMPORT_COMMIT] = k->now;
	return true;
}

static bool depend(struct kanata *k, size_t index, const char *producer, const char *type, struct error *err)
{
	size_t from;
	struct import_insn *i = &k->t->insns[index];
	TRY(find(k, producer, &from, err));
	if (strcmp(type, "0") != 0)
		return true;
	k->t->tells_producers = true;
	for (int n = 0; n < IMPORT_PRODUCERS; n++)
		if (i->producer[n] == IMPORT_NEVER || i->producer[n] == k->t->insns[from].number) {
			i->producer[n] = k->t->insns[from].number;
			break;
		}
	return true;
}

static bool clock_line(struct kanata *k, char *const *field, bool absolute, struct error *err)
{
	uint64_t cycles;
	if (!number(field[1], &cycles) || cycles > UINT64_MAX / 4)
		return import_wrong(k->t, k->line, err, "'%.20s' is no number of cycles", field[1]);
	if (absolute && cycles < k->now)
		return import_wrong(k->t, k->line, err, "time goes back, from %" PRIu64 " to %" PRIu64, k->now, cycles);
	k->now = absolute ? cycles : k->now + cycles;
	return k->now < UINT64_MAX / 2 || import_wrong(k->t, k->line, err, "time overflows");
}

static bool command(struct kanata *k, char *const *field, struct error *err)
{
	size_t index = 0;
	if (!strcmp(field[0], "C=") || !strcmp(field[0], "C"))
		return clock_line(k, field, field[0][1], err);
	if (!strcmp(field[0], "I"))
		return begin(k, field, err);
	if (strlen(field[0]) != 1 || !strchr("LSERW", *field[0]))
		return import_wrong(k->t, k->line, err, "no command of Kanata: '%.20s'", field[0]);
	TRY(find(k, field[1], &index, err));
	switch (*field[0]) {
	case 'L':
		label(k, index, field[2], field[3]);
		return true;
	case 'R':
		return leave(k, index, field[3], err);
	case 'W':
		return depend(k, index, field[2], field[3], err);
	default:
		return stage(k, index, field, err);
	}
}

/* Behind what belongs to a line there may be blanks, more columns, and a comment. */
static void cut_comment(char *text)
{
	size_t length = strcspn(text, "\t");
	char *comment = strstr(text, "//");
	if (comment && (size_t)(comment - text) < length)
		length = (size_t)(comment - text);
	while (length && text[length - 1] == ' ')
		length--;
	text[length] = 0;
}

static bool read_lines(struct kanata *k, FILE *in, struct error *err)
{
	char *text = NULL;
	size_t room = 0;
	bool good = true;
	while (good && getline(&text, &room, in) > 0) {
		char *field[FIELDS] = {"", "", "", ""}, *at = text;
		k->line++;
		text[strcspn(text, "\r\n")] = 0;
		for (int n = 0; n < FIELDS && at; n++) {
			field[n] = at;
			at = n + 1 < FIELDS ? strchr(at, '\t') : NULL;
			if (at)
				*at++ = 0;
		}
		for (int n = 0; n < FIELDS && strcmp(field[0], "L") != 0; n++)
			if (*field[n])
				cut_comment(field[n]);
		if (k->line == 1 && (strcmp(field[0], "Kanata") != 0 || strcmp(field[1], "0004") != 0))
			good = import_wrong(k->t, 1, err, "not a file of Kanata 0004");
		else if (k->line > 1 && *field[0])
			good = command(k, field, err);
	}
	free(text);
	TRY(good);
	return (k->line && !ferror(in)) || import_wrong(k->t, k->line + 1, err, "%s", import_unreadable(in));
}

/* --- what it comes to --- */

static bool no_time(const struct kanata *k, const struct import_insn *i, int time, struct error *err)
{
	char known[STAGES_SHOWN * (STAGE + 2)] = "";
	for (unsigned n = 0; n < k->stage_count; n++)
		snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", n ? ", " : "", k->stages[n]);
	return import_wrong(k->t, i->line, err,
			    "no %s of instruction %" PRIu64 ": say with --map which stage it is; the file has %s",
			    kanata_time_names[time], i->number, *known ? known : "none");
}

/* A time that no instruction has is a wrong map; one that some lack is a step that they did not take. */
static bool take_times(struct kanata *k, struct error *err)
{
	uint64_t left = 0;
	size_t lacks[IMPORT_TIMES] = {0}; /* index + 1 of the first */
	bool has[IMPORT_TIMES] = {false};
	for (size_t n = 0; n < k->t->count; n++) {
		struct import_insn *i = &k->t->insns[n];
		left += !k->lives[n].retired;
		if (i->squashed)
			continue;
		if (!k->lives[n].has_pc)
			return import_wrong(k->t, i->line, err, "no label of instruction %" PRIu64 " has its address",
					    i->number);
		for (int time = 0; time < IMPORT_TIMES; time++) {
			for (unsigned c = 0; c < k->rules.count[time]; c++)
				if (k->lives[n].seen[time][c] != IMPORT_NEVER) {
					i->time[time] = k->lives[n].seen[time][c];
					break;
				}
			has[time] |= i->time[time] != IMPORT_NEVER;
			if (!lacks[time] && i->time[time] == IMPORT_NEVER)
				lacks[time] = n + 1;
		}
	}
	for (int time = 0; time < IMPORT_TIMES; time++)
		if (lacks[time] && (!has[time] || time == IMPORT_FETCH || time == IMPORT_COMMIT))
			return no_time(k, &k->t->insns[lacks[time] - 1], time, err);
	import_say(
		k->t, left,
		"{instruction|instructions} had not left when the file ended: {it is|they are} among those left out");
	return true;
}

bool import_kanata(struct import_trace *t, FILE *in, const struct import_stages *stages, struct error *err)
{
	struct kanata k = {.t = t};
	t->unit = "line";
	t->ticks = 1;
	bool good = kanata_rules(stages, &k.rules, err) && read_lines(&k, in, err) && take_times(&k, err);
	free(k.lives);
	map_destroy(&k.ids);
	return good;
}
