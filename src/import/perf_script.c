/* perf script's text, a line for each sample. What it prints depends on its version, the event and the list of
 * fields, always in one order:
 *
 *     COMM TID TIME: PERIOD EVENT: ADDR DATA_SRC WEIGHT INS_LAT IP SYM (DSO) FROM/TO/... FROM/TO/...
 *     prog 1412 0.000123: 1000 instructions:ppp: 7ffd10 68100142 |OP LOAD|LVL L1 hit|... 5 12 10432 0x10440/...
 *
 * Each may be missing but the branch stack (the newest branch first) or the data source. Words have no names, so they
 * are told apart by form: the event ends with a colon, a data source begins with "|OP", branches have slashes, and
 * what is left are numbers (take_numbers). */
#include "import/perf_script.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4096 };

struct line {
	char *words[WORDS];
	size_t count;
	size_t access, branches, event; /* the words where they are; `count` = there are none */
	const char *time;
};

struct parser {
	struct perf_script *s;
	const char *place;
	struct error *err;
	struct line line;
	char time[32]; /* of the sample before */
	bool waits;    /* the sample before has no address yet: a call chain follows */
};

static bool fail(const struct parser *p, const char *word, const char *why)
{
	return error_set(p->err, ERROR_INPUT, "%s:%" PRIu64 ": %.80s%s%s", p->place, p->s->lines, word,
			 *word ? ": " : "", why);
}

static bool no_memory(const struct parser *p)
{
	return error_set(p->err, ERROR_SYSTEM, "%s: out of memory", p->place);
}

/* --- words --- */

static bool is_number(const char *word, const char *digits)
{
	size_t size = strspn(word, digits);
	return size && size <= 20 && !word[size];
}

static bool is_hex(const char *word)
{
	return is_number(word, "0123456789abcdef") && strlen(word) <= 16;
}

static bool ends_in(const char *word, char c)
{
	size_t size = strlen(word);
	return size > 1 && word[size - 1] == c;
}

static bool is_time(const char *word)
{
	size_t seconds = strspn(word, "0123456789"),
	       rest = word[seconds] == '.' ? strspn(word + seconds + 1, "0123456789") : 0;
	return seconds && rest && word[seconds + 1 + rest] == ':' && !word[seconds + 2 + rest];
}

/* Cuts the text into words. False: too many. */
static bool cut(struct line *l, char *text)
{
	l->count = 0;
	l->time = NULL;
	for (char *word = strtok_r(text, " \t\r", &text); word; word = strtok_r(NULL, " \t\r", &text)) {
		if (l->count == WORDS)
			return false;
		l->words[l->count++] = word;
	}
	l->access = l->branches = l->event = l->count;
	for (size_t i = l->count; i-- > 0;) {
		const char *word = l->words[i];
		if (perf_branch_is(word))
			l->branches = i;
		else if (word[0] == '|')
			l->access = i;
		else if (is_time(word))
			l->time = l->time ? l->time : word;
	}
	for (size_t i = 0; i < l->count && i < l->branches && i < l->access; i++)
		if (ends_in(l->words[i], ':') && !is_time(l->words[i]))
			l->event = i;
	return true;
}

/* --- growing --- */

static bool sample_room(struct perf_script *s)
{
	if (s->count < s->room)
		return true;
	size_t room = s->room ? 2 * s->room : 1024;
	struct culprit_precise_sample *samples = realloc(s->samples, room * sizeof *samples);
	s->samples = samples ? samples : s->samples;
	uint8_t *events = samples ? realloc(s->event_of, room) : NULL;
	s->event_of = events ? events : s->event_of;
	s->room = events ? room : s->room;
	return events != NULL;
}

static bool branch_room(struct perf_script *s, size_t more)
{
	if (s->branch_count + more <= s->branch_room)
		return true;
	size_t room = 2 * (s->branch_room + more);
	struct culprit_branch_record *branches = realloc(s->branches, room * sizeof *branches);
	s->branches = branches ? branches : s->branches;
	s->branch_room = branches ? room : s->branch_room;
	return branches != NULL;
}

/* --- mappings: PERF_RECORD_MMAP2 1/1: [0x10000(0x2000) @ 0x1000 08:01 5 0]: r-xp /bin/prog --- */

static bool take_mapping(struct parser *p, const char *text)
{
	struct perf_script *s = p->s;
	struct perf_mapping m = {.path = NULL};
	const char *at = strchr(text, '['), *close = strrchr(text, ']'), *path = close ? strpbrk(close, "/") : NULL;
	bool code = close &&
		    (strncmp(text, "PERF_RECORD_MMAP2", 17) != 0 || strstr(close, "xp ") || strstr(close, "xs "));
	if (!at || !close || sscanf(at, "[%" SCNx64 "(%" SCNx64 ") @ %" SCNx64, &m.start, &m.size, &m.offset) != 3 ||
	    m.size > UINT64_MAX - m.start)
		return fail(p, "", "a mapping that is not [0xSTART(0xSIZE) @ 0xOFFSET ...]: r-xp PATH");
	if (!path || !code || s->mapping_count == PERF_MAPPINGS_MAX) {
		s->others++;
		return true;
	}
	struct perf_mapping *grown = realloc(s->mappings, (s->mapping_count + 1) * sizeof *grown);
	s->mappings = grown ? grown : s->mappings;
	m.path = grown ? strdup(path) : NULL;
	if (!m.path)
		return no_memory(p);
	s->mappings[s->mapping_count++] = m;
	return true;
}

/* --- one sample --- */

/* The event's number; the last stands for those that have no place of their own. */
static uint8_t event_number(struct perf_script *s, const char *word)
{
	char name[256];
	snprintf(name, sizeof name, "%.*s", word ? (int)strlen(word) - 1 : 7, word ? word : "samples");
	struct perf_event e = {.use = PERF_USE_ANY};
	perf_event_name(&e, name);
	uint32_t i = 0;
	while (i < s->event_count && strcmp(s->events[i].name, e.name) != 0)
		i++;
	if (i == PERF_EVENTS_MAX)
		return PERF_EVENTS_MAX - 1;
	if (i == s->event_count)
		s->events[s->event_count++] = e;
	return (uint8_t)i;
}

static bool take_branches(struct parser *p, struct culprit_precise_sample *x)
{
	const struct line *l = &p->line;
	struct perf_script *s = p->s;
	x->first_branch = s->branch_count;
	if (!branch_room(s, l->count - l->branches))
		return no_memory(p);
	for (size_t i = l->branches; i < l->count; i++) {
		struct culprit_branch_record *b = &s->branches[s->branch_count];
		if (!perf_branch_is(l->words[i])) {
			s->unread++;
			continue;
		}
		const char *wrong = perf_branch_parse(l->words[i], b);
		if (wrong)
			return fail(p, l->words[i], wrong);
		if (!b->from || !b->to) /* an entry that was never written */
			break;
		s->branch_count++;
		x->branch_count++;
	}
	return true;
}

/* Of the numbers from `first` to before `end`, which is the sample's address? The last one: weights and the address of
 * the access stand in front of it. But a symbol behind it may look like a number. Symbols begin with a letter, as some
 * addresses do. */
static size_t find_address(const struct line *l, size_t first, size_t end)
{
	size_t last = end - 1;
	if (last == first || isdigit((unsigned char)*l->words[last]))
		return last;
	uint64_t a = strtoull(l->words[last - 1], NULL, 16), b = strtoull(l->words[last], NULL, 16);
	const char *branch = l->branches < l->count ? l->words[l->branches] : "";
	bool a_near = perf_branch_near(branch, a), b_near = perf_branch_near(branch, b);
	bool symbol = a_near != b_near ? a_near : a > b;
	return symbol ? last - 1 : last;
}

/* Behind a data source come the weights and the address; without one, an access's address may be in front of it. */
static void take_numbers(struct parser *p, struct culprit_precise_sample *x)
{
	const struct line *l = &p->line;
	bool access = l->access < l->count;
	size_t first = access ? l->access + 1 : l->event < l->count ? l->event + 1 : 0, end;
	while (first < l->branches && !is_hex(l->words[first]) && !access && l->event == l->count)
		first++; /* the command's name */
	for (end = first; end < l->branches && is_hex(l->words[end]);)
		end++;
	size_t ip = end > first ? find_address(l, first, end) : end;
	x->ip = ip < end ? strtoull(l->words[ip], NULL, 16) : 0;
	if (access && first < ip && is_number(l->words[first], "0123456789")) {
		uint64_t latency = strtoull(l->words[first], NULL, 10);
		x->latency = latency > UINT32_MAX ? UINT32_MAX : (uint32_t)latency;
	}
	size_t numbers = end - first, weights = access && numbers ? numbers - 1 : 0;
	size_t used = (x->ip != 0) + (weights > 3 ? 3 : weights);
	p->s->unread += l->branches - first > used ? l->branches - first - used : 0;
}

/* SPE's samples are printed once for each thing that befell them, with one time. */
static bool is_again(struct parser *p, const struct culprit_precise_sample *x)
{
	const struct perf_script *s = p->s;
	const char *time = p->line.time;
	bool again = time && x->ip && s->count && !strcmp(p->time, time) && s->samples[s->count - 1].ip == x->ip;
	snprintf(p->time, sizeof p->time, "%.31s", time ? time : "");
	return again;
}

static void merge(struct perf_script *s, const struct culprit_precise_sample *x)
{
	struct culprit_precise_sample *old = &s->samples[s->count - 1];
	s->merged++;
	s->branch_count -= x->branch_count && x->first_branch + x->branch_count == s->branch_count ? x->branch_count
												   : 0;
	if (!(old->flags & CULPRIT_PRECISE_ACCESS) && (x->flags & CULPRIT_PRECISE_ACCESS)) {
		old->level = x->level;
		old->latency = x->latency;
		old->flags |= x->flags;
	}
}

static bool take_sample(struct parser *p, struct culprit_precise_sample *x)
{
	struct perf_script *s = p->s;
	const struct line *l = &p->line;
	take_numbers(p, x);
	TRY(take_branches(p, x));
	uint8_t number = event_number(s, l->event < l->count ? l->words[l->event] : NULL);
	struct perf_event *e = &s->events[number];
	x->latency_of = x->latency ? e->latency_of : CULPRIT_LATENCY_NONE;
	if (is_again(p, x)) {
		merge(s, x);
		return true;
	}
	e->samples++;
	p->waits = !x->ip;
	if (!sample_room(s))
		return no_memory(p);
	s->event_of[s->count] = number;
	s->samples[s->count++] = *x;
	return true;
}

/* The first line of a call chain has the address of a sample that has none. */
static void take_chain(struct parser *p, bool indented)
{
	if (p->waits && indented && p->line.count && is_hex(p->line.words[0]))
		p->s->samples[p->s->count - 1].ip = strtoull(p->line.words[0], NULL, 16);
	p->waits = false;
	p->s->others++;
}

static bool take_line(struct parser *p, char *text, size_t size)
{
	struct line *l = &p->line;
	struct culprit_precise_sample x = {.ip = 0};
	if (p->s->lines == 1 && size >= 8 && (!memcmp(text, "PERFILE2", 8) || !memcmp(text, "2ELIFREP", 8)))
		return error_set(p->err, ERROR_INPUT,
				 "%s: a file of perf record: print it first, with perf script --show-mmap-events "
				 "-F " PERF_FIELDS,
				 p->place);
	if (memchr(text, 0, size))
		return fail(p, "", "no text of perf script: it has a zero byte");
	const char *record = strstr(text, "PERF_RECORD_");
	if (record && !strncmp(record, "PERF_RECORD_MMAP", 16))
		return take_mapping(p, record);
	if (*text == '#' || record || !text[strspn(text, " \t\r")]) {
		p->s->others += record != NULL;
		return true;
	}
	bool indented = *text == ' ' || *text == '\t';
	char *access = strstr(text, "|OP ");
	if (access)
		perf_access_take(access, &x);
	if (!cut(l, text))
		return fail(p, "", "more than 4096 words");
	for (size_t i = 0; l->branches == l->count && i < l->count; i++)
		if (perf_branch_symbolic(l->words[i]))
			return fail(p, l->words[i], "a branch by names: print it with -F brstack, not brstacksym");
	if (l->branches < l->count || access || l->event < l->count)
		return take_sample(p, &x);
	take_chain(p, indented);
	return true;
}

/* --- the whole --- */

/* Paths are taken from events that count instructions, if any has them. */
static bool finish(struct parser *p)
{
	struct perf_script *s = p->s;
	bool even = false;
	for (size_t i = 0; i < s->count; i++)
		even |= s->events[s->event_of[i]].use == PERF_USE_PATHS && s->samples[i].branch_count > 1;
	s->all_paths = !even;
	uint64_t stacks = 0;
	for (size_t i = 0; i < s->count; i++) {
		struct culprit_precise_sample *x = &s->samples[i];
		struct perf_event *e = &s->events[s->event_of[i]];
		bool useless = e->use == PERF_USE_NOTHING;
		bool stack = !useless && x->branch_count > 1 && (!even || e->use == PERF_USE_PATHS);
		x->flags |= stack ? CULPRIT_PRECISE_STACK : 0;
		x->flags &= (uint8_t)(useless ? ~CULPRIT_PRECISE_ACCESS : ~0);
		s->unused += useless;
		stacks += stack;
		e->stacks += stack;
		e->accesses += (x->flags & CULPRIT_PRECISE_ACCESS) != 0;
	}
	if (!s->count)
		return error_set(p->err, ERROR_INPUT,
				 "%s: no samples of perf script in it; print them with perf script --show-mmap-events "
				 "-F " PERF_FIELDS,
				 p->place);
	return stacks ||
	       error_set(p->err, ERROR_INPUT,
			 "%s: no sample has a branch stack that can be used: perf record -b (or -j any,u) takes them, "
			 "and perf script -F brstack prints them",
			 p->place);
}

bool perf_script_parse(struct perf_script *s, FILE *in, const char *place, struct error *err)
{
	*s = (struct perf_script){.count = 0};
	struct parser *p = calloc(1, sizeof *p);
	if (!p)
		return error_set(err, ERROR_SYSTEM, "%s: out of memory", place);
	p->s = s;
	p->place = place;
	p->err = err;
	char *text = NULL;
	size_t room = 0;
	bool good = true;
	for (ssize_t size; good && (size = getline(&text, &room, in)) > 0;) {
		s->lines++;
		size -= text[size - 1] == '\n';
		text[size] = '\0';
		good = take_line(p, text, (size_t)size);
	}
	if (good && ferror(in))
		good = error_set(err, ERROR_INPUT, "%s: %s", place, strerror(errno));
	good = good && finish(p);
	free(text);
	free(p);
	return good;
}

bool perf_script_read(struct perf_script *s, const char *path, struct error *err)
{
	if (!strcmp(path, "-"))
		return perf_script_parse(s, stdin, "standard input", err);
	*s = (struct perf_script){.count = 0};
	FILE *in = fopen(path, "re");
	if (!in)
		return error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
	bool good = perf_script_parse(s, in, path, err);
	fclose(in);
	return good;
}

void perf_script_destroy(struct perf_script *s)
{
	for (uint32_t i = 0; i < s->mapping_count; i++)
		free(s->mappings[i].path);
	free(s->mappings);
	free(s->samples);
	free(s->event_of);
	free(s->branches);
	*s = (struct perf_script){.count = 0};
}
