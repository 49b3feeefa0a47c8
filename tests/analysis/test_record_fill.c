/* Records whose source does not tell all. What is declared unknown is not believed, whatever the record has there, and nothing else
 * is touched: which members belong to a field the table of fields says, as words for its readers. Then what is put in, by arithmetic. */
#include "analysis/record_fill.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 16 };

struct taken {
	struct culprit_record records[MOST];
	size_t count;
};

static bool take(void *context, const struct culprit_record *records, size_t count)
{
	struct taken *t = context;
	assert_true(t->count + count <= MOST);
	memcpy(&t->records[t->count], records, count * sizeof *records);
	t->count += count;
	return true;
}

static struct culprit_graph_params machine(void)
{
	return (struct culprit_graph_params){
		.rob = 64, .fetch_width = 4, .dispatch_width = 4, .commit_width = 4, .dispatch_to_issue = 2};
}

static struct taken filled(const struct culprit_graph_params *p, culprit_field_set unknown,
			   const struct culprit_record *r, size_t count)
{
	struct record_fill f;
	struct taken t = {.count = 0};
	assert_true(record_fill_create(&f, p, unknown));
	assert_true(record_fill_push(&f, r, count, take, &t));
	assert_true(record_fill_finish(&f, take, &t));
	record_fill_destroy(&f);
	assert_int_equal(t.count, count);
	return t;
}

/* --- what is not told --- */

/* Something in every member. */
static struct culprit_record full(void)
{
	struct culprit_record r;
	memset(&r, 0, sizeof r);
#define MEMBER(name) r.name = 7;
#include "culprit/record_member.def"
#undef MEMBER
	r.seq = 0;
	r.fetch = 100;
	r.dispatch = 110;
	r.ready = 115;
	r.issue = 116;
	r.complete = 150;
	r.commit = 160;
	r.flags = UINT16_MAX;
	r.branch = CULPRIT_BRANCH_NONE;
	return r;
}

/* Is it a word of the list: "mem_addr, mem_size"? `producer` stands for all three. */
static bool listed(const char *list, const char *name)
{
	size_t length = strcspn(name, "[");
	for (const char *at = list; (at = strstr(at, name[length] ? "producer" : name)); at++)
		if ((at == list || at[-1] == ' ') && !isalnum((unsigned char)at[length]) && at[length] != '_')
			return true;
	return false;
}

/* Members that are made of others when a field is not told. */
static bool made(const char *field, const char *name)
{
	static const char *const rows[][2] = {
		{"miss", "exec_latency"},
		{"ready", "contender"},
		{"redirect", "redirect"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i][0], field) && !strcmp(rows[i][1], name))
			return true;
	return false;
}

static uint16_t flags_of(const char *members)
{
	static const struct {
		const char *name;
		uint16_t bits;
	} rows[] = {
		{"FORWARDED", CULPRIT_FORWARDED},
		{"AT_HEAD", CULPRIT_AT_HEAD},
		{"VIOLATED", CULPRIT_VIOLATED},
		{"MERGED", CULPRIT_MERGED},
		{"PREFETCHED", CULPRIT_PREFETCHED},
		{"MISPREDICTED", CULPRIT_MISPREDICTED},
		{"DIRECTION_WRONG", CULPRIT_DIRECTION_WRONG},
		{"BTB_MISS", CULPRIT_BTB_MISS},
		{"SERIALISING", CULPRIT_SERIALISING},
		{"TAKEN", CULPRIT_TAKEN | CULPRIT_FETCH_BREAK_TAKEN},
	};
	uint16_t flags = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (listed(members, rows[i].name))
			flags |= rows[i].bits;
	return flags;
}

static void expect_member(const struct culprit_field_info *info, const char *name, uint64_t was, uint64_t is)
{
	if (!strcmp(name, "flags"))
		assert_int_equal(is, was & (uint16_t)~flags_of(info->members));
	else if (!listed(info->members, name) && !made(info->name, name) && is != was)
		fail_msg("%s unknown: %s was %llu, is %llu", info->name, name, (unsigned long long)was,
			 (unsigned long long)is);
	else if (listed(info->members, name) && strcmp(name, "ready") != 0 && is == was)
		fail_msg("%s unknown: %s is believed", info->name, name);
}

static void only_the_fields_own(void **state)
{
	const struct culprit_graph_params p = machine();
	const struct culprit_record was = full();
	struct culprit_field_info info;
	unsigned optional = 0;
	for (unsigned field = 0; culprit_field_info(field, &info); field++) {
		if (info.required)
			continue;
		optional++;
		const struct taken t = filled(&p, 1u << field, &was, 1);
		const struct culprit_record *is = &t.records[0];
#define MEMBER(name) expect_member(&info, #name, was.name, is->name);
#include "culprit/record_member.def"
#undef MEMBER
	}
	assert_true(optional >= 15);
	(void)state;
}

static void all_is_told(void **state)
{
	const struct culprit_graph_params p = machine();
	const struct culprit_record was = full();
	const struct taken t = filled(&p, 0, &was, 1);
	assert_memory_equal(&t.records[0], &was, sizeof was);
	(void)state;
}

/* --- what is put in --- */

/* One a cycle from 10 on, each issues 5 cycles after its fetch and takes one cycle. */
static struct culprit_record plain(uint64_t i)
{
	return (struct culprit_record){.seq = i,
				       .pc = 0x1000 + 4 * i,
				       .length = 4,
				       .fetch = 10 + i,
				       .dispatch = 12 + i,
				       .ready = 14 + i,
				       .issue = 15 + i,
				       .complete = 16 + i,
				       .commit = 17 + i,
				       .exec_latency = 1,
				       .wakeup = 1,
				       .dest = 64};
}

/* Ready when it has been renamed, where that comes behind dispatch: two queue entries are free when the first two have issued, in 30 and in 31,
 * one register when the second one, which took it, commits, in 52. All that come behind are renamed in order. */
static void ready_when_renamed(void **state)
{
	enum { READY = CULPRIT_FIELD_BIT(ready) };
	struct culprit_graph_params p = machine();
	p.late_rename = 1;
	p.queue_count = 1;
	p.queue_entries[0] = 2;
	struct culprit_record r[5] = {plain(0), plain(1), plain(2), plain(3), plain(4)};
	for (uint64_t i = 0; i < 2; i++) {
		r[i].issue = 30 + i;
		r[i].complete = 31 + i;
		r[i].commit = 51 + i;
	}
	for (uint64_t i = 2; i < 5; i++)
		r[i].issue = 60, r[i].complete = 61, r[i].commit = 62;
	r[3].queue = 1; /* which there is not */
	assert_int_equal(filled(&p, READY, r, 5).records[2].ready, 32);
	assert_int_equal(filled(&p, READY, r, 5).records[3].ready, 32);
	assert_int_equal(filled(&p, READY, r, 5).records[4].ready, 33);
	r[1].dest = r[3].dest = 5;
	p.int_regs = 1;
	assert_int_equal(filled(&p, READY, r, 5).records[2].ready, 32);
	assert_int_equal(filled(&p, READY, r, 5).records[3].ready, 54);
	assert_int_equal(filled(&p, READY, r, 5).records[4].ready, 54);
	p.late_rename = 0;
	assert_int_equal(filled(&p, READY, r, 5).records[4].ready, 18);
	(void)state;
}

/* Ready: two cycles after dispatch, when the operands are there, when it is the oldest; never after its issue. */
static void ready_by_its_parts(void **state)
{
	const struct culprit_graph_params p = machine();
	struct culprit_record r[3] = {plain(0), plain(1), plain(2)};
	r[0].complete = 40;
	r[0].wakeup = 20; /* issue 15: dependents from 40 on, when it is complete */
	r[0].commit = 45;
	r[1].commit = 52;
	r[2].issue = 60;
	r[2].complete = 61;
	r[2].commit = 62;
	assert_int_equal(filled(&p, CULPRIT_FIELD_BIT(ready), r, 3).records[2].ready, 14 + 2);
	r[2].producer[1] = 2;
	assert_int_equal(filled(&p, CULPRIT_FIELD_BIT(ready), r, 3).records[2].ready, 40);
	r[0].wakeup = 28; /* a wake-up loop that is longer than the operation */
	assert_int_equal(filled(&p, CULPRIT_FIELD_BIT(ready), r, 3).records[2].ready, 43);
	r[2].flags = CULPRIT_AT_HEAD; /* the one in front commits in 52 */
	assert_int_equal(filled(&p, CULPRIT_FIELD_BIT(ready), r, 3).records[2].ready, 52);
	assert_int_equal(filled(&p, CULPRIT_FIELD_BIT(ready) | CULPRIT_FIELD_BIT(order), r, 3).records[2].ready, 43);
	r[2].issue = 50;
	assert_int_equal(filled(&p, CULPRIT_FIELD_BIT(ready), r, 3).records[2].ready, 50);
	r[2].issue = 60; /* nothing says whom it waited for */
	assert_int_equal(filled(&p, CULPRIT_FIELD_BIT(ready) | CULPRIT_FIELD_BIT(operands), r, 3).records[2].ready, 60);
	r[0].flags = CULPRIT_AT_HEAD; /* nobody is in front of the first */
	assert_int_equal(filled(&p, CULPRIT_FIELD_BIT(ready), r, 1).records[0].ready, 14);
	(void)state;
}

/* The latency is what is left of complete - issue; a load's whole latency, where nothing says what part is a miss. */
static void latency_by_subtraction(void **state)
{
	const struct culprit_graph_params p = machine();
	struct culprit_record r = plain(0);
	r.flags = CULPRIT_LOAD;
	r.complete = r.issue + 30;
	r.dmiss = 20;
	r.dtlb = 6;
	r.exec_latency = r.wakeup = 9;
	struct culprit_record is = filled(&p, CULPRIT_FIELD_BIT(latency), &r, 1).records[0];
	assert_int_equal(is.exec_latency, 4);
	assert_int_equal(is.wakeup, 30);
	is = filled(&p, CULPRIT_FIELD_BIT(miss), &r, 1).records[0];
	assert_int_equal(is.exec_latency, 30);
	assert_int_equal(is.wakeup, 9);
	assert_int_equal(is.dmiss + is.dtlb, 0);
	r.complete = r.issue + 65535 + 100; /* more than a latency has room for: the rest is a miss */
	is = filled(&p, CULPRIT_FIELD_BIT(miss), &r, 1).records[0];
	assert_int_equal(is.exec_latency, 65535);
	assert_int_equal(is.dmiss, 100);
	(void)state;
}

static void levels_behind_the_first(void **state)
{
	const struct culprit_graph_params p = machine();
	struct culprit_record r = plain(0);
	r.dlevel = r.ilevel = CULPRIT_LEVEL_MEMORY;
	r.complete = r.issue + 21;
	r.dmiss = 20;
	struct culprit_record is = filled(&p, CULPRIT_FIELD_BIT(level), &r, 1).records[0];
	assert_int_equal(is.dlevel, CULPRIT_LEVEL_L2);
	assert_int_equal(is.ilevel, CULPRIT_LEVEL_NONE);
	r.dmiss = 0;
	r.imiss = 5;
	is = filled(&p, CULPRIT_FIELD_BIT(level), &r, 1).records[0];
	assert_int_equal(is.dlevel, CULPRIT_LEVEL_NONE);
	assert_int_equal(is.ilevel, CULPRIT_LEVEL_L2);
	(void)state;
}

/* A branch is taken when what follows is not the next instruction. */
static void taken_by_what_follows(void **state)
{
	const struct culprit_graph_params p = machine();
	struct culprit_record r[3] = {plain(0), plain(1), plain(2)};
	r[0].branch = r[1].branch = CULPRIT_BRANCH_CONDITIONAL;
	r[2].pc = 0x8000;
	const struct taken t = filled(&p, CULPRIT_FIELD_BIT(taken), r, 3);
	assert_false(t.records[0].flags & CULPRIT_TAKEN);
	assert_true(t.records[1].flags & CULPRIT_TAKEN);
	(void)state;
}

/* A gap of 20 cycles between two fetches stays, in the class that is not told: a miss, or a redirect of the one in front. */
static void gaps_stay(void **state)
{
	const struct culprit_graph_params p = machine();
	struct culprit_record r[2] = {plain(0), plain(21)};
	r[1].seq = 1;
	r[1].pc = 0x1004; /* fetched in cycle 31, the one in front in 10 */
	struct taken t = filled(&p, CULPRIT_FIELD_BIT(imiss), r, 2);
	assert_int_equal(t.records[1].imiss, 21);
	assert_int_equal(t.records[1].redirect, 0);
	r[1].imiss = 8; /* known: the rest is a redirect */
	t = filled(&p, CULPRIT_FIELD_BIT(redirect), r, 2);
	assert_int_equal(t.records[1].imiss, 8);
	assert_int_equal(t.records[1].redirect, 21 - 8 - 1);
	assert_true(t.records[0].flags & CULPRIT_BTB_MISS);
	r[1].imiss = 21;
	t = filled(&p, CULPRIT_FIELD_BIT(redirect), r, 2);
	assert_int_equal(t.records[1].redirect, 0);
	assert_false(t.records[0].flags & CULPRIT_BTB_MISS);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_fields_own),	  cmocka_unit_test(all_is_told),
		cmocka_unit_test(ready_by_its_parts),	  cmocka_unit_test(ready_when_renamed),
		cmocka_unit_test(latency_by_subtraction), cmocka_unit_test(levels_behind_the_first),
		cmocka_unit_test(taken_by_what_follows),  cmocka_unit_test(gaps_stay),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
