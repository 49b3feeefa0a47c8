/* What the analyses take: each parameter as large as it may be, and one more. */
#include "culprit/critical.h"
#include "culprit/shotgun.h"
#include "culprit/stalls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct limit {
	size_t offset;
	uint32_t most;
	const char *message;
};
#define AT(field) offsetof(struct culprit_graph_params, field)
#define WIDTHS "fetch_width, dispatch_width, commit_width, taken_limit: at most 4096"
#define DECODE "cracked: at most 16; decode_stages, decode_insns: at most 4096"
#define STAGES "frontend_stages, recovery, dispatch_to_issue, commit_delay: at most 4096"
#define DELAYS "frontend_stages, dispatch_to_issue, commit_delay: at most 4096"
#define SIZES "lq, sq, lsq, branches, int_regs, fp_regs, regs, limits of commit: "

#define POSTED "posted_writes: 0 or 1; write_buffer: at most 1024"

/* An array of uint32_t has a row for its first element and one for its last. */
static const struct limit graph_limits[] = {
	{AT(fetch_width), 4096, WIDTHS},
	{AT(dispatch_width), 4096, WIDTHS},
	{AT(commit_width), 4096, WIDTHS},
	{AT(taken_limit), 4096, WIDTHS},
	{AT(frontend_capacity), 65536, "frontend_capacity: at most 65536; ideal_capacity: at most 1000"},
	{AT(ideal_capacity), 1000, "frontend_capacity: at most 65536; ideal_capacity: at most 1000"},
	{AT(cracked), 16, DECODE},
	{AT(decode_stages), 4096, DECODE},
	{AT(decode_insns), 4096, DECODE},
	{AT(frontend_stages), 4096, STAGES},
	{AT(recovery), 4096, STAGES},
	{AT(dispatch_to_issue), 4096, STAGES},
	{AT(commit_delay), 4096, STAGES},
	{AT(miss_cycles[0]), 1 << 24, "miss_cycles: too large"},
	{AT(miss_cycles[CULPRIT_LEVEL_COUNT - 1]), 1 << 24, "miss_cycles: too large"},
	{AT(queue_count), 8, "queue_count, unit_count: at most 8 and 16"},
	{AT(unit_count), 16, "queue_count, unit_count: at most 8 and 16"},
	{AT(queue_entries[0]), 65536, "queue_entries: at most 65536"},
	{AT(queue_entries[1]), 65536, "queue_entries: at most 65536"},
	{AT(lq), 1 << 22, SIZES "too large"},
	{AT(sq), 1 << 22, SIZES "too large"},
	{AT(lsq), 1 << 22, SIZES "too large"},
	{AT(branches), 1 << 22, SIZES "too large"},
	{AT(int_regs), 1 << 22, SIZES "too large"},
	{AT(fp_regs), 1 << 22, SIZES "too large"},
	{AT(regs), 1 << 22, SIZES "too large"},
	{AT(commit_stores), 1 << 22, SIZES "too large"},
	{AT(commit_branches), 1 << 22, SIZES "too large"},
	{AT(mshrs), 64, "mshrs: at most 64"},
	{AT(fetch_asked), CULPRIT_ASKED_MOST, "fetch_asked: at most 4096"},
	{AT(check_bytes), CULPRIT_BLOCK_MOST, "check_bytes: a power of two, at most 4096"},
	{AT(rename_to_issue), CULPRIT_RENAME_MOST, "rename_to_issue: at most 4096"},
	{AT(completion_ports), CULPRIT_PORTS_MOST, "completion_ports: at most 255"},
	{AT(select), CULPRIT_SELECT_RECORDED, "select: a row of enum culprit_graph_select"},
	{AT(memory_interval), 4096, "memory_interval: at most 4096; memory_latency: part of miss_cycles"},
	{AT(memory_latency), 100, "memory_interval: at most 4096; memory_latency: part of miss_cycles"},
	{AT(write_hit), 4096, "write_hit: at most 4096"},
	{AT(posted_writes), 1, POSTED},
	{AT(write_buffer), CULPRIT_BUFFER_MOST, POSTED},
	{AT(window_factor), 1000, "rob, window_factor: their product is at most 1048576"},
	{AT(class_count), 8, "class_count: at most 8"},
};

static const struct limit critical_limits[] = {
	{AT(rob), 1 << 19, "rob: 1 to 524288"},
	{AT(fetch_width), 4096, WIDTHS},
	{AT(dispatch_width), 4096, WIDTHS},
	{AT(commit_width), 4096, WIDTHS},
	{AT(taken_limit), 4096, WIDTHS},
	{AT(frontend_capacity), 65536, "frontend_capacity: at most 65536"},
	{AT(fetch_asked), CULPRIT_ASKED_MOST, "fetch_asked: at most 4096"},
	{AT(check_bytes), CULPRIT_BLOCK_MOST, "check_bytes: a power of two, at most 4096"},
	{AT(cracked), 16, DECODE},
	{AT(decode_stages), 4096, DECODE},
	{AT(decode_insns), 4096, DECODE},
	{AT(frontend_stages), 4096, DELAYS},
	{AT(dispatch_to_issue), 4096, DELAYS},
	{AT(commit_delay), 4096, DELAYS},
	{AT(lq), 1 << 19, SIZES "at most 524288"},
	{AT(sq), 1 << 19, SIZES "at most 524288"},
	{AT(lsq), 1 << 19, SIZES "at most 524288"},
	{AT(branches), 1 << 19, SIZES "at most 524288"},
	{AT(int_regs), 1 << 19, SIZES "at most 524288"},
	{AT(fp_regs), 1 << 19, SIZES "at most 524288"},
	{AT(regs), 1 << 19, SIZES "at most 524288"},
	{AT(commit_stores), 1 << 19, SIZES "at most 524288"},
	{AT(commit_branches), 1 << 19, SIZES "at most 524288"},
	{AT(queue_count), 8, "queue_count: at most 8"},
	{AT(queue_entries[0]), 1 << 19, "queue_entries: at most 524288"},
	{AT(queue_entries[1]), 1 << 19, "queue_entries: at most 524288"},
	{AT(window_factor), 1000, "window_factor: at most 1000"},
};

static struct culprit_graph_params usual(void)
{
	struct culprit_graph_params p = {.rob = 8, .queue_count = 2};
	p.miss_cycles[CULPRIT_LEVEL_MEMORY] = 100;
	for (unsigned c = 0; c < CULPRIT_GRAPH_CLASSES; c++)
		p.classes[c] = (struct culprit_graph_class){.name = "c", .events = 1u << c};
	return p;
}

static struct culprit_graph_params with(const struct limit *l, uint32_t value)
{
	struct culprit_graph_params p = usual();
	memcpy((char *)&p + l->offset, &value, sizeof value);
	return p;
}

static void graph(const struct culprit_graph_params *p, const char *message)
{
	const char *why = NULL;
	struct culprit_graph *g = culprit_graph_create(p, &why);
	if (message) {
		assert_null(g);
		assert_string_equal(why, message);
	} else if (!g) {
		fail_msg("refused: %s", why);
	}
	culprit_graph_destroy(g);
}

static void critical(const struct culprit_critical_params *p, const char *message)
{
	const char *why = NULL;
	struct culprit_critical *c = culprit_critical_create(p, &why);
	if (message) {
		assert_null(c);
		assert_string_equal(why, message);
	} else if (!c) {
		fail_msg("refused: %s", why);
	}
	culprit_critical_destroy(c);
}

static void of_the_graph(void **state)
{
	for (size_t i = 0; i < sizeof graph_limits / sizeof *graph_limits; i++) {
		const struct limit *l = &graph_limits[i];
		struct culprit_graph_params most = with(l, l->most), more = with(l, l->most + 1);
		graph(&most, NULL);
		graph(&more, l->message);
	}
	struct culprit_graph_params p = usual();
	p.rob = 0;
	graph(&p, "rob: at least 1");
	p.rob = (1 << 20) + 1;
	graph(&p, "rob, window_factor: their product is at most 1048576");
	p.rob = 1049;
	p.window_factor = 1000;
	graph(&p, "rob, window_factor: their product is at most 1048576");
	p = usual();
	p.window_factor = 1000;
	p.lq = 4195;
	graph(&p, SIZES "too large");
	p.lq--;
	graph(&p, NULL);
	(void)state;
}

static void of_the_critical_path(void **state)
{
	for (size_t i = 0; i < sizeof critical_limits / sizeof *critical_limits; i++) {
		const struct limit *l = &critical_limits[i];
		const struct culprit_critical_params most = {.graph = with(l, l->most), .chunk = 8, .lookahead = 8},
						     more = {.graph = with(l, l->most + 1)};
		critical(&most, NULL);
		critical(&more, l->message);
	}
	struct culprit_critical_params p = {.graph = usual(), .chunk = (1 << 20) + 1};
	critical(&p, "chunk, lookahead: at most 1048576");
	p = (struct culprit_critical_params){.graph = usual(), .lookahead = (1 << 20) + 1};
	critical(&p, "chunk, lookahead: at most 1048576");
	p.lookahead = 0;
	p.graph.rob = 0;
	critical(&p, "rob: 1 to 524288");
	(void)state;
}

/* Powers of two, and 0: the line has no end. */
static void of_fetch_lines(void **state)
{
	for (uint32_t line = 0; line < 140; line++) {
		struct culprit_critical_params p = {.graph = usual()};
		p.graph.fetch_line = line;
		const char *message = __builtin_popcount(line) > 1 ? "fetch_line: a power of two or 0" : NULL;
		graph(&p.graph, message);
		critical(&p, message);
	}
	(void)state;
}

static void of_classes(void **state)
{
	struct culprit_graph_params p = usual();
	const struct culprit_graph_range range = {0x100, 0x200};
	p.class_count = 8;
	p.classes[7].events = 1u << (CULPRIT_EVENT_COUNT - 1);
	graph(&p, NULL);
	p.classes[7].events <<= 1;
	graph(&p, "classes: events must be rows of event_class.def, at least one");
	p.classes[7].events = 0;
	graph(&p, "classes: events must be rows of event_class.def, at least one");
	p.class_count = 7; /* nobody looks at the eighth */
	graph(&p, NULL);
	p.classes[3].range_count = 1;
	graph(&p, "classes: range_count without ranges");
	p.classes[3].ranges = &range;
	graph(&p, NULL);
	(void)state;
}

static void of_the_stall_engine(void **state)
{
	static const struct {
		struct culprit_stall_params params;
		const char *message;
	} cases[] = {
		{{.depth = 4}, NULL},
		{{.depth = 64}, NULL},
		{{.depth = 3}, "depth must be 4 to 64"},
		{{.depth = 65}, "depth must be 4 to 64"},
		{{.chains = 1 << 10}, NULL},
		{{.chains = (1 << 10) - 1}, "chains must be 2^10 to 2^28"},
		{{.chains = (1 << 28) + 1}, "chains must be 2^10 to 2^28"},
		{{.leaf_bits = 10}, NULL},
		{{.leaf_bits = 28}, NULL},
		{{.leaf_bits = 9}, "leaf_bits must be 10 to 28"},
		{{.leaf_bits = 29}, "leaf_bits must be 10 to 28"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *why = NULL;
		struct culprit_stalls *s = culprit_stalls_create(&cases[i].params, &why);
		assert_int_equal(!s, cases[i].message != NULL);
		if (!s)
			assert_string_equal(why, cases[i].message);
		culprit_stalls_destroy(s);
	}
	(void)state;
}

/* Eight of them, and sets before the first. */
static void of_accumulators(void **state)
{
	static const struct culprit_stall_type type = {"leaf", "leaf", "a leaf", CULPRIT_STALL_LEAF};
	static const struct culprit_stall_set set = {"set", &type, 1};
	struct culprit_stalls *s = culprit_stalls_create(&(struct culprit_stall_params){.depth = 0}, NULL);
	assert_int_equal(culprit_stalls_add_set(s, &set), CULPRIT_STALL_OWN_TYPES);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(culprit_stalls_add_accumulator(s, "stage", 1), i);
	assert_null(culprit_stalls_error(s));
	assert_int_equal(culprit_stalls_add_accumulator(s, "stage", 1), UINT32_MAX);
	assert_string_equal(culprit_stalls_error(s), "too many accumulators");
	culprit_stalls_destroy(s);
	s = culprit_stalls_create(&(struct culprit_stall_params){.depth = 0}, NULL);
	assert_int_equal(culprit_stalls_add_accumulator(s, "stage", 1), 0);
	assert_int_equal(culprit_stalls_add_set(s, &set), 0);
	assert_string_equal(culprit_stalls_error(s), "a stall set came after an accumulator");
	culprit_stalls_destroy(s);
	(void)state;
}

static void monitor(struct culprit_monitor_params p, const char *message)
{
	const char *why = NULL;
	struct culprit_monitor *m = culprit_monitor_create(&p, &why);
	assert_int_equal(!m, message != NULL);
	if (message)
		assert_string_equal(why, message);
	culprit_monitor_destroy(m);
}

static void of_the_monitor(void **state)
{
	static const char length[] = "length of a signature sample: 1 to 65536 instructions";
	static const char interval[] = "an interval is too large";
	const struct culprit_monitor_params p = {.length = 65536,
						 .context = 31,
						 .stack = 64,
						 .signature_interval = UINT64_MAX / 4,
						 .detail_interval = UINT64_MAX / 4};
	struct culprit_monitor_params q = p;
	monitor(p, NULL);
	q.length++;
	monitor(q, length);
	q.length = 0;
	monitor(q, length);
	q.length = 1;
	monitor(q, NULL);
	q = p;
	q.context++;
	monitor(q, "signature bits around a detailed sample: at most 31 on either side");
	q = p;
	q.stack++;
	monitor(q, "return addresses in a signature sample: at most 64");
	q = p;
	q.signature_interval++;
	monitor(q, interval);
	q = p;
	q.detail_interval++;
	monitor(q, interval);
	(void)state;
}

static void shotgun(struct culprit_shotgun_params p, struct culprit_samples s, const char *message)
{
	static const struct culprit_shotgun_machine machine = {.graph = {.rob = 8}};
	static const struct culprit_code code = {0};
	const char *why = NULL;
	struct culprit_shotgun *x = culprit_shotgun_create(&machine, &p, &s, &code, &why);
	assert_null(x); /* what is right here has no memory for its samples */
	assert_string_equal(why, message);
}

static void of_the_shotgun(void **state)
{
	static const char range[] = "the samples' lengths are out of range";
	const struct culprit_samples s = {.context = 31, .length = 65536};
	const struct culprit_shotgun_params p = {.context = 31, .length = 65536, .signature_bits = 2};
	struct culprit_samples t = s;
	struct culprit_shotgun_params q = p;
	t.length++;
	shotgun(p, t, range);
	t.length = 0;
	shotgun(p, t, range);
	t = s;
	t.context++;
	shotgun(p, t, range);
	q.context++;
	shotgun(q, s, "the samples have fewer signature bits around them than are to be compared");
	q = p;
	q.length++;
	shotgun(q, s, "a fragment cannot be longer than the signature samples");
	q = p;
	q.signature_bits++;
	shotgun(q, s, "an instruction has two signature bits");
	t = s;
	t.detail_count = UINT32_MAX / 2 + 1ull;
	shotgun(p, t, "too many detailed samples");
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_the_graph),	       cmocka_unit_test(of_the_critical_path),
		cmocka_unit_test(of_fetch_lines),      cmocka_unit_test(of_classes),
		cmocka_unit_test(of_the_stall_engine), cmocka_unit_test(of_accumulators),
		cmocka_unit_test(of_the_monitor),      cmocka_unit_test(of_the_shotgun),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
