/* The reconstruction's public side: draws signature samples, has them walked, hands what was built to the dependence
 * graph, and adds up.
 *
 * All fragments go through one graph, with a fence between them: in no lane is anything of one fragment in flight
 * together with anything of another, however large the lane's window. What came before a fragment nobody sampled.
 * The best guess is that it was much alike, so each is run after its own last instructions (`warmup`, not measured),
 * which fill the machine: docs/explanation/shotgun.md compares this with other guesses. */
#include "analysis/shotgun/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 50 }; /* instructions of a fragment that was aborted */

static const struct {
	const char *name, *meaning;
} aborts[] = {
#define SHOTGUN_ABORT(name, meaning) {#name, meaning},
#include "culprit/shotgun_abort.def"
};

const char *culprit_abort_name(enum culprit_abort why)
{
	return aborts[why].name;
}

const char *culprit_abort_meaning(enum culprit_abort why)
{
	return aborts[why].meaning;
}

/* --- creation --- */

static const char *check(const struct culprit_shotgun_params *p, const struct culprit_samples *s)
{
	if (!s->length || s->length > CULPRIT_SIGNATURE_MAX || s->context > CULPRIT_CONTEXT_MAX)
		return "the samples' lengths are out of range";
	if (p->context > s->context)
		return "the samples have fewer signature bits around them than are to be compared";
	if (p->length > s->length)
		return "a fragment cannot be longer than the signature samples";
	if (p->signature_bits > 2)
		return "an instruction has two signature bits";
	if (s->detail_count > UINT32_MAX / 2)
		return "too many detailed samples";
	return NULL;
}

static bool create_parts(struct culprit_shotgun *s)
{
	size_t most = s->params.fragments && s->params.fragments < s->samples->signature_count
			      ? s->params.fragments
			      : s->samples->signature_count;
	s->fragments = malloc((most + 1) * sizeof *s->fragments);
	s->context = malloc((s->params.warmup + 1) * sizeof *s->context);
	return s->fragments && s->context && shotgun_walk_create(&s->walk, &s->index, &s->params) &&
	       shotgun_index_create(&s->index, s->samples, &s->code, &s->params) &&
	       shotgun_time_create(&s->time, &s->machine, &s->params);
}

struct culprit_shotgun *culprit_shotgun_create(const struct culprit_shotgun_machine *machine,
					       const struct culprit_shotgun_params *params,
					       const struct culprit_samples *samples, const struct culprit_code *code,
					       const char **why)
{
	const char *unused;
	why = why ? why : &unused;
	*why = check(params, samples);
	if (*why)
		return NULL;
	struct culprit_shotgun *s = calloc(1, sizeof *s);
	*why = "out of memory";
	if (!s)
		return NULL;
	s->machine = *machine;
	s->params = *params;
	s->params.length = params->length ? params->length : samples->length;
	s->samples = samples;
	s->code = *code;
	s->time.index = &s->index;
	if (create_parts(s)) {
		*why = NULL;
		return s;
	}
	culprit_shotgun_destroy(s);
	return NULL;
}

void culprit_shotgun_destroy(struct culprit_shotgun *s)
{
	if (!s)
		return;
	culprit_graph_destroy(s->graph);
	shotgun_index_destroy(&s->index);
	shotgun_time_destroy(&s->time);
	shotgun_walk_destroy(&s->walk);
	free(s->fragments);
	free(s->context);
	free(s);
}

const char *culprit_shotgun_error(const struct culprit_shotgun *s)
{
	return s->error;
}

static bool fail(struct culprit_shotgun *s, const char *why)
{
	snprintf(s->error, sizeof s->error, "%s", why);
	return false;
}

/* --- one fragment --- */

/* The same sample gives the same fragment, whatever came before. */
static bool walk(struct culprit_shotgun *s, size_t number)
{
	return shotgun_walk(&s->walk, number, s->params.seed + 0x632be59bd9b4e019 * (number + 1));
}

static bool new_graph(struct culprit_shotgun *s)
{
	const char *why;
	culprit_graph_destroy(s->graph);
	s->graph = culprit_graph_create(&s->machine.graph, &why);
	shotgun_time_reset(&s->time);
	memset(&s->after, 0, sizeof s->after);
	return s->graph || fail(s, why);
}

static bool read_graph(struct culprit_shotgun *s, struct culprit_graph_results *x)
{
	return culprit_graph_finish(s->graph, x) || fail(s, culprit_graph_error(s->graph));
}

static bool push_fence(struct culprit_shotgun *s)
{
	struct culprit_record r;
	shotgun_time_fence(&s->time, &r);
	return culprit_graph_push(s->graph, &r, 1) || fail(s, culprit_graph_error(s->graph));
}

/* The last `warmup` steps of the fragment, which comes round to its end again where it is shorter. */
static void fill_context(struct culprit_shotgun *s, uint32_t length)
{
	uint32_t begin = length - s->params.warmup % length;
	for (uint32_t i = 0; i < s->params.warmup; i++)
		s->context[i] = s->walk.steps[((uint64_t)begin + i) % length];
}

static bool push_steps(struct culprit_shotgun *s, const struct shotgun_step *steps, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct culprit_record r;
		shotgun_time_record(&s->time, &s->index.places[steps[i].place], &steps[i], &r);
		if (!culprit_graph_push(s->graph, &r, 1))
			return fail(s, culprit_graph_error(s->graph));
	}
	return true;
}

static bool push_fragment(struct culprit_shotgun *s, uint32_t length)
{
	if ((!s->graph && !new_graph(s)) || !push_fence(s))
		return false;
	if (!s->has_context)
		fill_context(s, length);
	struct shotgun_counts counts = s->time.counts;
	if (!push_steps(s, s->context, s->params.warmup) || !read_graph(s, &s->before))
		return false;
	s->time.counts = counts;
	if (!push_steps(s, s->walk.steps, length))
		return false;
	return read_graph(s, &s->after);
}

static bool use_fragment(struct culprit_shotgun *s, size_t number, uint32_t length)
{
	if (!push_fragment(s, length))
		return false;
	shotgun_keep(s, number, length);
	return true;
}

/* The context is another fragment, or as much of it as can be walked. */
static bool follow(struct culprit_shotgun *s, size_t number)
{
	uint32_t length = walk(s, number) && !s->samples->paths ? s->params.length : s->walk.certain;
	if (s->walk.failed)
		return fail(s, "out of memory");
	s->has_context = length > 0;
	if (length)
		fill_context(s, length);
	return true;
}

static bool build(struct culprit_shotgun *s, size_t number)
{
	if (walk(s, number))
		return use_fragment(s, number, s->samples->paths ? s->walk.certain : s->params.length);
	if (s->walk.failed)
		return fail(s, "out of memory");
	s->index.places[s->walk.furthest_place].aborts++;
	s->results->aborts[s->walk.why]++;
	s->results->guessed[s->walk.guessed]++;
	if (s->params.whole || s->walk.certain < LEAST) {
		s->results->aborted++;
		return true;
	}
	s->results->shortened++;
	return use_fragment(s, number, s->walk.certain);
}

size_t culprit_shotgun_fragment(struct culprit_shotgun *s, size_t index, struct culprit_record *records,
				size_t capacity, enum culprit_abort *why)
{
	if (index >= s->samples->signature_count || !walk(s, index)) {
		*why = s->walk.why;
		return 0;
	}
	shotgun_time_reset(&s->time);
	uint32_t n = s->samples->paths ? s->walk.certain : s->params.length;
	n = n < capacity ? n : (uint32_t)capacity;
	for (uint32_t i = 0; i < n; i++) {
		const struct shotgun_step *step = &s->walk.steps[i];
		shotgun_time_record(&s->time, &s->index.places[step->place], step, &records[i]);
	}
	culprit_graph_destroy(s->graph); /* its times are gone */
	s->graph = NULL;
	return n;
}

/* --- figures --- */

static void fill_results(struct culprit_shotgun *s, struct culprit_shotgun_results *x)
{
	x->graph.instructions = s->measured;
	if (x->compared_fragments) {
		x->recorded_cpi /= (double)x->compared_fragments;
		x->scatter = 100 * s->differences / (double)x->compared_fragments;
	}
	x->graph.recorded_cycles = x->graph.time[0];
	x->graph.class_count = s->after.class_count;
	memcpy(x->graph.names, s->after.names, sizeof x->graph.names);
	x->graph.kernel = s->after.kernel;
	x->graph.wide = s->after.wide;
	culprit_graph_decompose(&x->graph);
	shotgun_fill_intervals(s, x);
	x->stores_missed = s->time.counts.stores_missed;
	x->primary_misses_missed = s->time.counts.primary_misses_missed;
	x->stores_inferred = s->time.counts.stores_inferred;
}

/* In percent of the counted time. */
static void fill_singles(const struct culprit_shotgun *s, struct culprit_shotgun_results *x)
{
	const struct culprit_samples *n = s->samples;
	if (!n->cycles || !n->instructions || n->paths) /* samples of accesses are not of all instructions */
		return;
	double percent = 100 * (double)n->instructions / (double)n->cycles;
	for (unsigned c = 0; c < CULPRIT_BASE_EVENTS; c++) {
		x->has_single[c] = c != CULPRIT_EVENT_win;
		x->single[c] = percent * shotgun_single_mean(&s->all, c);
		x->single_used[c] = percent * shotgun_single_mean(&s->used, c);
	}
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* `count` signature samples drawn by chance, each at most once, in the order in which they were taken. */
static uint32_t *draw(const struct culprit_shotgun *s, size_t *count)
{
	size_t n = s->samples->signature_count;
	uint32_t *order = malloc((n + 1) * sizeof *order);
	uint64_t random = s->params.seed;
	for (size_t i = 0; order && i < n; i++) {
		size_t j = shotgun_random_below(&random, i + 1);
		order[i] = order[j];
		order[j] = (uint32_t)i;
	}
	*count = s->params.fragments && s->params.fragments < n ? s->params.fragments : n;
	if (order)
		qsort(order, *count, sizeof *order, by_number);
	return order;
}

static bool build_all(struct culprit_shotgun *s)
{
	size_t count, step = s->params.parts ? s->params.parts : 1;
	uint32_t *order = draw(s, &count);
	if (!order)
		return fail(s, "out of memory");
	bool good = true;
	for (size_t i = s->params.part; good && i < count; i += step) {
		s->part = (uint32_t)(i % SHOTGUN_PARTS);
		s->has_context = false;
		good = (!s->params.follow || !i || follow(s, order[i - 1])) && build(s, order[i]);
	}
	free(order);
	return good;
}

bool culprit_shotgun_run(struct culprit_shotgun *s, struct culprit_shotgun_results *results)
{
	memset(results, 0, sizeof *results);
	s->results = results;
	s->fragment_count = 0;
	s->measured = 0;
	s->differences = 0;
	s->all = s->used = (struct shotgun_singles){.count = 0};
	if (!build_all(s))
		return false;
	if (s->params.parts)
		return true;
	shotgun_single_all(&s->all, &s->index, &s->machine);
	fill_singles(s, results);
	if (!results->built)
		return true;
	if (!shotgun_rebuild(s))
		return false;
	fill_results(s, results);
	return true;
}

bool culprit_shotgun_place(const struct culprit_shotgun *s, size_t index, struct culprit_shotgun_place *place)
{
	if (index >= s->index.place_count)
		return false;
	const struct shotgun_place *p = &s->index.places[index];
	*place = (struct culprit_shotgun_place){p->pc, p->visits, p->samples, p->aborts,
						!p->samples && shotgun_needs_sample(s, &p->insn)};
	return true;
}
