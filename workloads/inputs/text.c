/* Text that compressors and text tools find about as hard as English: words by rank with about Zipf's law, each with a
 * few favourite successors, in sentences and paragraphs. */
#include "inputs.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>

enum { WORD_BITS = 14, WORDS = 1 << WORD_BITS, WORD_MAX = 16, FAVOURITES = 4 };

static void make_word(struct random *r, char word[WORD_MAX], uint32_t rank)
{
	static const char *const onset[] = {"b",  "c",	"d",  "f",  "g",  "h",	"l",  "m",  "n",  "p",
					    "r",  "s",	"t",  "v",  "w",  "st", "tr", "pl", "ch", "th",
					    "sh", "br", "gr", "qu", "cl", "",	"",   "k",  "j",  "fl"};
	static const char *const vowel[] = {"a", "e", "i", "o", "u", "ea", "ou", "e", "a", "io", "ai", "o"};
	static const char *const coda[] = {"",	 "",   "n",  "r",  "s",	 "t",  "l", "d", "m",	 "ng",
					   "ck", "st", "nd", "ll", "ss", "rt", "p", "",	 "tion", "ly"};
	uint32_t syllables = 1 + (rank > 60) * random_below(r, 2) + (rank > 1000) * random_below(r, 2);
	size_t length = 0;
	while (syllables-- > 0)
		length += (size_t)snprintf(word + length, WORD_MAX - length, "%s%s%s", onset[random_below(r, 30)],
					   vowel[random_below(r, 12)], syllables ? "" : coda[random_below(r, 20)]);
}

/* Rank with probability about 1 / rank: a magnitude, then a number of that magnitude. */
static uint32_t zipf(struct random *r)
{
	uint32_t bits = random_below(r, WORD_BITS);
	return (1u << bits) - 1 + random_below(r, 1u << bits);
}

static uint32_t successor(struct random *r, uint32_t word)
{
	if (random_below(r, 5) < 2)
		return zipf(r);
	struct random favourite = {word * FAVOURITES + random_below(r, FAVOURITES)};
	return zipf(&favourite);
}

static size_t put_separator(struct random *r, uint32_t *left, uint32_t *sentences)
{
	if (--*left > 0)
		return (size_t)printf("%s", random_below(r, 10) ? " " : ", ");
	*left = 4 + random_below(r, 20);
	if (--*sentences > 0)
		return (size_t)printf(". ");
	*sentences = 3 + random_below(r, 6);
	return (size_t)printf(".\n\n");
}

void input_text(uint64_t bytes)
{
	static char words[WORDS][WORD_MAX];
	struct random r = {1};
	for (uint32_t i = 0; i < WORDS; i++)
		make_word(&r, words[i], i);

	uint32_t word = 0, left = 8, sentences = 4;
	bool start = true;
	for (uint64_t done = 0; done < bytes;) {
		word = successor(&r, word);
		const char *text = words[word];
		done += (size_t)printf("%c%s", start ? toupper(text[0]) : text[0], text[0] ? text + 1 : "");
		uint32_t before = left;
		done += put_separator(&r, &left, &sentences);
		start = before == 1;
	}
	putchar('\n');
}
