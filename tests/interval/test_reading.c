/* Reading a profile: every geometry of a grid, and whether the profile holds it, by the words of profile.h. */
#include "interval/model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* No two counts are equal, and no two sums of neighbours. */
static void number(uint64_t *counts, size_t bytes, uint64_t *next)
{
	for (size_t i = 0; i < bytes / sizeof *counts; i++, ++*next)
		counts[i] = *next * (*next + 1);
}

static struct interval_profile *numbered(void)
{
	struct interval_profile *p = calloc(1, sizeof *p);
	uint64_t next = 1;
	assert_non_null(p);
	number((uint64_t *)p->l2.hits, sizeof p->l2.hits, &next);
	number((uint64_t *)p->dtlb.hits, sizeof p->dtlb.hits, &next);
	number(p->dtlb.full, sizeof p->dtlb.full, &next);
	number((uint64_t *)p->btb.direct_hits, sizeof p->btb.direct_hits, &next);
	number((uint64_t *)p->btb.indirect_hits, sizeof p->btb.indirect_hits, &next);
	for (unsigned l = 0; l < INTERVAL_LINES; l++)
		for (unsigned k = 0; k < INTERVAL_KINDS; k++)
			p->l2.accesses[l][k] = 1000000000000 + 10 * l + k;
	p->l2.first_sets = 3;
	p->l2.sets = 5;
	p->dtlb.accesses = 2000000000000;
	p->btb.direct_taken = 3000000000000;
	p->btb.indirect = 4000000000000;
	return p;
}

/* 2^*log2 sets of `ways` hold exactly `entries`. */
static bool fits(uint64_t entries, uint64_t ways, uint64_t low, uint64_t end, uint64_t *log2)
{
	for (*log2 = low; *log2 < end; ++*log2)
		if (ways && ways << *log2 == entries)
			return true;
	return false;
}

static const uint64_t odd_sizes[] = {0,	  1,   2,    3,	   5,	 6,    7,    8,	   12,	  15,	 16,	17,   24,
				     31,  32,  33,   48,   64,	 100,  127,  128,  192,	  255,	 256,	257,  300,
				     384, 512, 1000, 1024, 1536, 2048, 4096, 8192, 16384, 32768, 49152, 65536};
enum { SIZES = sizeof odd_sizes / sizeof *odd_sizes };

static void one_cache(const struct interval_sweep *s, uint64_t entries, uint64_t ways, uint64_t line)
{
	struct error err;
	uint64_t log2 = 0, misses = 0, size = entries * line, asked = ways ? ways : entries;
	int l = line == 32 ? 0 : line == 64 ? 1 : line == 128 ? 2 : -1;
	bool held = l >= 0 && asked <= INTERVAL_WAYS && fits(entries, asked, 3, 8, &log2);
	for (enum interval_kind k = INTERVAL_FETCH; k < INTERVAL_KINDS; k++) {
		assert_int_equal(interval_misses(s, k, size, ways, line, &misses, &err), held);
		if (!held)
			continue;
		uint64_t hits = 0;
		for (uint64_t d = 0; d < asked; d++)
			hits += s->hits[l][k][log2 - 3][d];
		assert_int_equal(misses, s->accesses[l][k] - hits);
	}
	if (held)
		return;
	char text[200];
	snprintf(text, sizeof text,
		 "the profile has no cache of %llu bytes in %llu ways of %llu-byte lines: it holds 8 to 128 sets of 1 "
		 "to "
		 "16 ways of 32, 64 and 128 bytes",
		 (unsigned long long)size, (unsigned long long)asked, (unsigned long long)line);
	if (line)
		assert_string_equal(err.text, text);
}

static void caches(void **state)
{
	static const uint64_t lines[] = {0, 16, 32, 48, 64, 96, 128, 256};
	struct interval_profile *p = numbered();
	for (size_t i = 0; i < SIZES; i++)
		for (uint64_t ways = 0; ways <= 18; ways++)
			for (size_t l = 0; l < sizeof lines / sizeof *lines; l++)
				one_cache(&p->l2, odd_sizes[i], ways, lines[l]);
	p->l2.sets = 0; /* a profile without this sweep */
	uint64_t misses;
	assert_false(interval_misses(&p->l2, INTERVAL_LOAD, 1024, 4, 32, &misses, NULL));
	free(p);
	(void)state;
}

static void translations(void **state)
{
	struct interval_profile *p = numbered();
	for (size_t i = 0; i < SIZES; i++)
		for (uint64_t ways = 0; ways <= 18; ways++) {
			struct error err;
			uint64_t entries = odd_sizes[i], asked = ways ? ways : entries, misses = 7, log2 = 0, hits = 0;
			bool full = asked == entries && entries <= INTERVAL_PAGES_FULL;
			bool held = !entries || full || (asked <= INTERVAL_WAYS && fits(entries, asked, 1, 13, &log2));
			assert_int_equal(interval_page_misses(&p->dtlb, entries, ways, &misses, &err), held);
			if (!held) {
				char text[200];
				snprintf(text, sizeof text,
					 "the profile has no TLB of %llu entries in %llu ways: it holds 2 to 4096 sets "
					 "of 1 to 16 ways, and full associativity up to 256 entries",
					 (unsigned long long)entries, (unsigned long long)asked);
				assert_string_equal(err.text, text);
				continue;
			}
			for (uint64_t d = 0; d < asked && entries; d++)
				hits += full ? p->dtlb.full[d] : p->dtlb.hits[log2 - 1][d];
			assert_int_equal(misses, entries ? p->dtlb.accesses - hits : 0);
		}
	free(p);
	(void)state;
}

static void targets(void **state)
{
	struct interval_profile *p = numbered();
	for (size_t i = 0; i < SIZES; i++)
		for (uint64_t ways = 0; ways <= 18; ways++) {
			struct error err;
			uint64_t entries = odd_sizes[i], direct, indirect, log2 = 11, depth = entries ? ways : 16;
			uint64_t direct_hits = 0, indirect_hits = 0;
			bool held = !entries || (ways <= INTERVAL_WAYS && fits(entries, ways, 0, 12, &log2));
			assert_int_equal(interval_btb_misses(&p->btb, entries, ways, &direct, &indirect, &err), held);
			if (!held) {
				char text[200];
				snprintf(text, sizeof text,
					 "the profile has no BTB of %llu entries in %llu ways: it holds 1 to 2048 sets "
					 "of 1 to 16 ways",
					 (unsigned long long)entries, (unsigned long long)ways);
				assert_string_equal(err.text, text);
				continue;
			}
			for (uint64_t d = 0; d < depth; d++) {
				direct_hits += p->btb.direct_hits[log2][d];
				indirect_hits += p->btb.indirect_hits[log2][d];
			}
			assert_int_equal(direct, entries ? p->btb.direct_taken - direct_hits : 0);
			assert_int_equal(indirect, p->btb.indirect - indirect_hits);
		}
	free(p);
	(void)state;
}

/* Exact at the windows measured, the mean of neighbours at their geometric mean, constant beyond both ends. */
static void overlapped(void **state)
{
	struct interval_overlap o = {.misses = 0};
	for (unsigned i = 0; i < INTERVAL_WINDOWS; i++) {
		o.units[i] = 1000 - i * i;
		o.broken[i] = 2000 - 3 * i * i;
	}
	for (unsigned broken = 0; broken < 2; broken++) {
		const uint64_t *at = broken ? o.broken : o.units;
		for (unsigned i = 0; i < INTERVAL_WINDOWS; i++) {
			double window = (double)interval_windows[i];
			assert_float_equal(interval_overlapped(&o, broken, window), (double)at[i], 1e-9);
			if (i + 1 == INTERVAL_WINDOWS)
				break;
			double between = __builtin_sqrt(window * (double)interval_windows[i + 1]);
			assert_float_equal(interval_overlapped(&o, broken, between),
					   ((double)at[i] + (double)at[i + 1]) / 2, 1e-6);
		}
		assert_float_equal(interval_overlapped(&o, broken, 0.5), (double)at[0], 0);
		assert_float_equal(interval_overlapped(&o, broken, 5000), (double)at[INTERVAL_WINDOWS - 1], 0);
	}
	(void)state;
}

static void critical_paths(void **state)
{
	struct interval_profile *p = calloc(1, sizeof *p);
	for (unsigned w = 0; w < INTERVAL_WINDOW; w++) {
		p->paths.windows[w] = w < 900 ? 3 : 0;
		for (unsigned set = 0; set < INTERVAL_LATENCIES; set++)
			p->paths.sum[set][w] = 7 * w + set;
	}
	for (unsigned set = 0; set < INTERVAL_LATENCIES; set++)
		for (uint32_t w = 0; w <= INTERVAL_WINDOW + 1; w++) {
			double k = w && w <= 900 ? (7 * (w - 1) + set) / 3.0 : 0;
			assert_float_equal(interval_critical_path(p, (enum interval_latency)set, w), k, 1e-9);
		}
	struct model model;
	struct error err;
	memset(&p->paths, 0, sizeof p->paths);
	assert_true(machine_load(&p->machine, "eyerman2009-4w", &err));
	assert_false(model_open(&model, p, &err));
	assert_string_equal(err.text, "the profile is too short for a critical path curve");
	model_close(&model);
	free(p);
	(void)state;
}

static const char *const refinement_names[] = {
#define MODEL_REFINEMENT(name, meaning) #name,
#include "interval/model/refinement.def"
};

/* Each refinement by its name, all of them in any order, and nothing else. */
static void refinements(void **state)
{
	struct error err;
	uint32_t bits;
	char all[400] = "";
	for (unsigned r = MODEL_REFINEMENTS; r-- > 0;) {
		const char *name = refinement_names[r];
		size_t at = strlen(all);
		assert_true(model_refinements_parse(name, &bits, &err));
		assert_int_equal(bits, 1u << r);
		snprintf(all + at, sizeof all - at, "%s%s", *all ? "," : "", name);
		assert_true(model_refinements_parse(all, &bits, &err));
		assert_int_equal(bits, MODEL_REFINED >> r << r);
	}
	static const char *const wrong[] = {"", "windows", "windo", "window,", ",window", "window units"};
	static const char *const named[] = {"' (",
					    "windows'; did you mean window? (",
					    "windo'; did you mean window? (",
					    "' (",
					    "' (",
					    "window units' ("};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char start[80];
		snprintf(start, sizeof start, "no refinement is called '%s", named[i]);
		assert_false(model_refinements_parse(wrong[i], &bits, &err));
		assert_true(!strncmp(err.text, start, strlen(start)));
	}
	assert_false(model_refinements_parse("x2345678901234567890123456789012345678901", &bits, &err));
	assert_true(!strncmp(err.text, "no refinement is called 'x234567890123456789012345678901234567890'", 66));
	for (unsigned r = 0; r < MODEL_REFINEMENTS; r++) /* the message names each */
		assert_non_null(strstr(err.text, refinement_names[r]));
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(caches),     cmocka_unit_test(translations),	cmocka_unit_test(targets),
		cmocka_unit_test(overlapped), cmocka_unit_test(critical_paths), cmocka_unit_test(refinements),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
