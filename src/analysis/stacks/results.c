/* What the counters say: the architectures' components, what they cost in storage, and the checks of every run. */
#include "analysis/stacks/state.h"
#include "analysis/stacks/stacks.h"

#include <string.h>

/* --- components --- */

static void naive(const struct stacks_params *p, const struct stacks_events *e, const struct stacks_events *more,
		  int64_t cycles[STACK_COMPONENTS])
{
	cycles[STACK_l1i] = (int64_t)(e->l1i * p->l2_latency);
	cycles[STACK_l2i] = (int64_t)(e->l2i * p->memory_latency);
	cycles[STACK_itlb] = (int64_t)(e->itlb * p->walk_latency);
	cycles[STACK_l2d] = (int64_t)((e->l2d + more->l2d) * p->memory_latency);
	cycles[STACK_dtlb] = (int64_t)((e->dtlb + more->dtlb) * p->walk_latency);
	cycles[STACK_bmisp] = (int64_t)(e->bmisp * p->frontend_latency);
}

/* An empty ROB. */
static const uint8_t component_of_fetch[CULPRIT_FETCH_STATE_COUNT] = {
	[CULPRIT_FETCH_SERVED_BY_CACHE] = STACK_l1i,
	[CULPRIT_FETCH_SERVED_BY_MEMORY] = STACK_l2i,
	[CULPRIT_FETCH_ITLB_MISS] = STACK_itlb,
	[CULPRIT_FETCH_MISPREDICT] = STACK_bmisp,
};

static const uint8_t component_of_head[CULPRIT_HEAD_STATE_COUNT] = {
	[CULPRIT_HEAD_LGALU] = STACK_unit,
	[CULPRIT_HEAD_SERVED_BY_CACHE] = STACK_l1d,
	[CULPRIT_HEAD_SERVED_BY_MEMORY] = STACK_l2d,
	[CULPRIT_HEAD_DTLB] = STACK_dtlb,
};

/* Cycles without commit, by what the oldest waited for or what had emptied the ROB. */
static void charge(int64_t cycles[STACK_COMPONENTS], const uint64_t seen[BLAME_KEYS])
{
	for (unsigned i = 0; i < CULPRIT_HEAD_STATE_COUNT; i++)
		cycles[component_of_head[i]] += (int64_t)seen[i];
	for (unsigned i = 0; i < CULPRIT_FETCH_STATE_COUNT; i++)
		cycles[component_of_fetch[i]] += (int64_t)seen[EMPTY_KEYS + i];
}

static void miss_table(const struct stacks *s, const uint64_t misses[FRONT_MISSES], int64_t cycles[STACK_COMPONENTS])
{
	for (unsigned i = 0; i < SEEN_SETS; i++)
		if (i & SEEN_FULL)
			charge(cycles, s->seen[i]);
	cycles[STACK_l1i] = (int64_t)misses[FRONT_L1I];
	cycles[STACK_l2i] = (int64_t)misses[FRONT_L2I];
	cycles[STACK_itlb] = (int64_t)misses[FRONT_ITLB];
	cycles[STACK_bmisp] = (int64_t)s->fmt.global_bmisp;
}

/* The oldest executes: the others wait for it, whatever they are. */
static bool is_executing(unsigned head)
{
	return head >= CULPRIT_HEAD_SHALU && head <= CULPRIT_HEAD_DTLB;
}

/* Not from a paper. The FMT's front end as the simulator knows it, and POWER5's rule before it: a cycle in which
 * nothing commits because the oldest executes is the oldest's, full ROB or not. One in which the window is empty, as
 * stores keep their queue full, is that of the store which is written next. Of the rules that were tried
 * (docs/decisions/counter-architectures.md) this came closest to the reference. */
static void hybrid(const struct stacks *s, int64_t cycles[STACK_COMPONENTS])
{
	static const uint8_t of_fetch[FRONT_MISSES] = {STACK_l1i, STACK_l2i, STACK_itlb};
	for (unsigned set = 0; set < SEEN_SETS; set++)
		for (unsigned key = 0; key < BLAME_KEYS; key++) {
			unsigned c = STACK_base;
			if ((set & SEEN_FULL) || is_executing(key))
				c = key < EMPTY_KEYS ? component_of_head[key] : STACK_base;
			else if (set / SEEN_FETCH >= FETCH_COUNTS)
				c = of_fetch[set / SEEN_FETCH - FETCH_COUNTS];
			else if (set & SEEN_BRANCH)
				c = STACK_bmisp;
			cycles[c] += (int64_t)s->seen[set][key];
		}
	for (unsigned c = 0; c < STACK_COMPONENTS; c++)
		cycles[c] += (int64_t)s->drained[c];
}

void stacks_components(const struct stacks *s, enum stack_method method, int64_t cycles[STACK_COMPONENTS])
{
	memset(cycles, 0, STACK_COMPONENTS * sizeof *cycles);
	switch (method) {
	case STACK_METHOD_naive:
		naive(&s->params, &s->penalties.all, &(struct stacks_events){.l2d = 0}, cycles);
		break;
	case STACK_METHOD_naive_nonspec:
		naive(&s->params, &s->penalties.committed, &s->penalties.stores, cycles);
		break;
	case STACK_METHOD_power5:
		for (unsigned i = 0; i < SEEN_SETS; i++)
			charge(cycles, s->seen[i]);
		break;
	case STACK_METHOD_fmt:
		miss_table(s, s->fmt.global, cycles);
		break;
	case STACK_METHOD_sfmt:
		miss_table(s, s->sfmt.global, cycles);
		break;
	default:
		hybrid(s, cycles);
	}
	cycles[STACK_base] = (int64_t)stacks_seen(s);
	for (unsigned i = STACK_base + 1; i < STACK_COMPONENTS; i++)
		cycles[STACK_base] -= cycles[i];
}

/* --- storage --- */

static uint64_t bits_for(uint64_t values)
{
	uint64_t bits = 0;
	while (values > 1ull << bits)
		bits++;
	return bits;
}

/* Tables 10a and 10b of the paper: rows with ROB number, mispredict bit and branch penalty, three pointers; the FMT has
 * the miss counters in each row and in the open one, sFMT has one set and a bit in each ROB entry. */
static uint64_t table_bits(const struct stacks_params *p)
{
	return p->fmt_rows * (bits_for(p->rob) + 1 + p->counter_bits) + 3 * bits_for(p->fmt_rows);
}

uint64_t stacks_storage_bits(const struct stacks *s, enum stack_method method)
{
	const struct stacks_params *p = &s->params;
	switch (method) {
	case STACK_METHOD_naive_nonspec:
		return (uint64_t)p->rob * 6; /* an instruction can have had each of the six events */
	case STACK_METHOD_power5:
		return 2; /* what emptied the ROB: nothing known, instruction miss, ITLB, misprediction */
	case STACK_METHOD_fmt:
		return table_bits(p) + (p->fmt_rows + 1ull) * FRONT_MISSES * p->counter_bits;
	case STACK_METHOD_hybrid: /* the same table, to know right paths from wrong ones; and what a store missed */
		return stacks_storage_bits(s, STACK_METHOD_fmt) + 2ull * p->stores;
	case STACK_METHOD_sfmt:
		return table_bits(p) + FRONT_MISSES * p->counter_bits + p->rob;
	default:
		return 0;
	}
}

/* --- other results --- */

const uint64_t *stacks_stage(const struct stacks *s, enum stack_stage stage)
{
	return s->stages[stage].slots;
}

uint32_t stacks_stage_width(const struct stacks *s)
{
	return s->width;
}

bool stacks_slots(const struct stacks *s, uint64_t slots[SLOTS_ROWS])
{
	memcpy(slots, s->slots, sizeof s->slots);
	return !s->params.unlimited;
}

const uint64_t *stacks_claims(const struct stacks *s)
{
	return s->claims;
}

const struct stacks_penalties *stacks_penalties(const struct stacks *s)
{
	return &s->penalties;
}

const struct stacks_params *stacks_parameters(const struct stacks *s)
{
	return &s->params;
}

/* --- checks --- */

static bool differs(const char *what, uint64_t sum, uint64_t total, struct error *err)
{
	return error_set(err, ERROR_INTERNAL, "the %s adds up to %llu, not to %llu", what, (unsigned long long)sum,
			 (unsigned long long)total);
}

static uint64_t sum_of(const uint64_t *rows, unsigned count)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < count; i++)
		sum += rows[i];
	return sum;
}

/* Slots left over went to wrong-path instructions, which were counted apart where that can be: commit has none, and
 * squashes tell how many had been dispatched. */
static bool check_wasted(const struct stacks *s, enum stack_stage stage, struct error *err)
{
	const struct stage_state *t = &s->stages[stage];
	uint64_t expected = stage == STAGE_AT_COMMIT ? 0 : s->wrong_dispatched;
	bool known = !t->wide && stage != STAGE_AT_ISSUE && !s->weighed;
	if (known ? t->wasted == expected : t->wasted <= s->width * s->cycles)
		return true;
	return differs("wrong-path slots of a stage", t->wasted, expected, err);
}

/* Instructions that committed are the base of every stage, but for those under way. */
static bool check_stages(const struct stacks *s, struct error *err)
{
	for (unsigned i = 0; i < STACK_STAGES; i++) {
		const struct stage_state *t = &s->stages[i];
		uint64_t sum = sum_of(t->slots, STAGE_ROWS);
		if (sum != s->width * s->cycles)
			return differs(stack_stage_name(i), sum, s->width * s->cycles, err);
		TRY(check_wasted(s, i, err));
		const uint64_t least = s->expected[i], under_way = s->dispatched - s->head;
		uint64_t moved = t->slots[STAGE_base] + t->carry;
		uint64_t most = least + under_way * (s->weighed ? CULPRIT_WEIGHT_MOST : 1);
		if (moved < least || moved > most)
			return differs("instructions of a stage", moved, least, err);
	}
	return true;
}

static bool check_slots(const struct stacks *s, struct error *err)
{
	if (s->params.unlimited)
		return true;
	uint64_t level[2] = {0, 0}, total = s->params.dispatch_width * s->cycles;
	for (unsigned i = 0; i < SLOTS_ROWS; i++)
		level[slots_row_parent(i) != i] += s->slots[i];
	for (unsigned i = 0; i < 2; i++)
		if (level[i] != total)
			return differs(i ? "slots tree's second level" : "slots tree's first level", level[i], total,
				       err);
	return true;
}

bool stacks_check(const struct stacks *s, uint64_t cycles, uint64_t instructions, struct error *err)
{
	if (s->cycles != cycles)
		return differs("length of the cycle events", s->cycles, cycles, err);
	if (s->head != instructions)
		return differs("number of commits in the cycle events", s->head, instructions, err);
	uint64_t claimed = sum_of(s->claims, CLAIM_SETS);
	if (claimed != cycles)
		return differs("claims", claimed, cycles, err);
	TRY(check_stages(s, err));
	return check_slots(s, err);
}

/* --- the end --- */

void stacks_weigh(struct stacks *s, uint64_t dispatch, uint64_t issue, uint64_t commit, uint64_t heavy)
{
	s->weighed = true;
	s->expected[STAGE_AT_DISPATCH] = dispatch;
	s->expected[STAGE_AT_ISSUE] = issue;
	s->expected[STAGE_AT_COMMIT] = commit;
	s->heavy = heavy;
}

bool stacks_finish(struct stacks *s, uint64_t cycles, uint64_t instructions, struct error *err)
{
	s->cycles = stacks_seen(s);
	for (unsigned i = 0; i < STACK_STAGES && !s->weighed; i++)
		s->expected[i] = instructions;
	fmt_finish(s);
	stacks_sort(s);
	return stacks_check(s, cycles, instructions, err);
}
