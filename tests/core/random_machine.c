#include "random_machine.h"

/* Small structures and odd latencies, so that every limit is hit: key, values. */
static const char *const odd_values[][7] = {
	{"window.rob", "4", "7", "16", "33", "200"},
	{"window.lq", "0", "1", "2", "5", "16"},
	{"window.sq", "0", "1", "2", "5", "16"},
	{"window.lsq", "0", "1", "2", "5", "16"},
	{"window.branches", "0", "1", "2", "5", "16"},
	{"window.int_regs", "0", "33", "35", "40", "100"},
	{"window.fp_regs", "0", "33", "34", "40", "100"},
	{"fetch.width", "1", "2", "3", "8"},
	{"fetch.taken_limit", "1", "2", "3"},
	{"fetch.within_line", "true", "false"},
	{"fetch.buffer", "1", "3", "8", "64"},
	{"frontend.stages", "1", "2", "5", "14"},
	{"frontend.redirect", "0", "1", "4"},
	{"frontend.decode_redirect", "0", "1", "4"},
	{"dispatch.width", "1", "2", "3", "8"},
	{"issue.width", "1", "2", "3", "8"},
	{"issue.wakeup", "1", "2", "3"},
	{"issue.dispatch_to_issue", "1", "2", "4"},
	{"lsq.disambiguation", "perfect", "store_sets", "conservative"},
	{"lsq.forward_latency", "0", "1", "3", "6"},
	{"lsq.ssit_clear", "0", "1", "50", "1000"},
	{"commit.width", "1", "2", "3", "8"},
	{"commit.delay", "1", "2", "5"},
	{"commit.stores", "0", "1", "2"},
	{"commit.branches", "0", "1", "2"},
	{"l1d.interval", "0", "1", "3"},
	{"l1i.interval", "0", "1", "3"},
	{"l1d.mshrs", "0", "1", "2", "8"},
	{"l1d.prefetcher", "none", "next_line", "stride"},
	{"memory.interval", "0", "3", "30"},
	{"branch.predictor", "static", "bimodal", "gshare", "combined", "bi_mode", "oracle"},
	{"branch.indirect", "btb", "ittage"},
	{"branch.ras", "0", "1", "4", "64"},
	{"branch.btb_entries", "0", "16", "1024"},
	{"latency.store", "1", "3"},
	{"latency.int_alu", "1", "2"},
	{"latency.branch", "1", "2"},
};
/* Likewise of keys that few machines use. */
static const char *const rare_values[][7] = {
	{"fetch.block", "0", "16", "32"},
	{"fetch.bank", "0", "8"},
	{"fetch.one_conditional", "true", "false"},
	{"fetch.loop_buffer", "0", "64", "256"},
	{"dispatch.squash_width", "0", "1", "4"},
	{"dispatch.recovery", "0", "1", "30"},
	{"dispatch.whole_groups", "true", "false"},
	{"divide.bits", "0", "1", "4"},
	{"divide.results", "0", "1", "4"},
	{"lsq.disambiguation", "speculative"},
	{"lsq.load_order", "0", "1", "9"},
	{"lsq.partial_penalty", "0", "2", "7"},
	{"lsq.violation_delay", "0", "3", "20"},
	{"lsq.check_bytes", "0", "8", "64"},
	{"lsq.split", "0", "16", "64"},
	{"lsq.line_interval", "0", "2", "5"},
	{"lsq.stream_lines", "0", "1", "3"},
	{"lsq.waiting_loads", "0", "1", "4"},
	{"lsq.fill", "0", "1", "2"},
	{"lsq.restart", "0", "1", "8"},
	{"l1d.miss_alias", "0", "256", "8192"},
	{"dispatch.move_elimination", "none", "rename", "group"},
	{"lsq.store_translation", "write", "issue"},
	{"lsq.store_data", "with_address", "apart"},
	{"lsq.data_penalty", "0", "1", "7"},
	{"window.rob_room", "0", "2", "5"},
};
enum { ODD_KEYS = sizeof odd_values / sizeof *odd_values, RARE_KEYS = sizeof rare_values / sizeof *rare_values };

static void set_one(struct machine *m, const char *const *row, struct random_source *r)
{
	struct error err;
	struct machine tried = *m;
	unsigned values = 0;
	while (values < 6 && row[values + 1])
		values++;
	kernel_set(&tried, "%s=%s", row[0], row[1 + random_below(r, values)]);
	if (machine_check(&tried, "a random machine", &err)) /* else the two keys do not go together */
		*m = tried;
}

void random_machine_rare(struct machine *m, struct random_source *r)
{
	for (unsigned i = random_below(r, 8); i; i--)
		set_one(m, rare_values[random_below(r, RARE_KEYS)], r);
}

void random_machine(struct machine *m, struct random_source *r)
{
	kernel_machine(m, kernel_machines[random_below(r, kernel_machine_count)]);
	for (unsigned i = random_below(r, 16); i; i--)
		set_one(m, odd_values[random_below(r, ODD_KEYS)], r);
	for (uint32_t q = 0; q < m->queue_count; q++)
		if (random_below(r, 4) == 0)
			m->queues[q].entries = 1 + random_below(r, 6);
	if (random_below(r, 3) == 0)
		m->ideal = (culprit_event_set)random_next(r) & ((1u << CULPRIT_EVENT_COUNT) - 1);
}
