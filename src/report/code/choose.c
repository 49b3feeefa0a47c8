/* From a name to a function of the result. */
#include "report/code/annotate.h"
#include "report/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How well a name fits: 0 = not at all. */
static unsigned fits(const struct code_function *f, const char *name)
{
	const size_t length = strlen(name), whole = strlen(f->name);
	if (!strcmp(f->name, name) || (f->symbol && !strcmp(f->symbol, name)))
		return 3;
	if (!strncmp(f->name, name, length) && f->name[length] == '.')
		return 2;
	bool ends = whole > length + 2 && !strcmp(f->name + whole - length, name);
	return ends && !strncmp(f->name + whole - length - 2, "::", 2) ? 1 : 0;
}

static bool holds(const struct code_function *f, const char *text)
{
	char *end;
	errno = 0;
	uint64_t pc = strtoull(text, &end, 0);
	return end != text && !*end && !errno && *text != '+' && pc >= f->start && pc < f->end;
}

/* As reports call an instruction without a line: "memcpy+0x12", "gzip+0x3ade" or "+0x3ade" for short. */
static bool holds_place(const struct code_function *f, const char *text)
{
	const char *plus = strrchr(text, '+'), *nameless = code_nameless(f), *base = nameless ? f->object : f->name;
	char *end;
	if (!plus || strncmp(plus, "+0x", 3) != 0)
		return false;
	const size_t length = (size_t)(plus - text);
	const bool same = strlen(base) == length ? !strncmp(base, text, length) : !length && nameless;
	errno = 0;
	const uint64_t offset = strtoull(plus + 1, &end, 16);
	return same && !*end && !errno && offset >= code_offset(f, f->start) && offset < code_offset(f, f->end);
}

/* The name behind its namespaces and classes will do. */
static unsigned distance(const struct nearest *n, const char *name)
{
	unsigned whole = symbol_distance(n, name), least = whole;
	for (const char *c = name; (c = strstr(c, "::"));) {
		unsigned part = symbol_distance(n, c += 2);
		least = part < least ? part : least;
	}
	return least;
}

static bool unknown(const struct code *c, const char *name, struct error *err)
{
	struct nearest near;
	nearest_begin(&near, name, strlen(name));
	for (size_t i = 0; i < c->function_count; i++)
		nearest_take(&near, c->functions[i].name, distance(&near, c->functions[i].name));
	return error_set(err, ERROR_USAGE, "--function %.100s: no function that ran is called so%s", name,
			 nearest_hint(&near));
}

static const struct code_function *best(const struct code *c, const char *name, size_t *alike)
{
	const struct code_function *found = NULL;
	unsigned most = 0;
	for (size_t i = 0; i < c->function_count; i++) {
		const struct code_function *f = &c->functions[i];
		unsigned how = holds(f, name) || holds_place(f, name) ? 4 : fits(f, name);
		if (how > most) {
			most = how;
			found = f;
			*alike = 0;
		} else if (how && how == most) {
			++*alike;
		}
	}
	return found;
}

bool code_choose(const struct code *c, const char *name, const struct code_function **f, size_t *alike,
		 struct error *err)
{
	*alike = 0;
	if (!c->function_count)
		return error_set(err, ERROR_INPUT, "no instruction ran: there is no code to show");
	*f = &c->functions[0];
	if (name)
		*f = best(c, name, alike);
	if (name && !*f)
		return unknown(c, name, err);
	return (*f)->count ||
	       error_set(err, ERROR_INPUT,
			 "the result has no instructions of %.100s: --json-code 0 would have kept those of "
			 "all functions",
			 (*f)->name);
}

bool code_check_sites(const char *sites, struct error *err)
{
	return !sites || !strcmp(sites, "branches") || !strcmp(sites, "loads") ||
	       error_set(err, ERROR_USAGE, "--sites %.40s: branches or loads", sites);
}
