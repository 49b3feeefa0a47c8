#include "base/count.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* All is kept as digits x 10^power, so that fractions are exact. */
struct decimal {
	uint64_t digits;
	int power;
};

static bool add_digits(const char **text, struct decimal *d, int power_each)
{
	if (!isdigit((unsigned char)**text))
		return false;
	for (; isdigit((unsigned char)**text); ++*text, d->power += power_each)
		if (__builtin_mul_overflow(d->digits, 10, &d->digits) ||
		    __builtin_add_overflow(d->digits, (uint64_t)(**text - '0'), &d->digits))
			return false;
	return true;
}

static bool add_exponent(const char **text, struct decimal *d)
{
	struct decimal exponent = {0, 0};
	++*text;
	if (!add_digits(text, &exponent, 0) || exponent.digits > 30)
		return false;
	d->power += (int)exponent.digits;
	return true;
}

static bool add_suffix(const char **text, struct decimal *d, enum count_unit unit)
{
	static const char suffixes[] = "kmg";
	const char *found = **text ? strchr(suffixes, tolower((unsigned char)**text)) : NULL;
	if (!found)
		return true;
	++*text;
	for (const char *s = suffixes; s <= found; s++)
		if (unit == COUNT_THINGS)
			d->power += 3;
		else if (__builtin_mul_overflow(d->digits, (uint64_t)unit, &d->digits))
			return false;
	return true;
}

static bool whole(struct decimal d, uint64_t *value)
{
	for (; d.power < 0; d.power++, d.digits /= 10)
		if (d.digits % 10)
			return false;
	for (; d.power > 0 && d.digits; d.power--)
		if (__builtin_mul_overflow(d.digits, 10, &d.digits))
			return false;
	*value = d.digits;
	return true;
}

static bool hexadecimal(const char *text, uint64_t *value)
{
	size_t length = strspn(text, "0123456789abcdefABCDEF");
	if (!length || length > 16 || text[length])
		return false;
	*value = strtoull(text, NULL, 16);
	return true;
}

bool count_parse(const char *text, enum count_unit unit, uint64_t *value)
{
	struct decimal d = {0, 0};
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return hexadecimal(text + 2, value);
	if (!add_digits(&text, &d, 0))
		return false;
	if (*text == '.' && (text++, !add_digits(&text, &d, -1)))
		return false;
	if ((*text == 'e' || *text == 'E') && !add_exponent(&text, &d))
		return false;
	return add_suffix(&text, &d, unit) && !*text && whole(d, value);
}
