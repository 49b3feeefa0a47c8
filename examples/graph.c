/* Interaction costs without the simulator: any program that knows when instructions moved can ask the graph.
 * Here a made-up loop on a made-up machine: two loads that miss side by side, then an addition of both.
 *
 *     cc -Iinclude examples/graph.c libculprit_analysis.a -o graph */
#include "culprit/graph.h"

#include <inttypes.h>
#include <stdio.h>

/* One instruction; it executes as soon as its operands are there, and commits in order. */
static struct culprit_record instruction(const struct culprit_record *before, uint8_t op_class, uint32_t dmiss)
{
	uint64_t seq = before ? before->seq + 1 : 0, start = 1 + seq;
	struct culprit_record r = {
		.seq = seq, .pc = 0x1000 + 4 * (seq % 3), .length = 4, .dest = 10, .op_class = op_class};
	r.exec_latency = op_class == CULPRIT_OP_load ? 2 : 1;
	r.dmiss = dmiss;
	r.dlevel = dmiss ? CULPRIT_LEVEL_MEMORY : CULPRIT_LEVEL_L1;
	r.flags = op_class == CULPRIT_OP_load ? CULPRIT_LOAD : 0;
	if (op_class == CULPRIT_OP_int_alu) {
		r.producer[0] = 1;
		r.producer[1] = 2;
		start = before->complete > before[-1].complete ? before->complete : before[-1].complete;
	}
	r.fetch = r.dispatch = seq;
	r.ready = r.issue = start;
	r.wakeup = (uint16_t)(r.exec_latency + dmiss);
	r.complete = start + r.wakeup;
	r.commit = before && before->commit > r.complete ? before->commit : r.complete;
	return r;
}

int main(void)
{
	struct culprit_record r[3];
	r[0] = instruction(NULL, CULPRIT_OP_load, 90);
	r[1] = instruction(&r[0], CULPRIT_OP_load, 90);
	r[2] = instruction(&r[1], CULPRIT_OP_int_alu, 0);

	static const struct culprit_graph_range first[] = {{0x1000, 0x1004}}, second[] = {{0x1004, 0x1008}};
	struct culprit_graph_params params = {.rob = 64, .window_factor = 20, .class_count = 2};
	params.dispatch_width = params.dispatch_to_issue = 1;
	params.classes[0] = (struct culprit_graph_class){"first load", CULPRIT_EVENT_BIT(dmiss), first, 1};
	params.classes[1] = (struct culprit_graph_class){"second load", CULPRIT_EVENT_BIT(dmiss), second, 1};

	const char *why;
	struct culprit_graph *graph = culprit_graph_create(&params, &why);
	if (!graph)
		return fprintf(stderr, "%s\n", why), 1;
	struct culprit_graph_results x;
	if (!culprit_graph_push(graph, r, 3) || !culprit_graph_finish(graph, &x))
		return fprintf(stderr, "%s\n", culprit_graph_error(graph)), 1;
	printf("time %" PRIu64 "\n", x.time[0]);
	for (unsigned set = 1; set < 4; set++)
		printf("%-11s%s%-11s cost %3" PRId64 "  icost %3" PRId64 "\n", set & 1 ? x.names[0] : "",
		       set == 3 ? " + " : "   ", set & 2 ? x.names[1] : "", x.cost[set], x.icost[set]);
	culprit_graph_destroy(graph);
	return 0;
}
