/* Stall trees without Culprit's simulator: a toy in-order pipeline of three stages, instrumented through the header alone.
 *
 * Fetch, execute, commit, an instruction a cycle each. A fetch may miss; a load leaves execute after a cycle, its data come
 * later; an operand can be read in the cycle after it was written.
 *
 *     cc -Iinclude examples/stalls.c libculprit.a -o stalls */
#include "culprit/stalls.h"

#include <inttypes.h>
#include <stdio.h>

/* --- each component owns its stall types --- */

enum { FETCH_START, FETCH_MISS };
static const struct culprit_stall_type fetch_types[] = {
	{"start", "start", "the first instruction is on its way", CULPRIT_STALL_LEAF},
	{"miss", "instruction miss", "fetch waits for a line", CULPRIT_STALL_LEAF},
};
static const struct culprit_stall_set fetch_set = {"fetch", fetch_types, 2};

enum { EXECUTE_OPERAND, EXECUTE_MISS, EXECUTE_CLOSE };
static const struct culprit_stall_type execute_types[] = {
	{"operand", "waits for an operand", "the instruction before has not finished", 0},
	{"miss", "load miss", "a load waits for its data", CULPRIT_STALL_LEAF},
	{"close", "too close", "the cycle that every instruction takes", CULPRIT_STALL_LEAF},
};
static const struct culprit_stall_set execute_set = {"execute", execute_types, 3};

enum { COMMIT_EMPTY, COMMIT_UNFINISHED };
static const struct culprit_stall_type commit_types[] = {
	{"empty", "nothing to commit", "the pipeline is empty", 0},
	{"unfinished", "not finished", "the oldest instruction has not finished", 0},
};
static const struct culprit_stall_set commit_set = {"commit", commit_types, 2};

/* --- the machine --- */

struct insn {
	unsigned fetch_miss, load_miss; /* cycles */
	bool uses_previous;
	uint64_t done; /* cycle from which it can commit; once executed */
	struct culprit_stall_history history;
};

struct toy {
	struct culprit_stalls *stalls;
	uint32_t fetch, execute, commit, lost; /* ids of the sets' first types; the accumulator */
	struct insn *program;
	unsigned fetched, executed, committed; /* instructions */
	unsigned missed;		       /* cycles that the next fetch has missed so far */
	struct culprit_stall_stage fetch_stage;
};

static void commit(struct toy *t, uint64_t cycle)
{
	struct insn *oldest = &t->program[t->committed];
	uint32_t unfinished = t->commit + COMMIT_UNFINISHED;
	if (t->committed < t->executed && oldest->done <= cycle) {
		t->committed++;
	} else if (t->committed == t->fetched) { /* what fetch lost a cycle ago has come down */
		culprit_stalls_count(t->stalls, t->lost, cycle, t->commit + COMMIT_EMPTY, t->fetch_stage.last, 1);
	} else if (!culprit_stalls_take(t->stalls, t->lost, cycle, unfinished, &oldest->history, 1, 1)) {
		culprit_stalls_count(t->stalls, t->lost, cycle, unfinished,
				     culprit_stalls_leaf(t->stalls, t->execute + EXECUTE_CLOSE, 1), 1);
	}
}

static void execute(struct toy *t, uint64_t cycle)
{
	struct insn *i = &t->program[t->executed];
	if (t->executed == t->fetched)
		return;
	if (i->uses_previous && i[-1].done >= cycle) { /* pops the next of that one's stalls */
		culprit_stalls_wait(t->stalls, &i->history, t->execute + EXECUTE_OPERAND, &i[-1].history, 1);
		return;
	}
	t->executed++;
	i->done = cycle + 1 + i->load_miss;
	if (i->load_miss)
		culprit_stalls_push(t->stalls, &i->history,
				    culprit_stalls_leaf(t->stalls, t->execute + EXECUTE_MISS, i->load_miss));
	culprit_stalls_executes(&i->history, (struct culprit_stall_run){0, 0, 0},
				culprit_stalls_leaf(t->stalls, t->execute + EXECUTE_CLOSE, 1));
}

static void fetch(struct toy *t, unsigned count)
{
	if (t->fetched == count || t->fetched - t->executed == 2)
		return;
	if (t->missed < t->program[t->fetched].fetch_miss) {
		t->missed++;
		t->fetch_stage.now = culprit_stalls_leaf(t->stalls, t->fetch + FETCH_MISS, 1);
		return;
	}
	t->missed = 0;
	t->fetched++;
}

static void print(const struct culprit_stall_results *r, uint64_t cycles, unsigned committed)
{
	printf("%" PRIu64 " cycles, %u committed, %" PRIu64 " opportunities lost\n", cycles, committed, r->lost);
	for (size_t i = 0; i < r->node_count; i++)
		printf("%3" PRIu64 "%*s%s\n", r->nodes[i].total, 2 + 2 * (int)r->nodes[i].depth, "",
		       r->types[r->nodes[i].type].type.label);
}

int main(void)
{
	struct insn program[] = {{.load_miss = 6}, {.load_miss = 7}, {.uses_previous = true}, {.fetch_miss = 12}};
	enum { COUNT = sizeof program / sizeof program[0] };
	const char *why = "out of memory";
	struct culprit_stall_params params = {.depth = 0};
	struct toy t = {.stalls = culprit_stalls_create(&params, &why), .program = program};
	if (!t.stalls)
		return fprintf(stderr, "stalls: %s\n", why), 1;
	t.fetch = culprit_stalls_add_set(t.stalls, &fetch_set);
	t.execute = culprit_stalls_add_set(t.stalls, &execute_set);
	t.commit = culprit_stalls_add_set(t.stalls, &commit_set);
	t.lost = culprit_stalls_add_accumulator(t.stalls, "commit", 1);
	t.fetch_stage.last = culprit_stalls_leaf(t.stalls, t.fetch + FETCH_START, 1);

	uint64_t cycle = 0;
	for (; t.committed < COUNT; cycle++) {
		commit(&t, cycle);
		execute(&t, cycle);
		fetch(&t, COUNT);
		culprit_stalls_clock(&t.fetch_stage);
	}
	struct culprit_stall_results r;
	if (culprit_stalls_error(t.stalls) || !culprit_stalls_results(t.stalls, t.lost, &r))
		return 1;
	print(&r, cycle, t.committed);
	bool exact = r.lost == cycle - t.committed;
	culprit_stalls_results_free(&r);
	for (unsigned i = 0; i < COUNT; i++)
		culprit_stalls_release(&program[i].history);
	culprit_stalls_destroy(t.stalls);
	return exact ? 0 : 1;
}
