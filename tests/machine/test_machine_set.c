/* --set: every key of the tables can be set and written in a file, with the same effect; wrong ones say why. */
#include "machine_text.h"

#include "machine/machine_rows.h"

static void set(struct machine *m, const char *assignment)
{
	struct error err;
	if (!machine_set(m, assignment, &err))
		fail_msg("%s: %s", assignment, err.text);
}

static void expect_refused(const char *assignment, const char *message)
{
	struct machine m, before;
	struct error err;
	expect_good(&m, "{}");
	before = m;
	if (machine_set(&m, assignment, &err))
		fail_msg("%s accepted, but should say: %s", assignment, message);
	assert_string_equal(err.text, message);
	assert_int_equal(err.code, ERROR_USAGE);
	assert_memory_equal(&m, &before, sizeof m);
}

static void plain_assignments(void **state)
{
	struct machine m;
	struct error err;
	expect_good(&m, "{}");
	set(&m, "window.rob=256");
	set(&m, "latency.int_mul=4");
	set(&m, "interval.int_div=1");
	set(&m, "queues.all.entries=32");
	set(&m, "queues.all.width=3");
	set(&m, "units.alu.count=2");
	set(&m, "units.alu.queue=all");
	set(&m, "fetch.within_line=false");
	set(&m, "branch.predictor=static");
	set(&m, "lsq.ssit_clear=4294967295");
	set(&m, "ideal=dl1,win");
	assert_int_equal(m.window_rob, 256);
	assert_int_equal(m.latency[CULPRIT_OP_int_mul], 4);
	assert_int_equal(m.interval[CULPRIT_OP_int_div], 1);
	assert_int_equal(m.queues[0].entries, 32);
	assert_int_equal(m.queues[0].width, 3);
	assert_int_equal(m.units[0].count, 2);
	assert_false(m.fetch_within_line);
	assert_int_equal(m.branch_predictor, direction_predictor_static_);
	assert_true(m.lsq_ssit_clear == 4294967295u);
	assert_int_equal(m.ideal, CULPRIT_EVENT_BIT(dl1) | CULPRIT_EVENT_BIT(win));
	assert_true(machine_check(&m, "after sets", &err));
	expect_round_trip(&m);
	set(&m, "ideal=none");
	assert_int_equal(m.ideal, 0);
}

static void refusals(void **state)
{
	expect_refused("window.rob", "'window.rob' is not an assignment: expected section.name=value");
	expect_refused("=5", "'=5' is not an assignment: expected section.name=value");
	expect_refused("window.rob=0",
		       "key window.rob: 0 is out of range: expected a whole number from 1 to 8192 entries");
	expect_refused("window.rob=64 ", "key window.rob: expected a whole number from 1 to 8192 entries; found '64 '");
	expect_refused("window.rob=", "key window.rob: expected a whole number from 1 to 8192 entries; found ''");
	expect_refused("window.robb=64", "key window.robb: unknown key; did you mean window.rob?");
	expect_refused("rob=64", "key rob: unknown key; did you mean window.rob?");
	expect_refused("window=64", "key window: a section: expected section.name=value");
	expect_refused("queues.all=4", "key queues.all: unknown key");
	expect_refused("win\ndow.rob=4", "key win?dow.rob: unknown key; did you mean window.rob?");
	expect_refused("hovercraft=eels", "key hovercraft: unknown key");
	expect_refused("latency.int_mull=4", "key latency.int_mull: unknown key; did you mean latency.int_mul?");
	expect_refused("latency.int_alu=0",
		       "key latency.int_alu: 0 is out of range: expected a whole number from 1 to 1000 cycles");
	expect_refused("fetch.within_line=yes", "key fetch.within_line: expected true or false; found 'yes'");
	expect_refused("l1d.replacement=mru",
		       "key l1d.replacement: expected one of lru, plru, random, fifo, srrip; found 'mru'");
	expect_refused("queues.int.entries=4", "key queues.int.entries: no such queue: there are all");
	expect_refused("queues.all.size=4", "key queues.all.size: unknown key: a queue has entries and width");
	expect_refused("units.fpu.count=4",
		       "key units.fpu.count: no such unit: there are alu, muldiv, mem, fpadd, fpmul");
	expect_refused("units.alu.ops=load", "key units.alu.ops: unknown key: of a unit, count and queue can be set");
	expect_refused("units.alu.count=0",
		       "key units.alu.count: 0 is out of range: expected a whole number from 1 to 64 units");
	expect_refused("units.alu.queue=int", "key units.alu.queue: no queue is called int");
	expect_refused(
		"ideal=dl1,speed",
		"key ideal: unknown event class 'speed': expected all, none, or some of dl1, win, bw, bmisp, dmiss, "
		"shalu, lgalu, imiss, dl2, dl3, dmem, dtlb, il2, il3, imem, itlb, rob, iq, lsq, regs, tags, mul, div, "
		"fpadd, "
		"fpmul, fpdiv, vec, slow");
}

/* The check after sets names the keys that do not go together. */
static void check_after_sets(void **state)
{
	struct machine m;
	struct error err;
	expect_good(&m, "{}");
	set(&m, "l1d.ways=3");
	assert_false(machine_check(&m, "eyerman2006", &err));
	assert_string_equal(err.text, "eyerman2006: keys l1d.size and l1d.ways: 3 ways do not divide 512 entries");
	expect_good(&m, "{}");
	m.window_rob = 100000; /* not through machine_set */
	assert_false(machine_check(&m, "m", &err));
	assert_string_equal(err.text, "m: key window.rob: 100000 is out of range: 1 to 8192");
	expect_good(&m, "{}");
	m.latency[CULPRIT_OP_fp_div] = 0;
	assert_false(machine_check(&m, "m", &err));
	assert_string_equal(err.text, "m: key latency.fp_div: 0 is out of range: 1 to 1000");
}

/* A value other than the default that the row allows. */
static uint32_t other_value(const struct machine_row *row)
{
	return row->fallback == row->max ? row->min : row->max;
}

/* Writes one key alone into a file, rules between keys aside: what the file says arrives in the struct. */
static void every_row_by_file_and_by_set(void **state)
{
	struct machine plain;
	expect_good(&plain, "{}");
	for (size_t i = 0; i < machine_row_count; i++) {
		const struct machine_row *row = &machine_rows[i];
		char buffer[16], assignment[120], text[160];
		struct machine by_set = plain, by_file;
		struct error err;
		const char *value = machine_row_text(row, other_value(row), buffer);
		assert_int_equal(machine_row_get(&plain, row), row->fallback);
		snprintf(assignment, sizeof assignment, "%s.%s=%s", row->section, row->name, value);
		set(&by_set, assignment);
		assert_int_equal(machine_row_get(&by_set, row), other_value(row));
		for (size_t j = 0; j < machine_row_count; j++)
			if (j != i)
				assert_int_equal(machine_row_get(&by_set, &machine_rows[j]),
						 machine_row_get(&plain, &machine_rows[j]));
		snprintf(text, sizeof text, "%s: { %s: %s }\n", row->section, row->name, value);
		if (!parse_text(&by_file, text, &err) && strncmp(err.text, "t.yaml: key", 11))
			fail_msg("%s: %s", text, err.text); /* an error with a line is not one of the rules */
		assert_int_equal(machine_row_get(&by_file, row), other_value(row));
	}
}

static void every_op_by_file_and_by_set(void **state)
{
	for (int op = 0; op < CULPRIT_OP_COUNT; op++) {
		struct machine m;
		char text[100];
		snprintf(text, sizeof text, "latency: {%s: 777}\ninterval: {%s: 555}\n", culprit_op_name(op),
			 culprit_op_name(op));
		expect_good(&m, text);
		assert_int_equal(m.latency[op], 777);
		assert_int_equal(m.interval[op], 555);
		expect_good(&m, "{}");
		snprintf(text, sizeof text, "latency.%s=333", culprit_op_name(op));
		set(&m, text);
		snprintf(text, sizeof text, "interval.%s=222", culprit_op_name(op));
		set(&m, text);
		assert_int_equal(m.latency[op], 333);
		assert_int_equal(m.interval[op], 222);
	}
}

static void event_sets(void **state)
{
	struct error err;
	culprit_event_set events;
	assert_true(culprit_event_set_parse("all", &events, &err));
	assert_int_equal(events, 0xff);
	assert_true(culprit_event_set_parse("", &events, &err));
	assert_int_equal(events, 0);
	assert_true(culprit_event_set_parse("itlb", &events, &err));
	assert_int_equal(events, CULPRIT_EVENT_BIT(itlb));
	assert_false(culprit_event_set_parse("dl1,", &events, &err));
	assert_false(culprit_event_set_parse("dl1,,win", &events, &err));
	assert_false(culprit_event_set_parse("DL1", &events, &err));
	assert_int_equal(events, CULPRIT_EVENT_BIT(itlb));
	assert_string_equal(culprit_event_name(CULPRIT_EVENT_bmisp), "bmisp");
	assert_string_equal(culprit_event_what(CULPRIT_EVENT_shalu), "one-cycle integer operations");
	assert_string_equal(culprit_op_name(CULPRIT_OP_fp_fma), "fp_fma");
	assert_string_equal(culprit_op_name(CULPRIT_OP_COUNT), "?");
	assert_string_equal(culprit_event_name(CULPRIT_EVENT_COUNT), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_assignments),
		cmocka_unit_test(refusals),
		cmocka_unit_test(check_after_sets),
		cmocka_unit_test(every_row_by_file_and_by_set),
		cmocka_unit_test(every_op_by_file_and_by_set),
		cmocka_unit_test(event_sets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
