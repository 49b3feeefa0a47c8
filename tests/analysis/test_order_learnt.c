/* Store sets that learn what idealisation makes them learn: which lanes go ahead, and what waits then. By hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/order_learnt.h"
#include "culprit/graph.h"

enum { STORE = 0x100, LOAD = 0x200, OTHER = 0x300, HERE = 0x8000, THERE = 0x9000 };

static struct culprit_record store(uint64_t pc, uint64_t addr)
{
	return (struct culprit_record){
		.pc = pc, .op_class = CULPRIT_OP_store, .flags = CULPRIT_STORE, .mem_addr = addr, .mem_size = 8};
}

static struct culprit_record load(uint64_t addr)
{
	return (struct culprit_record){
		.pc = LOAD, .op_class = CULPRIT_OP_load, .flags = CULPRIT_LOAD, .mem_addr = addr, .mem_size = 8};
}

static uint32_t waits(struct order_learnt *o, struct culprit_record r, bool ahead)
{
	order_learnt_apply(o, &r, ahead);
	return r.order_waited;
}

/* Nothing is waited for before the load has gone ahead once; then any store of the set in the window is, whatever it writes. */
static void learns_once(void **state)
{
	struct order_learnt *o = order_learnt_create(1024, 64, 10);
	assert_non_null(o);
	assert_int_equal(waits(o, store(STORE, HERE), false), 0);
	assert_int_equal(waits(o, load(HERE), false), 0);
	assert_int_equal(waits(o, store(STORE, HERE), false), 0);
	assert_int_equal(waits(o, load(HERE), true), 0); /* the store was not of the set when it came */
	assert_int_equal(waits(o, store(STORE, THERE), false), 0);
	assert_int_equal(waits(o, store(OTHER, HERE), false), 0);
	assert_int_equal(waits(o, load(HERE + 64), false), 2);
	assert_int_equal(waits(o, store(STORE, HERE), false), 3); /* stores of a set keep their order */
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(waits(o, store(OTHER, THERE), false), 0);
	assert_int_equal(waits(o, load(HERE), false), 10);
	assert_int_equal(waits(o, load(HERE), false), 0); /* has left the window */
	order_learnt_destroy(o);
	(void)state;
}

/* What the record says stays, and so does the store that the load takes its data from. */
static void keeps_what_is_known(void **state)
{
	struct order_learnt *o = order_learnt_create(1024, 64, 10);
	assert_non_null(o);
	waits(o, store(STORE, HERE), false);
	waits(o, load(HERE), true);
	waits(o, store(STORE, HERE), false);
	struct culprit_record known = load(HERE), data = load(HERE), head = load(HERE);
	known.order_waited = 3;
	assert_int_equal(waits(o, known, false), 3);
	data.mem_producer = 2;
	assert_int_equal(waits(o, data, false), 0);
	head.flags |= CULPRIT_AT_HEAD;
	assert_int_equal(waits(o, head, false), 0);
	order_learnt_destroy(o);
	(void)state;
}

static struct culprit_record after(const struct culprit_record *r, struct culprit_record one, uint64_t ready,
				   uint16_t latency)
{
	one.seq = r ? r->seq + 1 : 0;
	one.length = 4;
	one.dest = 5;
	one.exec_latency = one.wakeup = latency;
	one.ready = one.issue = ready;
	one.complete = ready + latency;
	one.commit = r && r->commit > one.complete ? r->commit : one.complete;
	return one;
}

/* The load's address takes a division of 40 cycles, the store's data three additions, or `data` cycles. In the recorded run the
 * store is first. Without long operations the load is, but not where additions take no time either. */
static void goes_ahead(void **state)
{
	for (unsigned same = 0; same < 2; same++) {
		struct culprit_graph_params p = {.rob = 100, .window_factor = 20, .watch_order = true};
		struct culprit_record add = {.op_class = CULPRIT_OP_int_alu}, divide = {.op_class = CULPRIT_OP_int_div};
		struct culprit_record r[6] = {after(NULL, divide, 0, 40)};
		for (unsigned i = 1; i < 4; i++) {
			r[i] = after(&r[i - 1], add, i - 1, 1);
			r[i].producer[0] = i > 1;
		}
		r[4] = after(&r[3], store(STORE, HERE), 3, 1);
		r[4].producer[0] = 1;
		r[5] = after(&r[4], load(same ? HERE : THERE), 40, 2);
		r[5].producer[0] = 5;
		struct culprit_graph *g = culprit_graph_create(&p, NULL);
		assert_non_null(g);
		assert_true(culprit_graph_push(g, r, 6));
		struct culprit_graph_results x;
		assert_true(culprit_graph_finish(g, &x));
		for (unsigned set = 0; set < CULPRIT_GRAPH_SETS; set++) {
			bool lgalu = set & CULPRIT_EVENT_BIT(lgalu), shalu = set & CULPRIT_EVENT_BIT(shalu);
			assert_int_equal(x.reordered[set], same && lgalu && !shalu);
		}
		culprit_graph_destroy(g);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(learns_once), cmocka_unit_test(keeps_what_is_known),
					   cmocka_unit_test(goes_ahead)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
