/* Memory order that the graph's lanes learn: the tables, and lanes that go ahead of a store. By hand; then every kernel and
 * team of threads on the same random records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/graph/order.h"
#include "culprit/graph.h"

enum { STORE = 0x100, LOAD = 0x200, OTHER = 0x300, HERE = 0x8000, THERE = 0x9000, FAR = 1000 };

/* The store that a lane's tables name for the instruction at `pc`; 0 = none. */
static uint32_t named(struct graph_order *o, uint64_t pc, uint64_t number, bool store, unsigned lane, uint64_t furthest)
{
	if (!order_sets_predict(o, pc, number, store, furthest) || o->told.store.same)
		return o->told.any ? o->told.store.recorded : 0;
	return lane == ORDER_LANES ? o->told.store.recorded : o->told.store.lane[lane];
}

/* One lane is trained: it waits for the set's last store, and no other lane does, nor the recorded run. */
static void trains_one_lane(void **state)
{
	struct graph_order o = {.count = 0};
	assert_true(order_sets_create(&o, 1024, 64));
	assert_false(order_sets_predict(&o, LOAD, 0, false, FAR));
	assert_true(order_sets_train(&o, LOAD, STORE, 7));
	order_sets_compare(&o);
	assert_int_equal(named(&o, LOAD, 1, false, 7, FAR), 0); /* its set had no store yet */
	assert_int_equal(named(&o, STORE, 2, true, 7, FAR), 0);
	assert_int_equal(named(&o, LOAD, 3, false, 7, FAR), 3);
	assert_int_equal(named(&o, LOAD, 3, false, 8, FAR), 0);
	assert_int_equal(named(&o, LOAD, 3, false, ORDER_LANES, FAR), 0);
	assert_int_equal(named(&o, OTHER, 4, true, 7, FAR), 0);
	assert_int_equal(named(&o, STORE, 5, true, 7, FAR), 3); /* stores of a set keep their order */
	assert_int_equal(named(&o, LOAD, 6, false, 7, FAR), 6);
	assert_int_equal(named(&o, LOAD, 16, false, 7, 10), 0); /* has left the window */
	order_sets_swap(&o, 7, 8);
	order_sets_compare(&o);
	assert_int_equal(named(&o, LOAD, 7, false, 7, FAR), 0);
	assert_int_equal(named(&o, LOAD, 7, false, 8, FAR), 6);
	order_sets_clear(&o, 8);
	order_sets_compare(&o);
	assert_int_equal(named(&o, LOAD, 8, false, 8, FAR), 0);
	order_sets_destroy(&o);
	(void)state;
}

/* Sets that meet become the smaller one; entries share by the size of the table. */
static void sets_meet(void **state)
{
	struct graph_order o = {.count = 0};
	assert_true(order_sets_create(&o, 1024, 64));
	for (unsigned lane = 0; lane <= ORDER_LANES; lane++) {
		assert_true(order_sets_train(&o, LOAD, STORE, lane));
		assert_true(order_sets_train(&o, LOAD + 2, OTHER, lane));
	}
	order_sets_compare(&o);
	assert_true(order_sets_know(&o, LOAD, STORE));
	assert_false(order_sets_know(&o, LOAD, OTHER));
	assert_true(order_sets_train(&o, LOAD, OTHER, ORDER_LANES));
	assert_true(order_sets_know(&o, LOAD, OTHER));
	assert_true(order_sets_know(&o, LOAD + 2048, OTHER)); /* 1024 entries of two bytes */
	order_sets_destroy(&o);
	(void)state;
}

/* --- lanes --- */

static struct culprit_record memory(uint64_t pc, uint64_t addr, bool store)
{
	return (struct culprit_record){.pc = pc,
				       .op_class = store ? CULPRIT_OP_store : CULPRIT_OP_load,
				       .flags = store ? CULPRIT_STORE : CULPRIT_LOAD,
				       .mem_addr = addr,
				       .mem_size = 8};
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

/* The load's address takes a division of 40 cycles, the store's data three additions. As recorded the store is first. Without
 * long operations the load is, but not where additions take no time either. The second load, at
 * `second`, comes behind a store that waits for a miss. */
static size_t rounds(struct culprit_record *r, uint64_t second)
{
	struct culprit_record add = {.op_class = CULPRIT_OP_int_alu}, divide = {.op_class = CULPRIT_OP_int_div};
	r[0] = after(NULL, divide, 0, 40);
	for (unsigned i = 1; i < 4; i++) {
		r[i] = after(&r[i - 1], add, i - 1, 1);
		r[i].producer[0] = i > 1;
	}
	r[4] = after(&r[3], memory(STORE, HERE, true), 3, 1);
	r[4].producer[0] = 1;
	r[5] = after(&r[4], memory(LOAD, HERE, false), 40, 2);
	r[5].producer[0] = 5;
	/* the store of the set waits for a miss of 100 cycles */
	r[6] = after(&r[5], memory(OTHER, THERE + 64, false), 42, 102);
	r[6].exec_latency = 2;
	r[6].dmiss = 100;
	r[6].dlevel = CULPRIT_LEVEL_MEMORY;
	r[6].producer[0] = 1;
	r[7] = after(&r[6], memory(STORE, THERE, true), 144, 1);
	r[7].producer[0] = 1;
	r[8] = after(&r[7], memory(LOAD, second, false), 42, 2);
	r[8].producer[0] = 3;
	r[9] = after(&r[8], add, 44, 1);
	r[9].producer[0] = 1;
	for (unsigned i = 10; i < 200; i++) {
		r[i] = after(&r[i - 1], add, r[i - 1].complete, 1);
		r[i].producer[0] = 1;
	}
	return 200;
}

static uint64_t time_of(const struct culprit_graph_params *p, const struct culprit_record *r, size_t n, unsigned set)
{
	struct culprit_graph *g = culprit_graph_create(p, NULL);
	struct culprit_graph_results x;
	assert_non_null(g);
	if (!culprit_graph_push(g, r, n))
		fail_msg("%s", culprit_graph_error(g));
	assert_true(culprit_graph_finish(g, &x));
	culprit_graph_destroy(g);
	return x.time[set];
}

static void lanes_learn(void **state)
{
	struct culprit_record r[200];
	struct culprit_graph_params p = {.rob = 400, .window_factor = 20, .order_redirect = 4};
	p.miss_cycles[CULPRIT_LEVEL_MEMORY] = 100;
	struct culprit_graph_params learns = p;
	learns.store_set_entries = 1024;
	learns.store_sets = 64;
	const unsigned lgalu = CULPRIT_EVENT_BIT(lgalu), both = lgalu | CULPRIT_EVENT_BIT(shalu);
	const size_t n = rounds(r, HERE + 0x3000);
	/* as recorded: the division, both loads, 191 additions; without the division the first load waits for its store until 4 */
	assert_int_equal(time_of(&learns, r, n, 0), 40 + 2 + 2 + 191);
	assert_int_equal(time_of(&p, r, n, lgalu), 4 + 2 + 2 + 191);
	assert_int_equal(time_of(&learns, r, n, both), time_of(&p, r, n, both));
	/* But it would have gone ahead at 0, and is fetched again, 4 cycles after the store. The second load waits for the store
	 * behind the miss, though it needs not. */
	assert_int_equal(time_of(&learns, r, n, lgalu), 4 + 4 + 2 + 102 + 1 + 2 + 191);
	/* where the first load takes its data from elsewhere there is nothing to learn */
	r[5].mem_addr = THERE + 4096;
	assert_int_equal(time_of(&learns, r, n, lgalu), time_of(&p, r, n, lgalu));
	/* Beside the store's bytes it does not wait: it goes ahead at 0, and is taken back all the same if stores to its block of
	 * 16 bytes count. Not where the store is in another block. */
	r[5].mem_addr = HERE + 8;
	assert_int_equal(time_of(&learns, r, n, lgalu), 2 + 2 + 191);
	learns.check_bytes = 16;
	assert_int_equal(time_of(&learns, r, n, 0), 40 + 2 + 2 + 191);
	assert_int_equal(time_of(&learns, r, n, lgalu), 4 + 4 + 2 + 102 + 1 + 2 + 191);
	learns.check_bytes = 8;
	assert_int_equal(time_of(&learns, r, n, lgalu), 2 + 2 + 191);
	(void)state;
}

/* The first load and store are one set without long operations (as above, the store's address by additions). The second
 * load, at the same pc, knows the address of its store, by a multiplication, and waits for the data, by a division: no
 * table says so. Where additions take no time it is there before the address, and is taken back. */
static void waits_for_data_name_no_store(void **state)
{
	struct culprit_record r[200], add = {.op_class = CULPRIT_OP_int_alu}, divide = {.op_class = CULPRIT_OP_int_div},
				      multiply = {.op_class = CULPRIT_OP_int_mul};
	struct culprit_graph_params p = {
		.rob = 400, .window_factor = 20, .order_redirect = 4, .store_data_apart = true};
	const unsigned shalu = CULPRIT_EVENT_BIT(shalu);
	rounds(r, HERE);
	r[6] = after(&r[5], add, 42, 1);
	r[6].producer[0] = 1;
	r[7] = after(&r[6], multiply, 43, 3);
	r[7].producer[0] = 1;
	r[8] = after(&r[7], divide, 43, 50);
	r[8].producer[0] = 2;
	r[9] = after(&r[8], memory(STORE, THERE, true), 93, 1);
	r[9].producer[0] = 2;
	r[9].producer[1] = 1;
	for (unsigned i = 10; i < 20; i++) {
		r[i] = after(&r[i - 1], add, 33 + i, 1);
		r[i].producer[0] = i == 10 ? 4 : 1;
	}
	r[20] = after(&r[19], memory(LOAD, THERE, false), 94, 2);
	r[20].producer[0] = 1;
	r[20].mem_producer = r[20].order_waited = 11;
	r[20].flags |= CULPRIT_FORWARDED;
	for (unsigned i = 21; i < 200; i++) {
		r[i] = after(&r[i - 1], add, r[i - 1].complete, 1);
		r[i].producer[0] = 1;
	}
	const uint64_t without = time_of(&p, r, 200, shalu);
	p.store_set_entries = 1024;
	p.store_sets = 64;
	assert_int_equal(time_of(&p, r, 200, 0), 94 + 2 + 179);
	assert_int_equal(time_of(&p, r, 200, shalu), without + 4);
	r[9].producer[0] = 0; /* an address known long ago */
	assert_int_equal(time_of(&p, r, 200, shalu), without);
	(void)state;
}

/* A load is taken back, since its store waits for a division. The next one comes behind a fetch miss, when the store of
 * its set has left, and does not wait. Without fetch misses it is there in time, and waits for that store, though its
 * data are elsewhere. */
static void waits_for_who_had_left(void **state)
{
	struct culprit_record r[200], add = {.op_class = CULPRIT_OP_int_alu}, divide = {.op_class = CULPRIT_OP_int_div};
	struct culprit_graph_params p = {.rob = 400, .window_factor = 20, .order_redirect = 4};
	p.miss_cycles[CULPRIT_LEVEL_MEMORY] = 100;
	const unsigned imiss = CULPRIT_EVENT_BIT(imiss);
	r[0] = after(NULL, divide, 0, 40);
	for (unsigned i = 1; i < 200; i++)
		r[i] = after(&r[i - 1], add, 0, 1);
	r[4] = after(&r[3], memory(STORE, HERE, true), 40, 1);
	r[4].producer[0] = 4;
	r[5] = after(&r[4], memory(LOAD, HERE, false), 45, 2);
	r[5].mem_producer = 1;
	r[5].redirect = 4;
	r[5].flags |= CULPRIT_VIOLATED;
	r[6] = after(&r[5], memory(OTHER, THERE + 64, false), 47, 102);
	r[6].exec_latency = 2;
	r[6].dmiss = 100;
	r[6].dlevel = CULPRIT_LEVEL_MEMORY;
	r[6].producer[0] = 1;
	r[7] = after(&r[6], memory(STORE, THERE, true), 149, 1);
	r[7].producer[0] = 1;
	r[8] = after(&r[7], memory(LOAD, HERE + 0x3000, false), 151, 2);
	r[8].imiss = 106;
	r[8].ilevel = CULPRIT_LEVEL_MEMORY;
	for (unsigned i = 9; i < 200; i++) {
		r[i] = after(&r[i - 1], add, r[i - 1].complete, 1);
		r[i].producer[0] = 1;
	}
	for (unsigned i = 5; i < 200; i++)
		r[i].fetch = r[i].dispatch = i < 8 ? 45 : 151;
	assert_int_equal(time_of(&p, r, 200, 0), 151 + 2 + 191);
	assert_int_equal(time_of(&p, r, 200, imiss), 45 + 2 + 191);
	p.store_set_entries = 1024;
	p.store_sets = 64;
	assert_int_equal(time_of(&p, r, 200, 0), 151 + 2 + 191);
	assert_int_equal(time_of(&p, r, 200, imiss), 150 + 2 + 191);
	/* if that store is in the window, and the load goes ahead, the tables have lost it */
	r[8].imiss = 104;
	r[8].fetch = r[8].dispatch = r[8].ready = r[8].issue = 149;
	r[8].complete = 151;
	assert_int_equal(time_of(&p, r, 200, imiss), 45 + 2 + 191);
	(void)state;
}

/* --- kernels and threads --- */

static uint64_t draw(uint64_t *s, uint64_t limit)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return (*s >> 33) % limit;
}

/* Loads and stores of few places from few addresses, some behind long chains; what memory order asks of them is kept. */
static size_t collisions(struct culprit_record *r, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t kind = draw(&seed, 4), place = draw(&seed, 8), pc = 0x1000 + 4 * draw(&seed, 16);
		struct culprit_record one = {.op_class = CULPRIT_OP_int_alu, .pc = pc};
		uint16_t latency = 1;
		if (kind < 2) {
			one = memory(pc + 0x400 * (kind + 1), HERE + 8 * place, kind);
			latency = kind ? 1 : 2;
		} else if (kind == 2) {
			one.op_class = CULPRIT_OP_int_mul;
			latency = 12;
		}
		uint64_t ready = i ? r[i - 1].dispatch + draw(&seed, 2) : 0;
		const uint64_t dispatch = ready;
		for (unsigned p = 0; p < 2 && i; p++) {
			one.producer[p] = (uint32_t)(1 + draw(&seed, i < 30 ? i : 30));
			uint64_t wake = r[i - one.producer[p]].complete;
			ready = wake > ready ? wake : ready;
		}
		for (size_t back = 1; (one.flags & CULPRIT_LOAD) && back <= i && back < 40; back++) {
			const struct culprit_record *s = &r[i - back];
			if (!(s->flags & CULPRIT_STORE) || s->mem_addr != one.mem_addr)
				continue;
			if (draw(&seed, 40) == 0) { /* taken back */
				one.flags |= CULPRIT_VIOLATED;
				one.redirect = 4;
			}
			one.mem_producer = (uint32_t)back;
			one.flags |= CULPRIT_FORWARDED;
			ready = s->complete > ready ? s->complete : ready;
			break;
		}
		r[i] = after(i ? &r[i - 1] : NULL, one, ready, latency);
		r[i].dispatch = dispatch;
		r[i].fetch = i ? r[i - 1].fetch : 0;
	}
	return n;
}

static void same_everywhere(void **state)
{
	static const char *const kernels[] = {"portable", "avx2", "avx512"};
	enum { RECORDS = 6000 };
	struct culprit_record *r = calloc(RECORDS, sizeof *r);
	assert_non_null(r);
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct culprit_graph_params p = {.rob = 64,
						 .check_bytes = seed > 4 ? 32 : 0,
						 .squash_width = seed > 6 ? 3 : 0,
						 .window_factor = 20,
						 .dispatch_width = 4,
						 .order_redirect = 5,
						 .store_set_entries = 512,
						 .store_sets = 16,
						 .store_set_clear = seed % 2 ? 700 : 0};
		collisions(r, RECORDS, seed);
		struct culprit_graph_results first, x;
		uint64_t as_recorded = 0;
		for (unsigned run = 0; run < 7; run++) {
			struct culprit_graph_params one = p;
			one.kernel = run < 6 ? kernels[run / 2] : NULL;
			one.processors = run % 2 ? 3 : 1;
			one.store_set_entries = run < 6 ? p.store_set_entries : 0;
			struct culprit_graph *g = culprit_graph_create(&one, NULL);
			if (!g && run >= 2) /* not on this host */
				continue;
			assert_non_null(g);
			for (size_t done = 0, n; done < RECORDS; done += n) {
				n = run ? 1 + done % 97 : RECORDS;
				n = n > RECORDS - done ? RECORDS - done : n;
				assert_true(culprit_graph_push(g, r + done, n));
			}
			assert_true(culprit_graph_finish(g, run ? &x : &first));
			if (run && run < 6)
				assert_memory_equal(x.time, first.time, sizeof x.time);
			for (unsigned set = 0; run == 6 && set < CULPRIT_GRAPH_SETS; set++)
				as_recorded += x.time[set] == first.time[set];
			culprit_graph_destroy(g);
		}
		assert_true(as_recorded < CULPRIT_GRAPH_SETS / 2); /* the records have something to learn */
	}
	free(r);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(trains_one_lane),
					   cmocka_unit_test(sets_meet),
					   cmocka_unit_test(lanes_learn),
					   cmocka_unit_test(waits_for_who_had_left),
					   cmocka_unit_test(waits_for_data_name_no_store),
					   cmocka_unit_test(same_everywhere)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
