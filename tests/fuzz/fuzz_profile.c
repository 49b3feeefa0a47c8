/* Fuzzing the profile file: any bytes as a file, and (first byte odd) any bytes as what a sound header and frame hold. What is
 * read is also read out, at sizes that the profile may or may not hold. */
#include "interval/profile/profile.h"
#include "record/codec.h"

#include <stdlib.h>
#include <string.h>

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
	interval_predictor_of(p, &p->machine);
	interval_overlapped(&p->overlap[0], true, (double)p->instructions);
}

/* The counts are zero but for what the input has; the machine's text and the samples follow as given. */
static size_t wrap(const uint8_t *data, size_t size, uint8_t **file)
{
	enum { COUNTS = sizeof(struct interval_profile) - offsetof(struct interval_profile, program) };
	static const struct codec codec = {"CULPROFL", "profile", "", 1, 2, 0, 1, 0};
	size_t split = size / 2, bytes = 0;
	struct bytes content = {.at = NULL};
	bytes_put_raw(&content, data, split < COUNTS ? split : COUNTS);
	while (!content.failed && content.size < COUNTS)
		bytes_put(&content, 0, 1);
	bytes_put_raw(&content, data + split, size - split);
	FILE *out = open_memstream((char **)file, &bytes);
	if (out && !codec_write(&codec, COUNTS / 8, &content, out, NULL))
		bytes = 0;
	if (out)
		fclose(out);
	free(content.at);
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct interval_profile *p = calloc(1, sizeof *p);
	struct error err;
	bool inside = size && data[0] & 1;
	uint8_t *file = NULL;
	size_t bytes = inside ? wrap(data + 1, size - 1, &file) : size;
	if (p) {
		if (interval_parse(p, inside ? file : data, bytes, "input", &err))
			read_out(p);
		interval_profile_clear(p);
	}
	free(file);
	free(p);
	return 0;
}
