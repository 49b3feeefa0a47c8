#include "varied_machine.h"

#include "machine/machine_rows.h"

#include <string.h>

static const char *const around[] = {
	"eyerman2009-4w", "fields2003",	     "boom-large",	  "xiangshan-kunminghu-v3",
	"xuantie-c910",	  "boom-mega-sfb",   "xuantie-c910-m150", "zen4",
	"gem5-o3",	  "neoverse-n1",     "boom-small",	  "sifive-p550",
	"golden-cove",	  "apple-firestorm",
};
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* A key that begins so, and what it is nothing without. */
static const char *const needs[][2] = {
	{"lsq.load_order", "lsq.disambiguation=speculative"},
	{"lsq.load_order", "lsq.store_data=apart"},
	{"lsq.data_penalty", "lsq.disambiguation=store_sets"},
	{"lsq.data_penalty", "lsq.store_data=apart"},
	{"lsq.store_data", "lsq.disambiguation=store_sets"},
	{"lsq.ssit_", "lsq.disambiguation=store_sets"},
	{"lsq.lfst_entries", "lsq.disambiguation=store_sets"},
	{"lsq.check_bytes", "lsq.disambiguation=speculative"},
	{"lsq.violation_delay", "lsq.disambiguation=store_sets"},
	{"fetch.bank", "fetch.block=32"},
	{"fetch.one_conditional", "fetch.block=16"},
	{"fetch.loop_exit", "fetch.loop_buffer=64"},
	{"branch.block", "branch.predictor=bi_mode"},
	{"branch.choice_row", "branch.predictor=bi_mode"},
	{"branch.choice_row", "branch.block=32"},
	{"branch.train_queue", "branch.predictor=bi_mode"},
	{"branch.l0_", "branch.l0_entries=8"},
	{"branch.l0_blocks", "fetch.block=16"},
	{"branch.early_bubble", "branch.early_entries=64"},
	{"branch.tage_", "branch.predictor=tage_sc_l"},
	{"branch.local_entries", "branch.predictor=tournament"},
	{"branch.path_entries", "branch.indirect=path"},
	{"branch.ittage_kib", "branch.indirect=ittage"},
	{"dispatch.recovery_data", "dispatch.recovery=7"},
	{"dispatch.recovery_data", "window.released=16"},
	{"divide.", "divide.bits=2"},
	{"l1i.prefetch_", "l1i.prefetcher=next_line"},
	{"l1d.prefetch_", "l1d.prefetcher=stride"},
	{"l2.prefetch_", "l2.prefetcher=stream"},
	{"tlb.", "tlb.d_entries=8"},
	{"tlb.i_", "tlb.i_entries=4"},
	{"tlb.l2_", "tlb.l2_entries=16"},
	{"l3.", "l3.size=65536"},
};

static uint32_t pick(const uint32_t *list, size_t count, struct random_source *r)
{
	return list[random_below(r, (uint32_t)count)];
}
#define PICK(list, r) pick(list, COUNT(list), r)

static uint32_t draw_number(const struct machine_row *row, struct random_source *r)
{
	static const uint32_t cycles[] = {0, 1, 1, 2, 3, 4, 5, 7, 9, 14, 23, 60}, widths[] = {1, 1, 2, 3, 4, 5, 6, 8},
			      others[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 12, 16, 17, 24, 33, 48};
	const bool power = !strcmp(row->unit, "bytes") || !strcmp(row->unit, "KiB") || !strcmp(row->unit, "counters");
	if (!strcmp(row->name, "ssit_clear"))
		return 16u << random_below(r, 8);
	if (power && row->fallback)
		return row->fallback >> random_below(r, 8);
	if (power)
		return random_below(r, 4) ? 8u << random_below(r, 5) : 0;
	if (!strcmp(row->unit, "registers"))
		return random_below(r, 4) ? 33 + PICK(others, r) : 0;
	if (!strcmp(row->unit, "instructions/cycle"))
		return PICK(widths, r);
	if (!strcmp(row->section, "branch") && row->fallback > 64)
		return row->fallback >> random_below(r, 12);
	return strcmp(row->unit, "cycles") ? PICK(others, r) : PICK(cycles, r);
}

static uint32_t draw_row(const struct machine_row *row, struct random_source *r)
{
	if (row->kind != MACHINE_KIND_UINT)
		return row->min + random_below(r, row->max - row->min + 1);
	const uint32_t value = draw_number(row, r);
	return value < row->min ? row->min : value > row->max ? row->max : value;
}

/* As drawn, if it goes together with the other keys. */
static void keep_if_good(struct machine *m, const struct machine *tried)
{
	struct error err;
	if (machine_check(tried, "varied", &err))
		*m = *tried;
}

static void bring_along(struct machine *m, const struct machine_row *row)
{
	char name[64];
	snprintf(name, sizeof name, "%s.%s", row->section, row->name);
	for (size_t i = 0; i < COUNT(needs); i++) {
		struct machine tried = *m;
		struct error err;
		if (!strncmp(name, needs[i][0], strlen(needs[i][0])) && machine_set(&tried, needs[i][1], &err))
			keep_if_good(m, &tried);
	}
}

static void vary_row(struct machine *m, const struct machine_row *row, struct random_source *r)
{
	struct machine tried = *m;
	machine_row_put(&tried, row, draw_row(row, r));
	keep_if_good(m, &tried);
}

static void vary_rows(struct machine *m, unsigned percent, struct random_source *r)
{
	for (unsigned i = 0; i < machine_row_count; i++) {
		const struct machine_row *row = &machine_rows[i];
		if (random_below(r, 100) >= percent || !strcmp(row->section, "core"))
			continue;
		if (random_below(r, 8))
			bring_along(m, row);
		vary_row(m, row, r);
	}
}

static void vary_operations(struct machine *m, unsigned percent, struct random_source *r)
{
	static const uint32_t latencies[] = {1, 1, 2, 3, 4, 7, 12}, intervals[] = {1, 1, 2, 3, 5, 12};
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++) {
		struct machine tried = *m;
		if (random_below(r, 100) < percent)
			tried.latency[op] = PICK(latencies, r);
		if (random_below(r, 100) < percent)
			tried.interval[op] = PICK(intervals, r);
		keep_if_good(m, &tried);
	}
}

static void vary_queues(struct machine *m, unsigned percent, struct random_source *r)
{
	for (uint32_t i = 0; i < m->queue_count; i++) {
		struct machine tried = *m;
		if (random_below(r, 100) < percent)
			tried.queues[i].entries = random_below(r, 4) ? 1 + random_below(r, 12) : 0;
		if (random_below(r, 100) < percent)
			tried.queues[i].width = random_below(r, 4);
		keep_if_good(m, &tried);
	}
	for (uint32_t i = 0; i < m->unit_count; i++)
		if (random_below(r, 100) < percent)
			m->units[i].count = 1 + random_below(r, 3);
}

const char *varied_machine_by_one(struct machine *m, unsigned row, struct random_source *r)
{
	static const char *const plain[] = {"eyerman2009-4w", "fields2003", "boom-large"};
	enum { TRIES = 8 };
	const char *name = plain[random_below(r, COUNT(plain))];
	kernel_machine(m, name);
	const struct machine base = *m;
	bring_along(m, &machine_rows[row]);
	const struct machine begun = *m;
	for (unsigned i = 0; i < TRIES && (machine_same(m, &begun) || machine_same(m, &base)); i++)
		vary_row(m, &machine_rows[row], r);
	return name;
}

/* Of the pipeline, not of caches and predictors. */
static bool is_core_row(const struct machine_row *row)
{
	static const char *const sections[] = {"fetch",	 "frontend", "dispatch", "window", "issue",
					       "divide", "vector",   "lsq",	 "commit"};
	for (size_t i = 0; i < COUNT(sections); i++)
		if (!strcmp(row->section, sections[i]))
			return true;
	return false;
}

const char *varied_machine_wide(struct machine *m, struct random_source *r)
{
	enum { KEYS = 12, KEYS_LEAST = 3 };
	const char *name = kernel_machines[random_below(r, kernel_machine_count)];
	kernel_machine(m, name);
	if (random_below(r, 3) == 0)
		kernel_isolate(m);
	kernel_widen(m);
	for (unsigned left = KEYS_LEAST + random_below(r, KEYS - KEYS_LEAST + 1); left;) {
		const struct machine_row *row = &machine_rows[random_below(r, (uint32_t)machine_row_count)];
		if (!is_core_row(row))
			continue;
		bring_along(m, row);
		vary_row(m, row, r);
		left--;
	}
	if (random_below(r, 2))
		vary_queues(m, 40, r);
	if (random_below(r, 3) == 0)
		vary_operations(m, 25, r);
	return name;
}

const char *varied_machine(struct machine *m, struct random_source *r)
{
	static const unsigned shares[] = {5, 15, 30, 60}; /* percent of the keys */
	const unsigned percent = shares[random_below(r, 4)];
	const char *name = around[random_below(r, COUNT(around))];
	kernel_machine(m, name);
	vary_rows(m, percent, r);
	vary_operations(m, percent, r);
	vary_queues(m, percent, r);
	if (random_below(r, 5) == 0)
		m->ideal = 1u << random_below(r, CULPRIT_EVENT_COUNT) | 1u << random_below(r, CULPRIT_EVENT_COUNT);
	return name;
}
