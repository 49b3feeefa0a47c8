/* Checking a file: every place of the outline is a row of machine.def, a number of a known range, or a row of the table
 * below, or else it is refused with what was probably meant. Applying it: scalars, latencies and intervals override one
 * by one; queues, units and ideal replace the whole list. */
#include "machine/machine_read.h"

#include "machine/machine_rows.h"

#include <stdlib.h>
#include <string.h>

void machine_defaults(struct machine *m)
{
#define OP(class) (UINT32_C(1) << CULPRIT_OP_##class)
	static const struct machine_unit units[] = {
#define MACHINE_DEFAULT_UNIT(name, count, ops) {name, count, 0, ops},
#include "machine/machine_ops.def"
	};
	memset(m, 0, sizeof *m); /* padding too: machines may be compared as bytes */
	for (size_t i = 0; i < machine_row_count; i++)
		machine_row_put(m, &machine_rows[i], machine_rows[i].fallback);
#define MACHINE_OP(op, cycles, every)         \
	m->latency[CULPRIT_OP_##op] = cycles; \
	m->interval[CULPRIT_OP_##op] = every;
#include "machine/machine_ops.def"
	m->queue_count = 1;
	strcpy(m->queues[0].name, "all");
	m->unit_count = sizeof units / sizeof units[0];
	memcpy(m->units, units, sizeof units);
}

/* --- what may stand where --- */

enum words { NO_WORDS, OPS, EVENTS };

static const struct place {
	const char *path; /* '#' stands for the number of a list's entry */
	enum outline_kind kind;
	const char *expected; /* or NULL: a list of words */
	uint32_t least, most; /* of a text: characters; of an entry: `most` entries in the list */
	enum words words;
} places[] = {
	{"", OUTLINE_MAPPING, "a mapping of keys", 0, 0, NO_WORDS},
	{"description", OUTLINE_SCALAR, "a text", 0, MACHINE_DESCRIPTION_MAX, NO_WORDS},
	{"validated", OUTLINE_SCALAR, "a text", 0, MACHINE_DESCRIPTION_MAX, NO_WORDS},
	{"extends", OUTLINE_SCALAR, "a text", 1, 63, NO_WORDS},
#define MACHINE_SECTION(section, meaning) {#section, OUTLINE_MAPPING, "a mapping of keys", 0, 0, NO_WORDS},
#include "machine/machine.def"
	{"latency", OUTLINE_MAPPING, "a mapping of keys", 0, 0, NO_WORDS},
	{"interval", OUTLINE_MAPPING, "a mapping of keys", 0, 0, NO_WORDS},
	{"queues", OUTLINE_SEQUENCE, "a list of mappings", 0, 0, NO_WORDS},
	{"queues[#]", OUTLINE_MAPPING, "a mapping of keys", 0, MACHINE_QUEUES_MAX, NO_WORDS},
	{"queues[#].name", OUTLINE_SCALAR, "a text", 1, MACHINE_NAME_MAX - 1, NO_WORDS},
	{"units", OUTLINE_SEQUENCE, "a list of mappings", 0, 0, NO_WORDS},
	{"units[#]", OUTLINE_MAPPING, "a mapping of keys", 0, MACHINE_UNITS_MAX, NO_WORDS},
	{"units[#].name", OUTLINE_SCALAR, "a text", 1, MACHINE_NAME_MAX - 1, NO_WORDS},
	{"units[#].queue", OUTLINE_SCALAR, "a text", 1, MACHINE_NAME_MAX - 1, NO_WORDS},
	{"units[#].ops", OUTLINE_SEQUENCE, NULL, 0, 0, OPS},
	{"units[#].ops[#]", OUTLINE_SCALAR, NULL, 0, 0, OPS},
	{"ideal", OUTLINE_SEQUENCE, NULL, 0, 0, EVENTS},
	{"ideal[#]", OUTLINE_SCALAR, NULL, 0, 0, EVENTS},
};

static const struct place *place_of(const char *path)
{
	char plain[OUTLINE_PATH_MAX + 16] = "";
	for (char *to = plain; *path && to < plain + OUTLINE_PATH_MAX; path++) {
		*to++ = *path;
		if (*path != '[')
			continue;
		*to++ = '#';
		path += strspn(path + 1, "0123456789");
	}
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
		if (!strcmp(places[i].path, plain))
			return &places[i];
	return NULL;
}

/* "window.rob" -> the row; NULL for paths that are not rows. */
static const struct machine_row *row_of(const char *path)
{
	const char *dot = strchr(path, '.');
	char section[MACHINE_NAME_MAX];
	if (!dot || (size_t)(dot - path) >= sizeof section)
		return NULL;
	memcpy(section, path, (size_t)(dot - path));
	section[dot - path] = '\0';
	return machine_row_find(section, dot + 1);
}

static int find_word(enum words words, const char *text)
{
	return words == OPS ? machine_op_find(text) : machine_event_find(text);
}

static void list_of_words(enum words words, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "a list of %s classes", words == OPS ? "operation" : "event");
	int count = words == OPS ? CULPRIT_OP_COUNT : CULPRIT_EVENT_COUNT;
	for (int i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : " (",
					 words == OPS ? culprit_op_name(i) : culprit_event_name(i));
	if (used < size)
		snprintf(text + used, size - used, ")");
}

/* What may stand at a known path. */
static void expected(const char *path, char *text, size_t size)
{
	const struct machine_row *row = row_of(path);
	const struct machine_range *range = machine_range_find(path);
	const struct place *place = place_of(path);
	if (row)
		machine_row_expected(row, text, size);
	else if (range)
		snprintf(text, size, "a whole number from %u to %u %s", range->min, range->max, range->unit);
	else if (place->words)
		list_of_words(place->words, text, size);
	else
		snprintf(text, size, "%s", place->expected);
}

/* --- checking --- */

static bool wrong(const struct outline *o, const struct outline_node *n, struct error *err)
{
	static const char *const kinds[] = {"nothing", "a mapping", "a list"};
	char want[400], quoted[64];
	expected(n->path, want, sizeof want);
	if (n->kind == OUTLINE_SCALAR && *n->text)
		return outline_error(o, n->path, err, "expected %s; found '%s'", want,
				     machine_quotable(n->text, quoted));
	return outline_error(o, n->path, err, "expected %s; found %s", want, kinds[n->kind]);
}

static bool unknown_key(const struct outline *o, const struct outline_node *n, struct error *err)
{
	const char *near = machine_key_nearest(n->path);
	if (near)
		return outline_error(o, n->path, err, "unknown key; did you mean %s?", near);
	return outline_error(o, n->path, err, "unknown key");
}

/* A number or a word of its own. What is no number of 32 bits is not called out of range. */
static bool check_value(const struct outline *o, const struct outline_node *n, struct error *err)
{
	const struct machine_row *row = row_of(n->path);
	uint32_t value;
	char reason[300];
	if (n->kind != OUTLINE_SCALAR || !*n->text || strtoull(n->text, NULL, 10) > UINT32_MAX)
		return wrong(o, n, err);
	bool good = row ? machine_row_parse(row, n->text, &value, reason, sizeof reason)
			: machine_range_parse(machine_range_find(n->path), n->text, &value, reason, sizeof reason);
	return good || outline_error(o, n->path, err, "%s", reason);
}

static bool check_text(const struct outline *o, const struct outline_node *n, const struct place *p, struct error *err)
{
	size_t length = strlen(n->text);
	if (length < p->least)
		return outline_error(o, n->path, err, "must not be empty");
	return length <= p->most || outline_error(o, n->path, err, "longer than %u characters", p->most);
}

static bool check_entry(const struct outline *o, const struct outline_node *n, const struct place *p, struct error *err)
{
	char list[OUTLINE_PATH_MAX];
	size_t length = strcspn(n->path, "[");
	snprintf(list, sizeof list, "%.*s", (int)length, n->path);
	return strtoul(n->path + length + 1, NULL, 10) < p->most ||
	       outline_error(o, list, err, "too many entries: at most %u", p->most);
}

static bool check_node(const struct outline *o, const struct outline_node *n, struct error *err)
{
	if (row_of(n->path) || machine_range_find(n->path))
		return check_value(o, n, err);
	const struct place *p = place_of(n->path);
	if (!p)
		return unknown_key(o, n, err);
	if (n->kind != p->kind || (n->kind == OUTLINE_SCALAR && p->words && find_word(p->words, n->text) < 0))
		return wrong(o, n, err);
	if (n->kind == OUTLINE_SCALAR && !p->words)
		return check_text(o, n, p, err);
	return n->kind != OUTLINE_MAPPING || !p->most || check_entry(o, n, p, err);
}

bool machine_read_check(const struct outline *o, struct error *err)
{
	for (size_t i = 0; i < o->count; i++)
		TRY(check_node(o, &o->nodes[i], err));
	return true;
}

/* --- applying --- */

/* Entry number i of a list, or one of its keys (with a dot before it). */
static const struct outline_node *entry(const struct outline *o, const char *list, uint32_t i, const char *key)
{
	char path[64];
	snprintf(path, sizeof path, "%s[%u]%s", list, i, key);
	return outline_find(o, path);
}

static uint32_t number(const struct outline_node *n, uint32_t otherwise)
{
	return n ? (uint32_t)strtoul(n->text, NULL, 10) : otherwise;
}

/* A bit for each word of the list at this path. */
static uint32_t bits_of(const struct outline *o, const char *list, enum words words)
{
	uint32_t bits = 0;
	const struct outline_node *n;
	for (uint32_t i = 0; (n = entry(o, list, i, "")); i++)
		bits |= UINT32_C(1) << find_word(words, n->text);
	return bits;
}

static bool missing(const struct outline *o, const char *list, uint32_t i, const char *key, struct error *err)
{
	return outline_error(o, entry(o, list, i, "")->path, err, "the key '%s' is missing", key);
}

static int queue_find(const struct machine *m, const char *name)
{
	for (uint32_t i = 0; i < m->queue_count; i++)
		if (!strcmp(m->queues[i].name, name))
			return (int)i;
	return -1;
}

static bool unit_known(const struct machine *m, const char *name)
{
	for (uint32_t i = 0; i < m->unit_count; i++)
		if (!strcmp(m->units[i].name, name))
			return true;
	return false;
}

/* A name that an error or --set can point to, and only one of its kind. */
static bool take_name(const struct outline *o, const char *list, uint32_t i, const struct machine *m,
		      char name[MACHINE_NAME_MAX], struct error *err)
{
	const struct outline_node *n = entry(o, list, i, ".name");
	if (!n)
		return missing(o, list, i, "name", err);
	if (!machine_name_ok(n->text))
		return outline_error(o, n->path, err, "a name is made of letters, digits, '_' and '-'");
	if (*list == 'q' ? queue_find(m, n->text) >= 0 : unit_known(m, n->text))
		return outline_error(o, n->path, err, "two %s are called %s", list, n->text);
	strcpy(name, n->text);
	return true;
}

/* Units kept from the extended machine follow their queues by name. */
static bool reattach_units(struct machine *m, const struct machine *base, const struct outline *o, struct error *err)
{
	for (uint32_t i = 0; i < m->unit_count; i++) {
		const char *name = base->queues[base->units[i].queue].name;
		int queue = queue_find(m, name);
		if (queue < 0 && m->queue_count != 1)
			return outline_error(
				o, "queues", err,
				"unit %s is fed by queue %s, which this list does not have: give units too",
				m->units[i].name, name);
		m->units[i].queue = queue < 0 ? 0 : (uint32_t)queue;
	}
	return true;
}

static bool apply_queues(const struct outline *o, struct machine *m, struct error *err)
{
	struct machine base = *m;
	memset(m->queues, 0, sizeof m->queues);
	m->queue_count = 0;
	for (uint32_t i = 0; entry(o, "queues", i, ""); i++) {
		struct machine_queue *to = &m->queues[i];
		TRY(take_name(o, "queues", i, m, to->name, err));
		to->entries = number(entry(o, "queues", i, ".entries"), 0);
		to->width = number(entry(o, "queues", i, ".width"), 0);
		m->queue_count++;
	}
	return outline_find(o, "units") || reattach_units(m, &base, o, err);
}

static bool take_queue(const struct outline *o, uint32_t i, const struct machine *m, uint32_t *queue, struct error *err)
{
	char quoted[64];
	const struct outline_node *n = entry(o, "units", i, ".queue");
	*queue = 0;
	if (!n && m->queue_count != 1)
		return outline_error(o, entry(o, "units", i, "")->path, err,
				     "the key 'queue' is missing: there are %u queues", m->queue_count);
	int found = n ? queue_find(m, n->text) : 0;
	if (found < 0)
		return outline_error(o, n->path, err, "no queue is called %s", machine_quotable(n->text, quoted));
	*queue = (uint32_t)found;
	return true;
}

static bool apply_units(const struct outline *o, struct machine *m, struct error *err)
{
	memset(m->units, 0, sizeof m->units);
	m->unit_count = 0;
	for (uint32_t i = 0; entry(o, "units", i, ""); i++) {
		struct machine_unit *to = &m->units[i];
		const struct outline_node *ops = entry(o, "units", i, ".ops");
		TRY(take_name(o, "units", i, m, to->name, err));
		if (!ops)
			return missing(o, "units", i, "ops", err);
		TRY(take_queue(o, i, m, &to->queue, err));
		to->count = number(entry(o, "units", i, ".count"), 1);
		to->ops = bits_of(o, ops->path, OPS);
		m->unit_count++;
	}
	return true;
}

static void apply_value(const struct outline_node *n, struct machine *m)
{
	const struct machine_row *row = row_of(n->path);
	uint32_t value;
	char reason[300];
	if (row && machine_row_parse(row, n->text, &value, reason, sizeof reason))
		machine_row_put(m, row, value);
	else if (!strncmp(n->path, "latency.", 8))
		m->latency[machine_op_find(n->path + 8)] = number(n, 0);
	else if (!strncmp(n->path, "interval.", 9))
		m->interval[machine_op_find(n->path + 9)] = number(n, 0);
}

bool machine_read_apply(const struct outline *o, struct machine *m, struct error *err)
{
	const struct outline_node *description = outline_find(o, "description");
	if (description) {
		memset(m->description, 0, sizeof m->description);
		snprintf(m->description, sizeof m->description, "%s", description->text);
	}
	/* a file that extends another is another machine: it speaks for itself */
	const struct outline_node *validated = outline_find(o, "validated");
	memset(m->validated, 0, sizeof m->validated);
	if (validated) {
		if (!machine_validation_known(validated->text))
			return outline_error(o, "validated", err,
					     "expected measured, published or parameters, a colon "
					     "and a text");
		snprintf(m->validated, sizeof m->validated, "%s", validated->text);
	}
	for (size_t i = 0; i < o->count; i++)
		apply_value(&o->nodes[i], m);
	if (outline_find(o, "queues"))
		TRY(apply_queues(o, m, err));
	if (outline_find(o, "units"))
		TRY(apply_units(o, m, err));
	if (outline_find(o, "ideal"))
		m->ideal = bits_of(o, "ideal", EVENTS);
	return true;
}
