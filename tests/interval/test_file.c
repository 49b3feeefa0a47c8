/* The profile file: what is written is read; anything else is one clear error. */
#include "interval/profile/profile.h"
#include "stream_rig.h"

#include <stdio.h>
#include <unistd.h>
#include <zstd.h>

static char path[] = "/tmp/culprit-test-profile-XXXXXX";

/* Every hundredth sample is a mispredicted branch with a wrong path of four. */
static void add_wrong_paths(struct interval_samples *s)
{
	uint64_t paths = s->count / 100;
	s->wrong = calloc(paths, sizeof *s->wrong);
	s->strays = calloc(4 * paths, sizeof *s->strays);
	for (; s->wrong_count < paths; s->wrong_count++, s->stray_count += 4)
		s->wrong[s->wrong_count] = (struct interval_wrong_path){
			.branch = (uint32_t)(100 * s->wrong_count), .first = (uint32_t)s->stray_count, .count = 4};
	memcpy(s->strays, s->list, s->stray_count * sizeof *s->strays);
}

static struct interval_profile *example(void)
{
	struct interval_profile *p = calloc(1, sizeof *p);
	struct error err;
	uint64_t seed = 11;
	assert_non_null(p);
	/* the counts: any words at all */
	for (uint64_t *w = (uint64_t *)(void *)p->program; w < (uint64_t *)(void *)(p + 1); w++)
		*w = rig_random(&seed, 1000000);
	if (!machine_load(&p->machine, "eyerman2006", &err))
		fail_msg("%s", err.text);
	strcpy(p->program, "example");
	strcpy(p->reference.machine, "eyerman2006");
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++)
		strcpy(p->predictor[i].name, "some");
	struct interval_sweep *sweeps[] = {&p->l1i, &p->l1d, &p->l2, &p->l3};
	for (size_t i = 0; i < 4; i++)
		sweeps[i]->first_sets = sweeps[i]->sets = 6;
	p->samples = (struct interval_samples){.count = 3000, .stretch = 4096, .every = 2};
	p->samples.list = calloc(p->samples.count, sizeof *p->samples.list);
	for (size_t i = 0; i < p->samples.count; i++)
		p->samples.list[i] = (struct interval_sample){.pc = rig_random(&seed, 1u << 31),
							      .address = rig_random(&seed, 1u << 31),
							      .producer = {1, 2, (uint16_t)rig_random(&seed, 65536)},
							      .mem_producer = (uint16_t)rig_random(&seed, 65536),
							      .op = (uint8_t)rig_random(&seed, CULPRIT_OP_COUNT),
							      .dlevel = rig_random(&seed, CULPRIT_LEVEL_COUNT) & 7,
							      .dtlb = rig_random(&seed, CULPRIT_LEVEL_COUNT) & 7,
							      .covers = rig_random(&seed, 2) & 1,
							      .prefetched = rig_random(&seed, 2) & 1,
							      .ilevel = rig_random(&seed, CULPRIT_LEVEL_COUNT) & 7,
							      .itlb = rig_random(&seed, CULPRIT_LEVEL_COUNT) & 7,
							      .dest = rig_random(&seed, 3) & 3,
							      .flags = (uint8_t)rig_random(&seed, 256)};
	add_wrong_paths(&p->samples);
	return p;
}

static uint8_t *file_bytes(size_t *size)
{
	static uint8_t bytes[1 << 20];
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	*size = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	return bytes;
}

static void test_round_trip(void **state)
{
	struct interval_profile *p = *state, *again = calloc(1, sizeof *again);
	struct error err;
	if (!interval_read(again, path, &err))
		fail_msg("%s", err.text);
	assert_memory_equal(p->program, again->program, sizeof *p - offsetof(struct interval_profile, program));
	assert_memory_equal(&p->machine, &again->machine, sizeof p->machine);
	assert_int_equal(p->samples.count, again->samples.count);
	assert_int_equal(p->samples.stretch, again->samples.stretch);
	assert_int_equal(p->samples.every, again->samples.every);
	assert_memory_equal(p->samples.list, again->samples.list, p->samples.count * sizeof *p->samples.list);
	assert_int_equal(p->samples.wrong_count, again->samples.wrong_count);
	assert_int_equal(p->samples.stray_count, again->samples.stray_count);
	assert_memory_equal(p->samples.wrong, again->samples.wrong, p->samples.wrong_count * sizeof *p->samples.wrong);
	assert_memory_equal(p->samples.strays, again->samples.strays,
			    p->samples.stray_count * sizeof *p->samples.strays);
	interval_profile_clear(again);
	free(again);
}

/* Written twice: the same bytes. */
static void test_repeatable(void **state)
{
	struct error err;
	size_t first, second;
	uint8_t *bytes = file_bytes(&first), *copy = malloc(first);
	memcpy(copy, bytes, first);
	assert_true(interval_write(*state, path, &err));
	bytes = file_bytes(&second);
	assert_int_equal(first, second);
	assert_memory_equal(copy, bytes, first);
	free(copy);
}

static void refused(const uint8_t *bytes, size_t size, const char *message)
{
	struct interval_profile *p = calloc(1, sizeof *p);
	struct error err = {0};
	assert_false(interval_parse(p, bytes, size, "t.profile", &err));
	assert_int_equal(err.code, ERROR_INPUT);
	if (message)
		assert_string_equal(err.text, message);
	assert_null(p->samples.list);
	free(p);
}

static void test_damage(void **state)
{
	size_t size;
	uint8_t *bytes = file_bytes(&size), *copy = malloc(size + 4);
	memcpy(copy, bytes, size);
	for (size_t cut = 0; cut < size; cut = cut < 64 ? cut + 1 : cut + size / 37)
		refused(copy, cut, NULL);
	refused(copy, 7, "t.profile: not a profile (culprit profile writes them)");
	refused(copy, 20, "t.profile: truncated profile");
	refused(copy, size - 1, "t.profile: truncated or damaged profile: the checksum does not fit");
	refused((const uint8_t *)"description: no profile at all, but long enough", 47,
		"t.profile: not a profile (culprit profile writes them)");
	for (size_t at = 8; at < size; at += at < 64 ? 1 : 997) { /* a bit anywhere */
		copy[at] ^= 0x10;
		refused(copy, size, NULL);
		copy[at] ^= 0x10;
	}
	memset(copy + size, 0, 4);
	refused(copy, size + 4, NULL); /* something behind it */
	copy[8] = 5;
	refused(copy, size, "t.profile: a profile of version 5, and this culprit reads up to 4: use a newer one");
	copy[8] = 0;
	refused(copy, size, "t.profile: a profile of version 0, and this culprit reads up to 4");
	free(copy);
}

enum { HEADER = 40, COUNTS = sizeof(struct interval_profile) - offsetof(struct interval_profile, program) };

/* What the file at `bytes` packs. */
static uint8_t *unpacked(const uint8_t *bytes, size_t size, uint64_t *content)
{
	memcpy(content, bytes + 16, 8);
	uint8_t *raw = malloc(*content);
	assert_non_null(raw);
	assert_int_equal(ZSTD_decompress(raw, *content, bytes + HEADER, size - HEADER), *content);
	return raw;
}

/* A file of this content with the header's sizes and checksum right. Returns its size. */
static size_t repacked(const uint8_t *raw, uint64_t content, uint8_t *to)
{
	uint64_t sum = 0xcbf29ce484222325;
	size_t packed = ZSTD_compress(to + HEADER, ZSTD_compressBound(content), raw, content, 1);
	for (size_t i = HEADER; i < HEADER + packed; i++)
		sum = (sum ^ to[i]) * 0x100000001b3;
	memcpy(to + 16, &content, 8);
	memcpy(to + 24, &sum, 8);
	return HEADER + packed;
}

/* As version 1 had it: without the last three words of the counts, and without wrong paths. */
static size_t older(const struct interval_samples *s, const uint8_t *bytes, size_t size, uint8_t *to)
{
	uint64_t content, words = COUNTS / 8 - 3;
	uint8_t *raw = unpacked(bytes, size, &content);
	memmove(raw + COUNTS - 24, raw + COUNTS, content - COUNTS);
	content -= 24 + 16 + s->wrong_count * 8 + s->stray_count * 20;
	memcpy(to, bytes, HEADER);
	to[8] = 1;
	memcpy(to + 32, &words, 8);
	size = repacked(raw, content, to);
	free(raw);
	return size;
}

static void test_version_1(void **state)
{
	static uint8_t old[1 << 20];
	struct interval_profile *p = *state, *again = calloc(1, sizeof *again);
	struct error err;
	size_t size;
	const uint8_t *bytes = file_bytes(&size);
	size = older(&p->samples, bytes, size, old);
	if (!interval_parse(again, old, size, "old.profile", &err))
		fail_msg("%s", err.text);
	assert_memory_equal(p->program, again->program,
			    offsetof(struct interval_profile, sampling) - offsetof(struct interval_profile, program));
	assert_int_equal(again->sampling.every, 1);
	assert_int_equal(again->sampling.instructions, p->instructions);
	assert_memory_equal(p->samples.list, again->samples.list, p->samples.count * sizeof *p->samples.list);
	interval_profile_clear(again);
	free(again);
	old[8] = 2;
	refused(old, size, "t.profile: damaged profile: impossible sizes in its header");
}

/* Where the first sample is: behind the counts, the machine's text and three words. */
static uint8_t *first_sample(uint8_t *raw)
{
	uint32_t length;
	memcpy(&length, raw + COUNTS, 4);
	return raw + COUNTS + 4 + length + 24;
}

/* A good checksum, and values that no sample has: each of the packed bytes, one above its most. */
static void test_impossible_samples(void **state)
{
	enum { OP = 16, DATA, CODE };
	static const struct {
		uint8_t at, value;
	} odd[] = {{OP, CULPRIT_OP_COUNT},	{DATA, CULPRIT_LEVEL_COUNT},	  {DATA, CULPRIT_LEVEL_COUNT << 3},
		   {CODE, CULPRIT_LEVEL_COUNT}, {CODE, CULPRIT_LEVEL_COUNT << 3}, {CODE, 3 << 6}};
	static uint8_t file[1 << 20];
	size_t size;
	uint64_t content;
	const uint8_t *bytes = file_bytes(&size);
	uint8_t *raw = unpacked(bytes, size, &content), *sample = first_sample(raw);
	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		uint8_t right = sample[odd[i].at];
		memcpy(file, bytes, HEADER);
		sample[odd[i].at] = odd[i].value;
		refused(file, repacked(raw, content, file),
			"t.profile: damaged profile: a sample that no instruction has");
		sample[odd[i].at] = right;
	}
	free(raw);
	(void)state;
}

/* Names without an end in the file get one. */
static void test_endless_names(void **state)
{
	static uint8_t file[1 << 20];
	struct interval_profile *again = calloc(1, sizeof *again);
	struct error err;
	size_t size;
	uint64_t content;
	const uint8_t *bytes = file_bytes(&size);
	uint8_t *raw = unpacked(bytes, size, &content);
	const size_t names[] = {offsetof(struct interval_profile, program),
				offsetof(struct interval_profile, reference.machine),
				offsetof(struct interval_profile, predictor[0].name),
				offsetof(struct interval_profile, predictor[INTERVAL_PREDICTORS - 1].name)};
	for (size_t i = 0; i < 4; i++)
		memset(raw + names[i] - offsetof(struct interval_profile, program), 'x', INTERVAL_NAME);
	memcpy(file, bytes, HEADER);
	if (!interval_parse(again, file, repacked(raw, content, file), "t.profile", &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(strnlen((const char *)again + names[i], INTERVAL_NAME), INTERVAL_NAME - 1);
	interval_profile_clear(again);
	free(again);
	free(raw);
	(void)state;
}

static int setup(void **state)
{
	struct error err;
	int fd = mkstemp(path);
	close(fd);
	*state = example();
	return interval_write(*state, path, &err) ? 0 : -1;
}

static int teardown(void **state)
{
	interval_profile_clear(*state);
	free(*state);
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_repeatable),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_version_1),
		cmocka_unit_test(test_impossible_samples),
		cmocka_unit_test(test_endless_names),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
