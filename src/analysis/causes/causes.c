/* Which graphs there are, feeding them, and what they add up to. */
#include "analysis/causes/causes.h"

#include "analysis/shotgun/random.h"
#include "base/worker.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Records that all graphs take before the next ones: what the lanes of one graph touch stays in the host's cache. */
enum { CHUNK = 8192, THREADS_MOST = 64 };

/* One graph: the subsets of `members`, with `always` idealised throughout. */
struct pass {
	struct culprit_graph *graph;
	unsigned always, members;
};

struct causes {
	struct causes_params params;
	struct pass *passes;
	uint32_t pass_count, samples;
	unsigned *firsts; /* by sample: its A */
	uint64_t *times;  /* by set */
	bool *known;
	bool paired[CAUSES_MOST][CAUSES_MOST];
	struct culprit_record *chunk;
	size_t held;
	atomic_uint next;
};

/* --- which graphs --- */

static void add_pass(struct causes *c, unsigned always, unsigned members)
{
	c->passes[c->pass_count++] = (struct pass){NULL, always, members};
}

static void plan_exact(struct causes *c, uint32_t count)
{
	const unsigned members = count < CULPRIT_GRAPH_CLASSES ? (1u << count) - 1 : CULPRIT_GRAPH_SETS - 1;
	for (unsigned always = 0; always < 1u << count; always += members + 1)
		add_pass(c, always, members);
}

/* Every pair lies in two of four groups. */
static void plan_pairs(struct causes *c, uint32_t count)
{
	unsigned group[4] = {0};
	for (uint32_t i = 0; i < count; i++)
		group[i % 4] |= 1u << i;
	for (unsigned a = 0; a < 4; a++)
		for (unsigned b = a + 1; b < 4; b++)
			add_pass(c, 0, group[a] | group[b]);
}

static unsigned random_half(uint64_t *state, uint32_t count)
{
	uint32_t order[CAUSES_MOST];
	unsigned half = 0;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	for (uint32_t i = 0; i < (count + 1) / 2; i++) {
		uint32_t j = i + (uint32_t)shotgun_random_below(state, count - i), kept = order[i];
		order[i] = order[j];
		order[j] = kept;
		half |= 1u << order[i];
	}
	return half;
}

static void plan_samples(struct causes *c, uint32_t count)
{
	const unsigned all = (1u << count) - 1;
	uint64_t state = c->params.seed;
	plan_pairs(c, count);
	c->samples = (c->params.passes - CAUSES_PAIR_PASSES) / CAUSES_SAMPLE_PASSES;
	for (uint32_t i = 0; i < c->samples; i++) {
		unsigned a = c->firsts[i] = random_half(&state, count), b = all & ~a;
		add_pass(c, 0, a);
		add_pass(c, a, b);
		add_pass(c, 0, b);
		add_pass(c, b, a);
	}
}

static bool is_exact(const struct causes_params *p)
{
	return p->count <= CULPRIT_GRAPH_CLASSES ||
	       (!p->sample && 1u << (p->count - CULPRIT_GRAPH_CLASSES) <= p->passes);
}

#define WINDOW                                                                                              \
	(CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(rob) | CULPRIT_EVENT_BIT(iq) | CULPRIT_EVENT_BIT(lsq) | \
	 CULPRIT_EVENT_BIT(regs) | CULPRIT_EVENT_BIT(tags))

static culprit_event_set all_events(const struct causes *c)
{
	culprit_event_set events = 0;
	for (uint32_t i = 0; i < c->params.count; i++)
		events |= c->params.causes[i].events;
	return events;
}

static bool create_pass(struct causes *c, struct pass *pass, const char **why)
{
	struct culprit_graph_params params = c->params.graph;
	params.class_count = 0;
	params.always = params.elsewhere = 0;
	if (c->pass_count > 1 && (all_events(c) & WINDOW))
		params.elsewhere = CULPRIT_EVENT_BIT(win); /* whoever has the window or parts of it: all reach as far */
	for (uint32_t i = 0; i < c->params.count; i++) {
		if (pass->members >> i & 1)
			params.classes[params.class_count++] = c->params.causes[i];
		else if (pass->always >> i & 1)
			params.always |= c->params.causes[i].events;
		else
			params.elsewhere |= c->params.causes[i].events;
	}
	return (pass->graph = culprit_graph_create(&params, why)) != NULL;
}

static const char *check(const struct causes_params *p)
{
	culprit_event_set seen = 0;
	if (!p->count || p->count > CAUSES_MOST)
		return "1 to 16 causes";
	for (uint32_t i = 0; i < p->count; i++) {
		if (p->causes[i].range_count)
			return "causes have no places";
		if (seen & p->causes[i].events)
			return "no event class may be of two causes";
		seen |= p->causes[i].events;
	}
	if (!is_exact(p) && p->passes < CAUSES_LEAST_SAMPLED)
		return "sampling takes at least 14 passes";
	return NULL;
}

static bool create_all(struct causes *c, const char **why)
{
	const struct causes_params *p = &c->params;
	const bool exact = is_exact(p);
	*why = "out of memory";
	c->passes = calloc((size_t)p->passes + CAUSES_PAIR_PASSES + 1, sizeof *c->passes);
	c->firsts = calloc((size_t)p->passes + 1, sizeof *c->firsts);
	c->times = calloc((size_t)1 << p->count, sizeof *c->times);
	c->known = calloc((size_t)1 << p->count, sizeof *c->known);
	c->chunk = malloc(CHUNK * sizeof *c->chunk);
	if (!c->passes || !c->firsts || !c->times || !c->known || !c->chunk)
		return false;
	if (exact)
		plan_exact(c, p->count);
	if (exact && c->pass_count > 1)
		plan_pairs(c, p->count);
	if (!exact)
		plan_samples(c, p->count);
	for (uint32_t i = 0; i < c->pass_count; i++)
		if (!create_pass(c, &c->passes[i], why))
			return false;
	return true;
}

struct causes *causes_create(const struct causes_params *params, const char **why)
{
	struct causes *c;
	*why = check(params);
	if (*why)
		return NULL;
	*why = "out of memory";
	c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->params = *params;
	if (create_all(c, why)) {
		*why = NULL;
		return c;
	}
	causes_destroy(c);
	return NULL;
}

void causes_destroy(struct causes *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->pass_count; i++)
		culprit_graph_destroy(c->passes[i].graph);
	free(c->passes);
	free(c->firsts);
	free(c->times);
	free(c->known);
	free(c->chunk);
	free(c);
}

/* --- records --- */

/* Graphs that nobody has begun with yet. They share nothing, so who works when does not matter. */
static void *work(void *context)
{
	struct causes *c = context;
	for (;;) {
		uint32_t i = atomic_fetch_add(&c->next, 1);
		if (i >= c->pass_count)
			return NULL;
		culprit_graph_push(c->passes[i].graph, c->chunk, c->held);
	}
}

static void feed(struct causes *c)
{
	pthread_t threads[THREADS_MOST];
	uint32_t started = 0, most = c->params.threads < c->pass_count ? c->params.threads : c->pass_count;
	atomic_store(&c->next, 0);
	while (started + 1 < most && started < THREADS_MOST && worker_start(&threads[started], work, c))
		started++;
	work(c);
	while (started)
		pthread_join(threads[--started], NULL);
	c->held = 0;
}

void causes_push(struct causes *c, const struct culprit_record *records, size_t count)
{
	while (count) {
		size_t n = count < CHUNK - c->held ? count : CHUNK - c->held;
		memcpy(c->chunk + c->held, records, n * sizeof *records);
		c->held += n;
		records += n;
		count -= n;
		if (c->held == CHUNK)
			feed(c);
	}
}

/* --- results --- */

/* The set of the causes whose classes the graph's set idealises. */
static unsigned set_of(const struct pass *pass, unsigned classes)
{
	unsigned set = pass->always;
	for (unsigned left = pass->members; left; left &= left - 1, classes >>= 1)
		set |= classes & 1 ? left & -left : 0;
	return set;
}

static void note(struct causes *c, unsigned set, uint64_t time, struct causes_results *out)
{
	if (!c->known[set]) {
		c->known[set] = true;
		c->times[set] = time;
		return;
	}
	uint64_t apart = time > c->times[set] ? time - c->times[set] : c->times[set] - time;
	out->apart = apart > out->apart ? apart : out->apart;
}

/* Interactions of pairs with nothing else idealised, of one graph's times alone: two graphs that differ by half a
 * percent would make an interaction of nothing. */
static void find_pairs(struct causes *c, const struct pass *pass, const uint64_t *t, uint32_t classes,
		       struct causes_results *out)
{
	for (unsigned i = 0; i < classes && !pass->always; i++)
		for (unsigned j = 0; j < i; j++) {
			unsigned a = (unsigned)__builtin_ctz(set_of(pass, 1u << i)),
				 b = (unsigned)__builtin_ctz(set_of(pass, 1u << j));
			if (c->paired[a][b])
				continue;
			c->paired[a][b] = c->paired[b][a] = true;
			out->icost[a][b] = out->icost[b][a] = (int64_t)t[1u << i] + (int64_t)t[1u << j] -
							      (int64_t)t[0] - (int64_t)t[1u << i | 1u << j];
		}
}

static const char *collect(struct causes *c, struct causes_results *out)
{
	struct culprit_graph_results *x = malloc(sizeof *x);
	const char *wrong = x ? NULL : "out of memory";
	for (uint32_t i = 0; !wrong && i < c->pass_count; i++) {
		if (!culprit_graph_finish(c->passes[i].graph, x)) {
			wrong = culprit_graph_error(c->passes[i].graph);
			break;
		}
		for (unsigned set = 0; set < 1u << x->class_count; set++)
			note(c, set_of(&c->passes[i], set), x->time[set], out);
		find_pairs(c, &c->passes[i], x->time, x->class_count, out);
		if (c->pass_count == 1) /* to the last bit what the graph itself says */
			memcpy(out->shapley, x->shapley, sizeof x->shapley);
	}
	free(x);
	return wrong;
}

static void find_costs(const struct causes *c, struct causes_results *out)
{
	for (unsigned a = 0; a < out->count; a++)
		out->cost[a] = (int64_t)c->times[0] - (int64_t)c->times[1u << a];
}

static void find_exact(const struct causes *c, struct causes_results *out)
{
	if (c->pass_count > 1)
		causes_shapley(c->times, 0, (1u << out->count) - 1, out->shapley);
	for (unsigned a = 0; a < out->count; a++)
		for (unsigned b = 0; b < a; b++)
			out->interaction[a][b] = out->interaction[b][a] =
				causes_interaction(c->times, out->count, a, b);
	out->times = c->times;
}

/* Means over the samples, each of two orders, and their standard errors. */
static void find_sampled(const struct causes *c, struct causes_results *out)
{
	const unsigned all = (1u << out->count) - 1;
	double squares[CAUSES_MOST] = {0};
	for (uint32_t i = 0; i < c->samples; i++) {
		double value[CAUSES_MOST] = {0};
		const unsigned a = c->firsts[i], b = all & ~a;
		causes_shapley(c->times, 0, a, value);
		causes_shapley(c->times, a, b, value);
		causes_shapley(c->times, 0, b, value);
		causes_shapley(c->times, b, a, value);
		for (uint32_t k = 0; k < out->count; k++) {
			double one = value[k] / 2, off = one - out->shapley[k];
			out->shapley[k] += off / (i + 1);
			squares[k] += off * (one - out->shapley[k]);
		}
	}
	for (uint32_t k = 0; k < out->count; k++)
		out->error[k] = sqrt(squares[k] / (c->samples - 1) / c->samples);
}

const char *causes_finish(struct causes *c, struct causes_results *out)
{
	*out = (struct causes_results){.count = c->params.count, .passes = c->pass_count, .samples = c->samples};
	feed(c);
	const char *wrong = collect(c, out);
	if (wrong)
		return wrong;
	for (uint32_t i = 0; i < out->count; i++)
		memcpy(out->names[i], c->params.causes[i].name, CULPRIT_GRAPH_NAME);
	out->time = c->times[0];
	out->rest = c->times[(1u << out->count) - 1];
	find_costs(c, out);
	if (c->samples)
		find_sampled(c, out);
	else
		find_exact(c, out);
	return NULL;
}
