#include "run/point.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MARKERS = 2048, MARKER = 0x2013, IMMEDIATE_SHIFT = 20 }; /* slti x0, x0, N */

static const struct {
	const char *name;
	uint32_t encoding;
} work[] = {{"work-begin", 0xb400007b}, {"work-end", 0xb600007b}};

/* "name:3": cut the number off. False: it is 0, or too large. Without one: 1. */
static bool take_times(char *name, uint64_t *times)
{
	char *colon = strrchr(name, ':');
	*times = 1;
	if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
		return true;
	*times = strlen(colon + 1) < 19 ? strtoull(colon + 1, NULL, 10) : 0;
	*colon = '\0';
	return *times > 0;
}

/* The number behind `prefix`, which all of the rest is. No zeros before it: `marker-01` is a slip, or means another. */
static bool number_behind(const char *text, const char *prefix, uint64_t most, uint32_t *number)
{
	size_t length = strlen(prefix);
	char *end;
	const char *digits = text + length;
	if (strncmp(text, prefix, length) != 0 || !isdigit((unsigned char)*digits) ||
	    (*digits == '0' && isdigit((unsigned char)digits[1])))
		return false;
	unsigned long long value = strtoull(digits, &end, 0);
	*number = (uint32_t)value;
	return !*end && value <= most;
}

/* No symbol has a dash. */
static bool find_encoding(struct point *p)
{
	uint32_t number;
	for (size_t i = 0; i < sizeof work / sizeof *work; i++)
		if (!strcmp(p->place, work[i].name))
			p->encoding = work[i].encoding;
	if (number_behind(p->place, "marker-", MARKERS - 1, &number))
		p->encoding = number << IMMEDIATE_SHIFT | MARKER;
	if (number_behind(p->place, "encoding-", UINT32_MAX, &number))
		p->encoding = number;
	return p->encoding || (strncmp(p->place, "marker-", 7) != 0 && strncmp(p->place, "encoding-", 9) != 0);
}

bool point_parse(struct point *p, const char *option, const char *text, struct error *err)
{
	*p = (struct point){.begun = 1, .times = 1};
	if (strlen(text) >= sizeof p->text)
		return error_set(err, ERROR_USAGE, "--%s: a place is shorter than %zu characters", option,
				 sizeof p->text);
	strcpy(p->text, text);
	char *slash = strrchr(p->text, '/'), *place = slash ? slash + 1 : p->text;
	if (slash) {
		*slash = '\0';
		p->program = p->text;
	}
	if (*place || !slash)
		p->place = place;
	if ((p->program && (!take_times(p->text, &p->begun) || !*p->program || strchr(p->program, '/'))) ||
	    (p->place && (!take_times(place, &p->times) || !find_encoding(p))))
		return error_set(
			err, ERROR_USAGE,
			"--%s %s: expected [PROGRAM[:N]/][PLACE[:N]]: a program's name without folder; a symbol, an "
			"address, marker-0 to marker-%d, work-begin, work-end or encoding-0x...; N from 1",
			option, text, MARKERS - 1);
	return true;
}
