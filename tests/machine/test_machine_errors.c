/* Every kind of error in a machine file, with its exact text and line. */
#include "machine_text.h"

static void yaml_itself(void **state)
{
	expect_error("", "t.yaml:1: empty: the file is a mapping of keys");
	expect_error("# nothing\n", "t.yaml:1: empty: the file is a mapping of keys");
	expect_error("5\n", "t.yaml:1: the file is a mapping of keys");
	expect_error("- a\n", "t.yaml:1: the file is a mapping of keys");
	expect_error("window: {rob: 5\n", "t.yaml:2: not valid YAML: did not find expected ',' or '}'");
	expect_error("a: 'x\n", "t.yaml:2: not valid YAML: found unexpected end of stream");
	expect_error("window:\n\trob: 5\n", "t.yaml:2: not valid YAML: found character that cannot start any token");
	expect_error("window: {}\n---\nwindow: {}\n", "t.yaml:2: a second document begins");
	expect_error("window: &w {rob: 64}\n", "t.yaml:1: anchors and aliases are not understood: use extends");
	expect_error("window: {}\nissue: *w\n", "t.yaml:2: anchors and aliases are not understood: use extends");
	expect_error("&w window: {}\n", "t.yaml:1: anchors and aliases are not understood: use extends");
	expect_error("window: {rob: !!float 64}\n", "t.yaml:1: tags are not understood: write the value alone");
	expect_error("\nwindow: !half {rob: 64}\n", "t.yaml:2: tags are not understood: write the value alone");
	expect_error("ideal: !no [dl1]\n", "t.yaml:1: tags are not understood: write the value alone");
	expect_error("window: {!a rob: 64}\n", "t.yaml:1: tags are not understood: write the value alone");
	expect_error("!a\nwindow: {rob: 64}\n", "t.yaml:1: tags are not understood: write the value alone");
	expect_error("? [a]\n: 5\n", "t.yaml:1: a key is a plain word, not a list or mapping");
	expect_error("a b: 5\n", "t.yaml:1: a key is made of at most 60 letters, digits, '_' and '-'");
	expect_error("window.rob: 5\n", "t.yaml:1: a key has no dot: write 'window: { ...: value }'");
	expect_error("a: [[[[[[[[[[1]]]]]]]]]]\n", "t.yaml:1: nested too deeply");
	expect_error("description: \"a\\0b\"\n", "t.yaml:1: a NUL character stands in a value");
	expect_error("description: \"\x01\"\n", "t.yaml:1: not valid YAML: control characters are not allowed");
	expect_error("window:\n  rob: 64\n# \xff\n", "t.yaml:3: not valid YAML: invalid leading UTF-8 octet");
}

static void unknown_keys(void **state)
{
	expect_error("window:\n  rob: 64\n  robb: 64\n",
		     "t.yaml:3: key window.robb: unknown key; did you mean window.rob?");
	expect_error("\nwindwo: {rob: 64}\n", "t.yaml:2: key windwo: unknown key; did you mean window?");
	expect_error("dispatch: {rob: 64}\n", "t.yaml:1: key dispatch.rob: unknown key; did you mean window.rob?");
	expect_error("rob: 64\n", "t.yaml:1: key rob: unknown key; did you mean window.rob?");
	expect_error("latency:\n  int_mull: 3\n",
		     "t.yaml:2: key latency.int_mull: unknown key; did you mean latency.int_mul?");
	expect_error("queues:\n  - name: all\n    entires: 5\n",
		     "t.yaml:3: key queues[0].entires: unknown key; did you mean queues.entries?");
	expect_error("queues: [{name: all, size: 5}]\n", "t.yaml:1: key queues[0].size: unknown key");
	expect_error("hovercraft: eels\n", "t.yaml:1: key hovercraft: unknown key");
}

static void keys_given_twice(void **state)
{
	expect_error("window:\n  rob: 64\n  rob: 128\n", "t.yaml:3: key window.rob: given twice, first in line 2");
	expect_error("window: {rob: 64}\nissue: {width: 2}\nwindow: {lq: 5}\n",
		     "t.yaml:3: key window: given twice, first in line 1");
	expect_error("units: [{name: a, name: b, ops: []}]\n",
		     "t.yaml:1: key units[0].name: given twice, first in line 1");
}

static void numbers(void **state)
{
	expect_error("window:\n  rob: 9000\n",
		     "t.yaml:2: key window.rob: 9000 is out of range: expected a whole number from 1 to 8192 entries");
	expect_error("window: {rob: 0}\n",
		     "t.yaml:1: key window.rob: 0 is out of range: expected a whole number from 1 to 8192 entries");
	expect_error("window: {rob: 99999999999999999999}\n",
		     "t.yaml:1: key window.rob: expected a whole number from 1 "
		     "to 8192 entries; found '99999999999999999999'");
	expect_error("window: {rob: -1}\n",
		     "t.yaml:1: key window.rob: expected a whole number from 1 to 8192 entries; found '-1'");
	expect_error("window: {rob: abc}\n",
		     "t.yaml:1: key window.rob: expected a whole number from 1 to 8192 entries; found 'abc'");
	expect_error("window: {rob: 0x40}\n",
		     "t.yaml:1: key window.rob: expected a whole number from 1 to 8192 entries; found '0x40'");
	expect_error("window: {rob: 010}\n",
		     "t.yaml:1: key window.rob: expected a whole number from 1 to 8192 entries; found '010'");
	expect_error("window: {rob: 6.4}\n",
		     "t.yaml:1: key window.rob: expected a whole number from 1 to 8192 entries; found '6.4'");
	expect_error("window: {rob: }\n",
		     "t.yaml:1: key window.rob: expected a whole number from 1 to 8192 entries; found nothing");
	expect_error("window: {rob: [64]}\n",
		     "t.yaml:1: key window.rob: expected a whole number from 1 to 8192 entries; found a list");
	expect_error("window: {rob: {a: 1}}\n",
		     "t.yaml:1: key window.rob: expected a whole number from 1 to 8192 entries; found a mapping");
	expect_error("latency:\n  load: 0\n  int_alu: 0\n",
		     "t.yaml:3: key latency.int_alu: 0 is out of range: expected a whole number from 1 to 1000 cycles");
	expect_error("interval: {fp_div: 1001}\n", "t.yaml:1: key interval.fp_div: 1001 is out of range: expected a "
						   "whole number from 1 to 1000 cycles");
	expect_error("queues: [{name: a, entries: 8193}]\n", "t.yaml:1: key queues[0].entries: 8193 is out of range: "
							     "expected a whole number from 0 to 8192 entries");
	expect_error("units: [{name: a, count: 0, ops: []}]\n",
		     "t.yaml:1: key units[0].count: 0 is out of range: expected a whole number from 1 to 64 units");
	expect_error("units: [{name: a, count: x, ops: []}]\n",
		     "t.yaml:1: key units[0].count: expected a whole number from 1 to 64 units; found 'x'");
}

static void words(void **state)
{
	expect_error("l1d:\n  replacement: mru\n", "t.yaml:2: key l1d.replacement: expected one of lru, plru, random, "
						   "fifo, srrip; found 'mru'");
	expect_error("l1d: {replacement: 1}\n",
		     "t.yaml:1: key l1d.replacement: expected one of lru, plru, random, fifo, "
		     "srrip; found '1'");
	expect_error("l1d: {replacement: LRU}\n", "t.yaml:1: key l1d.replacement: expected one of lru, plru, random, "
						  "fifo, srrip; found 'LRU'");
	expect_error("fetch: {within_line: maybe}\n",
		     "t.yaml:1: key fetch.within_line: expected true or false; found 'maybe'");
	expect_error("fetch: {within_line: 1}\n", "t.yaml:1: key fetch.within_line: expected true or false; found '1'");
	expect_error("fetch: {within_line: [true]}\n",
		     "t.yaml:1: key fetch.within_line: expected true or false; found a list");
	expect_error(
		"ideal:\n  - dl1\n  - speed\n",
		"t.yaml:3: key ideal[1]: expected a list of event classes (dl1, win, bw, bmisp, dmiss, shalu, lgalu, "
		"imiss, dl2, dl3, dmem, dtlb, il2, il3, imem, itlb, rob, iq, lsq, regs, tags, mul, div, fpadd, fpmul, "
		"fpdiv, vec, slow); found 'speed'");
	expect_error("ideal: all\n",
		     "t.yaml:1: key ideal: expected a list of event classes (dl1, win, bw, bmisp, dmiss, "
		     "shalu, lgalu, imiss, dl2, dl3, dmem, dtlb, il2, il3, imem, itlb, rob, iq, lsq, regs, tags, mul, "
		     "div, fpadd, fpmul, fpdiv, vec, slow); found 'all'");
	expect_error("units: [{name: a, ops: [int_alu, jump]}]\n",
		     "t.yaml:1: key units[0].ops[1]: expected a list of operation classes (int_alu, int_mul, int_div, "
		     "branch, load, store, amo, fp_add, fp_mul, fp_fma, fp_div, fp_sqrt, fp_cvt, fp_move, csr, fence, "
		     "system, vec_int, vec_mul, vec_fp, vec_div, vec_permute); found 'jump'");
}

static void structure(void **state)
{
	expect_error("window: 5\n", "t.yaml:1: key window: expected a mapping of keys; found '5'");
	expect_error("window:\nissue: {width: 2}\n", "t.yaml:1: key window: expected a mapping of keys; found nothing");
	expect_error("latency: [1]\n", "t.yaml:1: key latency: expected a mapping of keys; found a list");
	expect_error("queues: 5\n", "t.yaml:1: key queues: expected a list of mappings; found '5'");
	expect_error("queues:\n  - 5\n", "t.yaml:2: key queues[0]: expected a mapping of keys; found '5'");
	expect_error("description: [a]\n", "t.yaml:1: key description: expected a text; found a list");
	expect_error("validated: guessed\n", "t.yaml:1: key validated: expected measured, published or parameters, a "
					     "colon and a text");
	expect_error("validated: \"measured: \"\n", "t.yaml:1: key validated: expected measured, published or "
						    "parameters, a colon and a text");
	expect_error("queues:\n  - entries: 5\n", "t.yaml:2: key queues[0]: the key 'name' is missing");
	expect_error("units:\n  - ops: [load]\n", "t.yaml:2: key units[0]: the key 'name' is missing");
	expect_error("units:\n  - {name: a, count: 2}\n", "t.yaml:2: key units[0]: the key 'ops' is missing");
	expect_error(
		"queues: [{name: a},{name: b},{name: c},{name: d},{name: e},{name: f},{name: g},{name: h},{name: i}]",
		"t.yaml:1: key queues: too many entries: at most 8");
	expect_error("queues: [{name: abcdefghijklmnopqrstuvwxyzabcdef}]\n",
		     "t.yaml:1: key queues[0].name: longer than 31 characters");
	expect_error("queues: [{name: ''}]\n", "t.yaml:1: key queues[0].name: must not be empty");
	expect_error("queues:\n  - name: a.b\n",
		     "t.yaml:2: key queues[0].name: a name is made of letters, digits, '_' and '-'");
	expect_error("queues:\n  - name: a\n  - name: a\n", "t.yaml:3: key queues[1].name: two queues are called a");
	expect_error("units:\n  - {name: a, ops: [load]}\n  - {name: a, ops: []}\n",
		     "t.yaml:3: key units[1].name: two units are called a");
	expect_error("units: [{name: a, queue: b, ops: []}]\n", "t.yaml:1: key units[0].queue: no queue is called b");
	expect_error("queues: [{name: x}, {name: y}]\nunits:\n  - {name: a, ops: []}\n",
		     "t.yaml:3: key units[0]: the key 'queue' is missing: there are 2 queues");
	expect_error("queues: [{name: x}, {name: y}]\n",
		     "t.yaml:1: key queues: unit alu is fed by queue all, which this "
		     "list does not have: give units too");
}

static void long_texts(void **state)
{
	char text[5000] = "description: ";
	memset(text + strlen(text), 'x', 256);
	expect_error(text, "t.yaml:1: key description: longer than 255 characters");
	memset(text + strlen(text), 'x', 4000);
	expect_error(text, "t.yaml:1: key description: longer than 255 characters");
	strcpy(text, "window: {rob: ");
	memset(text + strlen(text), 'y', 100);
	text[14 + 100] = '\0';
	strcat(text, "}");
	expect_error(text, "t.yaml:1: key window.rob: expected a whole number from 1 to 8192 entries; found "
			   "'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...'");
}

/* Far more keys than any machine has are refused before they cost time. */
static void too_many_keys(void **state)
{
	char *text = calloc(1, 100000), *end = stpcpy(text, "ideal: [");
	for (int i = 0; i < 5000; i++)
		end = stpcpy(end, "\ndl1,");
	strcpy(end, "]\n");
	expect_error(text, "t.yaml:4000: too many keys");
	free(text);
}

/* A machine that a program put together. */
static void rules_for_programs(void **state)
{
	struct machine m, good;
	struct error err;
	expect_good(&good, "{}");
	m = good;
	m.ideal = 1u << CULPRIT_EVENT_COUNT;
	assert_false(machine_check(&m, "m", &err));
	assert_string_equal(err.text, "m: key ideal: unknown event class");
	m = good;
	m.unit_count = MACHINE_UNITS_MAX + 1;
	assert_false(machine_check(&m, "m", &err));
	assert_string_equal(err.text, "m: key units: 17 units: expected 1 to 16");
	m = good;
	m.units[1].queue = 3;
	assert_false(machine_check(&m, "m", &err));
	assert_string_equal(err.text, "m: key units.muldiv.queue: there is no queue number 3");
}

static void rules_between_keys(void **state)
{
	expect_error("l1d: {line: 48}\n", "t.yaml: key l1d.line: 48 is not a power of two");
	expect_error("tlb: {page: 5000}\n", "t.yaml: key tlb.page: 5000 is not a power of two");
	expect_error("branch: {gshare_entries: 5000}\n",
		     "t.yaml: key branch.gshare_entries: 5000 is not a power of two");
	expect_error("branch: {tage_kib: 48}\n", "t.yaml: key branch.tage_kib: 48 is not a power of two");
	expect_error("lsq: {ssit_entries: 1000}\n", "t.yaml: key lsq.ssit_entries: 1000 is not a power of two");
	expect_error("l1d: {size: 16, line: 32}\n",
		     "t.yaml: keys l1d.size and l1d.line: 16 bytes are not whole lines of 32");
	expect_error("l1i: {size: 0}\n", "t.yaml: keys l1i.size and l1i.line: 0 bytes are not whole lines of 32");
	expect_error("l1d: {size: 16384, ways: 3, line: 32}\n",
		     "t.yaml: keys l1d.size and l1d.ways: 3 ways do not divide 512 entries");
	expect_error("l1d: {size: 24576, ways: 4, line: 32}\n",
		     "t.yaml: keys l1d.size and l1d.ways: 192 sets (768 / 4) are not a power of two");
	expect_error("l1d: {size: 24576, ways: 12, line: 32, replacement: plru}\n",
		     "t.yaml: keys l1d.replacement and l1d.ways: plru needs a power of two of ways, at most 64, not "
		     "12");
	expect_error("l1d: {size: 8192, ways: 0, line: 32, replacement: plru}\n",
		     "t.yaml: keys l1d.replacement and l1d.ways: plru needs a power of two of ways, at most 64, not "
		     "256");
	expect_error("l2: {line: 16}\n",
		     "t.yaml: keys l1i.line and l2.line: a line of 32 bytes does not fit into one of 16");
	expect_error("l1d: {line: 256}\n",
		     "t.yaml: keys l1d.line and l2.line: a line of 256 bytes does not fit into one of 128");
	expect_error("l3: {size: 4194304, line: 64}\n",
		     "t.yaml: keys l2.line and l3.line: a line of 128 bytes does not fit into one of 64");
	expect_error("tlb: {page: 1024}\nl1d: {line: 2048}\nl2: {line: 2048}\n",
		     "t.yaml: keys l1d.line and tlb.page: a line of 2048 bytes is larger than a page of 1024");
	expect_error("tlb: {d_entries: 48, d_ways: 5}\n",
		     "t.yaml: keys tlb.d_entries and tlb.d_ways: 5 ways do not divide 48 entries");
	expect_error("tlb: {l2_entries: 64}\n",
		     "t.yaml: keys tlb.l2_entries, tlb.i_entries and tlb.d_entries: a second "
		     "level behind two perfect TLBs is never used");
	expect_error("branch: {train_queue: 4, predictor: tage_sc_l}\n",
		     "t.yaml: keys branch.train_queue and branch.predictor: only counters (bimodal, gshare, combined, "
		     "bi_mode) wait to be written");
	expect_error("branch: {block: 16, predictor: gshare}\n",
		     "t.yaml: keys branch.block and branch.predictor: only bi_mode finds counters by blocks");
	expect_error("branch: {choice_row: 8}\n",
		     "t.yaml: keys branch.choice_row and branch.block: a row has a counter for each block");
	expect_error("branch: {predictor: bi_mode, block: 16, choice_row: 6}\n",
		     "t.yaml: key branch.choice_row: 6 is not a power of two");
	expect_error(
		"branch: {indirect: path, btb_entries: 0}\n",
		"t.yaml: keys branch.indirect and branch.btb_entries: a perfect BTB (0) knows where indirect jumps "
		"go");
	expect_error("l1d: {miss_alias: 96}\n", "t.yaml: key l1d.miss_alias: 96 is not a power of two");
	expect_error("l1d: {line: 64, miss_alias: 64}\n",
		     "t.yaml: keys l1d.miss_alias and l1d.line: all lines would be taken for one another");
	expect_error("window: {rob_room: 4}\n",
		     "t.yaml: keys window.rob_room and dispatch.whole_groups: only groups find room as a whole");
	expect_error("dispatch: {whole_groups: true}\nwindow: {rob: 4, rob_room: 5}\n",
		     "t.yaml: keys window.rob_room and window.rob: so many entries are never free");
	expect_error("dispatch: {whole_groups: true, rows: true}\nwindow: {rob_room: 4}\n",
		     "t.yaml: keys window.rob_room and dispatch.rows: a group takes a row, whatever it needs");
	expect_error("lsq: {load_order: 1, disambiguation: perfect}\n",
		     "t.yaml: keys lsq.load_order and lsq.disambiguation: loads are taken back only with store_sets "
		     "and speculative");
	expect_error("lsq: {store_data: apart, disambiguation: conservative}\n",
		     "t.yaml: keys lsq.store_data and lsq.disambiguation: with conservative loads wait until older "
		     "stores have issued, with their data");
	expect_error("lsq: {data_penalty: 1, disambiguation: speculative}\n",
		     "t.yaml: keys lsq.data_penalty and lsq.store_data: only with apart loads wait for the data of "
		     "stores");
	expect_error("lsq: {violation_delay: 9, disambiguation: conservative}\n",
		     "t.yaml: keys lsq.violation_delay and lsq.disambiguation: loads are taken back only with "
		     "store_sets and speculative");
	expect_error(
		"lsq: {check_bytes: 16, disambiguation: perfect}\n",
		"t.yaml: keys lsq.check_bytes and lsq.disambiguation: loads are taken back only with store_sets and "
		"speculative");
	expect_error("dispatch: {rows: true, width: 4}\nwindow: {rob: 3}\n",
		     "t.yaml: keys dispatch.rows and window.rob: the ROB has no room for a row of dispatch.width");
	expect_error("dispatch: {rows: true}\nwindow: {fold: 2}\n",
		     "t.yaml: keys window.fold and dispatch.rows: a row has an entry for each of its slots");
	expect_error("fetch: {block: 16, bank: 16}\n",
		     "t.yaml: keys fetch.bank and fetch.block: a block has several banks");
	expect_error("branch: {early_entries: 100}\n", "t.yaml: key branch.early_entries: 100 is not a power of two");
	expect_error("branch: {btb_entries: 12, btb_ways: 4}\n",
		     "t.yaml: keys branch.btb_entries and branch.btb_ways: 3 sets (12 / 4) are not a power of two");
	expect_error("window: {lsq: 64, sq: 32}\n", "t.yaml: keys window.lsq and window.sq: one queue for both (64) or "
						    "one each (32), not both ways");
	expect_error("window: {int_regs: 32}\n", "t.yaml: key window.int_regs: 32 registers leave none beside the 32 "
						 "architectural ones (0 = unlimited)");
	expect_error("queues: [{name: all, width: 5}]\n",
		     "t.yaml: keys queues.all.width and issue.width: a queue cannot "
		     "issue 5 where the machine issues 4");
	expect_error("queues: []\n",
		     "t.yaml:1: key queues: unit alu is fed by queue all, which this list does not have: "
		     "give units too");
	expect_error("queues: []\nunits: []\n", "t.yaml: key queues: 0 queues: expected 1 to 8");
	expect_error("units: [{name: a, ops: [load]}]\n", "t.yaml: key units: no unit executes int_alu");
	expect_error("units: []\n", "t.yaml: keys queues.all and units: the queue feeds no unit");
	expect_error("units: [{name: a, ops: [int_alu]}, {name: b, ops: [int_alu, load]}]\n",
		     "t.yaml: keys units.a.ops and units.b.ops: both execute int_alu, and one queue feeds both: give "
		     "one of them a count");
	expect_error("units: [{name: a, ops: []}]\n", "t.yaml: key units.a.ops: the unit executes nothing");
}

/* Without a place for it, the caller gets no error text but the same answer. */
static void error_may_be_absent(void **state)
{
	struct machine m;
	assert_false(machine_parse(&m, "rob: 1", 6, "t.yaml", NULL));
	assert_false(machine_parse(&m, "window: {lsq: 1, lq: 1}", 23, "t.yaml", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(yaml_itself),
		cmocka_unit_test(unknown_keys),
		cmocka_unit_test(keys_given_twice),
		cmocka_unit_test(numbers),
		cmocka_unit_test(words),
		cmocka_unit_test(structure),
		cmocka_unit_test(long_texts),
		cmocka_unit_test(rules_between_keys),
		cmocka_unit_test(too_many_keys),
		cmocka_unit_test(rules_for_programs),
		cmocka_unit_test(error_may_be_absent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
