/* Names of operation and event classes (the public tables), and what a misspelt key was probably meant to be. */
#include "base/nearest.h"
#include "machine/machine_rows.h"

#include <string.h>

static const char *const op_names[] = {
#define OP_CLASS(name, label, event, part) #name,
#include "culprit/op_class.def"
};

static const struct {
	const char *name, *what;
} events[] = {
#define EVENT_CLASS(name, base, what) {#name, what},
#include "culprit/event_class.def"
};

const char *culprit_op_name(enum culprit_op_class class)
{
	return (unsigned)class < CULPRIT_OP_COUNT ? op_names[class] : "?";
}

const char *culprit_event_name(enum culprit_event_class class)
{
	return (unsigned)class < CULPRIT_EVENT_COUNT ? events[class].name : "?";
}

const char *culprit_event_what(enum culprit_event_class class)
{
	return (unsigned)class < CULPRIT_EVENT_COUNT ? events[class].what : "?";
}

bool machine_op_is_ideal(const struct machine *m, enum culprit_op_class class)
{
	return (m->ideal >> culprit_execution_class((uint8_t) class, m->latency[class]) & 1) ||
	       (m->ideal >> culprit_execution_part((uint8_t) class, m->latency[class]) & 1);
}

int machine_op_find(const char *name)
{
	for (int i = 0; i < CULPRIT_OP_COUNT; i++)
		if (!strcmp(op_names[i], name))
			return i;
	return -1;
}

int machine_event_find(const char *name)
{
	for (int i = 0; i < CULPRIT_EVENT_COUNT; i++)
		if (!strcmp(events[i].name, name))
			return i;
	return -1;
}

static bool event_set_error(const char *word, struct error *err)
{
	char known[300] = "", quoted[64];
	size_t used = 0;
	struct nearest near;
	nearest_begin(&near, word, strlen(word));
	for (int i = 0; i < CULPRIT_EVENT_COUNT; i++) {
		used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", events[i].name);
		nearest_consider(&near, events[i].name);
	}
	if (!strcmp(word, "lq") || !strcmp(word, "sq")) /* in one class, as machine files name them */
		nearest_take(&near, events[CULPRIT_EVENT_lsq].name, 0);
	return error_set(err, ERROR_USAGE, "unknown event class '%s'%s: expected all, none, or some of %s",
			 machine_quotable(word, quoted), nearest_hint(&near), known);
}

/* "all" means the eight base classes: they contain the finer ones. */
bool culprit_event_set_parse(const char *text, culprit_event_set *set, struct error *err)
{
	culprit_event_set found = 0;
	if (!strcmp(text, "all"))
		found = (1u << CULPRIT_BASE_EVENTS) - 1;
	else if (strcmp(text, "none") && *text) {
		for (const char *p = text;; p++) {
			char word[MACHINE_NAME_MAX] = "";
			size_t length = strcspn(p, ",");
			memcpy(word, p, length < sizeof word ? length : sizeof word - 1);
			int event = length < sizeof word ? machine_event_find(word) : -1;
			if (event < 0)
				return event_set_error(word, err);
			if (found >> event & 1)
				return error_set(err, ERROR_USAGE, "event class %s was named twice", word);
			found |= 1u << event;
			p += length;
			if (!*p)
				break;
		}
	}
	*set = found;
	return true;
}

bool machine_name_ok(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	return length && !name[length] && length < MACHINE_NAME_MAX;
}

/* The right name in the wrong section is one mistake; entries of lists have names of their own. */
static unsigned key_distance(const struct nearest *n, const char *key)
{
	unsigned d = nearest_distance(n, key);
	const char *written = strrchr(n->wanted, '.'), *known = strrchr(key, '.');
	bool listed = !strncmp(n->wanted, "queues.", 7) || !strncmp(n->wanted, "units.", 6);
	return d > 1 && !listed && known && !strcmp(written ? written + 1 : n->wanted, known + 1) ? 1 : d;
}

/* clang-format off */
static const char *const all_keys[] = {
	"description", "validated", "extends", "latency", "interval", "queues", "units", "ideal",
	"queues.name", "queues.entries", "queues.width", "units.name", "units.count", "units.queue", "units.ops",
#define MACHINE_SECTION(section, meaning) #section,
#define MACHINE_UINT(section, name, def, min, max, unit, meaning) #section "." #name,
#define MACHINE_BOOL(section, name, def, meaning) #section "." #name,
#define MACHINE_ENUM(section, name, tag, def, meaning) #section "." #name,
#include "machine/machine.def"
#define OP_CLASS(name, label, event, part) "latency." #name, "interval." #name,
#include "culprit/op_class.def"
};
/* clang-format on */

const char *machine_key_nearest(const char *path)
{
	char plain[64];
	size_t used = 0;
	for (const char *p = path; *p && used + 1 < sizeof plain; p++) {
		if (*p == '[')
			p += strcspn(p, "]");
		else
			plain[used++] = *p;
		if (!*p)
			break;
	}
	plain[used] = '\0';
	struct nearest last, n; /* as many letters may be wrong as the key's own name allows */
	const char *dot = strrchr(plain, '.'), *best = NULL;
	nearest_begin(&last, dot ? dot + 1 : plain, strlen(dot ? dot + 1 : plain));
	nearest_begin(&n, plain, used);
	n.distance = last.distance;
	for (size_t i = 0; i < sizeof all_keys / sizeof all_keys[0]; i++)
		if (nearest_take(&n, all_keys[i], key_distance(&n, all_keys[i])))
			best = all_keys[i];
	return best;
}
