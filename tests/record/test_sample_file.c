/* Sample files: what is written is what is read, and nothing else is taken for one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/sample_file.h"

enum { LENGTH = 100, CONTEXT = 7, STACK = 3, TARGETS = 4, SIGNATURES = 5, DETAILS = 40 };

static uint64_t next(uint64_t *state)
{
	return *state = *state * 6364136223846793005 + 1442695040888963407;
}

static void fill_samples(struct culprit_samples *s, uint64_t state)
{
	*s = (struct culprit_samples){.context = CONTEXT,
				      .length = LENGTH,
				      .stack = STACK,
				      .target_slots = TARGETS,
				      .words = (LENGTH + 2 * CONTEXT + 63) / 64,
				      .signature_count = SIGNATURES,
				      .detail_count = DETAILS,
				      .instructions = 123456789012,
				      .cycles = 98765432109};
	s->pc = calloc(SIGNATURES, sizeof *s->pc);
	s->bits = calloc((size_t)2 * SIGNATURES * s->words, sizeof *s->bits);
	s->returns = calloc(SIGNATURES * STACK, sizeof *s->returns);
	s->targets = calloc(SIGNATURES * TARGETS, sizeof *s->targets);
	s->details = calloc(DETAILS, sizeof *s->details);
	for (size_t i = 0; i < SIGNATURES; i++)
		s->pc[i] = next(&state);
	for (size_t i = 0; i < (size_t)2 * SIGNATURES * s->words; i++)
		s->bits[i] = next(&state);
	for (size_t i = 0; i < SIGNATURES * STACK; i++)
		s->returns[i] = next(&state);
	for (size_t i = 0; i < SIGNATURES * TARGETS; i++)
		s->targets[i] = next(&state);
	for (size_t i = 0; i < DETAILS; i++) {
		struct culprit_detail *d = &s->details[i];
		d->pc = next(&state);
		d->target = next(&state);
		d->bits[0] = next(&state) >> (63 - 2 * CONTEXT);
		d->bits[1] = next(&state) >> (63 - 2 * CONTEXT);
		d->flags = (uint16_t)next(&state) & CULPRIT_DETAIL_FLAGS;
#define DETAIL_FIELD(name, bits, meaning) \
	d->name = (__typeof__(d->name))(sizeof d->name == 1 ? next(&state) % 5 : next(&state) >> (64 - (bits)));
#include "culprit/shotgun_field.def"
	}
}

static void fill(struct sample_file *f)
{
	memset(f, 0, sizeof *f);
	f->program = strdup("./a program");
	f->machine_name = strdup("some-machine");
	f->machine = strdup("description: a machine\n");
	f->skipped = 1;
	f->warmed = 2;
	f->signature_interval = 3;
	f->detail_interval = 4;
	f->seed = 5;
	f->cut = 6;
	f->mappings = calloc(2, sizeof *f->mappings);
	f->mapping_count = 2;
	f->mappings[0] = (struct sample_mapping){
		.path = strdup("/usr/bin/a program"), .start = 0x10000, .end = 0x20000, .checksum = 77};
	f->mappings[1] = (struct sample_mapping){.path = strdup("/lib/libc.so.6"),
						 .start = 0x3f00000000,
						 .end = 0x3f00100000,
						 .bias = 0x3f00000000,
						 .checksum = UINT64_MAX,
						 .build_id = {1, 2, 3, 0, 255},
						 .build_id_size = 5};
	fill_samples(&f->samples, 9);
}

static char *written(const struct sample_file *f, size_t *size)
{
	char *bytes;
	struct error err;
	FILE *out = open_memstream(&bytes, size);
	assert_true(sample_file_write(f, out, &err));
	fclose(out);
	return bytes;
}

static void read_is_what_was_written(void **state)
{
	struct sample_file a, b;
	struct error err;
	size_t size, again;
	fill(&a);
	char *bytes = written(&a, &size);
	assert_true(sample_file_parse(&b, bytes, size, "file", &err));
	assert_string_equal(a.program, b.program);
	assert_string_equal(a.machine, b.machine);
	assert_string_equal(a.machine_name, b.machine_name);
	assert_int_equal(b.skipped + 10 * b.warmed + 100 * b.signature_interval, 321);
	assert_int_equal(b.detail_interval + 10 * b.seed + 100 * b.cut, 654);
	assert_int_equal(b.mapping_count, 2);
	assert_string_equal(b.mappings[1].path, "/lib/libc.so.6");
	assert_int_equal(b.mappings[1].bias, 0x3f00000000);
	assert_int_equal(b.mappings[1].checksum, UINT64_MAX);
	assert_memory_equal(b.mappings[1].build_id, a.mappings[1].build_id, SAMPLE_BUILD_ID_MAX);
	const struct culprit_samples *x = &a.samples, *y = &b.samples;
	assert_int_equal(x->instructions, y->instructions);
	assert_int_equal(x->cycles, y->cycles);
	assert_int_equal(y->stack, STACK);
	assert_int_equal(y->target_slots, TARGETS);
	assert_memory_equal(x->targets, y->targets, SIGNATURES * TARGETS * sizeof *x->targets);
	assert_memory_equal(x->pc, y->pc, SIGNATURES * sizeof *x->pc);
	assert_memory_equal(x->bits, y->bits, 2 * SIGNATURES * x->words * sizeof *x->bits);
	assert_memory_equal(x->returns, y->returns, SIGNATURES * STACK * sizeof *x->returns);
	assert_memory_equal(x->details, y->details, DETAILS * sizeof *x->details);
	char *second = written(&b, &again);
	assert_int_equal(size, again);
	assert_memory_equal(bytes, second, size);
	free(second);
	free(bytes);
	sample_file_destroy(&a);
	sample_file_destroy(&b);
}

/* Every beginning of a file, and every file with one byte changed, is refused with one line that names it. */
static void refuse(const char *bytes, size_t size)
{
	struct sample_file f;
	struct error err = {ERROR_NONE, ""};
	assert_false(sample_file_parse(&f, bytes, size, "the-file", &err));
	assert_int_equal(err.code, ERROR_INPUT);
	assert_int_equal(strncmp(err.text, "the-file: ", 10), 0);
	assert_int_equal(strcspn(err.text, "\n"), strlen(err.text));
	sample_file_destroy(&f);
}

static void damage_is_refused(void **state)
{
	struct sample_file f;
	size_t size;
	fill(&f);
	char *bytes = written(&f, &size);
	for (size_t length = 0; length < size; length++)
		refuse(bytes, length);
	for (size_t at = 0; at < size; at += 1 + at / 64) {
		bytes[at] ^= 0x10;
		refuse(bytes, size);
		bytes[at] ^= 0x10;
	}
	char *longer = malloc(size + 1);
	memcpy(longer, bytes, size);
	longer[size] = 0;
	refuse(longer, size + 1);
	free(longer);
	free(bytes);
	sample_file_destroy(&f);
}

static void reasons_are_told(void **state)
{
	struct sample_file f;
	struct error err;
	char file[12] = "CULPSHOT";
	struct sample_file good;
	size_t size;
	assert_false(sample_file_parse(&f, "CULPRECO....", 12, "x", &err));
	assert_string_equal(err.text, "x: not a sample file (culprit run --shotgun-file writes them)");
	file[8] = 9;
	assert_false(sample_file_parse(&f, file, 12, "x", &err));
	assert_string_equal(err.text,
			    "x: a sample file of version 9, and this culprit reads version 6: use a newer one");
	file[8] = 1;
	assert_false(sample_file_parse(&f, file, 12, "x", &err));
	assert_string_equal(err.text, "x: a sample file of version 1, and this culprit reads version 6");
	file[8] = 6;
	assert_false(sample_file_parse(&f, file, 12, "x", &err));
	assert_string_equal(err.text, "x: truncated sample file");
	fill(&good);
	char *bytes = written(&good, &size);
	assert_false(sample_file_parse(&f, bytes, size - 1, "x", &err));
	assert_string_equal(err.text, "x: truncated or damaged sample file: the checksum does not fit");
	bytes[32]++;
	assert_false(sample_file_parse(&f, bytes, size, "x", &err));
	assert_string_equal(err.text, "x: damaged sample file: detailed samples of another size");
	bytes[32]--;
	bytes[16]++; /* bytes of content */
	assert_false(sample_file_parse(&f, bytes, size, "x", &err));
	assert_string_equal(err.text, "x: damaged sample file: it does not decompress to what its header says");
	bytes[16] -= 2;
	assert_false(sample_file_parse(&f, bytes, size, "x", &err));
	assert_string_equal(err.text, "x: damaged sample file: it does not decompress to what its header says");
	free(bytes);
	sample_file_destroy(&good);
	assert_false(sample_file_read(&f, "/nonexistent/samples", &err));
	assert_string_equal(err.text, "/nonexistent/samples: No such file or directory");
}

/* Values that no monitor writes, in files that are whole. */
static void impossible_values_are_refused(void **state)
{
	for (unsigned i = 0; i < 5; i++) {
		struct sample_file f;
		size_t size;
		fill(&f);
		switch (i) {
		case 0:
			f.samples.details[3].dlevel = CULPRIT_LEVEL_COUNT;
			break;
		case 1:
			f.samples.details[3].dmiss = 4096;
			break;
		case 2:
			f.samples.details[3].flags = CULPRIT_TAKEN;
			break;
		case 3:
			f.samples.details[3].bits[1] |= 1ull << (2 * CONTEXT + 1);
			break;
		default:
			f.mappings[0].end = f.mappings[0].start;
			break;
		}
		char *bytes = written(&f, &size);
		refuse(bytes, size);
		free(bytes);
		sample_file_destroy(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_is_what_was_written),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(reasons_are_told),
		cmocka_unit_test(impossible_values_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
