/* The streaming graph against the plain one on random streams: every subset, every kernel, every combination of
 * classes, extremes of parameters and latencies, and streams that do not make sense. */
#include "graph_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "graph_stream.h"

/* With lanes shared out among two or three threads: every subset. */
static void compare_team(const struct culprit_graph_params *p, const struct culprit_record *r, size_t n,
			 const struct culprit_graph_results *want)
{
	struct culprit_graph_params with = *p;
	with.kernel = want->kernel;
	with.processors = 2 + (uint32_t)(r[n - 1].commit % 2);
	struct culprit_graph *g = culprit_graph_create(&with, NULL);
	struct culprit_graph_results have;
	assert_non_null(g);
	for (size_t i = 0; i < n; i += 301)
		assert_true(culprit_graph_push(g, r + i, n - i < 301 ? n - i : 301));
	assert_true(culprit_graph_finish(g, &have));
	assert_int_equal(have.wide, want->wide);
	assert_memory_equal(have.time, want->time, sizeof *have.time << p->class_count);
	culprit_graph_destroy(g);
}

static void compare(const struct culprit_graph_params *p, const struct culprit_record *r, size_t n, unsigned step,
		    bool expect_wide)
{
	static const char *const kernels[] = {"portable", "avx2", "avx512"};
	for (unsigned k = 0; k < 3; k++) {
		struct culprit_graph_params with = *p;
		with.kernel = kernels[k];
		const char *why;
		struct culprit_graph *g = culprit_graph_create(&with, &why);
		if (!g && k && !strcmp(why, "kernel: not on this host"))
			continue;
		assert_non_null(g);
		for (size_t i = 0; i < n; i += 37)
			if (!culprit_graph_push(g, r + i, n - i < 37 ? n - i : 37))
				fail_msg("%s", culprit_graph_error(g));
		struct culprit_graph_results results;
		assert_true(culprit_graph_finish(g, &results));
		assert_int_equal(results.instructions, n);
		assert_int_equal(results.wide, expect_wide);
		for (unsigned set = 0; set < 1u << p->class_count; set += k ? 1 : step) {
			if (k && set % step)
				continue;
			uint64_t want = reference_time(p, r, n, set);
			if (results.time[set] != want)
				fail_msg("%s: set %#x of %zu: %llu, plain graph %llu", kernels[k], set, n,
					 (unsigned long long)results.time[set], (unsigned long long)want);
		}
		int64_t sum = 0;
		for (unsigned set = 0; set < 1u << p->class_count; set++)
			sum += results.icost[set];
		assert_int_equal(sum, results.time[0] - results.time[(1u << p->class_count) - 1]);
		culprit_graph_destroy(g);
		compare_team(p, r, n, &results);
	}
}

static void all_subsets(void **state)
{
	struct culprit_graph_params p = usual_params();
	struct mix m = {120, 40, 1, false};
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct culprit_record *r = random_stream(seed, 700, &p, &m);
		compare(&p, r, 700, 1, false);
		free(r);
	}
}

static void random_params(void **state)
{
	for (uint64_t round = 1; round <= 40; round++) {
		uint64_t s = round * 77;
		struct culprit_graph_params p = random_sizes(&s);
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 4), true};
		struct culprit_record *r = random_stream(s, 1500, &p, &m);
		compare(&p, r, 1500, 17, false);
		free(r);
	}
}

/* ... with records that take more or less than one entry or slot. */
static void weighted(void **state)
{
	for (uint64_t round = 1; round <= 30; round++) {
		uint64_t s = round * 61;
		struct culprit_graph_params p = chance(&s, 50) ? random_sizes(&s) : usual_params();
		if (chance(&s, 40))
			limit_rooms(&p, &s);
		if (chance(&s, 30))
			p.classes[CULPRIT_EVENT_win].events = CULPRIT_EVENT_BIT(rob);
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 4), true};
		struct culprit_record *r = random_stream(s, 1500, &p, &m);
		weigh_stream(&s, &p, r, 1500, 10 * below(&s, 6));
		compare(&p, r, 1500, 17, false);
		free(r);
	}
}

/* ... with instructions that leave the window before they commit; all of them count in rob and registers. */
static void released(void **state)
{
	for (uint64_t round = 1; round <= 40; round++) {
		uint64_t s = round * 53;
		struct culprit_graph_params p = chance(&s, 50) ? random_sizes(&s) : usual_params();
		p.released = 1 + below(&s, 50);
		p.merged_stay = below(&s, 3);
		p.late_addend = below(&s, 4);
		p.rob += p.released;
		uint32_t *sizes[] = {&p.lq, &p.lsq, &p.branches, &p.int_regs, &p.fp_regs, &p.regs};
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
			*sizes[i] += *sizes[i] ? p.released : 0;
		if (chance(&s, 40))
			limit_rooms(&p, &s);
		if (chance(&s, 30))
			p.classes[CULPRIT_EVENT_win].events = CULPRIT_EVENT_BIT(rob);
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 4), true};
		struct culprit_record *r = random_stream(s, 1500, &p, &m);
		struct culprit_graph_params held = p;
		held.rob -= p.released;
		if (chance(&s, 50))
			weigh_stream(&s, &held, r, 1500, 10 * below(&s, 6));
		compare(&p, r, 1500, 17, false);
		free(r);
	}
}

/* ... that are dispatched by rows: which ones they fill depends on the lane. */
static void dispatch_rows(void **state)
{
	static const struct culprit_graph_range places[] = {{0x1000, 0x1800}};
	for (uint64_t round = 1; round <= 40; round++) {
		uint64_t s = round * 67;
		struct culprit_graph_params p = chance(&s, 50) ? random_sizes(&s) : usual_params();
		p.dispatch_rows = 1;
		p.dispatch_width = 1 + below(&s, 6);
		p.rob = p.dispatch_width * (1 + below(&s, 20)) + below(&s, p.dispatch_width);
		p.fetch_width = 1 + below(&s, 8);
		if (chance(&s, 30))
			p.classes[CULPRIT_EVENT_win].events = CULPRIT_EVENT_BIT(rob);
		const unsigned here = chance(&s, 50) ? CULPRIT_EVENT_bw : CULPRIT_EVENT_bmisp;
		if (chance(&s, 25))
			p.classes[here].ranges = places, p.classes[here].range_count = 1;
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 4), true};
		struct culprit_record *r = random_stream(s, 1500, &p, &m);
		compare(&p, r, 1500, 17, false);
		free(r);
	}
}

/* ... where a squash takes its time, which depends on the lane's window. */
static void slow_squash(void **state)
{
	static const struct culprit_graph_range places[] = {{0x1000, 0x1800}};
	for (uint64_t round = 1; round <= 40; round++) {
		uint64_t s = round * 71;
		struct culprit_graph_params p = chance(&s, 50) ? random_sizes(&s) : usual_params();
		p.squash_width = 1 + below(&s, 12);
		if (chance(&s, 30)) /* its parts are of different classes */
			p.classes[CULPRIT_EVENT_win].events = CULPRIT_EVENT_BIT(rob) | CULPRIT_EVENT_BIT(lsq);
		const unsigned here = chance(&s, 50) ? CULPRIT_EVENT_bw : CULPRIT_EVENT_win;
		if (chance(&s, 25))
			p.classes[here].ranges = places, p.classes[here].range_count = 1;
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 4), true};
		struct culprit_record *r = random_stream(s, 1500, &p, &m);
		compare(&p, r, 1500, 17, false);
		free(r);
	}
}

/* Dispatched later, by so many cycles; whatever it had waited for since is then there sooner. */
static void delay(struct culprit_record *r, const struct culprit_graph_params *p, uint64_t cycles)
{
	const uint64_t ready = r->dispatch + cycles + p->dispatch_to_issue,
		       late = ready > r->ready ? ready - r->ready : 0;
	r->dispatch += cycles;
	r->ready += late;
	r->issue += late;
	r->complete += late;
	r->commit += late;
}

/* ... that are dispatched in whole groups, which wait for the entries of all of them. */
static void whole_groups(void **state)
{
	for (uint64_t round = 1; round <= 40; round++) {
		uint64_t s = round * 67;
		struct culprit_graph_params p = chance(&s, 50) ? random_sizes(&s) : usual_params();
		p.whole_groups = 1;
		p.rob_room = round % 3 ? 0 : (uint32_t)(round / 3 % 6);
		p.rob_room = p.rob_room < p.rob - p.released ? p.rob_room : p.rob - p.released;
		p.dispatch_width = chance(&s, 10) ? 0 : 1 + below(&s, chance(&s, 20) ? 40 : 5);
		p.store_writes = chance(&s, 80);
		p.sq = chance(&s, 80) ? 1 + below(&s, 12) : 0;
		p.write_interval = chance(&s, 50) ? 1 + below(&s, 20) : 0;
		p.l1_line = p.write_interval ? 64 : p.l1_line;
		uint32_t *sizes[] = {&p.lq, &p.lsq, &p.branches, &p.int_regs, &p.fp_regs, &p.regs};
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
			*sizes[i] = chance(&s, 40) ? 1 + below(&s, 30) : *sizes[i];
		p.queue_count = 1 + below(&s, 3);
		for (uint32_t q = 0; q < p.queue_count; q++)
			p.queue_entries[q] = chance(&s, 80) ? 1 + below(&s, 25) : 0;
		if (chance(&s, 30))
			p.classes[CULPRIT_EVENT_win].events = CULPRIT_EVENT_BIT(rob);
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 4), true};
		struct culprit_record *r = random_stream(s, 1500, &p, &m);
		for (size_t i = 1; i < 1500; i++) { /* more of them together */
			if (chance(&s, 60) && r[i].dispatch < r[i - 1].dispatch)
				delay(&r[i], &p, r[i - 1].dispatch - r[i].dispatch);
			if (r[i].commit < r[i - 1].commit)
				r[i].commit = r[i - 1].commit;
		}
		if (chance(&s, 50)) {
			weigh_stream(&s, &p, r, 1500, 10 * below(&s, 6));
			r[0].rob_entries = 2; /* before that the records behind count as usual ones */
		}
		compare(&p, r, 1500, 17, false);
		free(r);
	}
}

/* ... and what is before it has to leave as well, which may be before it commits. */
static void recovery(void **state)
{
	for (uint64_t round = 1; round <= 40; round++) {
		uint64_t s = round * 73;
		struct culprit_graph_params p = chance(&s, 50) ? random_sizes(&s) : usual_params();
		p.recovery = 1 + below(&s, 30);
		p.recovery_data = chance(&s, 50);
		p.squash_width = chance(&s, 70) ? 1 + below(&s, 12) : 0;
		p.released = chance(&s, 50) ? 1 + below(&s, 50) : 0;
		p.merged_stay = below(&s, 3);
		p.rob += p.released;
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 4), true};
		struct culprit_record *r = random_stream(s, 1500, &p, &m);
		for (size_t i = 1; i < 1500; i++) { /* most wait for the commit, and some for the squash */
			const uint64_t leaves = r[i - 1].commit + p.recovery;
			const bool again = (r[i - 1].flags & CULPRIT_MISPREDICTED) || (r[i].flags & CULPRIT_VIOLATED);
			if (again && r[i].dispatch < leaves && chance(&s, 70))
				delay(&r[i], &p, leaves + below(&s, 30) * chance(&s, 50) - r[i].dispatch);
			if (r[i].commit < r[i - 1].commit)
				r[i].commit = r[i - 1].commit;
		}
		compare(&p, r, 1500, 17, false);
		free(r);
	}
}

/* ... of micro-operations, with a decoder that is held up. */
static void cracked(void **state)
{
	for (uint64_t round = 1; round <= 30; round++) {
		uint64_t s = round * 57;
		struct culprit_graph_params p = random_sizes(&s);
		crack_params(&p, &s);
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 4), true};
		struct culprit_record *r = random_stream(s, 1500, &p, &m);
		crack_stream(&s, &p, r, 1500);
		compare(&p, r, 1500, 17, false);
		free(r);
	}
}

/* ... with queues and stores' writes; of the classes one may own the window in some places only. */
static void limited_rooms(void **state)
{
	static const struct culprit_graph_range places[] = {{0x1000, 0x1800}};
	for (uint64_t round = 1; round <= 20; round++) {
		uint64_t s = round * 91;
		struct culprit_graph_params p = usual_params();
		p.rob = 1 + below(&s, 60);
		p.sq = below(&s, 14);
		p.window_factor = 1 + below(&s, 6);
		limit_rooms(&p, &s);
		if (chance(&s, 25))
			p.classes[CULPRIT_EVENT_win].ranges = places, p.classes[CULPRIT_EVENT_win].range_count = 1;
		post_writes(&p, round);
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 3), true};
		struct culprit_record *r = random_stream(s, 1500, &p, &m);
		compare(&p, r, 1500, 13, false);
		free(r);
	}
}

static void limit_misses(struct culprit_graph_params *p, uint64_t *s)
{
	p->mshrs = 1 + (chance(s, 20) ? below(s, 64) : below(s, 6));
	p->l1_line = chance(s, 90) ? 16 : 0;
	p->miss_line = 64;
	p->l1_prefetches = chance(s, 50);
}

static void limit_bus(struct culprit_graph_params *p, uint64_t *s)
{
	p->miss_cycles[CULPRIT_LEVEL_MEMORY] = 31 + below(s, 60);
	p->memory_latency = below(s, 30);
	p->memory_interval = 1 + below(s, 40);
}

/* ... and with MSHRs. */
static void limited_misses(void **state)
{
	static const struct culprit_graph_range places[] = {{0x1000, 0x1800}};
	for (uint64_t round = 1; round <= 30; round++) {
		uint64_t s = round * 53;
		struct culprit_graph_params p = usual_params();
		p.rob = 1 + below(&s, 60);
		p.window_factor = 1 + below(&s, 20);
		if (chance(&s, 50))
			limit_rooms(&p, &s);
		p.write_hit = below(&s, 4);
		post_writes(&p, round);
		if (chance(&s, 70))
			limit_misses(&p, &s);
		if (chance(&s, 60))
			limit_bus(&p, &s);
		if (chance(&s, 30))
			p.classes[CULPRIT_EVENT_imiss].events = CULPRIT_EVENT_BIT(itlb);
		if (chance(&s, 25))
			p.classes[CULPRIT_EVENT_dmiss].ranges = places, p.classes[CULPRIT_EVENT_dmiss].range_count = 1;
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 3), true};
		struct culprit_record *r = random_stream(s, 1500, &p, &m);
		compare(&p, r, 1500, 13, false);
		free(r);
	}
}

/* A load or a write that finds its line in the next level, by the prefetcher there. */
static void bring_below(uint64_t *s, struct culprit_record *r)
{
	const bool load = r->flags & CULPRIT_LOAD, store = r->flags & CULPRIT_STORE;
	if (!(load ? r->dmiss : store && r->write_miss) || !chance(s, 70))
		return;
	r->flags &= (uint16_t)~CULPRIT_MERGED;
	r->primary_miss = 0;
	r->write_merged = r->prefetch_level = r->dstray = 0;
	*(load ? &r->dlevel : &r->write_level) = CULPRIT_LEVEL_L2;
	r->prefetch_below = CULPRIT_LEVEL_MEMORY;
	r->prefetch_slack = (uint16_t)below(s, chance(s, 80) ? 60 : 1 + UINT16_MAX);
	r->prefetch_trigger = (int32_t)(8 * below(s, 128)) - 512;
}

/* ... that the bus brought there before. */
static void lines_below(void **state)
{
	for (uint64_t round = 1; round <= 12; round++) {
		uint64_t s = round * 61;
		struct culprit_graph_params p = usual_params();
		p.rob = 8 + below(&s, 60);
		p.window_factor = 1 + below(&s, 6);
		p.sq = 1 + below(&s, 10);
		limit_rooms(&p, &s);
		post_writes(&p, round);
		if (chance(&s, 60))
			limit_misses(&p, &s);
		limit_bus(&p, &s);
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 3), true};
		struct culprit_record *r = random_stream(s, 1500, &p, &m);
		for (size_t i = 0; i < 1500; i++)
			bring_below(&s, &r[i]);
		compare(&p, r, 1500, 13, false);
		free(r);
	}
}

/* ... without, but with lines, so that hits have misses before them. */
static void lines(void **state)
{
	for (uint64_t round = 1; round <= 20; round++) {
		uint64_t s = round * 59;
		struct culprit_graph_params p = usual_params();
		p.rob = 1 + below(&s, 60);
		p.window_factor = 1 + below(&s, 20);
		p.l1_line = 8u << below(&s, 3);
		p.miss_line = p.l1_line << below(&s, 3);
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 3), true};
		struct culprit_record *r = random_stream(s, 1500, &p, &m);
		compare(&p, r, 1500, 13, false);
		free(r);
	}
}

/* Times beyond 16 bits: many rebases, and no loss. */
static void long_streams(void **state)
{
	struct culprit_graph_params p = usual_params();
	struct mix m = {250, 60, 3, false};
	size_t n = 60000;
	struct culprit_record *r = random_stream(5, n, &p, &m);
	assert_true(r[n - 1].commit > 4 * 65536);
	compare(&p, r, n, 51, false);
	free(r);
	uint64_t s = 8;
	limit_rooms(&p, &s);
	p.l1_line =
		64; /* turns of lines: each store adds to rows in all lanes, also in those that are another thread's */
	p.write_interval = 12;
	r = random_stream(14, n, &p, &m);
	compare(&p, r, n, 85, false);
	free(r);
	p.write_interval = p.l1_line = 0;
	p.queue_entries[0] = 20;
	r = random_stream(6, n / 3, &p, &m);
	compare(&p, r, n / 3, 85, false);
	free(r);
	limit_misses(&p, &s);
	limit_bus(&p, &s);
	m.gap = 40; /* or few MSHRs spread the lanes beyond 16 bits */
	r = random_stream(7, n / 3, &p, &m);
	compare(&p, r, n / 3, 85, false);
	free(r);
}

/* Of every 7000 instructions the first 1500 miss for as long as `rough` says, the others for at most 20 cycles. */
static struct culprit_record *rough_stream(uint64_t seed, size_t n, const struct culprit_graph_params *p,
					   const struct mix *rough)
{
	struct culprit_record *records = calloc(n, sizeof *records);
	assert_non_null(records);
	for (size_t i = 0; i < n; i++) {
		const struct mix calm = {20, rough->reach, rough->gap, rough->stores_translate},
				 *m = i % 7000 < 1500 ? rough : &calm;
		records[i].seq = i;
		random_fetch(&seed, m, &records[i], i);
		random_kind(&seed, &records[i]);
		random_ready(&seed, m, p, &records[i], i);
		random_latency(&seed, m, p, &records[i], i);
	}
	return records;
}

/* Classes change places inside when the graph hands out issue slots: here nothing limits issue, so that no time may depend
 * on it. */
static void places_change(void **state)
{
	static const struct culprit_graph_range places[] = {{0x1000, 0x1800}};
	for (uint64_t round = 1; round <= 8; round++) {
		uint64_t s = round * 53;
		struct culprit_graph_params p = usual_params();
		p.issue_slots = true;
		limit_rooms(&p, &s);
		if (round % 4 == 0)
			p.classes[round / 4].ranges = places, p.classes[round / 4].range_count = 1;
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 3), true};
		struct culprit_record *r = rough_stream(s, 5000, &p, &m);
		compare(&p, r, 5000, 13, false);
		free(r);
	}
}

/* One window wider than 16 bits: rows go on in 32. */
static void widened(void **state)
{
	struct culprit_graph_params p = usual_params();
	struct mix m = {30000, 60, 1, false};
	struct culprit_record *r = random_stream(9, 3000, &p, &m);
	compare(&p, r, 3000, 15, true);
	free(r);
	/* ... and back to 16 once the long misses are over, twice */
	r = rough_stream(11, 14000, &p, &m);
	compare(&p, r, 14000, 51, true);
	free(r);
	uint64_t s = 8;
	limit_rooms(&p, &s);
	r = rough_stream(12, 7000, &p, &m);
	compare(&p, r, 7000, 85, true);
	free(r);
	limit_misses(&p, &s);
	limit_bus(&p, &s);
	r = rough_stream(13, 14000, &p, &m);
	compare(&p, r, 14000, 85, true);
	free(r);
	m.longest_miss = 20 * 1000 * 1000;
	p.rob = 8;
	r = random_stream(10, 400, &p, &m);
	compare(&p, r, 400, 15, true);
	free(r);
}

static void own_classes(void **state)
{
	struct culprit_graph_params p = usual_params();
	static const struct culprit_graph_range low[] = {{0x1000, 0x1200}, {0x1800, 0x1a00}};
	static const struct culprit_graph_range high[] = {{0x1100, 0x3000}};
	p.class_count = 7;
	p.classes[0] = (struct culprit_graph_class){"here", CULPRIT_EVENT_BIT(dmiss), low, 2};
	p.classes[1] =
		(struct culprit_graph_class){"memory", CULPRIT_EVENT_BIT(dmem) | CULPRIT_EVENT_BIT(imem), NULL, 0};
	p.classes[2] = (struct culprit_graph_class){"bw", CULPRIT_EVENT_BIT(bw), high, 1};
	p.classes[3] = (struct culprit_graph_class){"win", CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(lgalu), low, 2};
	p.classes[4] = (struct culprit_graph_class){"tlb", CULPRIT_EVENT_BIT(dtlb) | CULPRIT_EVENT_BIT(itlb), NULL, 0};
	p.classes[5] =
		(struct culprit_graph_class){"both", CULPRIT_EVENT_BIT(dmiss) | CULPRIT_EVENT_BIT(bmisp), high, 1};
	p.classes[6] = (struct culprit_graph_class){"alu", CULPRIT_EVENT_BIT(shalu) | CULPRIT_EVENT_BIT(bw), NULL, 0};
	struct mix m = {120, 40, 1, false};
	struct culprit_record *r = random_stream(21, 700, &p, &m);
	compare(&p, r, 700, 1, false);
	p.class_count = 1; /* neither win nor bw anywhere */
	compare(&p, r, 700, 1, false);
	free(r);
}

/* The window, long operations and misses in parts, each of a class; and events that are idealised in every set. */
static void parts(void **state)
{
	static const culprit_event_set events[8] = {
		CULPRIT_EVENT_BIT(rob),
		CULPRIT_EVENT_BIT(iq) | CULPRIT_EVENT_BIT(fpdiv),
		CULPRIT_EVENT_BIT(lsq),
		CULPRIT_EVENT_BIT(regs) | CULPRIT_EVENT_BIT(tags),
		CULPRIT_EVENT_BIT(bw),
		CULPRIT_EVENT_BIT(fpmul) | CULPRIT_EVENT_BIT(mul) | CULPRIT_EVENT_BIT(slow),
		CULPRIT_EVENT_BIT(dmem) | CULPRIT_EVENT_BIT(il2),
		CULPRIT_EVENT_BIT(fpadd) | CULPRIT_EVENT_BIT(vec) | CULPRIT_EVENT_BIT(div),
	};
	static const culprit_event_set rest[] = {CULPRIT_EVENT_BIT(bmisp), CULPRIT_EVENT_BIT(dl1),
						 CULPRIT_EVENT_BIT(dl2) | CULPRIT_EVENT_BIT(dtlb),
						 CULPRIT_EVENT_BIT(shalu), CULPRIT_EVENT_BIT(imem)};
	for (uint64_t round = 1; round <= 60; round++) {
		uint64_t s = round * 131;
		struct culprit_graph_params p = random_sizes(&s);
		p.branches = below(&s, 2) ? 1 + below(&s, 20) : 0;
		if (chance(&s, 50))
			limit_rooms(&p, &s);
		p.class_count = 0;
		for (unsigned i = 0; i < 8; i++) {
			if (chance(&s, 65)) {
				p.classes[p.class_count] = (struct culprit_graph_class){.events = events[i]};
				p.classes[p.class_count++].name[0] = (char)('a' + i);
			} else {
				culprit_event_set *to = chance(&s, 50) ? &p.always : &p.elsewhere;
				*to |= chance(&s, 60) ? events[i] : 0;
			}
		}
		for (unsigned i = 0; i < sizeof rest / sizeof *rest; i++)
			*(chance(&s, 50) ? &p.always : &p.elsewhere) |= chance(&s, 50) ? rest[i] : 0;
		if (!p.class_count)
			continue;
		struct mix m = {1 + below(&s, 300), 1 + below(&s, 60), below(&s, 4), true};
		struct culprit_record *r = random_stream(s, 1200, &p, &m);
		compare(&p, r, 1200, 5, false);
		free(r);
	}
}

/* --- refusals --- */

static void expect_refused(void (*damage)(struct culprit_record *), const char *text)
{
	struct culprit_graph_params p = usual_params();
	struct mix m = {50, 30, 1, false};
	struct culprit_record *r = random_stream(3, 100, &p, &m);
	damage(&r[50]);
	struct culprit_graph *g = culprit_graph_create(&p, NULL);
	assert_non_null(g);
	assert_true(culprit_graph_push(g, r, 50));
	assert_false(culprit_graph_push(g, r + 50, 50));
	assert_non_null(strstr(culprit_graph_error(g), "record 50: "));
	const char *end = strstr(culprit_graph_error(g), text);
	assert_non_null(end);
	assert_string_equal(end, text);
	struct culprit_graph_results results;
	assert_false(culprit_graph_finish(g, &results));
	assert_false(culprit_graph_push(g, r + 51, 1));
	culprit_graph_destroy(g);
	free(r);
}

static void far_producer(struct culprit_record *r)
{
	r->producer[1] = 51;
}
static void far_primary_miss(struct culprit_record *r)
{
	r->primary_miss = UINT32_MAX;
}
static void backwards(struct culprit_record *r)
{
	r->issue = r->ready - 1;
}
static void early_fetch(struct culprit_record *r)
{
	r->fetch = r[-1].fetch - 1;
}
static void early_commit(struct culprit_record *r)
{
	r->commit = r[-1].commit - 1;
	r->complete = r->issue = r->ready = r->dispatch = r->fetch = r[-1].fetch;
}
static void gap(struct culprit_record *r)
{
	r->seq++;
}
static void odd_class(struct culprit_record *r)
{
	r->op_class = CULPRIT_OP_COUNT;
}
static void odd_latency(struct culprit_record *r)
{
	r->flags |= CULPRIT_LOAD;
	r->complete = r->issue + 1;
	r->exec_latency = 2;
	r->dtlb = 0;
	r->dmiss = 0;
}
static void endless(struct culprit_record *r)
{
	r->flags &= (uint16_t)~CULPRIT_LOAD; /* whose parts have to add up */
	r->commit = r->complete = r->issue = UINT64_MAX / 2;
}
static void early_miss(struct culprit_record *r)
{
	r->imiss = UINT32_MAX;
}

static void malformed(void **state)
{
	expect_refused(far_producer, "before the stream's start");
	expect_refused(far_primary_miss, "before the stream's start");
	expect_refused(backwards, "times go backwards within the instruction");
	expect_refused(early_fetch, "fetched before the instruction in front of it");
	expect_refused(early_commit, "committed before the instruction in front of it");
	expect_refused(gap, "does not follow number 49");
	expect_refused(odd_class, "operation class or register out of range");
	expect_refused(odd_latency, "sum of its parts: 2 + 0 + 0");
	expect_refused(endless, ": times within one window spread beyond 32 bits");
	expect_refused(early_miss, "longer than the time before the fetch");
}

static void bad_params(void **state)
{
	struct culprit_graph_params p = usual_params();
	const char *why = NULL;
	p.rob = 0;
	assert_null(culprit_graph_create(&p, &why));
	assert_non_null(strstr(why, "rob"));
	p = usual_params();
	p.rob = p.window_factor = 1u << 31;
	assert_null(culprit_graph_create(&p, &why));
	p = usual_params();
	p.fetch_line = 48;
	assert_null(culprit_graph_create(&p, &why));
	assert_non_null(strstr(why, "fetch_line"));
	p = usual_params();
	p.split = 24;
	assert_null(culprit_graph_create(&p, &why));
	assert_non_null(strstr(why, "split"));
	p = usual_params();
	p.released = p.rob;
	assert_null(culprit_graph_create(&p, &why));
	assert_non_null(strstr(why, "released"));
	p = usual_params();
	p.kernel = "abacus";
	assert_null(culprit_graph_create(&p, &why));
	assert_non_null(strstr(why, "kernel"));
	p = usual_params();
	p.classes[2].events = 0;
	assert_null(culprit_graph_create(&p, &why));
	assert_non_null(strstr(why, "events"));
}

static void empty_stream(void **state)
{
	struct culprit_graph_params p = usual_params();
	struct culprit_graph *g = culprit_graph_create(&p, NULL);
	struct culprit_graph_results results;
	assert_true(culprit_graph_finish(g, &results));
	assert_int_equal(results.time[0], 0);
	assert_int_equal(results.time[255], 0);
	culprit_graph_destroy(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_subsets),	  cmocka_unit_test(random_params), cmocka_unit_test(limited_rooms),
		cmocka_unit_test(limited_misses), cmocka_unit_test(long_streams),  cmocka_unit_test(lines),
		cmocka_unit_test(places_change),  cmocka_unit_test(widened),	   cmocka_unit_test(own_classes),
		cmocka_unit_test(parts),	  cmocka_unit_test(weighted),	   cmocka_unit_test(whole_groups),
		cmocka_unit_test(released),	  cmocka_unit_test(cracked),	   cmocka_unit_test(dispatch_rows),
		cmocka_unit_test(slow_squash),	  cmocka_unit_test(recovery),	   cmocka_unit_test(malformed),
		cmocka_unit_test(bad_params),	  cmocka_unit_test(empty_stream),  cmocka_unit_test(lines_below),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
