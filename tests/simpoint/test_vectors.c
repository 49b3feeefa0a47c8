/* Files of vectors and of points: read, written, refused. What exp-bbv writes is tests/simpoint/exp-bbv.bb. */
#include "simpoint/points.h"
#include "simpoint/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool read_text(struct bbv *v, const char *text, struct error *err)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	*v = (struct bbv){0};
	bool good = bbv_read(v, in, "file", err);
	fclose(in);
	return good;
}

static void reads_both_forms(void **state)
{
	(void)state;
	struct bbv v;
	struct error err;
	/* SimPoint's own has one space, exp-bbv three and comments */
	assert_true(read_text(&v, "\n# a comment\nT:1:48 :3:24 :4:12\nT:7:5   :2:6   \n\n# Thread 1\n", &err));
	size_t count;
	const struct bbv_entry *e = bbv_entries(&v, 0, &count);
	assert_int_equal(v.count, 2);
	assert_int_equal(count, 3);
	assert_int_equal(e[1].block, 3);
	assert_int_equal(e[1].instructions, 24);
	e = bbv_entries(&v, 1, &count);
	assert_int_equal(count, 2);
	assert_int_equal(e[0].block, 2); /* sorted */
	assert_int_equal(e[1].instructions, 5);
	bbv_destroy(&v);
}

static void reads_what_valgrind_wrote(void **state)
{
	(void)state;
	struct bbv v = {0};
	struct error err;
	FILE *in = fopen("tests/simpoint/exp-bbv.bb", "r");
	assert_non_null(in);
	assert_true(bbv_read(&v, in, "exp-bbv.bb", &err));
	fclose(in);
	assert_int_equal(v.count, 6); /* it says itself: Total intervals: 6 (Interval Size 20000) */
	for (size_t i = 0; i < v.count; i++) {
		size_t count;
		uint64_t sum = 0;
		const struct bbv_entry *e = bbv_entries(&v, i, &count);
		for (size_t k = 0; k < count; k++)
			sum += e[k].instructions;
		assert_true(sum > 19900 && sum < 20100);
	}
	bbv_destroy(&v);
}

static void writes_what_it_reads(void **state)
{
	(void)state;
	struct bbv v;
	struct error err;
	char *text;
	size_t size;
	assert_true(read_text(&v, "T:1:48   :3:24   \nT:2:6   \n", &err));
	FILE *out = open_memstream(&text, &size);
	bbv_write(&v, out);
	fclose(out);
	assert_string_equal(text, "T:1:48   :3:24   \nT:2:6   \n");
	free(text);
	bbv_destroy(&v);
}

static void refuses(const char *text, const char *message)
{
	struct bbv v;
	struct error err;
	assert_false(read_text(&v, text, &err));
	assert_string_equal(err.text, message);
	bbv_destroy(&v);
}

static void refuses_other_files(void **state)
{
	(void)state;
	refuses("nothing\n", "file: no basic-block vectors (lines that begin with T)");
	refuses("T:1:48\nT\n", "file:2: an interval without blocks");
	refuses("T:1:48 :1:2\n", "file:1: block 1 stands twice");
	refuses("T:1:48   :2:20   \nT:1:4", "file:2: the line has no end: the file was cut off");
	refuses("T:0:48\n", "file:1: expected :BLOCK:INSTRUCTIONS, found ':0:48'");
	refuses("T:1:0\n", "file:1: expected :BLOCK:INSTRUCTIONS, found ':1:0'");
	refuses("T:1:-5\n", "file:1: expected :BLOCK:INSTRUCTIONS, found ':1:-5'");
	refuses("T:4294967296:5\n", "file:1: expected :BLOCK:INSTRUCTIONS, found ':4294967296:5'");
	refuses("T:1:99999999999999999999\n", "file:1: expected :BLOCK:INSTRUCTIONS, found ':1:99999999999999999999'");
}

static bool points(const char *intervals, const char *weights, struct simpoints *p, struct error *err)
{
	FILE *a = fmemopen((void *)intervals, strlen(intervals), "r");
	FILE *b = fmemopen((void *)weights, strlen(weights), "r");
	*p = (struct simpoints){0};
	bool good = simpoints_read(p, a, "points", b, "weights", err);
	fclose(a);
	fclose(b);
	return good;
}

static void reads_points(void **state)
{
	(void)state;
	struct simpoints p;
	struct error err;
	/* half of the weight is missing, as with SimPoint's -coveragePct; cluster 2 has none */
	assert_true(points("345 0\n12 1\n72 2\n", "0.1 1\n0.4 0\n0 2\n", &p, &err));
	assert_int_equal(p.count, 2);
	assert_int_equal(p.points[0].interval, 12);
	assert_true(p.points[0].weight > 0.1999999 && p.points[0].weight < 0.2000001);
	assert_true(p.covered > 0.4999999 && p.covered < 0.5000001);
	assert_int_equal(p.points[1].interval, 345);
	simpoints_destroy(&p);
}

static void refuses_points(void **state)
{
	(void)state;
	static const struct {
		const char *points, *weights, *message;
	} cases[] = {
		{"1 0\n", "1 1\n", "points and weights do not belong together: one has cluster 0, the other has not"},
		{"1 0\n2 1\n", "1 0\n",
		 "points and weights do not belong together: one has cluster 1, the other has not"},
		{"1 0\n2 0\n", ".5 0\n.5 0\n", "points: cluster 0 stands twice"},
		{"1 0\n1 1\n", ".5 0\n.5 1\n", "points: interval 1 stands twice"},
		{"1 0\n", "0 0\n", "weights: no weight is above 0"},
		{"1 0\n2 1\n", ".7 0\n.5 1\n", "weights: the weights sum to 1.2, more than 1"},
		{"1 0\n", "nan 0\n", "weights:1: expected a weight and a cluster"},
		{"-1 0\n", "1 0\n", "points:1: expected an interval and a cluster"},
		{"1 0 5\n", "1 0\n", "points:1: expected an interval and a cluster"},
		{"\n", "1 0\n", "points: empty"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct simpoints p;
		struct error err;
		assert_false(points(cases[i].points, cases[i].weights, &p, &err));
		assert_string_equal(err.text, cases[i].message);
		simpoints_destroy(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_both_forms),	cmocka_unit_test(reads_what_valgrind_wrote),
		cmocka_unit_test(writes_what_it_reads), cmocka_unit_test(refuses_other_files),
		cmocka_unit_test(reads_points),		cmocka_unit_test(refuses_points),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
