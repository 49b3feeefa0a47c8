/* Which names are plain, against the C library's own reading of UTF-8. */
#include "base/plain.h"

#include <iconv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* One code point or more that are no controls, as iconv has it. */
static bool plain_slowly(iconv_t to_points, const char *text)
{
	uint32_t points[16];
	char *in = (char *)text, *out = (char *)points;
	size_t left = strlen(text), room = sizeof points;
	iconv(to_points, NULL, NULL, NULL, NULL);
	if (iconv(to_points, &in, &left, &out, &room) == (size_t)-1)
		return false;
	for (const uint32_t *p = points; (char *)p < out; p++)
		if (*p < 0x20 || (*p >= 0x7f && *p < 0xa0))
			return false;
	return true;
}

/* Between letters, so that a sequence that is too short meets the next one. */
static void expect(iconv_t to_points, const unsigned char *bytes)
{
	char text[16];
	snprintf(text, sizeof text, "a%sb", (const char *)bytes);
	const bool plain = plain_slowly(to_points, text);
	if (plain_is(text) != plain)
		fail_msg("%02x %02x %02x %02x: %s", bytes[0], bytes[1], bytes[2], bytes[3],
			 plain ? "plain" : "not plain");
	char made[16];
	strcpy(made, text);
	plain_make(made);
	assert_true(plain_is(made));
	assert_int_equal(strlen(made), strlen(text));
	assert_true(made[0] == 'a' && made[strlen(made) - 1] == 'b');
	assert_int_equal(!strcmp(made, text), plain);
}

static void sequences(void **state)
{
	static const unsigned char later[] = {0, 'x', 0x1b, 0x7f, 0x80, 0x8f, 0x90, 0x9b, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
	iconv_t to_points = iconv_open("UTF-32LE", "UTF-8");
	assert_true(to_points != (iconv_t)-1);
	for (unsigned first = 1; first < 256; first++)
		for (unsigned second = 0; second < 256; second++)
			for (size_t i = 0; i < sizeof later; i++)
				for (size_t j = 0; j < sizeof later; j++)
					expect(to_points, (unsigned char[]){(unsigned char)first, (unsigned char)second,
									    later[i], later[j], 0});
	iconv_close(to_points);
	(void)state;
}

/* What a terminal and a list of one name a line would make something else of; letters stay. */
static void made_plain(void **state)
{
	char text[] = "a\x1b[31mb\nc\td\x7f\xffz\xc3\xbcr\xc2\x9bm";
	plain_make(text);
	assert_string_equal(text, "a?[31mb?c?d??z\xc3\xbcr??m");
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sequences), cmocka_unit_test(made_plain)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
