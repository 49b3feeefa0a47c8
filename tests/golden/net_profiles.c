/* The oracle of profiles, alone and with a listener; profilers, and how wrong they are. */
#include "net.h"

#include "analysis/profilers/profilers.h"

#include <stdlib.h>

struct listening {
	struct net_sum *sum;
};

static void waited(void *context, uint32_t row, uint32_t next, uint64_t from, uint64_t to)
{
	struct listening *l = context;
	const uint64_t words[] = {row, next, from, to};
	for (size_t i = 0; i < 4; i++)
		net_add(l->sum, words[i]);
}

static void committed(void *context, uint64_t cycle, const uint32_t *rows, size_t count)
{
	struct listening *l = context;
	net_add(l->sum, cycle);
	for (size_t i = 0; i < count; i++)
		net_add(l->sum, rows[i]);
}

static void add_row(struct net_sum *sum, const struct oracle_row *row)
{
	const uint64_t words[] = {row->pc, row->executions, row->events, row->entry, row->leader, oracle_parts(row)};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		net_add(sum, words[i]);
	for (unsigned n = 0; n < ORACLE_CASES; n++)
		net_add(sum, row->parts[n]);
}

static void add_oracle(struct net_sum *sum, const struct net_stream *s, const struct oracle_listener *listener)
{
	struct oracle o = {.listener = listener};
	struct error err;
	oracle_push(&o, s->records, s->count / 2);
	oracle_push(&o, s->records + s->count / 2, s->count - s->count / 2);
	net_add(sum, oracle_finish(&o, &err));
	net_add(sum, oracle_end(&o, s->cycles));
	for (size_t i = 0; i < o.count; i++)
		add_row(sum, &o.rows[i]);
	oracle_destroy(&o);
}

static void add_judgement(struct net_sum *sum, const struct profilers *p, bool *starts)
{
	static struct profilers_result x;
	struct error err;
	const size_t rows = profilers_rows(p);
	for (size_t i = 0; i < rows; i++) {
		starts[i] = !i || profilers_row(p, i)->entry;
		add_row(sum, profilers_row(p, i));
	}
	net_add(sum, profilers_judge(p, starts, &x, &err));
	for (unsigned level = 0; level < PROFILER_LEVELS; level++)
		net_add(sum, x.symbols[level]);
	for (unsigned which = 0; which < PROFILERS; which++)
		for (unsigned series = 0; series < PROFILER_SERIES; series++) {
			net_add(sum, x.samples[which][series]);
			net_add(sum, x.lost[which][series]);
			for (unsigned level = 0; level < PROFILER_LEVELS; level++)
				net_add_real(sum, x.error[which][level][series]);
			for (size_t i = 0; i < rows; i++)
				net_add(sum, profilers_weight(p, i, (enum profiler)which, series));
		}
}

static void add_profilers(struct net_sum *sum, const struct net_stream *s, struct random_source *r)
{
	struct error err;
	const struct profilers_params params = {
		.period = 1 + random_below(r, 200), .seed = random_next(r), .skid = random_below(r, 12)};
	struct profilers *p = profilers_create(&params, &err);
	if (!p)
		abort();
	for (const struct net_batch *b = s->batches; b < s->batches + s->batch_count; b++) {
		const struct culprit_log_part part = net_log(s, b);
		if (b->is_log)
			profilers_log(p, &part);
		else
			profilers_push(p, s->records + b->first, b->count);
	}
	bool *starts = calloc(s->count + 1, sizeof *starts);
	if (starts && profilers_finish(p, &err))
		add_judgement(sum, p, starts);
	else
		net_add_text(sum, err.text);
	free(starts);
	profilers_destroy(p);
}

void net_profiles(const struct net_stream *s, FILE *out)
{
	struct random_source r = net_random(s, 8);
	struct net_sum sum = {0};
	struct listening l = {&sum};
	const struct oracle_listener listener = {&l, waited, committed};
	add_oracle(&sum, s, NULL);
	add_oracle(&sum, s, &listener);
	add_profilers(&sum, s, &r);
	net_print(out, &sum);
}
