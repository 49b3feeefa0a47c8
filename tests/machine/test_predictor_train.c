/* Warm-up trains in one step what prediction, speculation and commit do in three: counts and all state must be the same,
 * on predictors of every kind and on those of every machine file. */
#include "machine/predictor_mix.h"

#include "base/archive.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { BRANCHES = 20000 };

static struct bytes state_of(struct predictor *p)
{
	struct bytes bytes = {0};
	struct archive save = {.to = &bytes};
	struct error err;
	predictor_archive(&save, p);
	assert_true(archive_good(&save, &err));
	return bytes;
}

/* The long way. */
static void three_steps(struct predictor *p, const struct branch_query *q, struct predictor_met *met)
{
	struct prediction pred;
	predictor_predict(p, q, &pred);
	met->mispredictions += !pred.target_known || pred.next_pc != q->actual_next;
	met->redirects += pred.taken && !pred.btb_hit && pred.target_known;
	predictor_speculate(p, q, q->actual_taken, q->actual_next);
	predictor_update(p, q, &pred, q->actual_taken, q->actual_next);
}

static void compare(const struct machine *m, const struct branch_query *program, const char *what)
{
	struct predictor *one = predictor_for(m), *three = predictor_for(m);
	struct predictor_met trained = {0}, met = {0};
	for (int i = 0; i < BRANCHES; i++) {
		predictor_train(one, &program[i], program[i].actual_taken, program[i].actual_next, &trained, NULL);
		three_steps(three, &program[i], &met);
		if (trained.mispredictions != met.mispredictions || trained.redirects != met.redirects)
			fail_msg("%s: counts differ from branch %d on", what, i);
	}
	struct bytes a = state_of(one), b = state_of(three);
	if (a.size != b.size || (a.size && memcmp(a.at, b.at, a.size)))
		fail_msg("%s: the states differ", what);
	free(a.at);
	free(b.at);
	predictor_destroy(one);
	predictor_destroy(three);
}

static void every_kind(void **state)
{
	static const enum direction_predictor kinds[] = {direction_predictor_not_taken, direction_predictor_static_,
							 direction_predictor_taken,	direction_predictor_bimodal,
							 direction_predictor_gshare,	direction_predictor_combined,
							 direction_predictor_bi_mode,	direction_predictor_tournament,
							 direction_predictor_tage_sc_l, direction_predictor_oracle};
	static const uint32_t buffers[][2] = {{0, 0}, {16, 0}, {64, 1}, {512, 4}};
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++) {
			char what[80];
			struct machine m = machine_with(kinds[k]);
			m.branch_btb_entries = buffers[b][0];
			m.branch_btb_ways = buffers[b][1];
			m.branch_gshare_entries = m.branch_bimodal_entries = m.branch_meta_entries = 256;
			snprintf(what, sizeof what, "predictor %zu, BTB of %u", k, buffers[b][0]);
			compare(&m, *state, what);
		}
}

static void every_machine(void **state)
{
	unsigned count = 0;
	DIR *dir = opendir("machines");
	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));) {
		char path[300];
		struct machine m = {0};
		struct error err;
		const size_t length = strlen(entry->d_name);
		if (length < 6 || strcmp(entry->d_name + length - 5, ".yaml"))
			continue;
		snprintf(path, sizeof path, "machines/%s", entry->d_name);
		assert_true(machine_load(&m, path, &err));
		compare(&m, *state, path);
		count++;
	}
	closedir(dir);
	assert_true(count > 20);
}

static int make_program(void **state)
{
	struct mix *x = malloc(sizeof *x);
	struct branch_query *program = malloc(BRANCHES * sizeof *program);
	assert_true(x && program);
	mix_start(x, 7);
	for (int i = 0; i < BRANCHES; i++)
		program[i] = mix_next(x);
	free(x);
	*state = program;
	return 0;
}

static int free_program(void **state)
{
	free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind), cmocka_unit_test(every_machine)};
	return cmocka_run_group_tests(tests, make_program, free_program);
}
