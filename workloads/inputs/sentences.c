/* English sentences for link-parser, built from a small grammar: clauses with relative clauses, prepositional phrases
 * and conjunctions, so that the parser meets real attachment ambiguity. */
#include "inputs.h"

#include <stdio.h>

static const char *const nouns[] = {"dog",    "teacher", "engineer", "river",  "letter", "machine", "child",   "garden",
				    "doctor", "student", "window",   "farmer", "story",	 "painter", "kitchen", "bridge",
				    "ship",   "captain", "market",   "lawyer", "song",	 "forest",  "writer",  "table"};
static const char *const adjectives[] = {"old",	  "quiet", "large", "clever", "broken", "green",
					 "tired", "small", "happy", "famous", "heavy",	"young"};
static const char *const transitive[] = {"saw",	   "found",   "painted", "followed", "remembered", "described",
					 "bought", "watched", "built",	 "carried",  "admired",	   "repaired"};
static const char *const intransitive[] = {"slept", "laughed", "arrived", "waited", "sang", "fell", "walked", "worked"};
static const char *const prepositions[] = {"in", "near", "with", "under", "behind", "from", "beside", "on"};
static const char *const adverbs[] = {"quickly", "often", "quietly", "yesterday", "slowly", "carefully"};
static const char *const names[] = {"John", "Mary", "Peter", "Alice", "Susan", "David", "Robert", "Helen"};

#define PICK(r, list) list[random_below(r, sizeof(list) / sizeof(list[0]))]

static void noun_phrase(struct random *r, uint32_t depth, uint32_t *words)
{
	if (random_below(r, 5) == 0) {
		printf(" %s", PICK(r, names));
		*words += 1;
		return;
	}
	printf(" %s", random_below(r, 3) ? "the" : "some");
	if (random_below(r, 3) == 0)
		printf(" %s", PICK(r, adjectives));
	printf(" %s", PICK(r, nouns));
	*words += 3;
	if (depth == 0 || *words > 14)
		return;
	if (random_below(r, 3) == 0) {
		printf(" %s", PICK(r, prepositions));
		noun_phrase(r, depth - 1, words);
	} else if (random_below(r, 4) == 0) {
		printf(" that %s", PICK(r, transitive));
		noun_phrase(r, depth - 1, words);
	}
}

static void clause(struct random *r, uint32_t *words)
{
	noun_phrase(r, 1, words);
	if (random_below(r, 3)) {
		printf(" %s", PICK(r, transitive));
		noun_phrase(r, 2, words);
	} else {
		printf(" %s", PICK(r, intransitive));
	}
	if (random_below(r, 2)) {
		printf(" %s", PICK(r, prepositions));
		noun_phrase(r, 0, words);
	}
	if (random_below(r, 3) == 0)
		printf(" %s", PICK(r, adverbs));
	*words += 2;
}

void input_sentences(uint64_t count)
{
	struct random r = {6};
	while (count-- > 0) {
		uint32_t words = 0;
		printf("Today");
		clause(&r, &words);
		if (words < 12 && random_below(&r, 2)) {
			printf(" %s", random_below(&r, 2) ? "and" : "because");
			clause(&r, &words);
		}
		printf(".\n");
	}
}
