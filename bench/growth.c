/* A guest program whose parts grow one by one (bench/growth): code, data, and branches that cannot be predicted.
 *
 * growth FUNCTIONS BYTES PERCENT: turns without end, each in the next of so many functions (in sixteens), with an access to a random one
 * of so many bytes, and a branch that goes the rarer way, at random, in so many percent of the turns. */
#include <stdint.h>
#include <stdlib.h>

static uint32_t sum, words, percent;
static uint64_t seed = 1;
static volatile uint32_t *data;

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(((seed >> 32) * n) >> 32);
}

static __attribute__((noinline)) void turn(uint32_t number)
{
	data[below(words)] += number;
	if (below(100) < percent)
		data[0] = number;
	sum += number;
}

/* clang-format off */
/* About a sixth of a KiB of code each, no two the same; sixteen are called one after the other, so that calls are direct. */
#define LINE(n, k) sum = (sum ^ (n * 2654435761u + k)) + (sum >> (1 + (n + k) % 7));
#define FUNCTION(n)                                                                                       \
	static __attribute__((noinline)) void f##n(void)                                                  \
	{                                                                                                 \
		turn(0x##n);                                                                              \
		LINE(0x##n, 1)                                                                            \
		LINE(0x##n, 2) LINE(0x##n, 3) LINE(0x##n, 4) LINE(0x##n, 5) LINE(0x##n, 6) LINE(0x##n, 7) \
			LINE(0x##n, 8) LINE(0x##n, 9) LINE(0x##n, 10)                                     \
	}
#define CALL(n) f##n();
#define SIXTEEN(m, n)                                                                                           \
	m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9) m(n##a) m(n##b) m(n##c) \
		m(n##d) m(n##e) m(n##f)
#define GROUP(n)                                         \
	SIXTEEN(FUNCTION, n)                             \
	static __attribute__((noinline)) void g##n(void) \
	{                                                \
		SIXTEEN(CALL, n)                         \
	}
#define NAME(n) g##n,
#define AGAIN(m, n)                                                                                             \
	m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9) m(n##a) m(n##b) m(n##c) \
		m(n##d) m(n##e) m(n##f)
AGAIN(GROUP, 1)
AGAIN(GROUP, 2) AGAIN(GROUP, 3) AGAIN(GROUP, 4) static void (*const groups[])(void) = {
	AGAIN(NAME, 1) AGAIN(NAME, 2) AGAIN(NAME, 3) AGAIN(NAME, 4)};
/* clang-format on */

int main(int argc, char **argv)
{
	if (argc != 4)
		return 1;
	uint32_t count = (uint32_t)atoi(argv[1]) / 16;
	words = (uint32_t)atoi(argv[2]) / 4;
	percent = (uint32_t)atoi(argv[3]);
	data = calloc(words, 4);
	if (!data || !count || count > sizeof groups / sizeof *groups)
		return 1;
	for (uint32_t g = 0;; g = g + 1 < count ? g + 1 : 0)
		groups[g]();
}
