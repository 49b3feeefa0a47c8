/* Stall trees: a forest of nine nodes, three levels, in which every total is another figure. */
#include "made.h"
#include "report/stalls/report.h"

enum { NONE, EMPTY, WAIT, NOTHING, MISS, FLUSH, LONG, TYPES };
enum { NODES = 8, TWIGS = 7 };

static const struct culprit_stall_type_info types[TYPES] = {
	[NONE] = {{"none", "none", "nothing", 0}, "stalls"},
	[EMPTY] = {{"empty", "window empty", "nothing in it", 0}, "rob"},
	[WAIT] = {{"wait", "oldest; waits", "not done", 0}, "rob"},
	[NOTHING] = {{"nothing", "nothing came", "no input", 0}, "fetch"},
	[MISS] = {{"miss", "miss <L1I>", "the line & its wait", CULPRIT_STALL_LEAF}, "fetch"},
	[FLUSH] = {{"flush", "flush", "mispredicted", CULPRIT_STALL_LEAF | CULPRIT_STALL_FLUSH}, "predictor"},
	[LONG] = {{"long", "long executing", "slow unit", CULPRIT_STALL_LEAF}, "alu"},
};

/* Leaves' own figures; totals follow upward, as in a real tree. */
static struct culprit_stall_node nodes[NODES] = {
	{CULPRIT_STALL_ROOT, EMPTY, 0, 4, 0, 0},
	{0, NOTHING, 1, 4, 0, 0},
	{1, MISS, 2, 3, 40009, 0},
	{1, FLUSH, 2, 4, 30011, 0},
	{CULPRIT_STALL_ROOT, WAIT, 0, 8, 0, 0},
	{4, LONG, 1, 6, 20021, 0},
	{4, FLUSH, 1, 7, 1009, 0},
	{4, MISS, 1, 8, 211, 0},
};

static struct culprit_stall_node twigs[TWIGS] = {
	{CULPRIT_STALL_ROOT, MISS, 0, 3, 0, 0},
	{0, NOTHING, 1, 2, 40009, 0},
	{0, WAIT, 1, 3, 211, 0},
	{CULPRIT_STALL_ROOT, FLUSH, 0, 5, 0, 0},
	{3, NOTHING, 1, 5, 30011, 0},
	{CULPRIT_STALL_ROOT, LONG, 0, 7, 0, 0},
	{5, WAIT, 1, 7, 20021, 0},
};

/* Children come after their parents. */
static void add_up(struct culprit_stall_node *list, size_t count)
{
	for (size_t i = count; i-- > 0;) {
		list[i].total += list[i].own;
		if (list[i].parent != CULPRIT_STALL_ROOT)
			list[list[i].parent].total += list[i].total;
	}
}

static void write(const struct stalls_report *r, const char *name,
		  void (*print)(const struct stalls_report *r, FILE *out))
{
	FILE *out = made_open(name);
	print(r, out);
	made_close(out);
}

void made_stalls(void)
{
	struct figures f = {0};
	uint64_t totals[4][TYPES] = {{0}};
	for (uint32_t i = 1; i < TYPES; i++)
		for (size_t k = 0; k < 4; k++)
			totals[k][i] = figure(&f);
	struct culprit_stall_interval intervals[2] = {{.leaves = totals[2], .tops = totals[3]},
						      {.leaves = totals[3], .tops = totals[2]}};
	for (size_t i = 0; i < 2; i++) {
		intervals[i].first = figure(&f);
		intervals[i].cycles = figure(&f);
		intervals[i].lost = figure(&f);
	}
	add_up(nodes, NODES);
	add_up(twigs, TWIGS);
	struct culprit_stall_results x = {.accumulator = "commit",
					  .width = 3,
					  .type_count = TYPES,
					  .types = types,
					  .nodes = nodes,
					  .node_count = NODES,
					  .leaf_totals = totals[0],
					  .node_totals = totals[1],
					  .intervals = intervals,
					  .interval_count = 2};
	x.lost = nodes[0].total + nodes[4].total;
	x.elsewhere = figure(&f);
	x.counted = x.lost + x.elsewhere;
	x.interval = figure(&f);
	x.chains = figure(&f);
	x.snipped = figure(&f);
	x.folded = figure(&f);
	x.dropped_events = figure(&f);
	struct stalls_report r = {.program = "program <a>",
				  .machine = "machine",
				  .place = "function",
				  .cycles = 1000003,
				  .instructions = figure(&f),
				  .levels = 2,
				  .threshold = 0.05,
				  .results = &x,
				  .twigs = twigs,
				  .twig_count = TWIGS};
	write(&r, "out.report", stalls_report_text);
	write(&r, "out.folded.txt", stalls_report_folded);
	write(&r, "out.svg", stalls_report_svg);
	made_json(stalls_report_json(&r), "out.json");
}
