/* The end of a run: profiles in the order of addresses, and what share of each is blamed on the wrong ones. */
#include "analysis/profilers/profilers.h"
#include "analysis/profilers/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- order --- */

struct place {
	uint64_t pc;
	uint32_t row;
	uint16_t events;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return (x->events > y->events) - (x->events < y->events);
}

static bool sort(struct profilers *p)
{
	size_t n = p->oracle.count;
	struct place *places = calloc(n + 1, sizeof *places);
	p->order = calloc(n + 1, sizeof *p->order);
	for (size_t i = 0; places && i < n; i++)
		places[i] = (struct place){p->oracle.rows[i].pc, (uint32_t)i, p->oracle.rows[i].events};
	if (places && p->order && n)
		qsort(places, n, sizeof *places, by_place);
	for (size_t i = 0; places && p->order && i < n; i++)
		p->order[i] = places[i].row;
	bool good = places && p->order;
	free(places);
	return good;
}

bool profilers_finish(struct profilers *p, struct error *err)
{
	if (p->out_of_memory)
		return error_set(err, ERROR_SYSTEM, "out of memory for the profilers of %zu instructions",
				 p->oracle.count);
	TRY(oracle_finish(&p->oracle, err));
	profilers_close(p);
	return sort(p) || error_set(err, ERROR_SYSTEM, "out of memory for profilers");
}

size_t profilers_rows(const struct profilers *p)
{
	return p->oracle.count;
}

const struct oracle_row *profilers_row(const struct profilers *p, size_t i)
{
	return &p->oracle.rows[p->order[i]];
}

uint64_t profilers_weight(const struct profilers *p, size_t i, enum profiler which, unsigned series)
{
	return p->rows[p->order[i]].weights[which][series];
}

/* --- symbols --- */

/* The symbol of each row, by level, from 0 in the order of addresses. */
struct symbol_numbers {
	uint32_t *of[PROFILER_LEVELS];
};

/* Does the row begin a new symbol? Rows of one pc are one instruction, whatever their flags. A block goes on as long as
 * instructions follow one another that nothing jumps to. */
static bool begins(const struct profilers *p, size_t i, enum profiler_level level, const bool *starts)
{
	const struct oracle_row *now = profilers_row(p, i), *then = profilers_row(p, i - 1);
	if (level == PROFILER_EVENTS)
		return true;
	if (now->pc == then->pc)
		return false;
	if (level == PROFILER_INSTRUCTIONS || starts[i])
		return true;
	if (level == PROFILER_FUNCTIONS)
		return false;
	bool leads = now->pc - then->pc > 4;
	for (size_t j = i; !leads && j < profilers_rows(p) && profilers_row(p, j)->pc == now->pc; j++)
		leads = profilers_row(p, j)->leader;
	return leads;
}

static bool number(const struct profilers *p, const bool *starts, struct symbol_numbers *n,
		   size_t counts[PROFILER_LEVELS])
{
	size_t rows = profilers_rows(p);
	for (unsigned level = 0; level < PROFILER_LEVELS; level++) {
		n->of[level] = calloc(rows + 1, sizeof *n->of[level]);
		if (!n->of[level])
			return false;
		uint32_t symbol = 0;
		for (size_t i = 0; i < rows; i++) {
			symbol += i && begins(p, i, level, starts);
			n->of[level][i] = symbol;
		}
		counts[level] = rows ? symbol + 1 : 0;
	}
	return true;
}

/* --- shares --- */

/* The first row at this address or behind it. */
static size_t find(const struct profilers *p, uint64_t pc)
{
	size_t low = 0, high = profilers_rows(p);
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (profilers_row(p, middle)->pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A run's weight goes to its instructions: to each as often as the run was seen, or the cycles in equal parts. */
static void spread(const struct profilers *p, const struct lbr_run *run, enum profiler which, unsigned series,
		   double *by_row)
{
	size_t first = find(p, run->first), end = find(p, run->last + 1), instructions = 0;
	bool counts = which == PROFILER_lbr;
	for (size_t i = first; i < end; i++)
		instructions += i == first || profilers_row(p, i)->pc != profilers_row(p, i - 1)->pc;
	double part = counts ? (double)run->seen[series] : (double)run->cycles[series] / (double)instructions;
	for (size_t i = first; i < end; i++)
		if (i == first || profilers_row(p, i)->pc != profilers_row(p, i - 1)->pc)
			by_row[i] += part;
}

static bool is_lbr(enum profiler which)
{
	return which == PROFILER_lbr || which == PROFILER_lbr_cycles;
}

static void profile_of(const struct profilers *p, enum profiler which, unsigned series, double *by_row)
{
	size_t rows = profilers_rows(p);
	memset(by_row, 0, rows * sizeof *by_row);
	if (!is_lbr(which)) {
		for (size_t i = 0; i < rows; i++)
			by_row[i] = (double)profilers_weight(p, i, which, series);
		return;
	}
	for (size_t i = 0; i < p->lbr.count; i++)
		spread(p, &p->lbr.runs[i], which, series, by_row);
}

static double sum(const double *values, size_t count)
{
	double all = 0;
	for (size_t i = 0; i < count; i++)
		all += values[i];
	return all;
}

/* Half the sum of |share - oracle's share| over the symbols; 1 when the profile is empty. */
static double error_of(const double *profile, const double *oracle, const uint32_t *symbols, size_t rows)
{
	double whole = sum(profile, rows), truth = sum(oracle, rows), error = 0, difference = 0;
	if (whole <= 0 || truth <= 0)
		return whole > 0 || truth > 0;
	for (size_t i = 0; i < rows; i++) {
		difference += profile[i] / whole - oracle[i] / truth;
		if (i + 1 < rows && symbols[i + 1] == symbols[i])
			continue;
		error += fabs(difference) / 2;
		difference = 0;
	}
	return error;
}

static uint64_t samples_of(const struct profilers *p, enum profiler which, unsigned series)
{
	uint64_t parts = 0;
	if (is_lbr(which))
		return p->lbr.samples[series];
	for (size_t i = 0; i < p->oracle.count; i++)
		parts += p->rows[i].weights[which][series];
	return parts / ORACLE_PARTS;
}

static void judge(const struct profilers *p, const struct symbol_numbers *n, double *profile, const double *oracle,
		  struct profilers_result *result)
{
	for (unsigned which = 0; which < PROFILERS; which++)
		for (unsigned s = 0; s < PROFILER_SERIES; s++) {
			profile_of(p, which, s, profile);
			for (unsigned level = 0; level < PROFILER_LEVELS; level++)
				result->error[which][level][s] =
					level == PROFILER_EVENTS && is_lbr(which)
						? -1
						: error_of(profile, oracle, n->of[level], profilers_rows(p));
			result->samples[which][s] = samples_of(p, which, s);
			result->lost[which][s] = which == PROFILER_dispatch ? p->tagging.lost[s] : 0;
		}
}

bool profilers_judge(const struct profilers *p, const bool *starts, struct profilers_result *result, struct error *err)
{
	size_t rows = profilers_rows(p);
	struct symbol_numbers n = {{NULL}};
	double *profile = calloc(rows + 1, sizeof *profile), *oracle = calloc(rows + 1, sizeof *oracle);
	bool good = profile && oracle && number(p, starts, &n, result->symbols);
	for (size_t i = 0; good && i < rows; i++)
		oracle[i] = (double)oracle_parts(profilers_row(p, i));
	if (good)
		judge(p, &n, profile, oracle, result);
	for (unsigned level = 0; level < PROFILER_LEVELS; level++)
		free(n.of[level]);
	free(profile);
	free(oracle);
	return good || error_set(err, ERROR_SYSTEM, "out of memory for profilers");
}
