/* See the header. Workers take batches from a ring in the order in which they were sent; a batch is reused when every
 * worker is through with it. */
#include "interval/profile/pass.h"

#include "base/worker.h"
#include "interval/profile/branches.h"
#include "interval/profile/mix.h"
#include "interval/profile/overlap.h"
#include "interval/profile/paths.h"
#include "interval/profile/reference.h"
#include "interval/profile/stretches.h"
#include "interval/profile/sweep.h"
#include "interval/profile/targets.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 4, WORKERS_MOST = 3 };

struct worker {
	struct interval_pass *pass;
	pthread_t thread;
	uint64_t done; /* batches; under the lock */
	size_t number;
};

struct interval_pass {
	struct machine machine;
	struct interval_reference_run *reference;
	struct interval_mix_pass mix;
	struct interval_stretches *stretches;
	struct interval_paths_pass *paths;
	struct interval_overlap_pass *overlap[INTERVAL_CHAINS];
	struct interval_sweeps *sweeps;
	struct interval_branches *branches;
	struct interval_targets *targets;
	struct interval_batch *ring[RING];
	uint64_t sent;		 /* batches; under the lock when there are workers */
	uint64_t events, region; /* instructions so far; before the region */
	uint64_t every;
	bool begun;
	struct worker workers[WORKERS_MOST];
	size_t worker_count; /* 0: the caller does everything */
	bool ending;
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

/* --- the collectors as tasks --- */

typedef void collector(struct interval_pass *p, const struct interval_batch *b);

static void collect_paths(struct interval_pass *p, const struct interval_batch *b)
{
	if (b->detail & DETAIL_SAMPLED)
		interval_paths_push(p->paths, b);
}

static void collect_overlap(struct interval_pass *p, const struct interval_batch *b)
{
	for (size_t c = 0; b->detail & (DETAIL_SAMPLED | DETAIL_LEAD) && c < INTERVAL_CHAINS; c++)
		interval_overlap_push(p->overlap[c], b);
}

static void collect_data(struct interval_pass *p, const struct interval_batch *b)
{
	interval_sweeps_push_data(p->sweeps, b);
}

static void collect_rest(struct interval_pass *p, const struct interval_batch *b)
{
	interval_sweeps_push_rest(p->sweeps, b);
	interval_targets_push(p->targets, b);
}

static void collect_whole_predictors(struct interval_pass *p, const struct interval_batch *b)
{
	interval_branches_push_whole(p->branches, b);
}

/* Who runs which, by the number of workers. */
static const struct {
	collector *collect;
	uint8_t worker[WORKERS_MOST]; /* [workers - 1] */
} collectors[] = {
	{collect_paths, {0, 0, 0}}, {collect_overlap, {0, 0, 0}},	   {collect_data, {0, 1, 1}},
	{collect_rest, {0, 1, 2}},  {collect_whole_predictors, {0, 0, 2}},
};

static void collect(struct interval_pass *p, size_t worker, const struct interval_batch *b)
{
	for (size_t i = 0; i < sizeof collectors / sizeof collectors[0]; i++)
		if (!p->worker_count || collectors[i].worker[p->worker_count - 1] == worker)
			collectors[i].collect(p, b);
}

/* --- workers --- */

/* Without workers one batch is enough, and stays near the host's core. */
static struct interval_batch *ring_slot(const struct interval_pass *p, uint64_t number)
{
	return p->ring[p->worker_count ? number % RING : 0];
}

/* The next batch for a worker; NULL: there will be none. */
static const struct interval_batch *take(struct worker *w)
{
	struct interval_pass *p = w->pass;
	pthread_mutex_lock(&p->lock);
	while (w->done == p->sent && !p->ending)
		pthread_cond_wait(&p->changed, &p->lock);
	const struct interval_batch *b = w->done < p->sent ? ring_slot(p, w->done) : NULL;
	pthread_mutex_unlock(&p->lock);
	return b;
}

static void *work(void *context)
{
	struct worker *w = context;
	for (const struct interval_batch *b = take(w); b; b = take(w)) {
		collect(w->pass, w->number, b);
		pthread_mutex_lock(&w->pass->lock);
		w->done++;
		pthread_cond_broadcast(&w->pass->changed);
		pthread_mutex_unlock(&w->pass->lock);
	}
	return NULL;
}

/* Batches that every worker is through with; the lock is held. */
static uint64_t finished(const struct interval_pass *p)
{
	uint64_t least = p->sent;
	for (size_t i = 0; i < p->worker_count; i++)
		least = p->workers[i].done < least ? p->workers[i].done : least;
	return least;
}

/* Wait until at most `open` batches are not finished. */
static void wait_for(struct interval_pass *p, uint64_t open)
{
	if (!p->worker_count)
		return;
	pthread_mutex_lock(&p->lock);
	while (p->sent - finished(p) > open)
		pthread_cond_wait(&p->changed, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

static void start_workers(struct interval_pass *p, unsigned threads)
{
	size_t wanted = threads - 1 < WORKERS_MOST ? threads - 1 : WORKERS_MOST;
	struct interval_pass *locked = p;
	pthread_mutex_lock(&locked->lock); /* a worker looks at worker_count only after its first batch */
	for (size_t i = 0; i < wanted; i++) {
		p->workers[i] = (struct worker){.pass = p, .number = i};
		if (!worker_start(&p->workers[i].thread, work, &p->workers[i]))
			break; /* fewer do as well */
		p->worker_count++;
	}
	pthread_mutex_unlock(&locked->lock);
}

static void end_workers(struct interval_pass *p)
{
	pthread_mutex_lock(&p->lock);
	p->ending = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	for (size_t i = 0; i < p->worker_count; i++)
		pthread_join(p->workers[i].thread, NULL);
	p->worker_count = 0;
}

/* --- the pass --- */

static bool create(struct interval_pass *p, const struct interval_pass_options *options, struct error *err)
{
	const struct machine *m = &p->machine;
	TRY(p->reference = interval_reference_create(m, err));
	TRY(p->stretches = interval_stretches_create(interval_sampler_first_every(options->expected), err));
	TRY(p->sweeps = interval_sweeps_create(m, err));
	TRY(p->branches = interval_branches_create(m, options->tage, err));
	TRY(p->targets = interval_targets_create(m, err));
	p->every = options->every;
	interval_mix_init(&p->mix, m, p->every);
	p->paths = interval_paths_create(m);
	bool whole = p->paths;
	for (size_t c = 0; c < INTERVAL_CHAINS; c++)
		whole &= (p->overlap[c] = interval_overlap_create(c, interval_chain_line(m, c))) != NULL;
	for (size_t i = 0; i < RING; i++)
		whole &= (p->ring[i] = calloc(1, sizeof *p->ring[i])) != NULL;
	return whole || error_set(err, ERROR_SYSTEM, "out of memory for the profile");
}

struct interval_pass *interval_pass_create(const struct machine *reference, const struct interval_pass_options *options,
					   struct error *err)
{
	struct interval_pass *p = calloc(1, sizeof *p);
	if (!p) {
		error_set(err, ERROR_SYSTEM, "out of memory for the profile");
		return NULL;
	}
	p->machine = *reference;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	if (!create(p, options, err)) {
		interval_pass_destroy(p);
		return NULL;
	}
	start_workers(p, options->threads);
	return p;
}

void interval_pass_destroy(struct interval_pass *p)
{
	if (!p)
		return;
	end_workers(p);
	interval_reference_destroy(p->reference);
	interval_stretches_destroy(p->stretches);
	interval_sweeps_destroy(p->sweeps);
	interval_branches_destroy(p->branches);
	interval_targets_destroy(p->targets);
	interval_paths_destroy(p->paths);
	for (size_t c = 0; c < INTERVAL_CHAINS; c++)
		interval_overlap_destroy(p->overlap[c]);
	for (size_t i = 0; i < RING; i++)
		free(p->ring[i]);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* What detail there is of the instructions from `place` of the region on, and for how many. */
static uint64_t sampled(const struct interval_pass *p, uint64_t place, uint8_t *detail)
{
	const uint64_t period = p->every * INTERVAL_SAMPLED_STRETCH, at = place % period;
	if (at < INTERVAL_SAMPLED_STRETCH) {
		*detail = DETAIL_SAMPLED;
		return INTERVAL_SAMPLED_STRETCH - at;
	}
	*detail = at < period - INTERVAL_LEAD ? 0 : DETAIL_LEAD;
	return (*detail ? period : period - INTERVAL_LEAD) - at;
}

static void plan(const struct interval_pass *p, struct interval_batch *b)
{
	b->detail = 0;
	b->bounded = false;
	b->most = EVENT_BATCH;
	if (p->every == 1)
		b->detail = p->begun ? DETAIL_SAMPLED | DETAIL_FLOW : 0;
	if (p->every == 1 || !p->begun)
		return;
	bool flow;
	uint64_t same = sampled(p, b->place, &b->detail), flow_same = interval_stretches_change(p->stretches, &flow);
	b->detail |= flow ? DETAIL_FLOW : 0;
	same = same < flow_same ? same : flow_same;
	b->bounded = same <= b->most;
	b->most = same < b->most ? (size_t)same : b->most;
}

struct interval_batch *interval_pass_batch(struct interval_pass *p)
{
	wait_for(p, RING - 1);
	struct interval_batch *b = ring_slot(p, p->sent);
	b->first = p->events;
	b->place = p->events - p->region;
	b->count = b->span_count = b->access_count = b->transfer_count = 0;
	plan(p, b);
	return b;
}

void interval_pass_count(struct interval_pass *p, const struct riscv_insn *insn, uint64_t times)
{
	interval_mix_count(&p->mix, insn, times);
}

void interval_pass_send(struct interval_pass *p)
{
	struct interval_batch *b = ring_slot(p, p->sent);
	p->events += b->count;
	interval_reference_judge(p->reference, b);
	interval_branches_judge(p->branches, b);
	interval_mix_push(&p->mix, b);
	interval_stretches_push(p->stretches, b);
	if (!p->worker_count) {
		collect(p, 0, b);
		p->sent++;
		return;
	}
	pthread_mutex_lock(&p->lock);
	p->sent++;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

void interval_pass_begin(struct interval_pass *p)
{
	wait_for(p, 0);
	interval_reference_restart(p->reference);
	interval_mix_restart(&p->mix);
	interval_stretches_restart(p->stretches);
	interval_paths_restart(p->paths);
	for (size_t c = 0; c < INTERVAL_CHAINS; c++)
		interval_overlap_restart(p->overlap[c]);
	interval_sweeps_restart(p->sweeps);
	interval_branches_restart(p->branches, p->events);
	interval_targets_restart(p->targets);
	p->region = p->events;
	p->begun = true;
}

/* *n * whole / part, to the nearest. */
static void carry_over(uint64_t *n, uint64_t whole, uint64_t part)
{
	*n = (uint64_t)(((unsigned __int128)*n * whole + part / 2) / part);
}

/* From the misses seen to those there were in the region. */
static void carry_overlap(struct interval_overlap *o, uint64_t misses)
{
	uint64_t *counts = (uint64_t *)(void *)o, seen = o->misses;
	for (size_t i = 0; seen && i < sizeof *o / sizeof *counts; i++)
		carry_over(&counts[i], misses, seen);
	if (seen)
		return;
	/* None was seen: they are far apart. */
	o->misses = misses;
	for (size_t w = 0; w < INTERVAL_WINDOWS; w++)
		o->units[w] = o->broken[w] = misses;
	for (size_t i = 0; i < INTERVAL_MSHR_WINDOWS; i++)
		for (size_t k = 0; k < INTERVAL_MSHRS; k++)
			o->mshr[i][k] = misses;
}

/* Instructions of the region in sampled stretches. */
static uint64_t sampled_instructions(const struct interval_pass *p)
{
	const uint64_t period = p->every * INTERVAL_SAMPLED_STRETCH, n = p->events - p->region;
	uint64_t last = n % period;
	last = last < INTERVAL_SAMPLED_STRETCH ? last : INTERVAL_SAMPLED_STRETCH;
	return n / period * INTERVAL_SAMPLED_STRETCH + last;
}

void interval_pass_finish(struct interval_pass *p, struct interval_profile *to)
{
	wait_for(p, 0);
	to->instructions = p->events - p->region;
	to->sampling = (struct interval_sampling){
		.every = p->every, .stretch = INTERVAL_SAMPLED_STRETCH, .instructions = sampled_instructions(p)};
	to->machine = p->machine;
	interval_reference_describe(&p->machine, &to->reference);
	interval_reference_finish(p->reference, to);
	interval_paths_finish(p->paths, to);
	interval_mix_finish(&p->mix, to);
	interval_stretches_finish(p->stretches, to);
	interval_sweeps_finish(p->sweeps, to);
	interval_branches_finish(p->branches, to);
	interval_targets_finish(p->targets, to);
	for (size_t c = 0; c < INTERVAL_CHAINS; c++) {
		interval_overlap_finish(p->overlap[c], &to->overlap[c]);
		if (p->every > 1)
			carry_overlap(&to->overlap[c], interval_reference_chain(p->reference, c));
	}
}
