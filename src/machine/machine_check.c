/* Rules between keys: what the schema cannot say of one key alone. An error names every key that takes part. */
#include "base/bits.h"
#include "machine/cache_sets.h"
#include "machine/machine_rows.h"

#include <string.h>

static bool ranges(const struct machine *m, const char *place, struct error *err)
{
	for (size_t i = 0; i < machine_row_count; i++) {
		const struct machine_row *row = &machine_rows[i];
		uint32_t value = machine_row_get(m, row);
		if (value < row->min || value > row->max)
			return error_set(err, ERROR_INPUT, "%s: key %s.%s: %u is out of range: %u to %u", place,
					 row->section, row->name, value, row->min, row->max);
	}
	return true;
}

static bool power_of_two(const char *place, const char *key, uint32_t value, struct error *err)
{
	return is_power_of_two(value) ||
	       error_set(err, ERROR_INPUT, "%s: key %s: %u is not a power of two", place, key, value);
}

static bool powers_of_two(const struct machine *m, const char *place, struct error *err)
{
	return (!m->lsq_split || power_of_two(place, "lsq.split", m->lsq_split, err)) &&
	       (!m->fetch_block || power_of_two(place, "fetch.block", m->fetch_block, err)) &&
	       (!m->fetch_bank || power_of_two(place, "fetch.bank", m->fetch_bank, err)) &&
	       (!m->branch_early_entries ||
		power_of_two(place, "branch.early_entries", m->branch_early_entries, err)) &&
	       (!m->lsq_check_bytes || power_of_two(place, "lsq.check_bytes", m->lsq_check_bytes, err)) &&
	       power_of_two(place, "branch.local_entries", m->branch_local_entries, err) &&
	       (!m->branch_block || power_of_two(place, "branch.block", m->branch_block, err)) &&
	       (!m->branch_choice_row || power_of_two(place, "branch.choice_row", m->branch_choice_row, err)) &&
	       power_of_two(place, "branch.path_entries", m->branch_path_entries, err) &&
	       power_of_two(place, "tlb.page", m->tlb_page, err) &&
	       power_of_two(place, "vector.vlen", m->vector_vlen, err) &&
	       power_of_two(place, "lsq.ssit_entries", m->lsq_ssit_entries, err) &&
	       power_of_two(place, "branch.bimodal_entries", m->branch_bimodal_entries, err) &&
	       power_of_two(place, "branch.gshare_entries", m->branch_gshare_entries, err) &&
	       power_of_two(place, "branch.meta_entries", m->branch_meta_entries, err) &&
	       power_of_two(place, "branch.tage_kib", m->branch_tage_kib, err) &&
	       power_of_two(place, "branch.ittage_kib", m->branch_ittage_kib, err);
}

/* `entries` in sets of `ways` (0 = one set): ways divide entries, and sets are chosen by address bits. */
static bool sets(const char *place, const char *entries_key, uint32_t entries, const char *ways_key, uint32_t ways,
		 struct error *err)
{
	if (!ways || !entries)
		return true;
	if (ways > entries || entries % ways)
		return error_set(err, ERROR_INPUT, "%s: keys %s and %s: %u ways do not divide %u entries", place,
				 entries_key, ways_key, ways, entries);
	return is_power_of_two(entries / ways) ||
	       error_set(err, ERROR_INPUT, "%s: keys %s and %s: %u sets (%u / %u) are not a power of two", place,
			 entries_key, ways_key, entries / ways, entries, ways);
}

struct cache_keys {
	const char *name;
	uint32_t size, ways, line, miss_alias;
	enum replacement replacement;
};

static bool miss_alias(const struct cache_keys *c, const char *place, struct error *err)
{
	char key[24];
	snprintf(key, sizeof key, "%s.miss_alias", c->name);
	if (!c->miss_alias)
		return true;
	TRY(power_of_two(place, key, c->miss_alias, err));
	return c->miss_alias > c->line ||
	       error_set(err, ERROR_INPUT, "%s: keys %s and %s.line: all lines would be taken for one another", place,
			 key, c->name);
}

static bool cache_shape(const struct cache_keys *c, const char *place, struct error *err)
{
	char size_key[16], ways_key[16], line_key[16];
	snprintf(size_key, sizeof size_key, "%s.size", c->name);
	snprintf(ways_key, sizeof ways_key, "%s.ways", c->name);
	snprintf(line_key, sizeof line_key, "%s.line", c->name);
	TRY(power_of_two(place, line_key, c->line, err));
	if (c->size % c->line || c->size < c->line)
		return error_set(err, ERROR_INPUT, "%s: keys %s and %s: %u bytes are not whole lines of %u", place,
				 size_key, line_key, c->size, c->line);
	uint32_t lines = c->size / c->line;
	TRY(miss_alias(c, place, err));
	TRY(sets(place, size_key, lines, ways_key, c->ways, err));
	uint32_t ways = c->ways ? c->ways : lines;
	if (c->replacement == replacement_plru && (!is_power_of_two(ways) || ways > PLRU_WAYS_MAX))
		return error_set(err, ERROR_INPUT,
				 "%s: keys %s.replacement and %s: plru needs a power of two of ways, at most %d, "
				 "not %u",
				 place, c->name, ways_key, PLRU_WAYS_MAX, ways);
	return true;
}

static bool line_fits(const struct cache_keys *inner, const struct cache_keys *outer, const char *place,
		      struct error *err)
{
	return inner->line <= outer->line ||
	       error_set(err, ERROR_INPUT,
			 "%s: keys %s.line and %s.line: a line of %u bytes does not fit into one of %u", place,
			 inner->name, outer->name, inner->line, outer->line);
}

static bool caches(const struct machine *m, const char *place, struct error *err)
{
#define CACHE(c)                                                                                 \
	{                                                                                        \
#c, m->c##_size, m->c##_ways, m->c##_line, m->c##_miss_alias, m->c##_replacement \
	}
	const struct cache_keys l1i = CACHE(l1i), l1d = CACHE(l1d), l2 = CACHE(l2), l3 = CACHE(l3);
#undef CACHE
	TRY(cache_shape(&l1i, place, err) && cache_shape(&l1d, place, err) && cache_shape(&l2, place, err));
	TRY(line_fits(&l1i, &l2, place, err) && line_fits(&l1d, &l2, place, err));
	if (!l3.size)
		return true;
	return cache_shape(&l3, place, err) && line_fits(&l2, &l3, place, err);
}

static bool page_holds(const char *place, const char *key, uint32_t line, uint32_t page, struct error *err)
{
	return line <= page || error_set(err, ERROR_INPUT,
					 "%s: keys %s and tlb.page: a line of %u bytes is larger than "
					 "a page of %u",
					 place, key, line, page);
}

static bool tlbs(const struct machine *m, const char *place, struct error *err)
{
	TRY(sets(place, "tlb.i_entries", m->tlb_i_entries, "tlb.i_ways", m->tlb_i_ways, err));
	TRY(sets(place, "tlb.d_entries", m->tlb_d_entries, "tlb.d_ways", m->tlb_d_ways, err));
	TRY(sets(place, "tlb.l2_entries", m->tlb_l2_entries, "tlb.l2_ways", m->tlb_l2_ways, err));
	if (m->tlb_l2_entries && !m->tlb_i_entries && !m->tlb_d_entries)
		return error_set(err, ERROR_INPUT,
				 "%s: keys tlb.l2_entries, tlb.i_entries and tlb.d_entries: a second level behind two "
				 "perfect TLBs is never used",
				 place);
	return page_holds(place, "l1i.line", m->l1i_line, m->tlb_page, err) &&
	       page_holds(place, "l1d.line", m->l1d_line, m->tlb_page, err);
}

static bool registers(const char *place, const char *key, uint32_t count, struct error *err)
{
	return !count || count > 32 ||
	       error_set(err, ERROR_INPUT,
			 "%s: key %s: %u registers leave none beside the 32 architectural ones (0 = unlimited)", place,
			 key, count);
}

static bool window(const struct machine *m, const char *place, struct error *err)
{
	if (m->window_lsq && (m->window_lq || m->window_sq))
		return error_set(
			err, ERROR_INPUT,
			"%s: keys window.lsq and window.%s: one queue for both (%u) or one each (%u), not both "
			"ways",
			place, m->window_lq ? "lq" : "sq", m->window_lsq, m->window_lq ? m->window_lq : m->window_sq);
	return registers(place, "window.int_regs", m->window_int_regs, err) &&
	       registers(place, "window.fp_regs", m->window_fp_regs, err) &&
	       sets(place, "branch.btb_entries", m->branch_btb_entries, "branch.btb_ways", m->branch_btb_ways, err);
}

static bool two_keys(const char *place, const char *key, const char *other, const char *why, struct error *err)
{
	return error_set(err, ERROR_INPUT, "%s: keys %s and %s: %s", place, key, other, why);
}

/* Keys that change nothing beside the value of another. With the oracle none of a predictor's does: that is what it is
 * for. */
static bool without_effect(const struct machine *m, const char *place, struct error *err)
{
	enum direction_predictor p = m->branch_predictor;
	bool counters = p == direction_predictor_bimodal || p == direction_predictor_gshare ||
			p == direction_predictor_combined || p == direction_predictor_bi_mode ||
			p == direction_predictor_tournament;
	bool sets = m->lsq_disambiguation == disambiguation_store_sets;
	bool ahead = sets || m->lsq_disambiguation == disambiguation_speculative;
	if (m->branch_train_queue && !counters && p != direction_predictor_oracle)
		return two_keys(place, "branch.train_queue", "branch.predictor",
				"only counters (bimodal, gshare, combined, bi_mode) wait to be written", err);
	if (m->branch_block && p != direction_predictor_bi_mode && p != direction_predictor_oracle)
		return two_keys(place, "branch.block", "branch.predictor", "only bi_mode finds counters by blocks",
				err);
	if (m->dispatch_rows && m->window_rob < m->dispatch_width)
		return two_keys(place, "dispatch.rows", "window.rob", "the ROB has no room for a row of dispatch.width",
				err);
	if (m->window_rob_room && !m->dispatch_whole_groups)
		return two_keys(place, "window.rob_room", "dispatch.whole_groups", "only groups find room as a whole",
				err);
	if (m->window_rob_room && m->dispatch_rows)
		return two_keys(place, "window.rob_room", "dispatch.rows", "a group takes a row, whatever it needs",
				err);
	if (m->window_rob_room > m->window_rob)
		return two_keys(place, "window.rob_room", "window.rob", "so many entries are never free", err);
	if (m->dispatch_rows && m->window_fold)
		return two_keys(place, "window.fold", "dispatch.rows", "a row has an entry for each of its slots", err);
	if (m->lsq_check_bytes && !ahead)
		return two_keys(place, "lsq.check_bytes", "lsq.disambiguation",
				"loads are taken back only with store_sets and speculative", err);
	if (m->lsq_store_data == store_data_apart && m->lsq_disambiguation == disambiguation_conservative)
		return two_keys(place, "lsq.store_data", "lsq.disambiguation",
				"with conservative loads wait until older stores have issued, with their data", err);
	if (m->lsq_data_penalty && m->lsq_store_data != store_data_apart)
		return two_keys(place, "lsq.data_penalty", "lsq.store_data",
				"only with apart loads wait for the data of stores", err);
	if (m->lsq_load_order && !ahead)
		return two_keys(place, "lsq.load_order", "lsq.disambiguation",
				"loads are taken back only with store_sets and speculative", err);
	if (m->fetch_one_conditional && !m->fetch_block)
		return two_keys(place, "fetch.one_conditional", "fetch.block", "it counts them in a block", err);
	if (m->branch_l0_blocks && !m->fetch_block)
		return two_keys(place, "branch.l0_blocks", "fetch.block", "its entries go by blocks", err);
	if (m->fetch_bank && m->fetch_bank >= m->fetch_block)
		return two_keys(place, "fetch.bank", "fetch.block", "a block has several banks", err);
	if (m->branch_choice_row && !m->branch_block)
		return two_keys(place, "branch.choice_row", "branch.block", "a row has a counter for each block", err);
	if (m->branch_indirect == indirect_predictor_path && !m->branch_btb_entries)
		return two_keys(place, "branch.indirect", "branch.btb_entries",
				"a perfect BTB (0) knows where indirect jumps go", err);
	return !m->lsq_violation_delay || ahead ||
	       two_keys(place, "lsq.violation_delay", "lsq.disambiguation",
			"loads are taken back only with store_sets and speculative", err);
}

/* A number of a list, against the range of its key. */
static bool listed(const char *place, const char *list, const char *item, const char *key, uint32_t value,
		   struct error *err)
{
	char path[100];
	snprintf(path, sizeof path, "%s.%s%s%s", list, item ? item : "", item ? "." : "", key);
	const struct machine_range *range = machine_range_find(path);
	return (value >= range->min && value <= range->max) ||
	       error_set(err, ERROR_INPUT, "%s: key %s: %u is out of range: %u to %u", place, path, value, range->min,
			 range->max);
}

static bool queues(const struct machine *m, const char *place, struct error *err)
{
	if (!m->queue_count || m->queue_count > MACHINE_QUEUES_MAX)
		return error_set(err, ERROR_INPUT, "%s: key queues: %u queues: expected 1 to %d", place, m->queue_count,
				 MACHINE_QUEUES_MAX);
	for (uint32_t i = 0; i < m->queue_count; i++) {
		const struct machine_queue *q = &m->queues[i];
		TRY(listed(place, "queues", q->name, "entries", q->entries, err));
		if (q->width > m->issue_width)
			return error_set(err, ERROR_INPUT,
					 "%s: keys queues.%s.width and issue.width: a queue cannot issue %u where the "
					 "machine issues %u",
					 place, q->name, q->width, m->issue_width);
		bool used = false;
		for (uint32_t u = 0; u < m->unit_count && u < MACHINE_UNITS_MAX; u++)
			used |= m->units[u].queue == i;
		if (!used)
			return error_set(err, ERROR_INPUT, "%s: keys queues.%s and units: the queue feeds no unit",
					 place, q->name);
	}
	return true;
}

/* Every operation class is executed by one row of units, or by two that different queues feed. */
static bool units_of_each(const struct machine *m, const char *place, struct error *err)
{
	for (int op = 0; op < CULPRIT_OP_COUNT; op++) {
		const struct machine_unit *unit = NULL;
		uint32_t found = 0;
		for (uint32_t u = 0; u < m->unit_count; u++) {
			if (!(m->units[u].ops >> op & 1))
				continue;
			if (unit && unit->queue == m->units[u].queue)
				return error_set(err, ERROR_INPUT,
						 "%s: keys units.%s.ops and units.%s.ops: both execute %s, and one "
						 "queue feeds both: give one of them a count",
						 place, unit->name, m->units[u].name, culprit_op_name(op));
			if (++found > 2)
				return error_set(err, ERROR_INPUT, "%s: key units.%s.ops: a third unit for %s", place,
						 m->units[u].name, culprit_op_name(op));
			unit = &m->units[u];
		}
		if (!unit)
			return error_set(err, ERROR_INPUT, "%s: key units: no unit executes %s", place,
					 culprit_op_name(op));
	}
	return true;
}

static bool units(const struct machine *m, const char *place, struct error *err)
{
	if (m->unit_count > MACHINE_UNITS_MAX)
		return error_set(err, ERROR_INPUT, "%s: key units: %u units: expected 1 to %d", place, m->unit_count,
				 MACHINE_UNITS_MAX);
	for (uint32_t i = 0; i < m->unit_count; i++) {
		const struct machine_unit *u = &m->units[i];
		TRY(listed(place, "units", u->name, "count", u->count, err));
		if (u->queue >= m->queue_count)
			return error_set(err, ERROR_INPUT, "%s: key units.%s.queue: there is no queue number %u", place,
					 u->name, u->queue);
		if (!u->ops)
			return error_set(err, ERROR_INPUT, "%s: key units.%s.ops: the unit executes nothing", place,
					 u->name);
	}
	return units_of_each(m, place, err);
}

static bool operations(const struct machine *m, const char *place, struct error *err)
{
	for (int op = 0; op < CULPRIT_OP_COUNT; op++) {
		TRY(listed(place, "latency", NULL, culprit_op_name(op), m->latency[op], err));
		TRY(listed(place, "interval", NULL, culprit_op_name(op), m->interval[op], err));
	}
	return true;
}

bool machine_check(const struct machine *m, const char *place, struct error *err)
{
	if (m->ideal >> CULPRIT_EVENT_COUNT)
		return error_set(err, ERROR_INPUT, "%s: key ideal: unknown event class", place);
	return ranges(m, place, err) && powers_of_two(m, place, err) && caches(m, place, err) && tlbs(m, place, err) &&
	       window(m, place, err) && without_effect(m, place, err) && operations(m, place, err) &&
	       queues(m, place, err) && units(m, place, err);
}
