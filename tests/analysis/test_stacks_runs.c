/* `culprit run --with stacks` on real programs and machines: every stack of the JSON adds up to the cycles (slots), the
 * naive counters' events are those that caches and predictor count themselves, and the stacks change no cycle. The programs are
 * those of tests/guest, in the directory that PROGRAMS names. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static json_t *run(const char *program, const char *options)
{
	char json[] = "/tmp/test_stacks_XXXXXX", command[2000];
	int fd = mkstemp(json);
	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof command,
		 "\"$CULPRIT\" run %s -n 400k -q --json %s -- \"$PROGRAMS\"/%s >/dev/null 2>&1 </dev/null", options,
		 json, program);
	int status = system(command); /* the program's own, or 125 to 127 from Culprit */
	if (!WIFEXITED(status) || (WEXITSTATUS(status) >= 125 && WEXITSTATUS(status) <= 127))
		fail_msg("%s: status %d", command, status);
	json_t *root = json_load_file(json, 0, NULL);
	unlink(json);
	assert_non_null(root);
	return root;
}

static const json_t *at(const json_t *o, const char *path)
{
	char copy[200];
	snprintf(copy, sizeof copy, "%s", path);
	for (char *part = strtok(copy, "/"); part && o; part = strtok(NULL, "/"))
		o = json_object_get(o, part);
	if (!o)
		fail_msg("no %s in the JSON", path);
	return o;
}

static long long number(const json_t *o, const char *path)
{
	return json_integer_value(at(o, path));
}

static long long sum(const json_t *rows)
{
	const char *key;
	json_t *value;
	long long total = 0;
	json_object_foreach((json_t *)rows, key, value) total += json_integer_value(value);
	return total;
}

static void check_sums(const json_t *root)
{
	long long cycles = number(root, "cycles"), width = number(root, "stacks/stages/slots_per_cycle");
	static const char *const methods[] = {"naive", "naive_nonspec", "power5", "fmt", "sfmt", "hybrid"};
	static const char *const stages[] = {"dispatch", "issue", "commit"};
	char path[100];
	for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
		snprintf(path, sizeof path, "stacks/cycles/%s", methods[i]);
		assert_int_equal(sum(at(root, path)), cycles);
	}
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "stacks/stages/%s", stages[i]);
		assert_int_equal(sum(at(root, path)), cycles * width);
	}
	/* a level of the tree each */
	assert_int_equal(sum(at(root, "stacks/topdown/slots")),
			 2 * cycles * number(root, "stacks/topdown/slots_per_cycle"));
}

/* What commits moved through every stage. The region's last instructions may still be under way. */
static void check_bases(const json_t *root)
{
	long long instructions = number(root, "instructions");
	assert_int_equal(number(root, "stacks/stages/commit/base"), instructions);
	assert_in_range(number(root, "stacks/stages/dispatch/base"), instructions, instructions + 1024);
	assert_in_range(number(root, "stacks/topdown/slots/retiring"), instructions, instructions + 1024);
}

/* The caches count lines and the counters count waits: an instruction across two lines may miss twice in one wait. */
static void check_events(const json_t *root, long long l2_latency, long long frontend)
{
	long long misses = number(root, "caches/l1i/misses"), wrong = number(root, "caches/l1i/wrong_path_misses");
	long long waits = number(root, "stacks/cycles/naive_nonspec/l1i") / l2_latency;
	assert_in_range(waits, misses * 95 / 100, misses);
	assert_in_range(number(root, "stacks/cycles/naive/l1i") / l2_latency, (misses + wrong) * 95 / 100,
			misses + wrong);
	const char *key;
	json_t *kind;
	long long mispredicted = 0;
	json_object_foreach((json_t *)at(root, "branches"), key, kind) mispredicted += number(kind, "mispredicted");
	long long seen = number(root, "stacks/cycles/naive_nonspec/bmisp");
	assert_in_range(seen, mispredicted * frontend, (mispredicted + 2) * frontend);
	assert_true(number(root, "stacks/cycles/naive/bmisp") >= seen);
}

static const char *const programs[] = {"memory", "signals", "files"};

static void test_machines(void **state)
{
	static const char *const options[] = {
		"-m eyerman2006 --with stacks",
		"-m golden-cove --with stacks",
		"-m boom-small --with stacks",
		"-m neoverse-n1 --with stacks --fmt-rows 1 --fmt-rule overlap,ended,buffer,rob",
		"-m eyerman2009-8w --with stacks --set tlb.i_entries=4 --set tlb.d_entries=4 --set tlb.l2_entries=16",
		"-m eyerman2006 --with stacks --ideal win",
		"-m eyerman2006 --with stacks --ideal shalu,lgalu,dl1",
		"-m eyerman2006 --with stacks --set lsq.disambiguation=store_sets --set l1d.mshrs=1",
	};
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
		json_t *root = run(programs[i % 3], options[i]);
		check_sums(root);
		check_bases(root);
		json_decref(root);
	}
}

static void test_events(void **state)
{
	for (size_t i = 0; i < 3; i++) {
		json_t *root = run(programs[i], "-m eyerman2006 --with stacks");
		check_events(root, 9, number(root, "stacks/cycles/naive_nonspec/bmisp") ? 5 : 1);
		json_decref(root);
	}
}

/* With idealised bandwidth there are no slots to lose, and no tree; all else stays. */
static void test_unlimited(void **state)
{
	json_t *root = run("memory", "-m eyerman2006 --with stacks --ideal bw");
	assert_null(json_object_get(at(root, "stacks"), "topdown"));
	assert_int_equal(sum(at(root, "stacks/cycles/fmt")), number(root, "cycles"));
	assert_int_equal(sum(at(root, "stacks/stages/dispatch")),
			 number(root, "cycles") * number(root, "stacks/stages/slots_per_cycle"));
	json_decref(root);
}

/* The CSV's figures are the JSON's. */
static void test_csv(void **state)
{
	char csv[] = "/tmp/test_stacks_XXXXXX", options[200], line[200], path[100];
	int fd = mkstemp(csv), found = 0;
	assert_true(fd >= 0);
	close(fd);
	snprintf(options, sizeof options, "-m eyerman2006 --with stacks --stacks-csv %s", csv);
	json_t *root = run("memory", options);
	FILE *f = fopen(csv, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		char section[32], column[32], row[32];
		long long amount;
		double percent;
		if (sscanf(line, "%31[a-z],%31[a-z0-9_],%31[a-z0-9_],%lld,%lf", section, column, row, &amount,
			   &percent) != 5 ||
		    strcmp(section, "cycles"))
			continue;
		snprintf(path, sizeof path, "stacks/cycles/%s/%s", column, row);
		assert_int_equal(number(root, path), amount);
		assert_true(fabs(percent - 100.0 * (double)amount / (double)number(root, "cycles")) < 0.0001);
		found++;
	}
	assert_int_equal(found, 6 * 9); /* architectures, base and components */
	fclose(f);
	unlink(csv);
	json_decref(root);
}

/* The report's part is at most 80 columns wide, bars of naive stacks beyond 100 % included. */
static void test_width(void **state)
{
	char text[] = "/tmp/test_stacks_XXXXXX", options[200], line[400];
	int fd = mkstemp(text), lines = 0;
	assert_true(fd >= 0);
	close(fd);
	snprintf(options, sizeof options,
		 "-m eyerman2006 --set memory.latency=2000 --with stacks --show stacks --output %s", text);
	json_t *root = run("memory", options);
	assert_true(number(root, "stacks/cycles/naive/base") < 0);
	json_decref(root);
	FILE *f = fopen(text, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		lines += lines || strstr(line, "CPI stacks by counter architecture");
		if (lines && strlen(line) > 81)
			fail_msg("%zu columns: %s", strlen(line) - 1, line);
	}
	assert_true(lines > 100);
	fclose(f);
	unlink(text);
}

static void test_timing_is_untouched(void **state)
{
	json_t *with = run("signals", "-m boom-large --with stacks"),
	       *without = run("signals", "-m boom-large --with none");
	assert_int_equal(number(with, "cycles"), number(without, "cycles"));
	json_decref(with);
	json_decref(without);
}

int main(void)
{
	if (!getenv("CULPRIT") || !getenv("PROGRAMS")) {
		fprintf(stderr, "CULPRIT and PROGRAMS must be set, as ctest does\n");
		return 77;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),  cmocka_unit_test(test_events),
		cmocka_unit_test(test_unlimited), cmocka_unit_test(test_csv),
		cmocka_unit_test(test_width),	  cmocka_unit_test(test_timing_is_untouched),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
