/* What a file without keys is, what overrides what, where machines are looked for, and extends gone wrong. */
#include "machine_text.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory of machine files for one test; `place` and `expected` fill in its path. */
struct nest {
	char dir[64];
	char text[2][700];
};

static int make_nest(void **state)
{
	struct nest *n = calloc(1, sizeof *n);
	strcpy(n->dir, "/tmp/culprit-machines-XXXXXX");
	*state = n;
	return !mkdtemp(n->dir);
}

static int clear_nest(void **state)
{
	struct nest *n = *state;
	char command[100];
	snprintf(command, sizeof command, "rm -r %s", n->dir);
	int status = system(command);
	free(n);
	return status;
}

static const char *place(struct nest *n, const char *name)
{
	snprintf(n->text[0], sizeof n->text[0], "%s/%s", n->dir, name);
	return n->text[0];
}

static void write_file(struct nest *n, const char *name, const char *text)
{
	FILE *f = fopen(place(n, name), "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void load(struct nest *n, struct machine *m, const char *name)
{
	struct error err;
	memset(m, 0, sizeof *m);
	if (!machine_load(m, place(n, name), &err))
		fail_msg("%s", err.text);
}

/* `format` has one %s for the directory for each place that the message names. */
static void expect_load_error(struct nest *n, const char *name, const char *format)
{
	struct machine m;
	struct error err;
	assert_false(machine_load(&m, place(n, name), &err));
	char *out = n->text[1];
	for (const char *p = format; *p; p++) {
		if (*p == '@')
			out = stpcpy(out, n->dir);
		else
			*out++ = *p;
	}
	*out = '\0';
	assert_string_equal(err.text, n->text[1]);
}

static void defaults(void **state)
{
	struct machine m, loaded;
	struct error err;
	expect_good(&m, "{}");
	assert_int_equal(m.queue_count, 1);
	assert_string_equal(m.queues[0].name, "all");
	assert_int_equal(m.queues[0].entries, 0);
	assert_string_equal(m.name, "t");
	assert_string_equal(m.description, "");
	expect_round_trip(&m);
	/* the execution resources are those of eyerman2009-4w */
	memset(&loaded, 0, sizeof loaded);
	assert_true(machine_load(&loaded, "eyerman2009-4w", &err));
	assert_memory_equal(m.latency, loaded.latency, sizeof m.latency);
	assert_memory_equal(m.interval, loaded.interval, sizeof m.interval);
	assert_int_equal(m.unit_count, loaded.unit_count);
	assert_memory_equal(m.units, loaded.units, sizeof m.units);
	assert_memory_equal(m.queues, loaded.queues, sizeof m.queues);
}

static void what_overrides_what(void **state)
{
	struct nest *n = *state;
	struct machine m;
	write_file(n, "base.yaml",
		   "description: the base\nwindow: {rob: 64, lq: 10, sq: 12}\n"
		   "latency: {int_mul: 5, fp_add: 6}\nideal: [win]\n");
	write_file(n, "middle.yaml",
		   "extends: base\nwindow: {lq: 20}\nlatency: {fp_add: 7}\n"
		   "queues: [{name: int, entries: 16}, {name: fp}]\n"
		   "units:\n"
		   "  - {name: a, queue: int, ops: [int_alu, int_mul, int_div, branch, load, store, amo]}\n"
		   "  - {name: b, queue: fp, count: 3, ops: [fp_add, fp_mul, fp_fma, fp_div, fp_sqrt,\n"
		   "                                         fp_cvt, fp_move, csr, fence, system]}\n");
	write_file(n, "top.yaml",
		   "extends: middle\ndescription: top\n"
		   "queues: [{name: fp, entries: 9}, {name: int, entries: 8}]\nideal: [dl1]\n");
	load(n, &m, "middle.yaml");
	assert_string_equal(m.name, "middle");
	assert_string_equal(m.description, "the base");
	assert_int_equal(m.window_rob, 64);
	assert_int_equal(m.window_lq, 20);
	assert_int_equal(m.window_sq, 12);
	assert_int_equal(m.latency[CULPRIT_OP_int_mul], 5);
	assert_int_equal(m.latency[CULPRIT_OP_fp_add], 7);
	assert_int_equal(m.ideal, CULPRIT_EVENT_BIT(win));
	assert_int_equal(m.unit_count, 2);
	assert_int_equal(m.units[0].count, 1);
	assert_int_equal(m.units[1].queue, 1);
	load(n, &m, "top.yaml");
	assert_string_equal(m.description, "top");
	assert_int_equal(m.queues[0].entries, 9);
	assert_int_equal(m.units[0].queue, 1); /* units follow their queues by name */
	assert_int_equal(m.units[1].queue, 0);
	assert_int_equal(m.ideal, CULPRIT_EVENT_BIT(dl1));
	expect_round_trip(&m);
}

static void one_queue_takes_all(void **state)
{
	struct nest *n = *state;
	struct machine m;
	write_file(n, "a.yaml", "extends: eyerman2009-4w\nqueues: [{name: window, entries: 40}]\n");
	load(n, &m, "a.yaml");
	for (uint32_t i = 0; i < m.unit_count; i++)
		assert_int_equal(m.units[i].queue, 0);
	assert_string_equal(m.queues[0].name, "window");
}

static void search_order(void **state)
{
	struct nest *n = *state;
	struct machine m;
	struct error err;
	char dirs[200];
	write_file(n, "eyerman2006.yaml", "description: mine\n");
	write_file(n, "other.yaml", "extends: eyerman2006\n");
	load(n, &m, "other.yaml"); /* beside the file, before ./machines */
	assert_string_equal(m.description, "mine");
	assert_true(machine_load(&m, "eyerman2006", &err));
	assert_string_equal(m.description, "Eyerman et al. 2006, table 2");
	snprintf(dirs, sizeof dirs, ":%s:", n->dir); /* what is empty names none */
	setenv("CULPRIT_MACHINES", dirs, 1);
	assert_true(machine_load(&m, "eyerman2006", &err));
	assert_string_equal(m.description, "mine");
	assert_true(machine_load(&m, "fields2003", &err)); /* ./machines still counts */
	char **names = machine_list(&err);
	unsigned found = 0;
	for (char **name = names; *name; free(*name++))
		found += !strcmp(*name, "eyerman2006") + !strcmp(*name, "other");
	free(names);
	assert_int_equal(found, 2);
	snprintf(dirs, sizeof dirs, "%s:/nowhere", n->dir);
	setenv("CULPRIT_MACHINES", dirs, 1);
	assert_false(machine_load(&m, "eyerman2006", &err));
	assert_string_equal(err.text, "CULPRIT_MACHINES: /nowhere: No such file or directory");
	assert_null(machine_list(&err));
	unsetenv("CULPRIT_MACHINES");
}

/* An unpacked installation finds its machines beside its bin directory. */
static void beside_the_executable(void **state)
{
	char dir[PATH_MAX] = "", file[PATH_MAX + 64], command[2 * PATH_MAX];
	struct machine m;
	struct error err;
	assert_true(readlink("/proc/self/exe", dir, sizeof dir - 1) > 0);
	strcpy(strrchr(dir, '/'), "/../share/culprit/machines");
	snprintf(command, sizeof command, "mkdir -p '%s'", dir);
	assert_int_equal(system(command), 0);
	snprintf(file, sizeof file, "%s/beside-the-executable.yaml", dir);
	FILE *f = fopen(file, "w");
	assert_non_null(f);
	fputs("window: {rob: 99}\n", f);
	fclose(f);
	bool ok = machine_load(&m, "beside-the-executable", &err);
	unlink(file);
	assert_true(ok);
	assert_int_equal(m.window_rob, 99);
}

static void extends_gone_wrong(void **state)
{
	struct nest *n = *state;
	char name[32], text[40];
	write_file(n, "lost.yaml", "\nextends: nobody\n");
	expect_load_error(n, "lost.yaml",
			  "@/lost.yaml:2: key extends: no machine is called 'nobody'; `culprit machines` "
			  "lists those there are");
	write_file(n, "up.yaml", "extends: ../lost\n");
	expect_load_error(n, "up.yaml", "@/up.yaml:1: key extends: '../lost' is not the name of a machine");
	write_file(n, "self.yaml", "extends: self\n");
	expect_load_error(n, "self.yaml", "@/self.yaml:1: key extends: @/self.yaml extends itself");
	write_file(n, "a.yaml", "extends: b\n");
	write_file(n, "b.yaml", "window: {rob: 5}\nextends: a\n");
	expect_load_error(n, "a.yaml", "@/b.yaml:2: key extends: @/a.yaml extends itself");
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof name, "c%d.yaml", i);
		snprintf(text, sizeof text, "extends: c%d\n", i + 1);
		write_file(n, name, text);
	}
	expect_load_error(n, "c0.yaml", "@/c8.yaml:1: key extends: more than 8 files extend one another");
	write_file(n, "bad.yaml", "window:\n  rob: x\n");
	write_file(n, "good.yaml", "extends: bad\n");
	expect_load_error(n, "good.yaml",
			  "@/bad.yaml:2: key window.rob: expected a whole number from 1 to 8192 entries; found 'x'");
}

static void files_gone_wrong(void **state)
{
	struct nest *n = *state;
	struct machine m;
	struct error err;
	expect_load_error(n, "absent.yaml", "@/absent.yaml: No such file or directory");
	assert_int_equal(mkdir(place(n, "folder.yaml"), 0700), 0);
	expect_load_error(n, "folder.yaml", "@/folder.yaml: Is a directory");
	FILE *f = fopen(place(n, "big.yaml"), "w");
	assert_non_null(f);
	for (int i = 0; i < 300 * 1024; i++)
		fputc('#', f);
	fclose(f);
	expect_load_error(n, "big.yaml", "@/big.yaml: larger than 262144 bytes");
	assert_false(machine_load(&m, "no-such-machine", &err));
	assert_string_equal(err.text,
			    "no machine is called 'no-such-machine'; `culprit machines` lists those there are");
	assert_int_equal(err.code, ERROR_USAGE);
	assert_false(machine_load(&m, "", &err));
	assert_string_equal(err.text, "'' is not the name of a machine");
}

/* What may stand in a description survives printing: quotes, backslashes, other scripts, odd blanks. */
static void descriptions(void **state)
{
	static const char *const texts[] = {
		"description: \"quote \\\" backslash \\\\ tab \\t bell \\a newline \\n end\"\n",
		"description: \"Bod\xc3\xadk, \xe6\xbc\xa2\xe5\xad\x97, \xf0\x9f\x90\x8c\"\n",
		"description: \"next line \\N nbsp \\_ separators \\L \\P bom \\uFEFF del \\x7F\"\n",
		"description: 'it''s: # { [ & * ! | > % @ `'\n",
		"description: |\n  two\n  lines\n",
	};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct machine m;
		expect_good(&m, texts[i]);
		assert_true(*m.description);
		expect_round_trip(&m);
	}
}

/* What a machine file says of itself is not said of one that extends it, nor of one changed by --set. */
static void validated(void **state)
{
	struct nest *n = *state;
	struct machine m;
	struct error err;
	write_file(n, "base.yaml", "validated: \"measured: by hand\"\n");
	write_file(n, "child.yaml", "extends: base\n");
	write_file(n, "own.yaml", "extends: base\nvalidated: \"parameters: sizes\"\n");
	load(n, &m, "base.yaml");
	assert_string_equal(m.validated, "measured: by hand");
	expect_round_trip(&m);
	assert_true(machine_set(&m, "ideal=bmisp", &err));
	assert_string_equal(m.validated, "measured: by hand");
	assert_true(machine_set(&m, "window.rob=64", &err));
	assert_string_equal(m.validated, "parameters: changed from what the machine file says");
	load(n, &m, "child.yaml");
	assert_string_equal(m.validated, "");
	load(n, &m, "own.yaml");
	assert_string_equal(m.validated, "parameters: sizes");
}

static void all_tell(void **state)
{
	struct error err;
	char **names = machine_list(&err);
	assert_non_null(names);
	for (size_t i = 0; names[i]; i++) {
		struct machine m;
		assert_true(machine_load(&m, names[i], &err));
		if (!*m.validated)
			fail_msg("machines/%s.yaml does not say how far it is validated", names[i]);
		free(names[i]);
	}
	free(names);
	(void)state;
}

#define IN_NEST(test) cmocka_unit_test_setup_teardown(test, make_nest, clear_nest)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		IN_NEST(what_overrides_what),
		IN_NEST(one_queue_takes_all),
		IN_NEST(search_order),
		cmocka_unit_test(beside_the_executable),
		IN_NEST(extends_gone_wrong),
		IN_NEST(files_gone_wrong),
		cmocka_unit_test(descriptions),
		IN_NEST(validated),
		cmocka_unit_test(all_tell),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
