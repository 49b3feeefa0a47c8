#include "machine/machine_idealised.h"

static bool ideal(const struct machine *m, culprit_event_set set)
{
	return (m->ideal & set) != 0;
}

static uint32_t limit(uint32_t width, bool unlimited)
{
	return unlimited || !width ? UINT32_MAX : width;
}

/* A line is a block, too. */
static uint32_t fetch_block(const struct machine *m)
{
	uint32_t line = m->fetch_within_line ? m->l1i_line : 0, block = m->fetch_bank ? 0 : m->fetch_block;
	return line && (!block || line < block) ? line : block;
}

static void derive_widths(struct machine_idealised *d, const struct machine *m)
{
	bool unlimited = d->no_bandwidth = ideal(m, CULPRIT_EVENT_BIT(bw));
	d->fetch_width = limit(m->fetch_width, unlimited);
	d->taken_limit = limit(m->fetch_taken_limit, unlimited);
	d->fetch_block = unlimited ? 0 : fetch_block(m);
	d->one_conditional = m->fetch_one_conditional && !unlimited;
	d->fetch_bank = unlimited ? 0 : m->fetch_bank;
	d->dispatch_width = limit(m->dispatch_width, unlimited);
	d->issue_width = limit(m->issue_width, unlimited);
	d->commit_width = limit(m->commit_width, unlimited);
	d->commit_stores = limit(m->commit_stores, unlimited);
	d->commit_branches = limit(m->commit_branches, unlimited);
	d->squash_width = unlimited ? 0 : m->dispatch_squash_width;
	/* a group would be all that has been fetched */
	d->whole_groups = m->dispatch_whole_groups && !unlimited;
	d->line_interval = unlimited ? 0 : m->lsq_line_interval;
}

static uint32_t scaled(const struct machine_idealised *d, uint32_t entries, culprit_event_set part)
{
	if (!entries)
		return UINT32_MAX;
	return d->larger_parts & part ? entries * MACHINE_IDEAL_WINDOW : entries;
}

static void derive_window(struct machine_idealised *d, const struct machine *m)
{
	const culprit_event_set rob = CULPRIT_EVENT_BIT(rob), lsq = CULPRIT_EVENT_BIT(lsq),
				regs = CULPRIT_EVENT_BIT(regs);
	d->larger_parts = (ideal(m, CULPRIT_EVENT_BIT(win)) ? MACHINE_WINDOW_PARTS : m->ideal) & MACHINE_WINDOW_PARTS;
	d->rob = scaled(d, m->window_rob, rob);
	d->fold = m->window_fold > 1 ? m->window_fold : 0;
	if (d->fold) {
		d->rob_rows = d->rob;
		d->rob *= d->fold;
	}
	d->released = m->window_released ? scaled(d, m->window_released, rob) : 0;
	d->window = d->rob + d->released;
	if (m->dispatch_rows && !d->no_bandwidth)
		d->rob_rows = d->rob / m->dispatch_width;
	d->lq = scaled(d, m->window_lq, lsq);
	d->sq = scaled(d, m->window_sq, lsq);
	d->lsq = scaled(d, m->window_lsq, lsq);
	d->branches = scaled(d, m->window_branches, CULPRIT_EVENT_BIT(tags));
	d->int_regs = m->window_int_regs ? scaled(d, m->window_int_regs - 32, regs) : UINT32_MAX;
	d->fp_regs = m->window_fp_regs ? scaled(d, m->window_fp_regs - 32, regs) : UINT32_MAX;
	for (uint32_t i = 0; i < m->queue_count; i++) {
		d->queue_entries[i] = scaled(d, m->queues[i].entries, CULPRIT_EVENT_BIT(iq));
		d->queue_width[i] = m->queues[i].width ? m->queues[i].width : m->issue_width;
	}
}

static void derive_front_end(struct machine_idealised *d, const struct machine *m)
{
	uint32_t base = m->fetch_buffer + m->frontend_stages * m->dispatch_width;
	/* unlimited bandwidth: the front end must never be what limits, so it can fill the window every cycle */
	d->front_capacity = d->no_bandwidth ? d->rob * (m->frontend_stages + 1) : base;
	/* ... but a wrong path gets no longer than the machine itself could have in flight: real wrong paths end */
	d->wrong_path_limit = d->no_bandwidth || d->larger_parts ? m->window_rob + base : UINT32_MAX;
	d->oracle = ideal(m, CULPRIT_EVENT_BIT(bmisp)) || m->branch_predictor == direction_predictor_oracle;
}

static void derive_places(struct machine_idealised *d, const struct machine *m, unsigned op)
{
	bool found = false;
	for (uint32_t u = 0; u < m->unit_count; u++) {
		if (!(m->units[u].ops >> op & 1))
			continue;
		d->other[op] = (struct machine_place){(uint8_t)u, (uint8_t)m->units[u].queue};
		if (!found)
			d->place[op] = d->other[op];
		d->steered |= found;
		found = true;
	}
}

static void derive_operations(struct machine_idealised *d, const struct machine *m)
{
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++) {
		bool zero = machine_op_is_ideal(m, op);
		d->latency[op] = zero ? 0 : (uint16_t)m->latency[op];
		d->interval[op] = zero ? 1 : (uint16_t)m->interval[op];
		derive_places(d, m, op);
	}
	bool zero = ideal(m, CULPRIT_EVENT_BIT(dl1));
	d->forward_latency = zero ? 0 : m->lsq_forward_latency;
	d->data_penalty = zero ? 0 : m->lsq_data_penalty;
	d->partial_penalty = zero ? 0 : m->lsq_partial_penalty;
	d->fp_load = zero ? 0 : m->lsq_fp_load;
	d->l1d_latency = zero ? 0 : m->l1d_latency;
}

void machine_idealise(struct machine_idealised *d, const struct machine *m)
{
	*d = (struct machine_idealised){.oracle = false};
	derive_widths(d, m);
	derive_window(d, m);
	derive_front_end(d, m);
	derive_operations(d, m);
	d->grouped = d->steered || d->whole_groups || d->rob_rows;
}
