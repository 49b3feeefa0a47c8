/* The interaction-cost graph alone: million records a second for each kernel on a synthetic stream in memory,
 * shaped like
 * a compiled integer program (a quarter loads, a seventh branches, 3% of those mispredicted, short dependences). */
#include "culprit/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RECORDS = 8192, PASSES = 25 };

static uint32_t below(uint64_t *s, uint32_t n)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*s >> 33) % n);
}

static uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void kind(struct culprit_record *r, uint64_t *s)
{
	uint32_t k = below(s, 100);
	r->op_class = k < 25   ? CULPRIT_OP_load
		      : k < 36 ? CULPRIT_OP_store
		      : k < 50 ? CULPRIT_OP_branch
			       : CULPRIT_OP_int_alu;
	r->dest = r->op_class == CULPRIT_OP_store || r->op_class == CULPRIT_OP_branch ? 64
										      : (uint8_t)(5 + below(s, 25));
	r->exec_latency = r->op_class == CULPRIT_OP_load ? 3 : below(s, 50) ? 1 : 3;
	if (r->op_class == CULPRIT_OP_store)
		r->flags |= CULPRIT_STORE;
	if (r->op_class == CULPRIT_OP_load) {
		r->flags |= CULPRIT_LOAD;
		r->dlevel = CULPRIT_LEVEL_L2;
		r->dmiss = below(s, 25) ? 0 : below(s, 5) ? 10 : 150;
	}
	if (r->op_class == CULPRIT_OP_branch) {
		r->flags |= below(s, 10) < 6 ? CULPRIT_TAKEN : 0;
		r->flags |= below(s, 100) < 3 ? CULPRIT_MISPREDICTED : 0;
	}
}

static void times(struct culprit_record *r, uint64_t *s, size_t i)
{
	const struct culprit_record *before = r - 1;
	r->imiss = below(s, 300) ? 0 : 10;
	r->redirect = i && (before->flags & CULPRIT_MISPREDICTED);
	r->fetch = i ? before->fetch + (below(s, 3) == 0) + r->imiss : r->imiss;
	if (r->redirect)
		r->fetch = latest(r->fetch, before->complete + 1);
	if (i >= 64)
		r->fetch = latest(r->fetch, r[-64].commit - 5);
	r->dispatch = r->fetch + 5;
	r->ready = r->dispatch + 1;
	for (unsigned k = 0; k < 1 + below(s, 2); k++) {
		uint32_t d = 1 + below(s, below(s, 4) ? 6 : 40);
		if (d > i || r[-(int)d].dest == 64)
			continue;
		r->producer[k] = d;
		r->ready = latest(r->ready, r[-(int)d].complete);
	}
	r->issue = r->ready + (below(s, 5) == 0);
	r->complete = r->issue + r->exec_latency + r->dmiss;
	r->wakeup = (uint16_t)(r->complete - r->issue);
	r->commit = latest(r->complete + 1, i ? before->commit : 0);
}

static struct culprit_record *stream(void)
{
	struct culprit_record *records = calloc(RECORDS, sizeof *records);
	uint64_t seed = 1;
	for (size_t i = 0; records && i < RECORDS; i++) {
		struct culprit_record *r = &records[i];
		r->seq = i;
		r->length = 4;
		r->pc = i == 0 || below(&seed, 8) == 0 ? 0x10000 + 4 * below(&seed, 5000) : r[-1].pc + 4;
		kind(r, &seed);
		times(r, &seed, i);
	}
	return records;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The same records again, later: a batch is still in the cache when a simulator hands it over, so it should be here. */
static void shift(struct culprit_record *records, uint64_t seq, uint64_t cycles)
{
	for (size_t i = 0; i < RECORDS; i++) {
		struct culprit_record *r = &records[i];
		r->seq = seq + i;
		r->fetch += cycles;
		r->dispatch += cycles;
		r->ready += cycles;
		r->issue += cycles;
		r->complete += cycles;
		r->commit += cycles;
	}
}

static double push_all(struct culprit_graph *g, struct culprit_record *records)
{
	uint64_t length = records[RECORDS - 1].commit - records[0].fetch + 20;
	double took = 0;
	for (unsigned pass = 0; pass < PASSES; pass++) {
		shift(records, (uint64_t)pass * RECORDS, length);
		double start = now();
		for (size_t i = 0; i < RECORDS; i += 256)
			culprit_graph_push(g, records + i, 256);
		took += now() - start;
	}
	return took;
}

static void measure(struct culprit_record *records, const char *kernel, bool slots, uint32_t rob)
{
	struct culprit_graph_params p = {
		.fetch_width = 8,
		.taken_limit = 1,
		.fetch_line = 32,
		.frontend_stages = 5,
		.frontend_capacity = 28,
		.dispatch_width = 4,
		.dispatch_to_issue = 1,
		.rob = rob,
		.commit_delay = 1,
		.commit_width = 4,
		.window_factor = 20,
		.ideal_capacity = 6,
		.issue_slots = slots,
		.issue_width = 4,
		.kernel = kernel,
		.unit_count = 1,
		.units = {{3, 0}},
	};
	culprit_graph_base_classes(&p);
	double best = 1e9;
	struct culprit_graph_results results = {0};
	for (unsigned round = 0; round < 5; round++) {
		struct culprit_graph *g = culprit_graph_create(&p, NULL);
		if (!g)
			return;
		double took = push_all(g, records);
		best = took < best ? took : best;
		if (!culprit_graph_finish(g, &results))
			printf("%s\n", culprit_graph_error(g));
		culprit_graph_destroy(g);
	}
	double instructions = (double)RECORDS * PASSES;
	printf("graph rob %3u %-9s %-15s %6.2f M instructions/s  (%.3f cycles/instruction, %u-bit lanes)\n", rob,
	       kernel, slots ? "issue slots" : "recorded waits", instructions / best / 1e6,
	       (double)results.recorded_cycles / instructions, results.wide ? 32 : 16);
}

int main(void)
{
	static const char *const kernels[] = {"avx512", "avx2", "portable"};
	struct culprit_record *records = stream();
	if (!records)
		return 1;
	for (unsigned slots = 0; slots < 2; slots++)
		for (unsigned k = 0; k < 3; k++)
			measure(records, kernels[k], slots, 64);
	measure(records, "avx512", false, 256);
	free(records);
	return 0;
}
