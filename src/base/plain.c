#include "base/plain.h"

#include <stdint.h>
#include <stdio.h>

/* Bytes of the letter that begins here; 0 = none does. As RFC 3629 has it: the shortest form, no surrogates, up to
 * U+10FFFF. */
static size_t letter(const unsigned char *c)
{
	if (*c < 0x80)
		return *c >= ' ' && *c != 0x7f;
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const size_t length = *c >= 0xf0 ? 4 : *c >= 0xe0 ? 3 : 2;
	if (*c < 0xc0 || *c > 0xf7)
		return 0;
	uint32_t value = *c & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (c[i] & 0x3f);
	}
	const bool surrogate = value >= 0xd800 && value < 0xe000;
	const bool control = value < 0xa0; /* 0x9b begins a command to a terminal, as ESC [ does */
	return value < least[length] || value > 0x10ffff || surrogate || control ? 0 : length;
}

bool plain_is(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	for (size_t n; *c && (n = letter(c)); c += n)
		;
	return !*c;
}

void plain_make(char *text)
{
	unsigned char *c = (unsigned char *)text;
	for (size_t n; *c; c += n ? n : 1) {
		n = letter(c);
		if (!n)
			*c = '?';
	}
}

const char *plain_copy(const char *text, char *to, size_t size)
{
	snprintf(to, size, "%s", text);
	plain_make(to);
	return to;
}
