/* See the header. A number is drawn evenly on a logarithmic scale, half of them near the default: small values are where limits
 * are hit, and machines of nothing but extremes would all wait for the same thing. A value that does not go together with the
 * other keys (a line larger than its cache) is drawn again. */
#include "any_machine.h"

#include "machine/machine_rows.h"

#include <string.h>

enum { TRIES = 12 };

/* --- numbers --- */

/* What a table of this many bytes or entries needs is the host's memory and time, and nothing else of interest. */
static uint32_t most(const struct machine_row *row)
{
	static const struct {
		const char *unit;
		uint32_t most;
	} costly[] = {{"bytes", 1u << 22}, {"counters", 1u << 14}, {"entries", 1u << 14}};
	for (size_t i = 0; i < sizeof costly / sizeof *costly; i++)
		if (!strcmp(row->unit, costly[i].unit) && row->max > costly[i].most)
			return costly[i].most;
	return row->max;
}

static uint32_t log_uniform(uint32_t low, uint32_t high, struct random_source *r)
{
	unsigned from = 31u - (unsigned)__builtin_clz(low), to = 31u - (unsigned)__builtin_clz(high);
	uint64_t value = 1ull << (from + random_below(r, to - from + 1));
	value += random_next(r) % value;
	return value < low ? low : value > high ? high : (uint32_t)value;
}

static uint32_t draw_number(uint32_t min, uint32_t max, uint32_t fallback, struct random_source *r)
{
	uint32_t low = min ? min : 1;
	if (random_below(r, 8) == 0)
		return min; /* 0 = none, or unlimited */
	if (random_below(r, 2))
		return log_uniform(low, max, r);
	uint64_t above = fallback ? 4ull * fallback : 64;
	uint32_t near = fallback / 4 > low ? fallback / 4 : low;
	return log_uniform(near, above < max ? (uint32_t)above : max, r);
}

static uint32_t draw_row(const struct machine_row *row, struct random_source *r)
{
	if (row->kind == MACHINE_KIND_UINT)
		return draw_number(row->min, most(row), row->fallback, r);
	return row->min + random_below(r, row->max - row->min + 1);
}

/* --- keys --- */

enum {
	KEY_LATENCY = 0, /* after the rows */
	KEY_INTERVAL = KEY_LATENCY + CULPRIT_OP_COUNT,
	KEY_IDEAL = KEY_INTERVAL + CULPRIT_OP_COUNT,
	KEY_LISTS = KEY_IDEAL + CULPRIT_EVENT_COUNT,
	KEYS_BEYOND_ROWS,
	KEYS_MOST = 512
};

unsigned any_machine_keys(void)
{
	return (unsigned)machine_row_count + KEYS_BEYOND_ROWS;
}

static void draw_range(uint32_t *value, const char *section, int op, struct random_source *r)
{
	char path[64];
	snprintf(path, sizeof path, "%s.%s", section, culprit_op_name(op));
	const struct machine_range *range = machine_range_find(path);
	*value = draw_number(range->min, range->max, *value, r);
}

/* Classes to units and units to queues, anyhow; each queue feeds a unit. */
static void draw_lists(struct machine *m, struct random_source *r)
{
	const struct machine_range *entries = machine_range_find("queues.entries");
	const struct machine_range *width = machine_range_find("queues.width");
	const struct machine_range *count = machine_range_find("units.count");
	uint32_t unit_of[MACHINE_UNITS_MAX] = {0}, rows = 1 + random_below(r, MACHINE_UNITS_MAX);
	memset(m->units, 0, sizeof m->units);
	memset(m->queues, 0, sizeof m->queues);
	m->unit_count = 0;
	for (unsigned op = 0; op < CULPRIT_OP_vec_int; op++) {
		uint32_t row = random_below(r, rows);
		if (!unit_of[row])
			unit_of[row] = ++m->unit_count;
		m->units[unit_of[row] - 1].ops |= 1u << op;
	}
	struct random_source own = *r; /* late ones, as is_late has them */
	for (unsigned op = CULPRIT_OP_vec_int; op < CULPRIT_OP_COUNT; op++)
		m->units[random_below(&own, m->unit_count)].ops |= 1u << op;
	m->queue_count = 1 + random_below(r, m->unit_count < MACHINE_QUEUES_MAX ? m->unit_count : MACHINE_QUEUES_MAX);
	for (uint32_t u = 0; u < m->unit_count; u++) {
		snprintf(m->units[u].name, sizeof m->units[u].name, "u%u", u);
		m->units[u].count = draw_number(count->min, count->max, 1, r);
		m->units[u].queue = u < m->queue_count ? u : random_below(r, m->queue_count);
	}
	for (uint32_t q = 0; q < m->queue_count; q++) {
		snprintf(m->queues[q].name, sizeof m->queues[q].name, "q%u", q);
		m->queues[q].entries = draw_number(entries->min, entries->max, 16, r);
		uint32_t drawn = draw_number(width->min, width->max, 2, r);
		m->queues[q].width = drawn <= m->issue_width ? drawn : m->issue_width;
	}
}

static void draw_key(struct machine *m, unsigned key, struct random_source *r)
{
	if (key < machine_row_count) {
		machine_row_put(m, &machine_rows[key], draw_row(&machine_rows[key], r));
		return;
	}
	key -= (unsigned)machine_row_count;
	if (key < KEY_INTERVAL)
		draw_range(&m->latency[key], "latency", (int)key, r);
	else if (key < KEY_IDEAL)
		draw_range(&m->interval[key - KEY_INTERVAL], "interval", (int)(key - KEY_INTERVAL), r);
	else if (key < KEY_LISTS)
		m->ideal ^= random_below(r, 4) ? 0 : 1u << (key - KEY_IDEAL);
	else
		draw_lists(m, r);
}

/* Many keys are powers of two: then the next lower one. */
static void round_down(struct machine *m, unsigned key)
{
	if (key >= machine_row_count || machine_rows[key].kind != MACHINE_KIND_UINT)
		return;
	uint32_t value = machine_row_get(m, &machine_rows[key]);
	if (value)
		machine_row_put(m, &machine_rows[key], 1u << (31 - __builtin_clz(value)));
}

static void try_key(struct machine *m, unsigned key, struct random_source *r)
{
	struct error err;
	for (unsigned i = 0; i < TRIES; i++) {
		struct machine tried = *m;
		draw_key(&tried, key, r);
		if (!machine_check(&tried, "any", &err))
			round_down(&tried, key);
		if (!machine_check(&tried, "any", &err))
			continue;
		*m = tried;
		return;
	}
}

/* Keys that came when seeds had a history already (docs/explanation/testing.md). They are drawn last, from random numbers of their own,
 * so that a seed has the same program as before, and the same machine but for them. */
static bool is_late(unsigned key)
{
	static const char *const late[] = {
		"fetch.block",
		"branch.l0_entries",
		"branch.l0_bubble",
		"branch.return_bubble",
		"branch.indirect_bubble",
		"window.released",
		"divide.bits",
		"divide.least",
		"divide.results",
		"branch.returns",
		"lsq.partial_penalty",
		"vector.vlen",
		"vector.lanes",
		"vector.chaining",
		"dispatch.recovery",
		"branch.l0_fifo",
		"branch.choice_row",
		"fetch.bank",
		"dispatch.rows",
		"dispatch.squash_width",
		"lsq.check_bytes",
		"branch.early_entries",
		"branch.early_bubble",
		"branch.sfb",
		"branch.local_entries",
		"branch.tage_history",
		"branch.tage_corrector",
		"window.fold",
		"fetch.one_conditional",
		"branch.l0_blocks",
		"issue.int_to_fp",
		"issue.fp_to_int",
		"dispatch.recovery_data",
		"lsq.fill",
		"lsq.restart",
		"l1i.miss_alias",
		"l1d.miss_alias",
		"l2.miss_alias",
		"l3.miss_alias",
		"l1i.prefetch_pages",
		"l1d.prefetch_pages",
		"l2.prefetch_pages",
		"l3.prefetch_pages",
		"branch.btb",
		"branch.btb_direct",
		"branch.call_bubble",
		"issue.bypass",
		"divide.fp_bits",
		"lsq.fp_load",
		"lsq.split_amo",
		"l1i.prefetch_misses_only",
		"l1d.prefetch_misses_only",
		"l2.prefetch_misses_only",
		"l3.prefetch_misses_only",
		"lsq.store_translation",
		"lsq.store_data",
		"lsq.data_penalty",
		"window.rob_room",
	};
	unsigned op = (key - (unsigned)machine_row_count) % CULPRIT_OP_COUNT;
	if (key >= machine_row_count && key - machine_row_count < KEY_IDEAL && op >= CULPRIT_OP_vec_int)
		return true;
	for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
		const struct machine_row *row = key < machine_row_count ? &machine_rows[key] : NULL;
		size_t section = row ? strlen(row->section) : 0;
		if (row && !strncmp(late[i], row->section, section) && late[i][section] == '.' &&
		    !strcmp(late[i] + section + 1, row->name))
			return true;
	}
	return false;
}

/* core.isa is the guest's business, and no core's. */
bool any_machine_draws(unsigned key)
{
	return key >= machine_row_count || strcmp(machine_rows[key].section, "core") != 0;
}

/* The keys that are late, or those that are not. */
static unsigned list_keys(unsigned *keys, bool late)
{
	unsigned count = 0;
	for (unsigned key = 0; key < any_machine_keys(); key++)
		if (is_late(key) == late && any_machine_draws(key))
			keys[count++] = key;
	return count;
}

static void try_keys(struct machine *m, bool late, unsigned percent, struct random_source *r)
{
	unsigned keys[KEYS_MOST], order[KEYS_MOST], count = list_keys(keys, late);
	for (unsigned i = 0; i < count; i++) { /* what goes together depends on the order */
		unsigned at = random_below(r, i + 1);
		order[i] = order[at];
		order[at] = i;
	}
	for (unsigned i = 0; i < count; i++)
		if (random_below(r, 100) < percent)
			try_key(m, keys[order[i]], r);
}

void any_machine(struct machine *m, struct random_source *r)
{
	static const unsigned share[] = {4, 16, 50, 100}; /* percent of the keys */
	unsigned percent = share[random_below(r, 4)];
	kernel_machine(m, kernel_machines[random_below(r, kernel_machine_count)]);
	m->lsq_store_data = store_data_with_address; /* or it could not become conservative */
	m->dispatch_rows = false; /* BOOM's: the graph does not model them, and most machines are to be without such */
	try_keys(m, false, percent, r);
	struct random_source own = *r, apart = own;
	bool ahead = m->lsq_disambiguation == disambiguation_store_sets ||
		     m->lsq_disambiguation == disambiguation_speculative;
	if (ahead && random_below(&apart, 2)) /* lsq.data_penalty is nothing without */
		m->lsq_store_data = store_data_apart;
	try_keys(m, true, percent, &own);
}

/* --- differences --- */

/* The number behind a key; NULL: it is none. */
static uint32_t *number_of(struct machine *m, unsigned key)
{
	if (key >= KEY_IDEAL)
		return NULL;
	return key < KEY_INTERVAL ? &m->latency[key] : &m->interval[key - KEY_INTERVAL];
}

void any_machine_copy(struct machine *to, const struct machine *from, unsigned key)
{
	if (key < machine_row_count) {
		machine_row_put(to, &machine_rows[key], machine_row_get(from, &machine_rows[key]));
		return;
	}
	key -= (unsigned)machine_row_count;
	struct machine source = *from;
	if (number_of(to, key)) {
		*number_of(to, key) = *number_of(&source, key);
	} else if (key < KEY_LISTS) {
		uint32_t bit = 1u << (key - KEY_IDEAL);
		to->ideal = (to->ideal & ~bit) | (from->ideal & bit);
	} else {
		to->queue_count = from->queue_count;
		to->unit_count = from->unit_count;
		memcpy(to->queues, from->queues, sizeof to->queues);
		memcpy(to->units, from->units, sizeof to->units);
	}
}

bool any_machine_differs(const struct machine *a, const struct machine *b, unsigned key)
{
	struct machine changed = *a;
	any_machine_copy(&changed, b, key);
	return memcmp(&changed, a, sizeof changed) != 0;
}

static void print_lists(const struct machine *m, FILE *out)
{
	for (uint32_t q = 0; q < m->queue_count; q++)
		fprintf(out, "%squeue %s entries %u width %u:", q ? "; " : "", m->queues[q].name, m->queues[q].entries,
			m->queues[q].width);
	for (uint32_t u = 0; u < m->unit_count; u++) {
		fprintf(out, "; unit %s count %u queue %u:", m->units[u].name, m->units[u].count, m->units[u].queue);
		for (int op = 0; op < CULPRIT_OP_COUNT; op++)
			if (m->units[u].ops >> op & 1)
				fprintf(out, " %s", culprit_op_name(op));
	}
}

void any_machine_print(const struct machine *m, unsigned key, FILE *out)
{
	char buffer[16];
	if (key < machine_row_count) {
		const struct machine_row *row = &machine_rows[key];
		fprintf(out, "%s.%s=%s", row->section, row->name,
			machine_row_text(row, machine_row_get(m, row), buffer));
		return;
	}
	key -= (unsigned)machine_row_count;
	if (key < KEY_INTERVAL)
		fprintf(out, "latency.%s=%u", culprit_op_name((int)key), m->latency[key]);
	else if (key < KEY_IDEAL)
		fprintf(out, "interval.%s=%u", culprit_op_name((int)key - KEY_INTERVAL),
			m->interval[key - KEY_INTERVAL]);
	else if (key < KEY_LISTS)
		fprintf(out, "ideal %s %s", culprit_event_name((int)key - KEY_IDEAL),
			m->ideal >> (key - KEY_IDEAL) & 1 ? "on" : "off");
	else
		print_lists(m, out);
}
