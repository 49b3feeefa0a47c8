/* Fuzzing the profile file: any bytes as a file, and (first byte odd) any bytes as what a sound header and frame hold. What is
 * read is also read out, at sizes that the profile may or may not hold. */
#include "interval/profile/profile.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { HEADER = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_out(const struct interval_profile *p)
{
	uint64_t a, b;
	for (uint32_t w = 0; w < 2000; w += 7)
		for (size_t s = 0; s < INTERVAL_LATENCIES; s++)
			interval_critical_path(p, (enum interval_latency)s, w);
	for (uint64_t bytes = 1; bytes < 1 << 24; bytes *= 2)
		for (uint64_t ways = 0; ways < 20; ways++) {
			interval_misses(&p->l1i, INTERVAL_FETCH, bytes, ways, 64, &a, NULL);
			interval_misses(&p->l3, INTERVAL_STORE, bytes, ways, 32, &a, NULL);
			interval_page_misses(&p->tlb2, bytes, ways, &a, NULL);
			interval_btb_misses(&p->btb, bytes, ways, &a, &b, NULL);
		}
	interval_find_predictor(p, "combined-4k");
	interval_predictor_of(p, &p->machine);
	interval_overlapped(&p->overlap[0], true, (double)p->instructions);
}

static uint64_t checksum(const uint8_t *bytes, size_t size)
{
	uint64_t sum = 0xcbf29ce484222325;
	for (size_t i = 0; i < size; i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3;
	return sum;
}

/* The counts are zero but for what the input has; the machine's text and the samples follow as given. */
static size_t wrap(const uint8_t *data, size_t size, uint8_t *file)
{
	enum { COUNTS = sizeof(struct interval_profile) - offsetof(struct interval_profile, program) };
	size_t split = size / 2, total = COUNTS + size - split;
	uint8_t *content = calloc(1, total);
	if (!content)
		return 0;
	memcpy(content, data, split < COUNTS ? split : COUNTS);
	memcpy(content + COUNTS, data + split, size - split);
	size_t packed = ZSTD_compress(file + HEADER, ZSTD_compressBound(total), content, total, 1);
	memcpy(file, "CULPROFL\2\0\0\0\50\0\0\0", 16);
	memcpy(file + 16, &(uint64_t){total}, 8);
	memcpy(file + 24, &(uint64_t){checksum(file + HEADER, packed)}, 8);
	memcpy(file + 32, &(uint64_t){COUNTS / 8}, 8);
	free(content);
	return HEADER + packed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct interval_profile *p = calloc(1, sizeof *p);
	struct error err;
	bool inside = size && data[0] & 1;
	uint8_t *file = malloc(ZSTD_compressBound(sizeof *p + size) + HEADER);
	if (p && file) {
		size_t bytes = inside ? wrap(data + 1, size - 1, file) : size;
		if (interval_parse(p, inside ? file : data, bytes, "input", &err))
			read_out(p);
		interval_profile_clear(p);
	}
	free(file);
	free(p);
	return 0;
}
