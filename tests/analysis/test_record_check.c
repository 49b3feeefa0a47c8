/* Each limit of a record, met to the cycle and then passed by one; and the graph, which asks in another way, agrees. */
#include "analysis/record_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph_stream.h"

static const struct record_front front = {.count = 40, .seq = 39, .fetch = 100, .commit = 170};

/* A load that leaves room on both sides of each of its figures. */
static struct culprit_record usual(void)
{
	return (struct culprit_record){.seq = 40,
				       .fetch = 110,
				       .dispatch = 120,
				       .ready = 130,
				       .issue = 140,
				       .complete = 140 + 3 + 20 + 7,
				       .commit = 180,
				       .exec_latency = 3,
				       .dmiss = 20,
				       .dtlb = 7,
				       .flags = CULPRIT_LOAD,
				       .dest = 5};
}

static void passes(const struct culprit_record *r, const struct record_front *f)
{
	struct error err = {0};
	if (!record_check(r, f, &err))
		fail_msg("refused: %s", err.text);
}

static void refused(const struct culprit_record *r, const char *text)
{
	struct error err = {0};
	assert_false(record_check(r, &front, &err));
	assert_string_equal(err.text, text);
}

/* One, up to the most, or none: of each weight by itself. */
static void weights(void **state)
{
	for (size_t i = 0; i < 4; i++)
		for (unsigned weight = 0; weight < 256; weight++) {
			struct culprit_record r = usual();
			uint8_t *const all[] = {&r.rob_entries, &r.dispatch_slots, &r.issue_slots, &r.commit_slots};
			char text[80];
			*all[i] = (uint8_t)weight;
			snprintf(text, sizeof text, "a weight of %u: at most 64, or 255 for none", weight);
			if (weight <= 64 || weight == 255)
				passes(&r, &front);
			else
				refused(&r, text);
		}
	assert_int_equal(culprit_weight(0), 1);
	assert_int_equal(culprit_weight(1), 1);
	assert_int_equal(culprit_weight(64), 64);
	assert_int_equal(culprit_weight(255), 0);
	(void)state;
}

/* Each time may be the one before it, and not a cycle less. */
static void times_in_order(void **state)
{
	for (size_t i = 1; i < 6; i++) {
		struct culprit_record r = usual();
		uint64_t *const times[] = {&r.fetch, &r.dispatch, &r.ready, &r.issue, &r.complete, &r.commit};
		r.flags = 0; /* a load's issue and completion have more to keep to */
		*times[i] = *times[i - 1];
		passes(&r, &front);
		--*times[i];
		for (size_t k = i + 1; k < 6; k++) /* all later ones are late enough */
			*times[k] = 200;
		if (i == 5)
			r.commit = r.complete - 1;
		refused(&r, "times go backwards within the instruction");
	}
	(void)state;
}

static void in_program_order(void **state)
{
	struct culprit_record r = usual();
	r.fetch = front.fetch;
	passes(&r, &front);
	r.fetch--;
	refused(&r, "fetched before the instruction in front of it");
	r = usual();
	r.commit = front.commit;
	r.complete = r.issue + 1;
	r.flags = 0;
	passes(&r, &front);
	r.commit--;
	refused(&r, "committed before the instruction in front of it");
	r = usual();
	r.seq++;
	refused(&r, "does not follow number 39");
	r.seq -= 2;
	refused(&r, "does not follow number 39");
	/* nothing is in front of the first, and it may have any number */
	r = usual();
	r.seq = 7;
	passes(&r, &(struct record_front){.count = 0, .seq = 1, .fetch = 1000, .commit = 1000});
	(void)state;
}

static void misses_before_the_fetch(void **state)
{
	struct culprit_record r = usual();
	for (r.itlb = 0; r.itlb <= 110; r.itlb += 55) {
		r.imiss = 110u - r.itlb;
		passes(&r, &front);
		r.imiss++;
		refused(&r, "fetch misses longer than the time before the fetch");
	}
	(void)state;
}

static void parts_of_a_load(void **state)
{
	struct culprit_record r = usual();
	passes(&r, &front);
	r.complete++;
	refused(&r, "a load's latency of 31 cycles is not the sum of its parts: 3 + 7 + 20");
	r.flags = CULPRIT_STORE;
	passes(&r, &front);
	/* a store's translation is a part of it, and beside that there may be any latency */
	r.flags = CULPRIT_STORE;
	r.dtlb = 31;
	passes(&r, &front);
	r.dtlb++;
	refused(&r, "a store's latency of 31 cycles is shorter than its translation of 32");
	r.flags = 0;
	passes(&r, &front);
	(void)state;
}

static void numbers_in_range(void **state)
{
	struct culprit_record r = usual();
	r.dest = 64;
	r.op_class = CULPRIT_OP_COUNT - 1;
	passes(&r, &front);
	r.dest = 65;
	refused(&r, "operation class or register out of range");
	r = usual();
	r.op_class = CULPRIT_OP_COUNT;
	refused(&r, "operation class or register out of range");
	(void)state;
}

/* To the stream's first record and no further. */
static void distances_within_the_stream(void **state)
{
	for (size_t i = 0; i < 7; i++) {
		struct culprit_record r = usual();
		uint32_t *const distances[] = {&r.producer[0],	&r.producer[1],	    &r.producer[2], &r.mem_producer,
					       &r.primary_miss, &r.previous_holder, &r.order_waited};
		*distances[i] = 40;
		passes(&r, &front);
		*distances[i] = 41;
		refused(&r, "a distance of 41 reaches before the stream's start");
	}
	(void)state;
}

/* One field of a record, a little off; distances about as far as the stream's start. */
static void damage(uint64_t *s, struct culprit_record *r, uint32_t count)
{
	uint64_t *const times[] = {&r->fetch, &r->dispatch, &r->ready, &r->issue, &r->complete, &r->commit, &r->seq};
	uint32_t *const distances[] = {&r->producer[0],	 &r->producer[1],     &r->producer[2], &r->mem_producer,
				       &r->primary_miss, &r->previous_holder, &r->order_waited};
	uint16_t *const parts[] = {&r->exec_latency, &r->dtlb, &r->itlb};
	uint32_t *const misses[] = {&r->imiss, &r->dmiss};
	uint32_t by = below(s, 5) - 2;
	switch (below(s, 6)) {
	case 0:
		*times[below(s, 7)] += (uint64_t)(int32_t)by;
		break;
	case 1:
		*distances[below(s, 7)] = count + below(s, 3);
		break;
	case 2:
		*parts[below(s, 3)] += (uint16_t)by;
		break;
	case 3:
		*misses[below(s, 2)] += by;
		break;
	case 4:
		r->op_class = (uint8_t)(CULPRIT_OP_COUNT - 1 + below(s, 2));
		break;
	default:
		r->dest = (uint8_t)(64 + below(s, 2));
	}
}

/* What record_check says of the first record that does not make sense; "" = all do. */
static void judge(const struct culprit_record *r, size_t n, char text[600])
{
	struct record_front before = {0};
	struct error err = {0};
	*text = 0;
	for (size_t i = 0; i < n; i++, before.count++) {
		if (!record_check(&r[i], &before, &err)) {
			snprintf(text, 600, "record %zu: %s", i, err.text);
			return;
		}
		before.seq = r[i].seq;
		before.fetch = r[i].fetch;
		before.commit = r[i].commit;
	}
}

/* The graph asks all questions of record_check at once, and answers as it does. */
static void damaged(void **state)
{
	enum { RECORDS = 12, ROUNDS = 4000 };
	struct culprit_graph_params p = usual_params();
	struct mix m = {5, 6, 1, false};
	uint64_t seed = 77;
	size_t refused = 0;
	p.kernel = "portable";
	p.rob = p.window_factor = 2;
	for (unsigned round = 0; round < ROUNDS; round++) {
		char text[600];
		struct culprit_record *r = random_stream(round, RECORDS, &p, &m);
		uint32_t at = below(&seed, RECORDS);
		damage(&seed, &r[at], at);
		judge(r, RECORDS, text);
		struct culprit_graph *g = culprit_graph_create(&p, NULL);
		assert_non_null(g);
		assert_int_equal(culprit_graph_push(g, r, RECORDS), !*text);
		if (*text) {
			assert_string_equal(culprit_graph_error(g), text);
			refused++;
		}
		culprit_graph_destroy(g);
		free(r);
	}
	assert_in_range(refused, ROUNDS / 5, 4 * ROUNDS / 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights),
		cmocka_unit_test(times_in_order),
		cmocka_unit_test(in_program_order),
		cmocka_unit_test(misses_before_the_fetch),
		cmocka_unit_test(parts_of_a_load),
		cmocka_unit_test(numbers_in_range),
		cmocka_unit_test(distances_within_the_stream),
		cmocka_unit_test(damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
