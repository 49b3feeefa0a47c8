/* The reconstruction's public side: draws signature samples, has them walked, hands what was built to the dependence
 * graph, and adds up.
 *
 * Fragments follow each other in one graph (unless `apart`): the machine is then as full when a fragment begins as it was
 * when the one before ended, which a graph that begins empty is not. Each fragment's first instructions (`warmup`) are
 * not measured, because there the two are joined. */
#include "analysis/shotgun/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 50 }; /* instructions measured of a fragment that was aborted */

struct shotgun_fragment {
	uint64_t time[CULPRIT_GRAPH_SETS]; /* cycles of the measured part */
	uint32_t measured;		   /* instructions of it */
};

struct culprit_shotgun {
	struct culprit_shotgun_machine machine;
	struct culprit_shotgun_params params;
	const struct culprit_samples *samples;
	struct culprit_code code;
	struct shotgun_index index;
	struct shotgun_walk walk;
	struct shotgun_time time;
	struct culprit_graph *graph;
	struct culprit_graph_results before, after; /* of the fragment being measured */
	struct shotgun_fragment *fragments;
	size_t fragment_count;
	struct culprit_shotgun_results *results;
	char error[160];
};

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
	if (p->warmup >= (p->length ? p->length : s->length))
		return "the part that is not measured is as long as the fragment";
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
	return s->fragments && shotgun_walk_create(&s->walk, &s->index, &s->params) &&
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

static bool push_fragment(struct culprit_shotgun *s, uint32_t length)
{
	if ((s->params.apart || !s->graph) && !new_graph(s))
		return false;
	shotgun_time_begin(&s->time);
	s->before = s->after;
	for (uint32_t i = 0; i < length; i++) {
		if (i && i == s->params.warmup && !read_graph(s, &s->before))
			return false;
		struct culprit_record r;
		const struct shotgun_step *step = &s->walk.steps[i];
		shotgun_time_record(&s->time, &s->index.places[step->place], step, &r);
		if (!culprit_graph_push(s->graph, &r, 1))
			return fail(s, culprit_graph_error(s->graph));
	}
	return read_graph(s, &s->after);
}

static void count_steps(struct culprit_shotgun *s, uint32_t length, struct culprit_shotgun_results *x)
{
	for (uint32_t i = 0; i < length; i++) {
		const struct shotgun_step *step = &s->walk.steps[i];
		s->index.places[step->place].visits++;
		x->missing += !s->index.places[step->place].samples;
		x->borrowed += step->match.borrowed;
		x->compared += step->match.compared;
		x->agreed += step->match.agreed;
		x->targets_sampled += step->target_from == SHOTGUN_TARGET_SAMPLE;
		x->targets_stack += step->target_from == SHOTGUN_TARGET_STACK;
	}
	x->instructions += length;
	x->measured += length - s->params.warmup;
}

static void keep_fragment(struct culprit_shotgun *s, uint32_t length)
{
	struct shotgun_fragment *f = &s->fragments[s->fragment_count++];
	struct culprit_shotgun_results *x = s->results;
	for (unsigned set = 0; set < CULPRIT_GRAPH_SETS; set++) {
		f->time[set] = s->after.time[set] - s->before.time[set];
		x->graph.time[set] += f->time[set];
	}
	x->built++;
	count_steps(s, length, x);
	f->measured = length - s->params.warmup;
}

static bool use_fragment(struct culprit_shotgun *s, uint32_t length)
{
	if (!push_fragment(s, length))
		return false;
	keep_fragment(s, length);
	return true;
}

static bool build(struct culprit_shotgun *s, size_t number)
{
	if (walk(s, number))
		return use_fragment(s, s->params.length);
	if (s->walk.failed)
		return fail(s, "out of memory");
	s->index.places[s->walk.furthest_place].aborts++;
	s->results->aborts[s->walk.why]++;
	s->results->guessed[s->walk.guessed]++;
	if (s->params.whole || s->walk.certain < s->params.warmup + LEAST) {
		s->results->aborted++;
		return true;
	}
	s->results->shortened++;
	return use_fragment(s, s->walk.certain);
}

size_t culprit_shotgun_fragment(struct culprit_shotgun *s, size_t index, struct culprit_record *records,
				size_t capacity, enum culprit_abort *why)
{
	if (index >= s->samples->signature_count || !walk(s, index)) {
		*why = s->walk.why;
		return 0;
	}
	shotgun_time_reset(&s->time);
	uint32_t n = s->params.length < capacity ? s->params.length : (uint32_t)capacity;
	for (uint32_t i = 0; i < n; i++) {
		const struct shotgun_step *step = &s->walk.steps[i];
		shotgun_time_record(&s->time, &s->index.places[step->place], step, &records[i]);
	}
	culprit_graph_destroy(s->graph); /* its times are gone */
	s->graph = NULL;
	return n;
}

/* --- figures --- */

/* Ratio estimate over fragments of equal length, normal approximation: x(f) - R t(f) scatters around zero. */
double culprit_shotgun_error_of(const struct culprit_shotgun *s, const double weight[CULPRIT_GRAPH_SETS])
{
	double sum = 0, total = 0, squares = 0, n = (double)s->fragment_count;
	unsigned sets = 1u << s->after.class_count;
	for (int pass = 0; pass < 2; pass++) {
		double ratio = total > 0 ? sum / total : 0;
		for (size_t i = 0; i < s->fragment_count; i++) {
			const uint64_t *time = s->fragments[i].time;
			double x = 0;
			for (unsigned set = 0; set < sets; set++)
				x += weight[set] * (double)time[set];
			sum += pass ? 0 : x;
			total += pass ? 0 : (double)time[0];
			double off = x - ratio * (double)time[0];
			squares += pass ? off * off : 0;
		}
	}
	return n > 1 && total > 0 ? 1.96 * sqrt(n / (n - 1) * squares) / total : 0;
}

static void fill_errors(struct culprit_shotgun *s, struct culprit_shotgun_results *x)
{
	double weight[CULPRIT_GRAPH_SETS];
	unsigned sets = 1u << x->graph.class_count;
	for (unsigned set = 1; set < sets; set++) {
		memset(weight, 0, sizeof weight);
		weight[0] = 1;
		weight[set] = -1;
		x->cost_error[set] = 100 * culprit_shotgun_error_of(s, weight);
		memset(weight, 0, sizeof weight);
		for (unsigned part = set;; part = (part - 1) & set) {
			weight[part] = __builtin_popcount(set ^ part) % 2 ? 1 : -1;
			if (!part)
				break;
		}
		x->icost_error[set] = __builtin_popcount(set) > 2 ? 0 : 100 * culprit_shotgun_error_of(s, weight);
	}
}

/* Cycles for each instruction, a ratio like the others. */
static void fill_cpi(struct culprit_shotgun *s, struct culprit_shotgun_results *x)
{
	double n = (double)x->built, squares = 0, ratio = (double)x->graph.time[0] / (double)x->measured;
	for (size_t i = 0; i < s->fragment_count; i++) {
		double off = (double)s->fragments[i].time[0] - ratio * s->fragments[i].measured;
		squares += off * off;
	}
	x->cpi = ratio;
	x->cpi_error = n > 1 ? 1.96 * sqrt(squares * n / (n - 1)) / (double)x->measured : 0;
}

static void fill_results(struct culprit_shotgun *s, struct culprit_shotgun_results *x)
{
	x->graph.instructions = x->measured;
	x->graph.recorded_cycles = x->graph.time[0];
	x->graph.class_count = s->after.class_count;
	memcpy(x->graph.names, s->after.names, sizeof x->graph.names);
	x->graph.kernel = s->after.kernel;
	x->graph.wide = s->after.wide;
	culprit_graph_decompose(&x->graph);
	fill_errors(s, x);
	fill_cpi(s, x);
	x->stores_missed = s->time.stores_missed;
	x->missers_missed = s->time.missers_missed;
	x->stores_inferred = s->time.stores_inferred;
}

/* Signature samples in random order, each at most once. */
static uint32_t *shuffled(const struct culprit_shotgun *s)
{
	size_t n = s->samples->signature_count;
	uint32_t *order = malloc((n + 1) * sizeof *order);
	uint64_t random = s->params.seed;
	for (size_t i = 0; order && i < n; i++) {
		size_t j = shotgun_random_below(&random, i + 1);
		order[i] = order[j];
		order[j] = (uint32_t)i;
	}
	return order;
}

bool culprit_shotgun_run(struct culprit_shotgun *s, struct culprit_shotgun_results *results)
{
	memset(results, 0, sizeof *results);
	s->results = results;
	s->fragment_count = 0;
	uint32_t *order = shuffled(s);
	if (!order)
		return fail(s, "out of memory");
	size_t most = s->samples->signature_count;
	if (s->params.fragments && s->params.fragments < most)
		most = s->params.fragments;
	bool good = true;
	for (size_t i = 0; good && i < most; i++)
		good = build(s, order[i]);
	free(order);
	shotgun_single(&s->index, &s->machine, results);
	if (good && results->built)
		fill_results(s, results);
	return good;
}

bool culprit_shotgun_place(const struct culprit_shotgun *s, size_t index, struct culprit_shotgun_place *place)
{
	if (index >= s->index.place_count)
		return false;
	const struct shotgun_place *p = &s->index.places[index];
	*place = (struct culprit_shotgun_place){p->pc, p->visits, p->samples, p->aborts};
	return true;
}
