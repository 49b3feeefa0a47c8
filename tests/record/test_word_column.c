/* Words come back from their column; its planes are held against a plain loop; a cut column is refused. */
#include "record/word_column.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 100 };

static uint64_t state = 1;

static uint64_t draw(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 11;
}

static uint64_t draw_word(uint64_t mask)
{
	return (draw() ^ draw() << 32) & mask;
}

/* The planes that there are, each with zeros up to whole groups. */
static size_t plain(const uint64_t *words, size_t count, uint8_t *to)
{
	size_t size = 1;
	to[0] = 0;
	for (unsigned p = 0; p < 8; p++) {
		bool some = false;
		for (size_t i = 0; i < count; i++)
			some = some || (words[i] >> 8 * p & 0xff);
		if (!some)
			continue;
		to[0] |= (uint8_t)(1 << p);
		for (size_t i = 0; i < word_column_room(count); i++)
			to[size++] = i < count ? (uint8_t)(words[i] >> 8 * p) : 0;
	}
	return size;
}

static void test_columns(void **unused)
{
	for (int n = 0; n < 3000; n++) {
		uint64_t words[MOST + WORD_GROUP], got[MOST + WORD_GROUP], mask = 0;
		uint8_t want[1 + 8 * (MOST + WORD_GROUP)];
		const size_t count = draw() % (MOST + 1);
		struct bytes b = {.at = NULL};
		for (unsigned p = 0; p < 8; p++)
			mask |= draw() % 3 ? 0 : 0xffull << 8 * p;
		for (size_t i = 0; i < MOST + WORD_GROUP; i++)
			words[i] = draw_word(i < count ? mask : UINT64_MAX);
		bytes_put(&b, 0xa5, 1); /* columns stand behind others */
		const size_t size = plain(words, count, want);
		word_column_put(words, count, &b);
		assert_false(b.failed);
		assert_int_equal(b.size, 1 + size);
		assert_memory_equal(b.at + 1, want, size);
		struct cursor from = {.at = b.at + 1, .left = size}, cut = {.at = b.at + 1, .left = size - 1};
		assert_true(word_column_get(got, count, &from));
		assert_memory_equal(got, words, count * sizeof *got);
		assert_int_equal(from.left, 0);
		assert_false(word_column_get(got, count, &cut));
		free(b.at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
