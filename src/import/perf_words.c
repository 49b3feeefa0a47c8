/* Words of perf script's lines: branch records, data sources, names of events. */
#include "import/perf_script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- branch records: 0xFROM/0xTO/P/-/-/CYCLES, and what newer versions add behind --- */

static bool take_address(const char **at, uint64_t *address)
{
	char *end;
	if (strncmp(*at, "0x", 2) != 0 || !isxdigit((unsigned char)(*at)[2]) ||
	    strspn(*at + 2, "0123456789abcdefABCDEF") > 16)
		return false;
	*address = strtoull(*at, &end, 16);
	if (*end == '(') { /* the object, with -F dso */
		end = strchr(end, ')');
		if (!end)
			return false;
		end++;
	}
	*at = end;
	return true;
}

bool perf_branch_is(const char *word)
{
	uint64_t address;
	return take_address(&word, &address) && *word == '/';
}

/* "main+0x10/main+0x2/P/-/-/0" */
bool perf_branch_symbolic(const char *word)
{
	const char *slash = strchr(word, '/');
	size_t slashes = 0;
	for (const char *at = word; *at; at++)
		slashes += *at == '/';
	return slash && slash != word && slashes >= 5 && (strstr(word, "/-/-/") || strstr(word, "/X/-/"));
}

/* The field up to the next slash or the end; *at goes behind it. */
static size_t take_field(const char **at, const char **field)
{
	*field = *at;
	size_t size = strcspn(*at, "/");
	*at += size + ((*at)[size] == '/');
	return size;
}

static const char *take_prediction(const char **at, uint8_t *flags)
{
	const char *field;
	size_t size = take_field(at, &field);
	*flags = 0;
	for (size_t i = 0; i < size; i++) {
		if (field[i] == 'M')
			*flags |= CULPRIT_BRANCH_WAS_MISPREDICTED;
		else if (field[i] == 'P')
			*flags |= CULPRIT_BRANCH_WAS_PREDICTED;
		else if (field[i] == 'N')
			*flags |= CULPRIT_BRANCH_NOT_TAKEN;
		else if (field[i] != '-')
			return "its prediction is none of P, M, N and -";
	}
	return size ? NULL : "its prediction (P, M, N or -) is missing";
}

const char *perf_branch_parse(const char *word, struct culprit_branch_record *b)
{
	const char *field;
	if (!take_address(&word, &b->from) || *word++ != '/' || !take_address(&word, &b->to) || *word++ != '/')
		return "not 0xFROM/0xTO/...";
	const char *wrong = take_prediction(&word, &b->flags);
	if (wrong)
		return wrong;
	if (take_field(&word, &field) != 1 || !strchr("X-", *field))
		return "its field of transactions is neither X nor -";
	if (take_field(&word, &field) != 1 || !strchr("A-", *field))
		return "its field of aborts is neither A nor -";
	size_t size = take_field(&word, &field), digits = strspn(field, "0123456789");
	bool none = size == 1 && *field == '-';
	if (!size || size > 9 || (digits != size && !none))
		return "its cycles are no number";
	b->cycles = none ? 0 : (uint32_t)strtoul(field, NULL, 10);
	return NULL;
}

bool perf_branch_near(const char *word, uint64_t address)
{
	enum { STRAIGHT = 1 << 16 }; /* bytes: no straight code is as long */
	struct culprit_branch_record b;
	if (perf_branch_parse(word, &b))
		return false;
	return address == b.from || (address >= b.to && address - b.to < STRAIGHT);
}

/* --- data sources: |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A --- */

static bool has(const char *text, size_t size, const char *what)
{
	return memmem(text, size, what, strlen(what)) != NULL;
}

/* "L1 hit", "L3 or L3 hit", "LFB/MAB hit", "L1 miss", "Local RAM hit", "Remote Cache (1 hop) hit" ... */
static void take_level(const char *text, size_t size, struct culprit_precise_sample *x)
{
	bool miss = has(text, size, "miss");
	if (has(text, size, "LFB") || has(text, size, "MAB")) {
		x->flags |= CULPRIT_PRECISE_MERGED;
		x->level = CULPRIT_LEVEL_NONE;
	} else if (has(text, size, "RAM") || has(text, size, "PMEM") || has(text, size, "CXL") ||
		   has(text, size, "I/O") || has(text, size, "Uncached") || (miss && has(text, size, "L3"))) {
		x->level = CULPRIT_LEVEL_MEMORY;
	} else if (has(text, size, "L3") || has(text, size, "L4") || has(text, size, "Cache") ||
		   has(text, size, "Any cache") || (miss && has(text, size, "L2"))) {
		x->level = CULPRIT_LEVEL_L3;
	} else if (has(text, size, "L2") || (miss && has(text, size, "L1"))) {
		x->level = CULPRIT_LEVEL_L2;
	} else if (has(text, size, "L1")) {
		x->level = CULPRIT_LEVEL_L1;
	}
}

static void take_part(const char *text, size_t size, struct culprit_precise_sample *x)
{
	if (size >= 3 && !strncmp(text, "OP ", 3) && (has(text, size, "LOAD") || has(text, size, "STORE")))
		x->flags |= CULPRIT_PRECISE_ACCESS;
	else if (size >= 4 && !strncmp(text, "LVL ", 4))
		take_level(text + 4, size - 4, x);
	else if (size >= 4 && !strncmp(text, "TLB ", 4) && (has(text, size, "Walker") || has(text, size, "miss")))
		x->flags |= CULPRIT_PRECISE_WALK;
}

/* The last part ends with its value; other words may follow it. */
static size_t last_part(const char *text)
{
	static const char *const values[] = {"N/A", "No", "Yes", "None", "Data", "Addr", "Locked"};
	size_t size = strcspn(text, " \t"), end = size;
	for (bool more = true; more;) {
		size_t blank = strspn(text + end, " \t"), word = strcspn(text + end + blank, " \t");
		more = false;
		for (size_t i = 0; i < sizeof values / sizeof *values && word; i++)
			more |= word == strlen(values[i]) && !strncmp(text + end + blank, values[i], word);
		if (more)
			size = end = end + blank + word;
	}
	return size;
}

/* Nothing is known of an access whose level is not told. */
void perf_access_take(char *text, struct culprit_precise_sample *x)
{
	char *at = text;
	while (*at == '|') {
		char *next = strchr(at + 1, '|');
		size_t size = next ? (size_t)(next - at) - 1 : last_part(at + 1);
		take_part(at + 1, size, x);
		memset(at, ' ', size + 1);
		at += size + 1;
	}
	*text = '|';
	if (!x->level && !(x->flags & (CULPRIT_PRECISE_MERGED | CULPRIT_PRECISE_WALK)))
		x->flags &= (uint8_t)~CULPRIT_PRECISE_ACCESS;
}

/* --- events --- */

void perf_event_name(struct perf_event *e, const char *name)
{
	static const char *const biased[] = {"miss", "misp", "MISP", "MISS", "remote-access"};
	static const char *const instructions[] = {"instructions", "inst_retired", "INST_RETIRED", "instret", "ibs_op"};
	snprintf(e->name, sizeof e->name, "%.*s", PERF_NAME_MAX - 1, name);
	e->latency_of = CULPRIT_LATENCY_ACCESS;
	for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
		if (strstr(name, instructions[i]))
			e->use = PERF_USE_PATHS;
	for (size_t i = 0; i < sizeof biased / sizeof *biased; i++)
		if (strstr(name, biased[i]))
			e->use = PERF_USE_NOTHING;
	if (strstr(name, "ibs_op"))
		e->latency_of = CULPRIT_LATENCY_MISS;
	if (strstr(name, "arm_spe") || !strncmp(name, "l1d-", 4) || !strcmp(name, "memory"))
		e->latency_of =
			CULPRIT_LATENCY_NONE; /* its latency is from dispatch: it has waits for operands in it */
	const char *least = strstr(name, "ldlat=");
	e->slowest = least ? (uint32_t)strtoul(least + 6, NULL, 0) : 0;
}
