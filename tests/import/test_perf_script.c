/* Lines of perf script as its versions print them, and what is wrong with others. */
#include "import/perf_script.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STACK " 0x10440/0x1042c/P/-/-/3  0x10400/0x10410/M/-/-/17 "

static struct error err;

static bool parse(struct perf_script *s, const char *text)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	assert_non_null(in);
	err = (struct error){ERROR_NONE, ""};
	bool good = perf_script_parse(s, in, "text", &err);
	fclose(in);
	return good;
}

static void wrong(const char *text, const char *expected)
{
	struct perf_script s;
	assert_false(parse(&s, text));
	assert_string_equal(err.text, expected);
	perf_script_destroy(&s);
}

/* One line, one sample; it is returned with its first branch record. */
static struct culprit_precise_sample one(const char *line, struct culprit_branch_record *b)
{
	struct perf_script s;
	if (!parse(&s, line))
		fail_msg("%s: %s", line, err.text);
	assert_int_equal(s.count, 1);
	struct culprit_precise_sample x = s.samples[0];
	*b = s.branches[0];
	perf_script_destroy(&s);
	return x;
}

/* --- forms --- */

static void forms(void **state)
{
	static const struct {
		const char *line;
		uint64_t ip;
		uint32_t latency;
		uint8_t level, flags;
	} rows[] = {
		{"prog 7 [001] 5.000123: 1000 instructions:ppp: 7ffd10 68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or "
		 "L2 hit|LCK No 5 12 10432" STACK,
		 0x10432, 5, CULPRIT_LEVEL_L1, CULPRIT_PRECISE_ACCESS},
		{"prog 7 5.000123456: instructions:ppp: 7ffd10 10268100842 |OP LOAD|LVL L3 or L3 hit|SNP None|TLB L1 "
		 "or "
		 "L2 hit|LCK No|BLK  N/A\t\t47 12 3 10432 main+0x4 (/bin/prog)" STACK,
		 0x10432, 47, CULPRIT_LEVEL_L3, CULPRIT_PRECISE_ACCESS},
		{"a name 7/8 5.0: 1 inst_retired.any: 0 5080021 |OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A 0 10432" STACK,
		 0x10432, 0, 0, 0},
		{"prog 7 5.0: cpu/mem-loads,ldlat=3/P: 7ffd10 1 |OP LOAD|LVL LFB/MAB or LFB/MAB hit|SNP None|TLB "
		 "Walker "
		 "hit|LCK Yes|BLK  Data  Addr|AFF N/A 300 7fad7c47425d add (/lib/x.so)" STACK,
		 0x7fad7c47425d, 300, CULPRIT_LEVEL_NONE,
		 CULPRIT_PRECISE_ACCESS | CULPRIT_PRECISE_MERGED | CULPRIT_PRECISE_WALK},
		{"p 1 5.0: ibs_op//: 7 1 |OP STORE|LVL Local RAM hit|SNP N/A|TLB L2 miss|LCK No 88 10432" STACK,
		 0x10432, 88, CULPRIT_LEVEL_MEMORY, CULPRIT_PRECISE_ACCESS | CULPRIT_PRECISE_WALK},
		{"p 1 5.0: instructions: 7 1 |OP LOAD|LVL L1 miss|SNP N/A|TLB N/A|LCK No 8 10432" STACK, 0x10432, 8,
		 CULPRIT_LEVEL_L2, CULPRIT_PRECISE_ACCESS},
		{"p 1 5.0: instructions: 7 1 |OP LOAD|LVL Remote Cache (1 hop) hit|SNP N/A|TLB N/A|LCK No 8 "
		 "10432" STACK,
		 0x10432, 8, CULPRIT_LEVEL_L3, CULPRIT_PRECISE_ACCESS},
		{"prog 7 5.0: instructions: 7ffd10 10432" STACK, 0x10432, 0, 0, 0},
		/* a weight that is larger than the address, read as either */
		{"p 1 5.0: instructions: 7 1 |OP LOAD|LVL Local RAM hit|SNP N/A|TLB N/A|LCK No 70000 12 10432" STACK,
		 0x10432, 70000, CULPRIT_LEVEL_MEMORY, CULPRIT_PRECISE_ACCESS},
		{"p 1 5.0: instructions: 7 1 |OP LOAD|LVL L1 hit|SNP N/A|TLB N/A|LCK No 900000 1 10432 add "
		 "(/bin/p)" STACK,
		 0x10432, 900000, CULPRIT_LEVEL_L1, CULPRIT_PRECISE_ACCESS},
		/* an address that begins with a letter */
		{"p 1 5.0: instructions: 7 1 |OP LOAD|LVL L1 hit|SNP N/A|TLB N/A|LCK No 90000000 a0b2"
		 " 0xa0c0/0xa0a0/P/-/-/3 0xa000/0xa010/P/-/-/3",
		 0xa0b2, 90000000, CULPRIT_LEVEL_L1, CULPRIT_PRECISE_ACCESS},
		{"p 1 5.0: instructions: 10432 add (/bin/p)" STACK, 0x10432, 0, 0, 0},
		{"  10432" STACK, 0x10432, 0, 0, 0},
		{"prog 10432" STACK, 0x10432, 0, 0, 0},
		{"p 1 5.0: cycles: \n\t   10432 main (/bin/p)\n\t   99999 start (/bin/p)\n\np 1 cycles: 5" STACK "\n",
		 0x10432, 0, 0, 0},
	};
	for (size_t i = 0; i + 1 < sizeof rows / sizeof *rows; i++) {
		struct culprit_branch_record b;
		struct culprit_precise_sample x = one(rows[i].line, &b);
		assert_int_equal(x.ip, rows[i].ip);
		assert_int_equal(x.latency, rows[i].latency);
		assert_int_equal(x.level, rows[i].level);
		assert_int_equal(x.flags, rows[i].flags | CULPRIT_PRECISE_STACK);
		assert_int_equal(x.branch_count, 2);
		assert_true((b.from == 0x10440 || b.from == 0xa0c0) && b.cycles == 3);
	}
	struct perf_script s; /* a call chain has the address */
	assert_true(parse(&s, rows[sizeof rows / sizeof *rows - 1].line));
	assert_int_equal(s.count, 2);
	assert_int_equal(s.samples[0].ip, 0x10432);
	perf_script_destroy(&s);
}

static void branch_forms(void **state)
{
	static const struct {
		const char *word;
		uint32_t cycles;
		uint8_t flags;
	} rows[] = {
		{"0x10/0x20/M/-/-/0", 0, CULPRIT_BRANCH_WAS_MISPREDICTED},
		{"0x10/0x20/P/X/A/65535", 65535, CULPRIT_BRANCH_WAS_PREDICTED},
		{"0x10/0x20/-/-/-/7/COND", 7, 0},
		{"0x10/0x20/PN/-/-/7/COND/-", 7, CULPRIT_BRANCH_WAS_PREDICTED | CULPRIT_BRANCH_NOT_TAKEN},
		{"0x10/0x20/MN/-/-/7/COND/SPEC_CORRECT_PATH", 7,
		 CULPRIT_BRANCH_WAS_MISPREDICTED | CULPRIT_BRANCH_NOT_TAKEN},
		{"0x10/0x20/N/-/-/-", 0, CULPRIT_BRANCH_NOT_TAKEN},
		{"0x10(/usr/bin/x)/0x20(/lib/y.so)/P/-/-/9", 9, CULPRIT_BRANCH_WAS_PREDICTED},
		{"0x10(/a+0x10)/0x20(/a+0x20)/P/-/-/9//-", 9, CULPRIT_BRANCH_WAS_PREDICTED},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct culprit_branch_record b = {.from = 0};
		assert_true(perf_branch_is(rows[i].word));
		assert_null(perf_branch_parse(rows[i].word, &b));
		assert_true(b.from == 0x10 && b.to == 0x20);
		assert_int_equal(b.cycles, rows[i].cycles);
		assert_int_equal(b.flags, rows[i].flags);
	}
	assert_false(perf_branch_is("0x10"));
	assert_false(perf_branch_is("/bin/prog"));
	assert_true(perf_branch_symbolic("main+0x1/main+0x2/P/-/-/3"));
	assert_false(perf_branch_symbolic("/usr/lib/a/b/c/d"));
}

static void mappings(void **state)
{
	struct perf_script s;
	assert_true(parse(&s, "p 1 5.0: PERF_RECORD_MMAP2 1/1: [0x10000(0x6e000) @ 0x1000 08:01 5 0]: r-xp /bin/p\n"
			      "p 1 5.0: PERF_RECORD_MMAP2 1/1: [0x90000(0x1000) @ 0 08:01 5 0]: rw-p /bin/p\n"
			      "PERF_RECORD_MMAP -1/0: [0x2000(0x1000) @ 0]: x [vdso]\n"
			      "PERF_RECORD_COMM: p:1/1\n"
			      "p 1 5.0: instructions: 10432" STACK "\n"));
	assert_int_equal(s.mapping_count, 1);
	assert_int_equal(s.mappings[0].start, 0x10000);
	assert_int_equal(s.mappings[0].size, 0x6e000);
	assert_int_equal(s.mappings[0].offset, 0x1000);
	assert_string_equal(s.mappings[0].path, "/bin/p");
	assert_int_equal(s.others, 3);
	perf_script_destroy(&s);
}

/* --- which samples are used for what --- */

static void events(void **state)
{
	struct perf_script s;
	assert_true(parse(&s, "p 1 1.0: instructions:ppp: 10432" STACK "\n"
			      "p 1 2.0: br_misp_retired.all_branches: 10432" STACK "\n"
			      "p 1 3.0: cpu/mem-loads,ldlat=30/P: 7 1 |OP LOAD|LVL L2 hit|LCK No 31 10436" STACK "\n"));
	assert_int_equal(s.count, 3);
	assert_int_equal(s.samples[0].flags, CULPRIT_PRECISE_STACK);
	assert_int_equal(s.samples[1].flags, 0);
	assert_int_equal(s.samples[2].flags, CULPRIT_PRECISE_ACCESS);
	assert_int_equal(s.unused, 1);
	assert_int_equal(s.events[2].slowest, 30);
	assert_false(s.all_paths);
	perf_script_destroy(&s);
	assert_true(parse(&s, "p 1 1.0: cycles:ppp: 10432" STACK "\n"));
	assert_int_equal(s.samples[0].flags, CULPRIT_PRECISE_STACK);
	assert_true(s.all_paths);
	perf_script_destroy(&s);
}

/* SPE prints a sample once for each of its events. */
static void printed_again(void **state)
{
	struct perf_script s;
	assert_true(parse(&s, "p 1 1.000001: instructions: 10432" STACK "\n"
			      "p 1 1.000001: l1d-miss: 7 1 |OP LOAD|LVL L2 hit|LCK No 31 10432" STACK "\n"
			      "p 1 1.000002: instructions: 10432" STACK "\n"));
	assert_int_equal(s.count, 2);
	assert_int_equal(s.merged, 1);
	assert_int_equal(s.branch_count, 4);
	assert_int_equal(s.samples[0].level, CULPRIT_LEVEL_L2);
	assert_int_equal(s.samples[0].flags, CULPRIT_PRECISE_ACCESS | CULPRIT_PRECISE_STACK);
	assert_int_equal(s.samples[1].flags, CULPRIT_PRECISE_STACK);
	perf_script_destroy(&s);
}

/* --- errors --- */

static void errors(void **state)
{
	wrong("PERFILE2\1\2\3",
	      "text: a file of perf record: print it first, with perf script --show-mmap-events -F " PERF_FIELDS);
	wrong("hello\n",
	      "text: no samples of perf script in it; print them with perf script --show-mmap-events -F " PERF_FIELDS);
	wrong("p 1 1.0: cycles: 10432\n",
	      "text: no sample has a branch stack that can be used: perf record -b (or -j any,u) takes them, and perf "
	      "script -F brstack prints them");
	wrong("\np 1 1.0: cycles: 10432 0x1/0x2/Q/-/-/0\n",
	      "text:2: 0x1/0x2/Q/-/-/0: its prediction is none of P, M, N and -");
	wrong("p 1 1.0: cycles: 10432 0x1/0x2\n", "text:1: 0x1/0x2: not 0xFROM/0xTO/...");
	wrong("p 1 1.0: cycles: 10432 0x1/0x2/P/-\n", "text:1: 0x1/0x2/P/-: its field of aborts is neither A nor -");
	wrong("p 1 1.0: cycles: 10432 0x1/0x2/P/-/-/x\n", "text:1: 0x1/0x2/P/-/-/x: its cycles are no number");
	wrong("p 1 1.0: cycles: 10432 0x1/0x2//-/-/1\n",
	      "text:1: 0x1/0x2//-/-/1: its prediction (P, M, N or -) is missing");
	wrong("p 1 1.0: cycles: 10432 main+0x1/main+0x2/P/-/-/3\n",
	      "text:1: main+0x1/main+0x2/P/-/-/3: a branch by names: print it with -F brstack, not brstacksym");
	wrong("PERF_RECORD_MMAP2 1/1: [x] r-xp /bin/p\n",
	      "text:1: a mapping that is not [0xSTART(0xSIZE) @ 0xOFFSET ...]: r-xp PATH");
	struct perf_script s;
	assert_false(perf_script_read(&s, "/nonexistent/x", &err));
	assert_string_equal(err.text, "/nonexistent/x: No such file or directory");
	perf_script_destroy(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),  cmocka_unit_test(branch_forms),  cmocka_unit_test(mappings),
		cmocka_unit_test(events), cmocka_unit_test(printed_again), cmocka_unit_test(errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
