/* streams [NAME]: loops of loads and stores in order, without end, for studies/graph-loops. Without a name: the names. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 1 << 20, SQUARE = 512, NODES = 1 << 15, PAGE = 512 };

static uint64_t words[WORDS], more[WORDS / 2];
static double sums[1 << 18], left[1 << 18], right[1 << 18];
static uint8_t bytes[1 << 22], text[1 << 22];
static uint32_t square[SQUARE * SQUARE];
static struct node {
	struct node *next;
	uint64_t values[7];
} nodes[NODES];
static volatile uint64_t sink;

/* What is in memory counts. */
static inline void keep(void)
{
	__asm__ volatile("" ::: "memory");
}

static void fill(void)
{
	for (;;)
		for (uint64_t i = 0; i < WORDS; i++)
			words[i] = i;
}

static void fill_bytes(void)
{
	for (;; keep())
		for (uint64_t i = 0; i < sizeof bytes; i++)
			bytes[i] = (uint8_t)(i >> 3);
}

static void triad(void)
{
	for (;; keep())
		for (uint64_t i = 0; i < 1 << 18; i++)
			sums[i] = left[i] + 3.0 * right[i];
}

/* A word of each line is changed. */
static void change(void)
{
	for (;;)
		for (uint64_t i = 0; i < WORDS; i += 8)
			words[i] += i;
}

static void load_pages(void)
{
	for (uint64_t sum = 0;;)
		for (uint64_t j = 0; j < PAGE; j += 8)
			for (uint64_t i = 0; i < WORDS; i += PAGE)
				sink = sum += words[i + j];
}

static void store_pages(void)
{
	for (;;)
		for (uint64_t j = 0; j < PAGE; j += 8)
			for (uint64_t i = 0; i < WORDS; i += PAGE)
				words[i + j] = i;
}

/* Copies whose source and target overlap. */
static void move(void)
{
	for (;;) {
		memmove(bytes + 24, bytes, 200000);
		memmove(bytes, bytes + 40, 200000);
	}
}

static void reverse(void)
{
	for (;;)
		for (uint64_t i = 0, j = WORDS - 1; i < j; i++, j--) {
			uint64_t word = words[i];
			words[i] = words[j];
			words[j] = word;
		}
}

static void transpose(void)
{
	for (;;)
		for (uint64_t i = 0; i < SQUARE; i++)
			for (uint64_t j = i; j < SQUARE; j++) {
				uint32_t word = square[i * SQUARE + j];
				square[i * SQUARE + j] = square[j * SQUARE + i];
				square[j * SQUARE + i] = word;
			}
}

static void prefix(void)
{
	for (;;)
		for (uint64_t i = 1; i < WORDS / 64; i++)
			words[i] += words[i - 1];
}

/* Loads of twice the bytes that were stored just before. */
static void narrow(void)
{
	volatile uint32_t *half = (void *)words;
	volatile uint64_t *whole = (void *)words;
	for (uint64_t i = 0;; i++) {
		half[i & 63] = (uint32_t)i;
		sink = whole[(i & 63) / 2];
	}
}

/* Eight lists at once. */
static void lists(void)
{
	struct node *at[8];
	for (uint64_t i = 0; i < NODES; i++)
		nodes[i].next = &nodes[(i * 7919 + 13) % NODES];
	for (int i = 0; i < 8; i++)
		at[i] = &nodes[i * 999];
	for (;;)
		for (int i = 0; i < 8; i++) {
			at[i]->values[0] += (uint64_t)i;
			at[i] = at[i]->next;
		}
}

/* An array of structures of a line each. */
static void structures(void)
{
	for (uint64_t sum = 0;;)
		for (uint64_t i = 0; i < NODES; i++) {
			sum += nodes[i].values[2] + nodes[i].values[5];
			nodes[i].values[6] = sum;
		}
}

static void compare(void)
{
	for (;; keep())
		sink = (uint64_t)memcmp(bytes, text, 100000);
}

static void base64(void)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (;; keep())
		for (uint64_t from = 0, to = 0; from < 30000; from += 3, to += 4) {
			uint32_t group = (uint32_t)(bytes[from] << 16 | bytes[from + 1] << 8 | bytes[from + 2]);
			for (int k = 0; k < 4; k++)
				text[to + k] = (uint8_t)digits[group >> (18 - 6 * k) & 63];
		}
}

static void lines16(void)
{
	volatile uint64_t *first = words;
	for (;;) {
		first[0] = first[8] = first[16] = first[24] = 1;
		first[32] = first[40] = first[48] = first[56] = 1;
		first[64] = first[72] = first[80] = first[88] = 1;
		first[96] = first[104] = first[112] = first[120] = 1;
	}
}

/* Stores to a page each, and a table that stays near. */
static void far_stores(void)
{
	for (uint64_t at = 0;; at = (at + 4097 * 8) % WORDS) {
		words[at] = at;
		more[at / 8 % 1024]++;
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} loops[] = {
	{"fill", fill},
	{"fill_bytes", fill_bytes},
	{"triad", triad},
	{"change", change},
	{"load_pages", load_pages},
	{"store_pages", store_pages},
	{"move", move},
	{"reverse", reverse},
	{"transpose", transpose},
	{"prefix", prefix},
	{"narrow", narrow},
	{"lists", lists},
	{"structures", structures},
	{"compare", compare},
	{"base64", base64},
	{"lines16", lines16},
	{"far_stores", far_stores},
};

int main(int argc, char **argv)
{
	memset(bytes, 1, sizeof bytes);
	memset(text, 1, sizeof text);
	for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++)
		if (argc < 2)
			puts(loops[i].name);
		else if (!strcmp(argv[1], loops[i].name))
			loops[i].run();
	return argc > 1;
}
