/* Issue slots against a scheduler that goes cycle by cycle: everything ready competes, the oldest first, as in the
 * core. The same scheduler in the ways of other simulators: it renames in the ROB. Each is a run of its own with classes
 * idealised, so that the graph's lanes are held against re-simulation. */
#include "analysis/check/check.h"
#include "culprit/critical.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "culprit/graph.h"

enum { UNITS = 3, INSTRUCTIONS = 1500 };

static uint32_t below(uint64_t *s, uint32_t n)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*s >> 33) % n);
}

/* Straight-line work: nothing but operands, widths and units. Loads hit or miss; dispatch is limited by width and
 * ROB. `fast` percent of the one-cycle operations take no time: what needs them may issue in the same cycle. */
static void fill(struct culprit_record *r, uint64_t seed, uint32_t fast)
{
	static const uint8_t classes[UNITS] = {CULPRIT_OP_int_alu, CULPRIT_OP_int_mul, CULPRIT_OP_load};
	for (size_t i = 0; i < INSTRUCTIONS; i++) {
		uint32_t unit = below(&seed, 5) % UNITS;
		uint16_t latency = unit == 1 ? 3 : unit == 2 ? 2 : !fast || below(&seed, 100) >= fast;
		uint32_t miss = unit == 2 && below(&seed, 12) == 0 ? 20 : 0;
		r[i] = (struct culprit_record){.seq = i,
					       .length = 4,
					       .dest = 5,
					       .op_class = classes[unit],
					       .unit = (uint8_t)unit,
					       .exec_latency = latency,
					       .dmiss = miss,
					       .dlevel = CULPRIT_LEVEL_L2};
		r[i].flags = unit == 2 ? CULPRIT_LOAD : 0;
		r[i].wakeup = (uint16_t)(latency + miss);
		for (unsigned k = 0; k < 2; k++)
			if (below(&seed, 3) == 0 && i > 8)
				r[i].producer[k] = 1 + below(&seed, 8);
	}
}

struct plain {
	uint64_t dispatch, rename, issue, done, wake, complete, commit; /* done: but for a port */
	bool issued, committed;
	uint32_t more; /* issue slots that it still takes */
};

static uint64_t latency_in(const struct culprit_record *r, unsigned set)
{
	unsigned event = r->op_class == CULPRIT_OP_load	     ? CULPRIT_EVENT_dl1
			 : r->op_class == CULPRIT_OP_int_alu ? CULPRIT_EVENT_shalu
							     : CULPRIT_EVENT_lgalu;
	return (set & (1u << event) ? 0 : r->exec_latency) + (set & CULPRIT_EVENT_BIT(dmiss) ? 0 : r->dmiss);
}

/* A run of the scheduler. */
struct run {
	const struct culprit_graph_params *p;
	const struct culprit_record *r;
	unsigned set;
	struct plain *x;
	uint64_t now, rob, entries, regs;
	size_t head, dispatched, renamed, waiting, oldest;
	uint32_t width, used[UNITS]; /* in this cycle */
	uint32_t ports;		     /* so many complete in a cycle, the oldest first; 0: all */
	uint64_t apart;		     /* the least from dispatch to rename */
};

static bool operands_ready(const struct run *s, size_t i)
{
	for (unsigned k = 0; k < 2; k++) {
		const struct plain *p = &s->x[i - s->r[i].producer[k]];
		if (s->r[i].producer[k] && (!p->issued || p->wake > s->now))
			return false;
	}
	return true;
}

static void issue_more(struct run *s, struct plain *x)
{
	for (; x->more && s->width < s->p->issue_width; s->width++)
		x->more--;
}

static void issue_if_ready(struct run *s, size_t i)
{
	const struct culprit_record *r = &s->r[i];
	struct plain *x = &s->x[i];
	const bool none = r->issue_slots == CULPRIT_WEIGHT_NONE;
	if (x->issued)
		issue_more(s, x);
	if (x->issued || x->rename + s->p->dispatch_to_issue - s->apart > s->now || !operands_ready(s, i))
		return;
	if (!none && (s->width == s->p->issue_width || s->used[r->unit] == s->p->units[r->unit].count))
		return;
	x->issued = true;
	x->issue = s->now;
	x->done = s->now + latency_in(r, s->set);
	x->complete = x->wake = s->ports ? UINT64_MAX / 2 : x->done;
	s->waiting--;
	if (none)
		return;
	s->used[r->unit]++;
	s->width++;
	x->more = r->issue_slots > 1 ? r->issue_slots - 1 : 0;
	issue_more(s, x);
}

static bool goes_first(const struct run *s, size_t i)
{
	return s->p->select && s->r[i].op_class == CULPRIT_OP_load;
}

/* The oldest first; or loads, and then the others, as SimpleScalar does. */
static void issue(struct run *s)
{
	s->width = 0;
	memset(s->used, 0, sizeof s->used);
	while (s->oldest < s->renamed && s->x[s->oldest].issued && !s->x[s->oldest].more)
		s->oldest++;
	for (size_t i = s->oldest; i < s->renamed && s->p->select; i++)
		if (goes_first(s, i))
			issue_if_ready(s, i);
	for (size_t i = s->oldest; i < s->renamed; i++)
		if (!goes_first(s, i))
			issue_if_ready(s, i);
}

static void complete(struct run *s)
{
	uint32_t used = 0;
	for (size_t i = s->head; i < s->renamed && used < s->ports; i++) {
		struct plain *x = &s->x[i];
		if (!x->issued || x->complete <= s->now || x->done > s->now)
			continue;
		x->complete = x->wake = s->now;
		used++;
	}
}

static void commit(struct run *s)
{
	for (unsigned n = 0; n < s->p->commit_width && s->head < s->dispatched; n++) {
		struct plain *x = &s->x[s->head];
		if (!x->issued || x->complete + s->p->commit_delay > s->now)
			return;
		x->commit = s->now;
		s->head++;
	}
}

static void dispatch(struct run *s)
{
	const bool late = s->p->late_rename;
	for (unsigned n = 0; n < s->p->dispatch_width && s->dispatched < INSTRUCTIONS; n++) {
		const size_t held = s->dispatched - s->head;
		if (held >= s->rob || (!late && (s->waiting == s->entries || held == s->regs)))
			break;
		s->x[s->dispatched++].dispatch = s->now;
		s->waiting += !late;
	}
	for (; s->renamed < s->dispatched; s->renamed++) {
		if (late && (s->waiting == s->entries || s->renamed - s->head == s->regs))
			break;
		if (s->x[s->renamed].dispatch + s->apart > s->now)
			break;
		s->x[s->renamed].rename = s->now;
		s->waiting += late;
	}
}

/* Every cycle: commit, issue, dispatch, and renaming. An entry of the one issue queue is held from there to issue, a
 * register to commit; all instructions take one. With late_rename dispatch does not wait for them. */
static uint64_t ported(const struct culprit_graph_params *p, const struct culprit_record *r, unsigned set,
		       struct plain *x, uint32_t ports)
{
	const bool large = set & CULPRIT_EVENT_BIT(win);
	const uint64_t factor = large ? p->window_factor : 1;
	struct run s = {.p = p, .r = r, .set = set, .x = x, .rob = p->rob * factor, .ports = ports};
	s.entries = p->queue_entries[0] && !large ? p->queue_entries[0] : UINT64_MAX;
	s.regs = p->regs ? p->regs * factor : UINT64_MAX;
	s.apart = p->rename_to_issue ? p->dispatch_to_issue - p->rename_to_issue : 0;
	memset(x, 0, INSTRUCTIONS * sizeof *x);
	for (;; s.now++) {
		complete(&s);
		commit(&s);
		if (s.head == INSTRUCTIONS)
			return s.now;
		issue(&s);
		dispatch(&s);
	}
}

static uint64_t cycle_by_cycle(const struct culprit_graph_params *p, const struct culprit_record *r, unsigned set,
			       struct plain *x)
{
	return ported(p, r, set, x, 0);
}

static double apart(uint64_t a, uint64_t b)
{
	return a > b ? (double)(a - b) : (double)(b - a);
}

static void compare_times(struct culprit_graph *g, const struct culprit_graph_params *p, const struct culprit_record *r,
			  uint64_t base, struct plain *x)
{
	/* what was waited for younger instructions stays as it was: at most 2.95 % are measured here */
	const double within = p->select ? 0.03 : 0;
	assert_non_null(g);
	if (!culprit_graph_push(g, r, INSTRUCTIONS))
		fail_msg("%s", culprit_graph_error(g));
	struct culprit_graph_results results;
	assert_true(culprit_graph_finish(g, &results));
	assert_int_equal(results.time[0], base);
	/* bw is not among them: there nothing contends; lgalu shares its slots with the lane without it */
	const unsigned with = CULPRIT_EVENT_BIT(dl1) | CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(dmiss) |
			      CULPRIT_EVENT_BIT(shalu);
	for (unsigned set = 0; set < 256; set++)
		if (!(set & ~with) && !(p->select && (set & (set - 1)))) /* selected otherwise: each class by itself */
			assert_true(apart(results.time[set], cycle_by_cycle(p, r, set, x)) <= within * (double)base);
	culprit_graph_destroy(g);
}

/* The critical path is as long, and check finds nothing. */
static void compare_others(const struct culprit_graph_params *p, const struct culprit_record *r, uint64_t base)
{
	const struct culprit_critical_params params = {.graph = *p};
	struct culprit_critical_totals totals;
	struct culprit_critical *c = culprit_critical_create(&params, NULL);
	assert_non_null(c);
	assert_true(culprit_critical_push(c, r, INSTRUCTIONS));
	assert_true(culprit_critical_finish(c, &totals));
	assert_int_equal(totals.cycles, base);
	culprit_critical_destroy(c);
	struct check_row row;
	struct check *k = check_create(p, NULL);
	assert_non_null(k);
	assert_true(check_push(k, r, INSTRUCTIONS));
	if (check_contradicted(k, 0, &row) || check_early(k, 0, &row))
		fail_msg("%s", row.first);
	check_destroy(k);
}

static struct culprit_graph_params machine(uint32_t issue_width, uint32_t multipliers, uint32_t ports, uint32_t entries)
{
	struct culprit_graph_params p = {
		.dispatch_width = 4,
		.dispatch_to_issue = 1,
		.rob = 24,
		.commit_delay = 1,
		.commit_width = 4,
		.window_factor = 20,
		.issue_slots = true,
		.issue_width = issue_width,
		.unit_count = UNITS,
		.units = {{4, 0}, {multipliers, 0}, {ports, 0}},
		.queue_count = 1,
		.queue_entries = {entries},
	};
	culprit_graph_base_classes(&p);
	return p;
}

static void graph_of(const struct culprit_graph_params *p, const struct culprit_record *r, size_t count,
		     struct culprit_graph_results *x)
{
	struct culprit_graph *g = culprit_graph_create(p, NULL);
	assert_non_null(g);
	assert_true(culprit_graph_push(g, r, count));
	assert_true(culprit_graph_finish(g, x));
	culprit_graph_destroy(g);
}

/* How far off the base time is when the oldest is taken to go first. */
static double off_when_oldest(struct culprit_graph_params p, const struct culprit_record *r, uint64_t base)
{
	p.select = CULPRIT_SELECT_OLDEST;
	struct culprit_graph_results x;
	graph_of(&p, r, INSTRUCTIONS, &x);
	return apart(x.time[0], base) / (double)base;
}

/* Returns how far off the base time would be if the oldest were taken to go first. */
static double same_on(struct culprit_graph_params p, uint64_t seed, uint32_t fast, uint32_t weighted, uint32_t none)
{
	struct culprit_record *r = calloc(INSTRUCTIONS, sizeof *r);
	struct plain *x = calloc(INSTRUCTIONS, sizeof *x);
	fill(r, seed, fast);
	for (size_t i = 0; i < INSTRUCTIONS; i++)
		if (below(&seed, 100) < weighted)
			r[i].issue_slots = (uint8_t)(below(&seed, 100) < none ? CULPRIT_WEIGHT_NONE : below(&seed, 5));
	uint64_t base = cycle_by_cycle(&p, r, 0, x);
	for (size_t i = 0; i < INSTRUCTIONS; i++) {
		r[i].dispatch = x[i].dispatch;
		r[i].ready = x[i].rename + 1;
		for (unsigned k = 0; k < 2; k++)
			if (r[i].producer[k] && x[i - r[i].producer[k]].wake > r[i].ready)
				r[i].ready = x[i - r[i].producer[k]].wake;
		r[i].issue = x[i].issue;
		r[i].complete = x[i].complete;
		r[i].commit = x[i].commit;
	}
	static const char *const kernels[] = {"portable", "avx2", "avx512"};
	for (size_t k = 0; k < 3; k++) {
		p.kernel = kernels[k];
		struct culprit_graph *g = culprit_graph_create(&p, NULL);
		if (!g && k)
			continue;
		compare_times(g, &p, r, base, x);
	}
	compare_others(&p, r, base);
	p.kernel = NULL;
	const double off = off_when_oldest(p, r, base);
	free(r);
	free(x);
	return off;
}

static void same_with_weights(uint32_t issue_width, uint32_t multipliers, uint32_t ports, uint64_t seed,
			      uint32_t entries, uint32_t fast, uint32_t weighted, uint32_t none)
{
	same_on(machine(issue_width, multipliers, ports, entries), seed, fast, weighted, none);
}

static void same_with_queue(uint32_t issue_width, uint32_t multipliers, uint32_t ports, uint64_t seed, uint32_t entries,
			    uint32_t fast)
{
	same_with_weights(issue_width, multipliers, ports, seed, entries, fast, 0, 0);
}

/* Cracked instructions take more than one slot, eliminated ones none. */
static void issue_slots(void **state)
{
	for (uint32_t width = 1; width <= 4; width++)
		for (uint32_t none = 0; none <= 100; none += 25)
			same_with_weights(width, 2, 1, 100 * none + width, none % 50 ? 6 : 0, 0, 30, none);
}

static void same_as_scheduler(uint32_t issue_width, uint32_t multipliers, uint32_t ports, uint64_t seed)
{
	same_with_queue(issue_width, multipliers, ports, seed, 0, 0);
}

/* Younger instructions that issue first make room in every lane, however few entries there are. */
static void issue_queue(void **state)
{
	same_with_queue(4, 4, 4, 7, 12, 0);
	same_with_queue(3, 1, 1, 8, 8, 0);
	same_with_queue(2, 4, 2, 9, 5, 0);
	same_with_queue(4, 2, 2, 10, 1, 0);
}

/* ChampSim's order: the ROB first, then a scheduler (and registers), in program order. */
static void renamed_in_the_rob(void **state)
{
	for (uint64_t seed = 1; seed <= 24; seed++) {
		struct culprit_graph_params p =
			machine(1 + seed % 4, 2, 1 + seed % 2, seed % 3 ? 1 + 3 * (seed % 5) : 0);
		p.late_rename = 1;
		if (seed % 2) { /* renaming is a stage of its own */
			p.dispatch_to_issue = 2 + seed % 3;
			p.rename_to_issue = 1;
		}
		p.regs = seed % 4 ? 0 : 4 + seed % 9;
		p.rob = 48;
		same_on(p, seed, seed % 5 ? 0 : 40, seed % 6 ? 0 : 20, 50);
	}
}

/* Loads go first. */
static void selected_otherwise(void **state)
{
	double most = 0;
	for (uint64_t seed = 1; seed <= 24; seed++) {
		struct culprit_graph_params p = machine(1 + seed % 3, 1, 1 + seed % 2, seed % 2 ? 6 : 0);
		p.select = CULPRIT_SELECT_RECORDED;
		most = fmax(most, same_on(p, seed, 0, 0, 0));
	}
	assert_true(most > 0.02); /* one of them is 2.7 % off */
}

/* --- completion ports: results that are written back in a cycle --- */

enum { WINDOW = CULPRIT_EVENT_BIT(win), MISSES = CULPRIT_EVENT_BIT(dmiss) };

/* How a wait for a port is told: as latency and nothing more; as a later issue, with as many issue slots as ports; as what it is. */
enum telling { AS_LATENCY, AS_ISSUE, AS_PORT };

static void record_ported(struct culprit_record *r, const struct plain *x, enum telling telling)
{
	for (size_t i = 0; i < INSTRUCTIONS; i++) {
		const uint64_t waited = x[i].complete - x[i].done;
		r[i].dispatch = x[i].dispatch;
		r[i].ready = x[i].rename + 1;
		for (unsigned k = 0; k < 2; k++)
			if (r[i].producer[k] && x[i - r[i].producer[k]].wake > r[i].ready)
				r[i].ready = x[i - r[i].producer[k]].wake;
		r[i].issue = x[i].issue + (telling == AS_ISSUE ? waited : 0);
		r[i].exec_latency += telling == AS_ISSUE ? 0 : (uint16_t)waited;
		r[i].port_wait = telling == AS_PORT ? (uint16_t)waited : 0;
		r[i].complete = x[i].complete;
		r[i].wakeup = (uint16_t)(r[i].complete - r[i].issue);
		r[i].commit = x[i].commit;
	}
}

/* How far off the costs of the window, of misses and of both are, the worst, in percent of the time. */
static double ports_off(uint32_t ports, uint64_t seed, enum telling telling, const char *kernel)
{
	struct culprit_graph_params p = machine(4, 2, 2, 0), told = p;
	struct culprit_record *r = calloc(INSTRUCTIONS, sizeof *r), *changed = calloc(INSTRUCTIONS, sizeof *r);
	struct plain *x = calloc(INSTRUCTIONS, sizeof *x);
	struct culprit_graph_results got;
	p.rob = told.rob = 64;
	fill(r, seed, 0);
	memcpy(changed, r, INSTRUCTIONS * sizeof *r);
	const double base = (double)ported(&p, r, 0, x, ports);
	record_ported(changed, x, telling);
	told.issue_width = telling == AS_ISSUE ? ports : p.issue_width;
	told.completion_ports = telling == AS_PORT ? ports : 0;
	told.kernel = kernel;
	struct culprit_graph *g = culprit_graph_create(&told, NULL);
	double most = -1; /* no such kernel on this host */
	if (g && !culprit_graph_push(g, changed, INSTRUCTIONS))
		fail_msg("%s", culprit_graph_error(g));
	if (g) {
		assert_true(culprit_graph_finish(g, &got));
		assert_true(apart(got.time[0], (uint64_t)base) <= (telling == AS_ISSUE ? 0.061 : 0) * base);
		most = 0;
	}
	culprit_graph_destroy(g);
	static const unsigned sets[] = {WINDOW, MISSES, WINDOW | MISSES};
	for (unsigned i = 0; g && i < sizeof sets / sizeof *sets; i++) {
		const double saved = base - (double)ported(&p, r, sets[i], x, ports);
		most = fmax(most, 100 * fabs((double)got.cost[sets[i]] - saved) / base);
	}
	if (telling == AS_PORT)
		compare_others(&told, changed, (uint64_t)base);
	free(r);
	free(changed);
	free(x);
	return most;
}

static void completion_ports(void **state)
{
	for (uint64_t seed = 1; seed <= 8; seed++)
		for (uint32_t ports = 1; ports <= 4; ports++) {
			const double issue = ports_off(ports, seed, AS_ISSUE, NULL);
			const double latency = ports_off(ports, seed, AS_LATENCY, NULL);
			assert_true(issue < 6.1);			     /* 6.0 at most, with three */
			assert_true(ports < 4 ? latency > 12 : latency < 1); /* as wide as issue: it hardly matters */
			assert_true(ports_off(ports, seed, AS_PORT, "portable") == 0);
			assert_true(ports_off(ports, seed, AS_PORT, "avx2") <= 0);
			assert_true(ports_off(ports, seed, AS_PORT, "avx512") <= 0);
		}
}

/* Chains of operations without latency issue in one cycle, as far as slots and units allow, among others that compete. */
static void zero_latency(void **state)
{
	for (uint32_t fast = 20; fast <= 100; fast += 20)
		for (uint32_t width = 1; width <= 4; width++)
			same_with_queue(width, 2, 1, 100 * fast + width, fast % 40 ? 6 : 0, fast);
}

static void issue_width(void **state)
{
	same_as_scheduler(2, 4, 4, 1);
	same_as_scheduler(3, 4, 4, 2);
	same_as_scheduler(1, 4, 4, 3); /* backlogs as long as the window */
}

static void units(void **state)
{
	same_as_scheduler(4, 1, 1, 4);
	same_as_scheduler(4, 1, 2, 5);
	same_as_scheduler(3, 2, 1, 6);
}

/* Each instruction is fetched 400 cycles after the one before it: times outrun the cycles for which slots are kept many
 * times between two looks at them. 1 + 400 to fetch each, 1 to execute the last. */
static void slower_than_the_slots_kept(void **state)
{
	enum { MISS = 400 };
	struct culprit_graph_params p = {
		.rob = 64, .window_factor = 20, .issue_slots = true, .issue_width = 2, .fetch_width = 1};
	culprit_graph_base_classes(&p);
	struct culprit_record *r = calloc(INSTRUCTIONS, sizeof *r);
	for (uint64_t i = 0; i < INSTRUCTIONS; i++) {
		uint64_t t = MISS + i * (MISS + 1);
		r[i] = (struct culprit_record){.seq = i,
					       .length = 4,
					       .op_class = CULPRIT_OP_int_alu,
					       .exec_latency = 1,
					       .wakeup = 1,
					       .imiss = MISS,
					       .ilevel = CULPRIT_LEVEL_MEMORY,
					       .fetch = t,
					       .dispatch = t,
					       .ready = t,
					       .issue = t,
					       .complete = t + 1,
					       .commit = t + 1};
	}
	struct culprit_graph_results x;
	graph_of(&p, r, INSTRUCTIONS, &x);
	assert_int_equal(x.time[0], INSTRUCTIONS * (MISS + 1));
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(imiss)], INSTRUCTIONS);
	assert_false(x.wide);
	free(r);
}

/* Two divisions on a unit that by the parameters takes none, 5000 cycles after they were dispatched, which is more than slots
 * are kept for: the second waits until the first has left the unit. */
static void holds_a_unit_of_others(void **state)
{
	enum { MISS = 5000, INTERVAL = 20 };
	struct culprit_graph_params p = {.rob = 64,
					 .window_factor = 20,
					 .issue_slots = true,
					 .issue_width = 4,
					 .unit_count = 2,
					 .units = {{1, 8}, {1, 8}},
					 .unit_ops = {1u << CULPRIT_OP_load, 1u << CULPRIT_OP_int_alu}};
	p.interval[CULPRIT_OP_int_div] = INTERVAL;
	culprit_graph_base_classes(&p);
	struct culprit_record r[3] = {{.op_class = CULPRIT_OP_load, .flags = CULPRIT_LOAD, .dmiss = MISS, .queue = 8}};
	r[0].dlevel = CULPRIT_LEVEL_MEMORY;
	r[0].complete = r[0].commit = MISS;
	for (uint32_t i = 1; i < 3; i++)
		r[i] = (struct culprit_record){.seq = i,
					       .op_class = CULPRIT_OP_int_div,
					       .unit = 1,
					       .queue = 8,
					       .exec_latency = INTERVAL,
					       .wakeup = INTERVAL,
					       .producer = {i},
					       .ready = MISS,
					       .issue = MISS + (i - 1) * INTERVAL,
					       .complete = MISS + i * INTERVAL,
					       .commit = MISS + i * INTERVAL};
	struct culprit_graph_results x;
	graph_of(&p, r, 3, &x);
	assert_int_equal(x.time[0], MISS + 2 * INTERVAL);
	(void)state;
}

/* One divider, divisions that depend on nothing: it is always busy, so that a larger window, in which they queue up for much
 * longer than slots are kept, gains nothing. 2 to dispatch and issue the first, 1 to commit the last. */
static void longer_queue_than_the_slots_kept(void **state)
{
	enum { DIVISION = 40 };
	struct culprit_graph_params p = {.frontend_stages = 1,
					 .dispatch_to_issue = 1,
					 .dispatch_width = 4,
					 .rob = 64,
					 .commit_delay = 1,
					 .window_factor = 20,
					 .issue_slots = true,
					 .issue_width = 4,
					 .unit_count = 1,
					 .units = {{1, 0}},
					 .interval = {[CULPRIT_OP_int_div] = DIVISION}};
	culprit_graph_base_classes(&p);
	struct culprit_record *r = calloc(INSTRUCTIONS, sizeof *r);
	for (uint64_t i = 0; i < INSTRUCTIONS; i++) {
		uint64_t issue = 2 + i * DIVISION;
		uint64_t dispatch = i < p.rob ? 1 + i / 4 : r[i - p.rob].commit;
		r[i] = (struct culprit_record){.seq = i,
					       .length = 4,
					       .op_class = CULPRIT_OP_int_div,
					       .exec_latency = DIVISION,
					       .wakeup = DIVISION,
					       .dispatch = dispatch,
					       .ready = dispatch + 1,
					       .issue = issue,
					       .complete = issue + DIVISION,
					       .commit = issue + DIVISION + 1};
	}
	struct culprit_graph_results x;
	graph_of(&p, r, INSTRUCTIONS, &x);
	assert_int_equal(x.time[0], 2 + INSTRUCTIONS * DIVISION + 1);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(win)], x.time[0]);
	free(r);
}

/* Rounds of a division and a multiplication on one unit, and six additions, which depend on nothing: the unit is always
 * busy, a round takes a division and a cycle. Without long operations dispatch is all that limits: multiplications then
 * do not wait either, although lgalu has no slots of its own. */
static void waits_behind_a_division(void **state)
{
	enum { DIVISION = 20, MULTIPLICATION = 3, ROUND = 8, ROUNDS = INSTRUCTIONS / ROUND, COUNT = ROUNDS * ROUND };
	struct culprit_graph_params p = {.frontend_stages = 1,
					 .dispatch_to_issue = 1,
					 .dispatch_width = 4,
					 .rob = INSTRUCTIONS,
					 .commit_delay = 1,
					 .window_factor = 20,
					 .issue_slots = true,
					 .issue_width = 8,
					 .unit_count = 2,
					 .units = {{1, 0}, {4, 0}},
					 .interval = {[CULPRIT_OP_int_div] = DIVISION}};
	culprit_graph_base_classes(&p);
	struct culprit_record *r = calloc(COUNT, sizeof *r);
	uint64_t commit = 0;
	for (uint64_t i = 0; i < COUNT; i++) {
		const uint64_t place = i % ROUND, dispatch = 1 + i / 4, divided = 2 + i / ROUND * (DIVISION + 1);
		static const uint8_t classes[2] = {CULPRIT_OP_int_div, CULPRIT_OP_int_mul};
		static const uint16_t latencies[2] = {DIVISION, MULTIPLICATION};
		const uint16_t latency = place < 2 ? latencies[place] : 1;
		const uint64_t issue = place < 2 ? divided + place * DIVISION : dispatch + 1;
		commit = issue + latency + 1 > commit ? issue + latency + 1 : commit;
		r[i] = (struct culprit_record){.seq = i,
					       .length = 4,
					       .op_class = place < 2 ? classes[place] : CULPRIT_OP_int_alu,
					       .unit = place < 2 ? 0 : 1,
					       .exec_latency = latency,
					       .wakeup = latency,
					       .dispatch = dispatch,
					       .ready = dispatch + 1,
					       .issue = issue,
					       .complete = issue + latency,
					       .commit = commit};
	}
	struct culprit_graph_results x;
	graph_of(&p, r, COUNT, &x);
	assert_int_equal(x.time[0], commit);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(lgalu)],
			 1 + (COUNT - 1) / 4 + 3); /* its issue, 1 cycle, its commit */
	free(r);
}

/* Four independent loads on one unit, dispatched together. A line that comes takes the unit's turn in cycle 2, of which
 * no record tells: the first load waits for it, and all of them are a cycle late. Without misses no line comes. */
static void turns_of_loads(void **state)
{
	enum { LOADS = 4, HIT = 3 };
	struct culprit_graph_params p = {.frontend_stages = 1,
					 .dispatch_to_issue = 1,
					 .dispatch_width = 4,
					 .rob = 64,
					 .commit_delay = 1,
					 .window_factor = 20,
					 .issue_slots = true,
					 .issue_width = 4,
					 .load_turns = 1,
					 .unit_count = 1,
					 .units = {{1, 0}}};
	culprit_graph_base_classes(&p);
	struct culprit_record r[LOADS];
	for (uint64_t i = 0; i < LOADS; i++)
		r[i] = (struct culprit_record){.seq = i,
					       .length = 4,
					       .op_class = CULPRIT_OP_load,
					       .flags = CULPRIT_LOAD,
					       .exec_latency = HIT,
					       .wakeup = HIT,
					       .dispatch = 1,
					       .ready = 2,
					       .issue = 3 + i,
					       .complete = 3 + i + HIT,
					       .commit = 3 + i + HIT + 1};
	struct culprit_graph_results x;
	graph_of(&p, r, LOADS, &x);
	assert_int_equal(x.time[0], r[LOADS - 1].commit);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(dmiss)], r[LOADS - 1].commit - 1);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(bw)], 2 + HIT + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(issue_width),
					   cmocka_unit_test(units),
					   cmocka_unit_test(issue_queue),
					   cmocka_unit_test(renamed_in_the_rob),
					   cmocka_unit_test(selected_otherwise),
					   cmocka_unit_test(completion_ports),
					   cmocka_unit_test(zero_latency),
					   cmocka_unit_test(issue_slots),
					   cmocka_unit_test(slower_than_the_slots_kept),
					   cmocka_unit_test(holds_a_unit_of_others),
					   cmocka_unit_test(longer_queue_than_the_slots_kept),
					   cmocka_unit_test(waits_behind_a_division),
					   cmocka_unit_test(turns_of_loads)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
