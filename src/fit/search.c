/* One key after the other, by the error that its kernels have: the value with the least sum of errors, again from
 * there, until no value is better. Rounds over all keys, until one changes nothing. */
#include "fit/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MOST = 6, STEPS_MOST = 24 };
#define MOVES 0.005 /* of a kernel's cycles: then the key's value shows in it */
#define HELPS 0.001 /* of the sum of errors: less is not worth another value */

double fit_error(const struct fit_kernel *k, uint64_t cycles)
{
	return fabs((double)cycles / k->measured - 1);
}

static double sum(const struct fit *f, const uint64_t *cycles, const bool *family)
{
	double errors = 0;
	for (size_t i = 0; i < f->table.count; i++)
		if (!family || family[i])
			errors += fit_error(&f->table.kernels[i], cycles[i] ? cycles[i] : f->table.kernels[i].last);
	return errors;
}

static double sum_now(const struct fit *f, const bool *family)
{
	double errors = 0;
	for (size_t i = 0; i < f->table.count; i++)
		if (!family || family[i])
			errors += fit_error(&f->table.kernels[i], f->table.kernels[i].last);
	return errors;
}

/* --- trials of one key --- */

struct tries {
	uint32_t values[FIT_VALUES_MAX];
	struct fit_trial trials[FIT_VALUES_MAX];
	size_t count;
};

static void tries_destroy(struct tries *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->trials[i].cycles);
}

/* Machines with other values of the key; what a machine cannot have is left out. */
static bool tries_add(struct tries *t, const struct fit *f, const struct fit_key *key, bool probe, struct error *err)
{
	uint32_t values[FIT_VALUES_MAX];
	size_t count = fit_key_values(key, key->proposed, probe, values);
	for (size_t i = 0; i < count; i++) {
		struct fit_trial trial = {.machine = f->machine, .kernels = probe ? NULL : key->family};
		if (!fit_key_put(key, &trial.machine, values[i]))
			continue;
		trial.cycles = calloc(f->table.count, sizeof *trial.cycles);
		if (!trial.cycles)
			return error_set(err, ERROR_SYSTEM, "out of memory for the trials");
		t->trials[t->count] = trial;
		t->values[t->count++] = values[i];
	}
	return true;
}

/* What the best value tried so far can do for each kernel. */
static void note_nearest(struct fit *f, const struct fit_key *key, const struct tries *t)
{
	for (size_t i = 0; i < t->count; i++)
		for (size_t k = 0; k < f->table.count; k++) {
			struct fit_kernel *kernel = &f->table.kernels[k];
			uint64_t cycles = t->trials[i].cycles[k];
			if (!cycles || fit_error(kernel, cycles) >= kernel->nearest)
				continue;
			kernel->nearest = fit_error(kernel, cycles);
			fit_key_text(key, t->values[i], kernel->by, sizeof kernel->by);
		}
}

static bool try_values(struct fit *f, struct fit_key *key, bool probe, struct tries *t, struct error *err)
{
	*t = (struct tries){.count = 0};
	TRY(tries_add(t, f, key, probe, err));
	TRY(fit_simulate(f, t->trials, t->count, err));
	note_nearest(f, key, t);
	return true;
}

/* --- families --- */

static void note_family(struct fit *f, struct fit_key *key, const struct tries *t)
{
	for (size_t k = 0; k < f->table.count; k++)
		for (size_t i = 0; i < t->count && !key->family[k]; i++) {
			double before = (double)f->table.kernels[k].last, after = (double)t->trials[i].cycles[k];
			key->family[k] = after > 0 && fabs(after / before - 1) >= MOVES;
			key->family_size += key->family[k];
		}
}

static void say(struct fit *f, const char *doing, const struct fit_key *key)
{
	f->doing = doing;
	f->key = key->name;
	f->key_number = (size_t)(key - f->keys.keys) + 1;
}

static bool find_families(struct fit *f, struct error *err)
{
	for (size_t i = 0; i < f->keys.count; i++) {
		struct tries t;
		say(f, "what shows ", &f->keys.keys[i]);
		bool good = try_values(f, &f->keys.keys[i], true, &t, err);
		if (good)
			note_family(f, &f->keys.keys[i], &t);
		tries_destroy(&t);
		TRY(good);
	}
	return true;
}

/* --- search --- */

/* All kernels with the trial's machine, not only those of the family; *helps: it is better for them together. */
static bool accept(struct fit *f, struct fit_key *key, const struct fit_trial *best, uint32_t value, bool *helps,
		   struct error *err)
{
	struct fit_trial all = {.machine = best->machine};
	all.cycles = calloc(f->table.count, sizeof *all.cycles);
	if (!all.cycles)
		return error_set(err, ERROR_SYSTEM, "out of memory for the trials");
	bool good = fit_simulate(f, &all, 1, err);
	*helps = good && sum(f, all.cycles, NULL) < sum_now(f, NULL) - HELPS;
	for (size_t k = 0; *helps && k < f->table.count; k++)
		if (all.cycles[k])
			f->table.kernels[k].last = all.cycles[k];
	if (*helps) {
		f->machine = all.machine;
		key->proposed = value;
	}
	free(all.cycles);
	return good;
}

static bool step(struct fit *f, struct fit_key *key, bool *helps, struct error *err)
{
	struct tries t;
	size_t best = SIZE_MAX;
	double least = sum_now(f, key->family) - HELPS;
	*helps = false;
	bool good = try_values(f, key, false, &t, err);
	for (size_t i = 0; good && i < t.count; i++) {
		double errors = sum(f, t.trials[i].cycles, key->family);
		if (errors < least) {
			least = errors;
			best = i;
		}
	}
	if (best != SIZE_MAX)
		good = accept(f, key, &t.trials[best], t.values[best], helps, err);
	tries_destroy(&t);
	return good;
}

static bool search_key(struct fit *f, struct fit_key *key, bool *changed, struct error *err)
{
	bool helps = key->family_size != 0;
	for (int n = 0; helps && n < STEPS_MOST; n++) {
		say(f, "searching ", key);
		TRY(step(f, key, &helps, err));
		*changed |= helps;
	}
	return true;
}

/* A key that few kernels show goes first: what they say is about it and little else. */
static int by_family(const void *a, const void *b)
{
	const struct fit_key *x = a, *y = b;
	if (x->family_size != y->family_size)
		return x->family_size < y->family_size ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool begin(struct fit *f, struct error *err)
{
	struct fit_trial base = {.machine = f->machine};
	base.cycles = calloc(f->table.count, sizeof *base.cycles);
	if (!base.cycles)
		return error_set(err, ERROR_SYSTEM, "out of memory for the trials");
	f->doing = "the machine as it is";
	f->key = "";
	f->all_must = true;
	bool good = fit_simulate(f, &base, 1, err);
	f->all_must = false;
	for (size_t k = 0; good && k < f->table.count; k++) {
		struct fit_kernel *kernel = &f->table.kernels[k];
		kernel->first = kernel->last = base.cycles[k];
		kernel->nearest = fit_error(kernel, base.cycles[k]);
	}
	free(base.cycles);
	return good;
}

static bool search(struct fit *f, struct error *err)
{
	TRY(begin(f, err));
	TRY(find_families(f, err));
	qsort(f->keys.keys, f->keys.count, sizeof *f->keys.keys, by_family);
	bool changed = true;
	for (int round = 0; changed && round < ROUNDS_MOST; round++) {
		changed = false;
		for (size_t i = 0; i < f->keys.count; i++)
			TRY(search_key(f, &f->keys.keys[i], &changed, err));
	}
	return true;
}

bool fit_search(struct fit *f, struct error *err)
{
	fit_progress_begin(f);
	bool good = search(f, err);
	fit_progress_end(f);
	return good;
}
