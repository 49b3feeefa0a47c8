/* Every file in machines/ loads, passes the rules, and survives printing; the papers' tables are asserted value by
 * value, typed in here from the papers and not from the files. */
#include "machine_text.h"

#include "machine/machine_rows.h"

#include <dirent.h>

static void load(struct machine *m, const char *name)
{
	struct error err;
	memset(m, 0, sizeof *m);
	if (!machine_load(m, name, &err))
		fail_msg("%s", err.text);
}

static void every_file_survives_printing(void **state)
{
	unsigned count = 0;
	DIR *dir = opendir("machines");
	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));) {
		char path[300];
		struct machine m;
		struct error err;
		size_t length = strlen(entry->d_name);
		if (length < 6 || strcmp(entry->d_name + length - 5, ".yaml"))
			continue;
		snprintf(path, sizeof path, "machines/%s", entry->d_name);
		load(&m, path);
		assert_int_equal(strlen(m.name), length - 5);
		assert_memory_equal(m.name, entry->d_name, length - 5);
		assert_true(*m.description);
		assert_true(machine_check(&m, path, &err));
		assert_int_equal(m.ideal, 0);
		expect_round_trip(&m);
		count++;
	}
	closedir(dir);
	assert_true(count >= 20);
}

static void list_names_them_all(void **state)
{
	struct error err;
	setenv("CULPRIT_MACHINES", "machines:machines", 1); /* twice: names must not be doubled */
	char **names = machine_list(&err);
	assert_non_null(names);
	bool fields = false;
	for (size_t i = 0; names[i]; i++) {
		struct machine m;
		fields |= !strcmp(names[i], "fields2003");
		assert_true(!i || strcmp(names[i - 1], names[i]) < 0);
		load(&m, names[i]);
		assert_string_equal(m.name, names[i]);
	}
	for (size_t i = 0; names[i]; i++)
		free(names[i]);
	free(names);
	unsetenv("CULPRIT_MACHINES");
	assert_true(fields);
}

static const struct machine_unit *unit_of(const struct machine *m, enum culprit_op_class op)
{
	for (uint32_t i = 0; i < m->unit_count; i++)
		if (m->units[i].ops >> op & 1)
			return &m->units[i];
	fail_msg("no unit executes %s", culprit_op_name(op));
	return NULL;
}

/* MICRO 2003, table 6. */
static void fields_table_6(void **state)
{
	struct machine m;
	load(&m, "fields2003");
	assert_int_equal(m.window_rob, 64);
	assert_int_equal(m.issue_width, 6);
	assert_int_equal(m.lsq_disambiguation, disambiguation_perfect);
	assert_int_equal(m.fetch_taken_limit, 2);
	assert_int_equal(m.branch_predictor, direction_predictor_combined);
	assert_int_equal(m.branch_bimodal_entries, 8192);
	assert_int_equal(m.branch_gshare_entries, 8192);
	assert_int_equal(m.branch_meta_entries, 8192);
	assert_int_equal(m.branch_btb_entries, 4096);
	assert_int_equal(m.branch_btb_ways, 2);
	assert_int_equal(m.branch_ras, 64);
	assert_int_equal(m.l1i_size, 32 << 10);
	assert_int_equal(m.l1i_ways, 2);
	assert_int_equal(m.l1d_size, 32 << 10);
	assert_int_equal(m.l1d_ways, 2);
	assert_int_equal(m.l1d_latency, 2);
	assert_int_equal(m.l2_size, 1 << 20);
	assert_int_equal(m.l2_ways, 4);
	assert_int_equal(m.l2_latency, 12);
	assert_int_equal(m.l3_size, 0);
	assert_int_equal(m.memory_latency, 100);
	assert_int_equal(m.tlb_d_entries, 128);
	assert_int_equal(m.tlb_i_entries, 64);
	assert_int_equal(m.tlb_walk_latency, 30);
	assert_int_equal(unit_of(&m, CULPRIT_OP_int_alu)->count, 6);
	assert_int_equal(unit_of(&m, CULPRIT_OP_int_mul)->count, 2);
	assert_int_equal(unit_of(&m, CULPRIT_OP_fp_add)->count, 4);
	assert_int_equal(unit_of(&m, CULPRIT_OP_fp_mul)->count, 2);
	assert_ptr_equal(unit_of(&m, CULPRIT_OP_fp_mul), unit_of(&m, CULPRIT_OP_fp_div));
	assert_int_equal(unit_of(&m, CULPRIT_OP_load)->count, 3);
	assert_ptr_equal(unit_of(&m, CULPRIT_OP_load), unit_of(&m, CULPRIT_OP_store));
	assert_int_equal(m.latency[CULPRIT_OP_int_alu], 1);
	assert_int_equal(m.latency[CULPRIT_OP_int_mul], 3);
	assert_int_equal(m.latency[CULPRIT_OP_fp_add], 2);
	assert_int_equal(m.latency[CULPRIT_OP_fp_mul], 4);
	assert_int_equal(m.latency[CULPRIT_OP_fp_div], 12);
	assert_int_equal(m.latency[CULPRIT_OP_load] + m.l1d_latency, 2);
	/* 15-cycle pipeline: fetch to commit of a one-cycle instruction; misprediction loop: fetch to fetch. */
	assert_int_equal(m.frontend_stages + m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_int_alu] + m.commit_delay,
			 15);
	assert_int_equal(
		m.frontend_stages + m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_branch] + m.frontend_redirect, 15);
}

/* Names of the scalar keys in which two machines differ. */
static void expect_difference(const char *left, const char *right, const char *keys)
{
	struct machine a, b;
	char found[300] = "";
	load(&a, left);
	load(&b, right);
	for (size_t i = 0; i < machine_row_count; i++)
		if (machine_row_get(&a, &machine_rows[i]) != machine_row_get(&b, &machine_rows[i])) {
			size_t used = strlen(found);
			snprintf(found + used, sizeof found - used, " %s.%s", machine_rows[i].section,
				 machine_rows[i].name);
		}
	assert_string_equal(found, keys);
	assert_memory_equal(a.latency, b.latency, sizeof a.latency);
	assert_memory_equal(a.interval, b.interval, sizeof a.interval);
	assert_memory_equal(a.units, b.units, sizeof a.units);
	assert_memory_equal(a.queues, b.queues, sizeof a.queues);
}

static void fields_variants(void **state)
{
	struct machine m;
	expect_difference("fields2003", "fields2003-dl1-4", " l1d.latency");
	expect_difference("fields2003", "fields2003-wakeup-2", " issue.wakeup");
	expect_difference("fields2003", "fields2003-bmisp-15", "");
	load(&m, "fields2003-dl1-4");
	assert_int_equal(m.l1d_latency, 4);
	load(&m, "fields2003-wakeup-2");
	assert_int_equal(m.issue_wakeup, 2);
	load(&m, "fields2003-bmisp-15");
	assert_int_equal(
		m.frontend_stages + m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_branch] + m.frontend_redirect, 15);
}

static void eyerman_common(const struct machine *m)
{
	assert_int_equal(m->l1i_size, 8 << 10);
	assert_int_equal(m->l1i_ways, 1);
	assert_int_equal(m->l1d_size, 16 << 10);
	assert_int_equal(m->l1d_ways, 4);
	assert_int_equal(m->l1d_latency + m->latency[CULPRIT_OP_load], 2);
	assert_int_equal(m->l2_size, 1 << 20);
	assert_int_equal(m->l2_ways, 8);
	assert_int_equal(m->memory_latency, 250);
	assert_int_equal(m->latency[CULPRIT_OP_int_mul], 3);
	assert_int_equal(m->latency[CULPRIT_OP_int_div], 20);
	assert_int_equal(m->latency[CULPRIT_OP_int_alu], 1);
	assert_int_equal(m->branch_predictor, direction_predictor_combined);
	assert_int_equal(m->frontend_stages, 5);
	assert_int_equal(m->frontend_redirect, 0);
}

/* ASPLOS 2006, table 2. */
static void eyerman_2006_table_2(void **state)
{
	struct machine m;
	load(&m, "eyerman2006");
	eyerman_common(&m);
	assert_int_equal(m.window_rob, 128);
	assert_int_equal(m.window_lsq, 64);
	assert_int_equal(m.dispatch_width, 4);
	assert_int_equal(m.commit_width, 4);
	assert_int_equal(m.fetch_width, 8);
	assert_int_equal(m.issue_width, 8);
	assert_int_equal(m.l2_latency, 9);
}

/* TOCS 2009, table III. */
static void eyerman_2009_table_3(void **state)
{
	static const struct {
		const char *name;
		uint32_t width, rob;
	} rows[] = {
		{"eyerman2009-2w", 2, 64},
		{"eyerman2009-4w", 4, 128},
		{"eyerman2009-6w", 6, 256},
		{"eyerman2009-8w", 8, 512},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct machine m;
		load(&m, rows[i].name);
		eyerman_common(&m);
		assert_int_equal(m.dispatch_width, rows[i].width);
		assert_int_equal(m.issue_width, rows[i].width);
		assert_int_equal(m.commit_width, rows[i].width);
		assert_int_equal(m.fetch_width, 2 * rows[i].width);
		assert_int_equal(m.fetch_buffer, 2 * rows[i].width);
		assert_int_equal(m.window_rob, rows[i].rob);
		assert_int_equal(m.window_lsq, 0);
		assert_int_equal(m.l1i_line, 32);
		assert_int_equal(m.l1d_line, 32);
		assert_int_equal(m.l2_line, 128);
		assert_int_equal(m.l2_latency, 10);
		assert_int_equal(m.branch_meta_entries, 4096);
		assert_int_equal(m.branch_bimodal_entries, 4096);
		assert_int_equal(m.branch_gshare_entries, 4096);
		assert_int_equal(unit_of(&m, CULPRIT_OP_int_alu)->count, rows[i].width);
	}
}

/* BOOM's config-mixins.scala: decode, ROB, queues mem/int/fp, their widths, registers, LQ = SQ, L1 KiB, ways, MSHRs. */
static void boom_family(void **state)
{
	static const struct {
		const char *name;
		uint32_t decode, rob, entries[3], width[3], int_regs, fp_regs, lq, l1, ways, mshrs;
	} rows[] = {
		{"boom-small", 1, 32, {8, 8, 8}, {1, 1, 1}, 52, 48, 8, 16, 4, 2},
		{"boom-medium", 2, 64, {12, 20, 16}, {1, 2, 1}, 80, 64, 16, 16, 4, 2},
		{"boom-large", 3, 96, {16, 32, 24}, {1, 3, 1}, 100, 96, 24, 32, 8, 4},
		{"boom-mega", 4, 128, {24, 40, 32}, {2, 4, 2}, 128, 128, 32, 32, 8, 8},
		{"boom-giga", 5, 130, {24, 40, 32}, {2, 5, 2}, 128, 128, 32, 32, 8, 8},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct machine m;
		load(&m, rows[i].name);
		assert_int_equal(m.dispatch_width, rows[i].decode);
		assert_int_equal(m.commit_width, rows[i].decode);
		assert_int_equal(m.window_rob, rows[i].rob);
		assert_int_equal(m.queue_count, 3);
		for (int q = 0; q < 3; q++) {
			assert_int_equal(m.queues[q].entries, rows[i].entries[q]);
			assert_int_equal(m.queues[q].width, rows[i].width[q]);
		}
		assert_int_equal(m.issue_width, rows[i].width[0] + rows[i].width[1] + rows[i].width[2]);
		assert_int_equal(m.window_int_regs, rows[i].int_regs);
		assert_int_equal(m.window_fp_regs, rows[i].fp_regs);
		assert_int_equal(m.window_lq, rows[i].lq);
		assert_int_equal(m.window_sq, rows[i].lq);
		assert_int_equal(m.l1d_size, rows[i].l1 << 10);
		assert_int_equal(m.l1d_ways, rows[i].ways);
		assert_int_equal(m.l1d_mshrs, rows[i].mshrs);
		assert_int_equal(m.latency[CULPRIT_OP_fp_fma], 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_survives_printing),
		cmocka_unit_test(list_names_them_all),
		cmocka_unit_test(fields_table_6),
		cmocka_unit_test(fields_variants),
		cmocka_unit_test(eyerman_2006_table_2),
		cmocka_unit_test(eyerman_2009_table_3),
		cmocka_unit_test(boom_family),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
