/* The reconstruction on a program whose path is known: what is built is that path, and each rule that gives a fragment up
 * does so when a bit is made impossible for exactly that reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>

#include <cmocka.h>

#include "analysis/shotgun/state.h"
#include "shotgun_program.h"

static const struct culprit_code code = {NULL, program_decode};

static struct culprit_shotgun_params plain(void)
{
	return (struct culprit_shotgun_params){.seed = 1,
					       .warmup = 20,
					       .context = CONTEXT,
					       .signature_bits = 2,
					       .no_return = true,
					       .whole = true,
					       .no_borrowing = true,
					       .no_rare = true};
}

static struct culprit_shotgun *open_shotgun(const struct culprit_shotgun_params *p, const struct culprit_samples *s)
{
	static struct culprit_shotgun_machine machine;
	machine = program_machine();
	const char *why = NULL;
	struct culprit_shotgun *x = culprit_shotgun_create(&machine, p, s, &code, &why);
	if (!x)
		fail_msg("%s", why);
	return x;
}

static bool bit_of(const struct culprit_samples *s, size_t sample, unsigned bit, uint32_t step)
{
	uint32_t position = step + s->context;
	return s->bits[(2 * sample + bit) * s->words + position / 64] >> (position % 64) & 1;
}

static void flip(struct culprit_samples *s, size_t sample, unsigned bit, uint32_t step)
{
	uint32_t position = step + s->context;
	s->bits[(2 * sample + bit) * s->words + position / 64] ^= 1ull << (position % 64);
}

/* --- what is built --- */

static void check_record(const struct path *p, uint32_t i, const struct culprit_record *r)
{
	const struct program_row *row = program_at(p->pc[i]);
	assert_int_equal(r->pc, p->pc[i]);
	assert_int_equal(r->op_class, row->op_class);
	assert_int_equal(r->branch, row->branch);
	assert_int_equal(r->dest, row->dest);
	bool taken = row->branch && p->pc[i + 1] != p->pc[i] + 4;
	assert_int_equal(!!(r->flags & CULPRIT_TAKEN), taken);
	/* a miss of this program is seen in the instruction's own bits, and those agree in a sample of the path itself */
	assert_int_equal(r->dmiss, p->bits[i] & 2 ? 12 : 0);
	assert_true(r->fetch <= r->dispatch && r->dispatch <= r->ready && r->ready <= r->issue &&
		    r->issue <= r->complete && r->complete <= r->commit);
}

/* The instruction before that wrote the register, looked for backwards. */
static uint32_t writer_before(const struct path *p, uint32_t from, uint32_t i, uint8_t reg)
{
	for (uint32_t back = 1; reg && back <= i - from; back++)
		if (program_at(p->pc[i - back])->dest == reg)
			return back;
	return 0;
}

static void fragments_are_the_path(void **state)
{
	static struct path p;
	for (uint32_t seed = 1; seed < 6; seed++) {
		path_make(&p, seed);
		struct culprit_samples s = path_samples(&p);
		struct culprit_shotgun_params params = plain();
		struct culprit_shotgun *x = open_shotgun(&params, &s);
		for (size_t n = 0; n < SIGNATURES; n++) {
			struct culprit_record r[LENGTH];
			enum culprit_abort why;
			assert_int_equal(culprit_shotgun_fragment(x, n, r, LENGTH, &why), LENGTH);
			uint32_t start = path_start((uint32_t)n);
			for (uint32_t i = 0; i < LENGTH; i++) {
				check_record(&p, start + i, &r[i]);
				assert_int_equal(r[i].producer[0],
						 writer_before(&p, start, start + i, program_at(r[i].pc)->source));
			}
		}
		culprit_shotgun_destroy(x);
		samples_free(&s);
	}
}

/* Where loads wait for all older stores, a wait that no operand explains names the store, so that it ends with it in every lane of
 * the graph. */
static void waits_for_order_are_named(void **state)
{
	static struct path p;
	path_make(&p, 8);
	struct culprit_samples s = path_samples(&p);
	struct culprit_shotgun_params params = plain();
	struct culprit_shotgun_machine m = program_machine();
	m.graph.ordered_loads = true;
	struct culprit_shotgun *x = culprit_shotgun_create(&m, &params, &s, &code, NULL);
	struct culprit_record r[LENGTH];
	enum culprit_abort why;
	assert_int_equal(culprit_shotgun_fragment(x, 0, r, LENGTH, &why), LENGTH);
	uint32_t waits = 0;
	for (uint32_t i = 1; i < LENGTH; i++) {
		uint64_t operand = r[i].producer[0] ? r[i - r[i].producer[0]].complete : 0;
		uint64_t explained = r[i].dispatch + m.graph.dispatch_to_issue;
		explained = operand > explained ? operand : explained;
		if (!(r[i].flags & CULPRIT_LOAD) || r[i].ready <= explained)
			continue;
		waits++;
		assert_in_range(r[i].order_waited, 1, i);
		const struct culprit_record *store = &r[i - r[i].order_waited];
		assert_true(store->flags & CULPRIT_STORE);
		assert_int_equal(store->complete, r[i].ready);
	}
	assert_true(waits > 0);
	culprit_shotgun_destroy(x);
	samples_free(&s);
}

/* Without a detailed sample latencies are the machine's, and misses what the signature's own bits say. */
static void defaults_stand_in(void **state)
{
	static struct path p;
	path_make(&p, 3);
	struct culprit_samples s = path_samples(&p);
	size_t kept = 0;
	for (size_t i = 0; i < s.detail_count; i++)
		if (s.details[i].target)
			s.details[kept++] = s.details[i];
	s.detail_count = kept;
	struct culprit_shotgun_params params = plain();
	struct culprit_shotgun *x = open_shotgun(&params, &s);
	struct culprit_record r[LENGTH];
	enum culprit_abort why;
	assert_int_equal(culprit_shotgun_fragment(x, 0, r, LENGTH, &why), LENGTH);
	for (uint32_t i = 0; i < LENGTH; i++)
		if (r[i].op_class == CULPRIT_OP_load) {
			assert_int_equal(r[i].exec_latency, 2);
			assert_int_equal(r[i].dmiss, p.bits[path_start(0) + i] & 2 ? 12 : 0);
		}
	struct culprit_shotgun_results results;
	assert_true(culprit_shotgun_run(x, &results));
	uint64_t without = 0;
	for (uint32_t n = 0; n < SIGNATURES; n++)
		for (uint32_t i = 0; i < LENGTH; i++)
			without += program_at(p.pc[path_start(n) + i])->branch < CULPRIT_BRANCH_INDIRECT_JUMP;
	assert_int_equal(results.missing, without);
	assert_int_equal(results.instructions, SIGNATURES * LENGTH);
	culprit_shotgun_destroy(x);
	samples_free(&s);
}

/* --- what is given up --- */

static enum culprit_abort abort_of(const struct culprit_samples *s, size_t sample)
{
	struct culprit_record r[LENGTH];
	enum culprit_abort why = CULPRIT_ABORT_COUNT;
	struct culprit_shotgun_params params = plain();
	struct culprit_shotgun *x = open_shotgun(&params, s);
	if (culprit_shotgun_fragment(x, sample, r, LENGTH, &why))
		why = CULPRIT_ABORT_COUNT;
	culprit_shotgun_destroy(x);
	return why;
}

/* The first step from `from` on whose instruction is of this class and kind. */
static uint32_t step_of(const struct path *p, uint32_t sample, uint8_t op_class, uint8_t branch)
{
	for (uint32_t i = 0; i < LENGTH; i++) {
		const struct program_row *row = program_at(p->pc[path_start(sample) + i]);
		if (row->op_class == op_class && row->branch == branch)
			return i;
	}
	fail_msg("no such instruction on the path");
	return 0;
}

/* Of the run's aborts the instruction at `pc` has this one, and no other has any. */
static void expect_abort_at(const struct culprit_samples *s, uint64_t pc, enum culprit_abort why)
{
	struct culprit_shotgun_params params = plain();
	struct culprit_shotgun *x = open_shotgun(&params, s);
	struct culprit_shotgun_results results;
	struct culprit_shotgun_place place;
	assert_true(culprit_shotgun_run(x, &results));
	assert_int_equal(results.aborted, 1);
	for (unsigned i = 0; i < CULPRIT_ABORT_COUNT; i++)
		assert_int_equal(results.aborts[i], i == why);
	for (size_t i = 0; culprit_shotgun_place(x, i, &place); i++)
		assert_int_equal(place.aborts, place.pc == pc);
	culprit_shotgun_destroy(x);
}

static void impossible_bits_abort(void **state)
{
	static const struct {
		uint8_t op_class, branch;
		enum culprit_abort why;
	} cases[] = {
		{CULPRIT_OP_int_alu, 0, CULPRIT_ABORT_bit_without_cause},
		{CULPRIT_OP_branch, CULPRIT_BRANCH_JUMP, CULPRIT_ABORT_jump_not_taken},
		{CULPRIT_OP_branch, CULPRIT_BRANCH_CALL, CULPRIT_ABORT_jump_not_taken},
		{CULPRIT_OP_branch, CULPRIT_BRANCH_RETURN, CULPRIT_ABORT_jump_not_taken},
		{CULPRIT_OP_branch, CULPRIT_BRANCH_INDIRECT_JUMP, CULPRIT_ABORT_jump_not_taken},
		{CULPRIT_OP_store, 0, CULPRIT_ABORT_hit_without_bit},
		{CULPRIT_OP_load, 0, CULPRIT_ABORT_hit_without_bit},
	};
	static struct path p;
	path_make(&p, 9);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct culprit_samples s = path_samples(&p);
		uint32_t step = step_of(&p, 1, cases[i].op_class, cases[i].branch);
		assert_int_equal(abort_of(&s, 1), CULPRIT_ABORT_COUNT);
		flip(&s, 1, 0, step);
		if (!bit_of(&s, 1, 0, step) && bit_of(&s, 1, 1, step) && cases[i].op_class == CULPRIT_OP_load)
			flip(&s, 1, 1, step); /* with a miss it would be an L2 miss */
		assert_int_equal(abort_of(&s, 1), cases[i].why);
		expect_abort_at(&s, p.pc[path_start(1) + step], cases[i].why);
		samples_free(&s);
	}
}

/* A load with bit 1 clear and bit 2 set missed the L2: consistent. */
static void an_l2_miss_is_possible(void **state)
{
	static struct path p;
	path_make(&p, 9);
	struct culprit_samples s = path_samples(&p);
	uint32_t step = step_of(&p, 1, CULPRIT_OP_load, 0);
	flip(&s, 1, 0, step);
	if (!bit_of(&s, 1, 1, step))
		flip(&s, 1, 1, step);
	assert_int_equal(abort_of(&s, 1), CULPRIT_ABORT_COUNT);
	samples_free(&s);
}

static void unknown_targets_abort(void **state)
{
	static struct path p;
	path_make(&p, 9);
	struct culprit_samples s = path_samples(&p);
	size_t all = s.detail_count;
	s.detail_count = 0;
	assert_int_equal(abort_of(&s, 1), CULPRIT_ABORT_no_target);
	s.detail_count = all;
	for (size_t i = 0; i < all; i++)
		if (s.details[i].pc == 0x120)
			s.details[i].target = 0x9990;
	assert_int_equal(abort_of(&s, 1), CULPRIT_ABORT_no_code);
	samples_free(&s);
}

/* --- returns --- */

/* A fragment that begins inside the function needs a sampled target for its first return; calls that it made itself, none. */
static void the_stack_knows_returns(void **state)
{
	static struct path p;
	path_make(&p, 9);
	struct culprit_samples s = path_samples(&p);
	for (size_t i = 0; i < s.detail_count; i++)
		if (s.details[i].pc == 0x204)
			s.details[i].target = 0x9990; /* would be wrong */
	struct culprit_shotgun_params params = plain();
	struct culprit_shotgun *x = open_shotgun(&params, &s);
	for (uint32_t n = 0; n < SIGNATURES; n++) {
		struct culprit_record r[LENGTH];
		enum culprit_abort why = CULPRIT_ABORT_COUNT;
		bool inside = s.pc[n] >= 0x200;
		assert_int_equal(culprit_shotgun_fragment(x, n, r, LENGTH, &why), inside ? 0 : LENGTH);
		assert_int_equal(why, inside ? CULPRIT_ABORT_no_code : CULPRIT_ABORT_COUNT);
	}
	culprit_shotgun_destroy(x);
	samples_free(&s);
}

/* --- going back --- */

/* No bits are compared, so targets are guesses: an add's bit 1 is clear and a load's set, which tells them apart one step later.
 * Giving up at once loses nearly all fragments; going back loses none, and finds the path itself. */
static void wrong_targets_are_taken_back(void **state)
{
	static struct path p;
	path_make(&p, 5);
	struct culprit_samples s = path_samples(&p);
	struct culprit_shotgun_params params = plain();
	params.signature_bits = 0;
	struct culprit_shotgun_results results;
	struct culprit_shotgun *x = open_shotgun(&params, &s);
	assert_true(culprit_shotgun_run(x, &results));
	assert_true(results.aborted > SIGNATURES / 2);
	assert_int_equal(results.built + results.aborted, SIGNATURES);
	assert_int_equal(results.aborted, results.guessed[CULPRIT_BRANCH_INDIRECT_JUMP]);
	culprit_shotgun_destroy(x);
	params.no_return = false;
	x = open_shotgun(&params, &s);
	assert_true(culprit_shotgun_run(x, &results));
	assert_int_equal(results.built, SIGNATURES);
	for (uint32_t n = 0; n < SIGNATURES; n++) {
		struct culprit_record r[LENGTH];
		enum culprit_abort why;
		assert_int_equal(culprit_shotgun_fragment(x, n, r, LENGTH, &why), LENGTH);
		for (uint32_t i = 0; i < LENGTH; i++)
			assert_int_equal(r[i].pc, p.pc[path_start(n) + i]);
	}
	culprit_shotgun_destroy(x);
	samples_free(&s);
}

/* --- targets in the signature sample --- */

/* Where the path's indirect jumps went, behind each signature sample's start. */
static void add_targets(struct culprit_samples *s, const struct path *p, uint32_t slots)
{
	s->target_slots = slots;
	s->targets = calloc((size_t)SIGNATURES * slots, sizeof *s->targets);
	for (uint32_t n = 0; n < SIGNATURES; n++)
		for (uint32_t i = path_start(n), slot = 0; i < path_start(n) + LENGTH && slot < slots; i++)
			if (p->pc[i] == 0x120)
				s->targets[n * slots + slot++] = p->pc[i + 1];
}

/* Fragments that follow the path to their end, and the instructions of all. */
static uint32_t whole_fragments(struct culprit_samples *s, const struct path *p, bool as_paper)
{
	struct culprit_shotgun_params params = plain();
	params.no_return = as_paper;
	struct culprit_shotgun *x = open_shotgun(&params, s);
	uint32_t whole = 0;
	for (uint32_t n = 0; n < SIGNATURES; n++) {
		struct culprit_record r[LENGTH];
		enum culprit_abort why;
		uint32_t length = culprit_shotgun_fragment(x, n, r, LENGTH, &why);
		for (uint32_t i = 0; i < length; i++)
			assert_int_equal(r[i].pc, p->pc[path_start(n) + i]);
		whole += length == LENGTH;
	}
	culprit_shotgun_destroy(x);
	return whole;
}

/* Nobody has a detailed sample of the jump. The fragments that the signature samples' own targets lead through are whole; the paper's
 * reconstruction does not look at them, and with three targets a fragment gets no further than the fourth jump. */
static void sampled_targets_lead_on(void **state)
{
	static struct path p;
	path_make(&p, 9);
	struct culprit_samples s = path_samples(&p);
	size_t kept = 0;
	for (size_t i = 0; i < s.detail_count; i++)
		if (s.details[i].pc != 0x120)
			s.details[kept++] = s.details[i];
	s.detail_count = kept;
	assert_int_equal(whole_fragments(&s, &p, false), 0);
	add_targets(&s, &p, 64);
	assert_int_equal(whole_fragments(&s, &p, false), SIGNATURES);
	assert_int_equal(whole_fragments(&s, &p, true), 0);
	free(s.targets);
	add_targets(&s, &p, 3);
	assert_int_equal(whole_fragments(&s, &p, false), 0);
	free(s.targets);
	samples_free(&s);
}

/* --- borrowing --- */

static bool all_loads(void *context, uint64_t pc, struct culprit_static_insn *insn)
{
	*insn = (struct culprit_static_insn){.flags = CULPRIT_LOAD, .length = 4, .op_class = CULPRIT_OP_load};
	return true;
}

/* Ten loads with one sample each (contention 1), and one with ninety (contention 2). What has no sample borrows from the ten; what has
 * some, but none with these bits, from all. With seven of the ten, fewer than are drawn, both borrow from all. */
static void the_unseen_borrow_from_the_seldom_seen(void **state)
{
	for (unsigned seldom = 10; seldom >= 7; seldom -= 3) {
		struct culprit_detail details[100];
		memset(details, 0, sizeof details);
		for (uint64_t i = 0; i < 100; i++) {
			details[i].pc = i < seldom ? 0x1000 + 4 * i : 0x2000;
			details[i].contention = i < seldom ? 1 : 2;
			details[i].bits[0] = 1;
		}
		const struct culprit_samples samples = {
			.details = details, .detail_count = 100, .length = 1, .words = 1};
		const struct culprit_code loads = {.decode = all_loads};
		const struct culprit_shotgun_params params = {.signature_bits = 2, .own_weight = 100, .thin = 1};
		struct shotgun_index x;
		assert_true(shotgun_index_create(&x, &samples, &loads, &params));
		struct culprit_static_insn load;
		all_loads(NULL, 0, &load);
		const uint64_t bits[2] = {1, 0};
		uint64_t random = 5;
		for (unsigned unseen = 0; unseen < 2; unseen++) {
			unsigned often = 0;
			for (unsigned i = 0; i < 200; i++) {
				struct shotgun_match m = shotgun_index_borrow(&x, &load, bits, unseen, &random);
				assert_true(m.borrowed && m.detail);
				often += m.detail->contention == 2;
			}
			bool from_all = !unseen || seldom < 8;
			assert_true(from_all ? often > 150 && often < 200 : often == 0);
		}
		shotgun_index_destroy(&x);
	}
}

static bool any_branch(void *context, uint64_t pc, struct culprit_static_insn *insn)
{
	*insn = (struct culprit_static_insn){
		.length = 4, .op_class = CULPRIT_OP_branch, .branch = (uint8_t)(pc / 16 % CULPRIT_BRANCH_COUNT)};
	return true;
}

/* Of each kind of branch one sample, with the bits `own`: who has these and is of the kind borrows it, and nobody else any. */
static void others_kinds_and_bits_lend_nothing(void **state)
{
	for (unsigned own = 0; own < 4; own++) {
		struct culprit_detail details[CULPRIT_BRANCH_COUNT];
		memset(details, 0, sizeof details);
		for (unsigned kind = 0; kind < CULPRIT_BRANCH_COUNT; kind++)
			details[kind] = (struct culprit_detail){.pc = 16ull * kind, .bits = {own & 1, own >> 1}};
		const struct culprit_samples samples = {
			.details = details, .detail_count = CULPRIT_BRANCH_COUNT, .length = 1, .words = 1};
		const struct culprit_code branches = {.decode = any_branch};
		const struct culprit_shotgun_params params = {.signature_bits = 2, .thin = 1};
		struct shotgun_index x;
		assert_true(shotgun_index_create(&x, &samples, &branches, &params));
		for (unsigned i = 0; i < 4 * CULPRIT_BRANCH_COUNT; i++) {
			struct culprit_static_insn insn;
			uint64_t random = 5;
			const uint64_t bits[2] = {i & 1, i >> 1 & 1};
			any_branch(NULL, 16ull * (i / 4), &insn);
			const struct shotgun_match m = shotgun_index_borrow(&x, &insn, bits, false, &random);
			assert_ptr_equal(m.detail, i % 4 == own ? &details[i / 4] : NULL);
		}
		shotgun_index_destroy(&x);
	}
	(void)state;
}

/* A branch in usual surroundings (0, 30 samples), in others next to these (1 and 2, one sample each, contention 2), and in some
 * that no sample has (next to the usual ones, and further from the others). The rare stand for it, if they borrow. */
static void surroundings_without_a_sample_are_like_the_rare(void **state)
{
	struct culprit_detail details[32];
	memset(details, 0, sizeof details);
	for (uint64_t i = 0; i < 32; i++) {
		details[i].pc = 0x1000;
		details[i].contention = i < 30 ? 1 : 2;
		details[i].bits[0] = i < 30 ? 2 : i == 30 ? 2 | 1 : 2 | 4;
	}
	const struct culprit_samples samples = {
		.details = details, .detail_count = 32, .context = 1, .length = 1, .words = 1};
	const struct culprit_code loads = {.decode = all_loads};
	for (unsigned paper = 0; paper < 2; paper++) {
		const struct culprit_shotgun_params params = {
			.signature_bits = 2, .own_weight = 100, .context = 1, .no_borrowing = paper, .no_rare = paper};
		struct shotgun_index x;
		assert_true(shotgun_index_create(&x, &samples, &loads, &params));
		uint64_t random = 5, usual[2] = {2, 0}, rare[2] = {2 | 1, 0}, unseen[2] = {2, 1}, miss[2] = {2, 2};
		const struct shotgun_place *p = shotgun_index_place(&x, 0x1000);
		assert_int_equal(shotgun_index_match(&x, p, usual, &random).detail->contention, 1);
		assert_int_equal(shotgun_index_match(&x, p, rare, &random).detail->contention, 2);
		assert_int_equal(shotgun_index_match(&x, p, unseen, &random).detail->contention, paper ? 1 : 2);
		/* its own bits come first: here all have others, and the rare are as good */
		assert_int_equal(shotgun_index_match(&x, p, miss, &random).detail->contention, paper ? 1 : 2);
		details[30].bits[0] = details[31].bits[0] = 1; /* now only the usual ones have its own bit 1 */
		shotgun_index_destroy(&x);
		assert_true(shotgun_index_create(&x, &samples, &loads, &params));
		p = shotgun_index_place(&x, 0x1000);
		assert_int_equal(shotgun_index_match(&x, p, unseen, &random).detail->contention, 1);
		shotgun_index_destroy(&x);
		details[30].bits[0] = 2 | 1;
		details[31].bits[0] = 2 | 4;
	}
}

/* Load and store have different base registers' values, of which the code says nothing; their samples have the same address. Of
 * samples without one, and by the paper's rules, they have different ones. */
static void addresses_are_the_samples(void **state)
{
	static struct path p;
	path_make(&p, 9);
	for (unsigned told = 0; told < 3; told++) {
		struct culprit_samples s = path_samples(&p);
		for (size_t i = 0; told && i < s.detail_count; i++)
			s.details[i].address = program_at(s.details[i].pc)->flags ? 0x7008 : 0;
		struct culprit_shotgun_params params = plain();
		params.no_inference = told == 2;
		struct culprit_shotgun *x = open_shotgun(&params, &s);
		struct culprit_record r[LENGTH];
		enum culprit_abort why;
		assert_int_equal(culprit_shotgun_fragment(x, 0, r, LENGTH, &why), LENGTH);
		uint64_t load = 0, store = 0;
		for (size_t i = 0; i < LENGTH; i++) {
			load = r[i].flags & CULPRIT_LOAD ? r[i].mem_addr : load;
			store = r[i].flags & CULPRIT_STORE ? r[i].mem_addr : store;
		}
		assert_true(load && store);
		assert_int_equal(load == 0x7008 && store == 0x7008, told == 1);
		assert_int_equal(load == store, told == 1);
		culprit_shotgun_destroy(x);
		samples_free(&s);
	}
}

/* --- matching, against a slow search --- */

static uint32_t agreement(const struct culprit_samples *s, const struct culprit_detail *d, size_t sample, uint32_t step,
			  const struct culprit_shotgun_params *params)
{
	uint32_t agree = 0;
	for (unsigned bit = 0; bit < params->signature_bits; bit++)
		for (int off = -(int)params->context; off <= (int)params->context; off++) {
			uint32_t position = (uint32_t)((int)(step + s->context) + off);
			unsigned wanted = s->bits[(2 * sample + bit) * s->words + position / 64] >> (position % 64) & 1;
			agree += wanted == (d->bits[bit] >> ((int)s->context + off) & 1);
		}
	return agree;
}

static void the_closest_sample_is_taken(void **state)
{
	static struct path p;
	path_make(&p, 4);
	struct culprit_samples s = path_samples(&p);
	uint32_t random = 77;
	for (size_t i = 0; i < s.detail_count; i++) { /* contention says which sample was taken */
		struct culprit_detail *d = &s.details[i];
		d->contention = (uint32_t)i;
		for (unsigned b = 0; b < 2; b++)
			for (unsigned n = 0; n < 3; n++) {
				random = random * 1664525 + 1013904223;
				d->bits[b] ^= 1ull << (random >> 8) % (2 * CONTEXT + 1);
			}
	}
	for (uint32_t context = 0; context <= CONTEXT; context += 5) {
		struct culprit_shotgun_params params = plain();
		params.context = context;
		params.no_return = false;
		params.signature_bits = context ? 2 : 1;
		struct culprit_shotgun *x = open_shotgun(&params, &s);
		struct culprit_record r[LENGTH];
		enum culprit_abort why;
		assert_int_equal(culprit_shotgun_fragment(x, 2, r, LENGTH, &why), LENGTH);
		for (uint32_t step = 0; step < LENGTH; step++) {
			if (program_at(r[step].pc)->branch >= CULPRIT_BRANCH_INDIRECT_JUMP)
				continue; /* the path decides among its targets */
			uint32_t most = 0;
			for (size_t i = 0; i < s.detail_count; i++) {
				uint32_t a = agreement(&s, &s.details[i], 2, step, &params);
				most = s.details[i].pc == r[step].pc && a > most ? a : most;
			}
			const struct culprit_detail *taken = &s.details[r[step].issue - r[step].ready];
			assert_int_equal(taken->pc, r[step].pc);
			assert_int_equal(agreement(&s, taken, 2, step, &params), most);
		}
		culprit_shotgun_destroy(x);
	}
	samples_free(&s);
}

/* --- figures --- */

/* The costs of all sets add up, and every instruction is measured, whatever runs before it. */
static void fragments_add_up(void **state)
{
	static struct path p;
	path_make(&p, 5);
	struct culprit_samples s = path_samples(&p);
	for (uint32_t warmup = 0; warmup <= 3 * LENGTH; warmup += LENGTH / 2) {
		struct culprit_shotgun_params params = plain();
		params.warmup = warmup;
		struct culprit_shotgun_results a, b;
		struct culprit_shotgun *x = open_shotgun(&params, &s), *y = open_shotgun(&params, &s);
		assert_true(culprit_shotgun_run(x, &a) && culprit_shotgun_run(y, &b));
		assert_memory_equal(&a, &b, sizeof a);
		assert_int_equal(a.instructions, SIGNATURES * LENGTH);
		assert_int_equal(a.graph.instructions, SIGNATURES * LENGTH);
		int64_t sum = 0;
		for (unsigned set = 1; set < CULPRIT_GRAPH_SETS; set++)
			sum += a.graph.icost[set];
		assert_int_equal(sum, (int64_t)(a.graph.time[0] - a.graph.time[255]));
		double weight[CULPRIT_GRAPH_SETS] = {1, -1};
		struct culprit_shotgun_interval i = culprit_shotgun_interval_of(x, weight);
		assert_memory_equal(&a.cost_interval[1], &i, sizeof i);
		culprit_shotgun_destroy(x);
		culprit_shotgun_destroy(y);
	}
	samples_free(&s);
}

/* One signature sample as if there were no others. */
static struct culprit_samples only(const struct culprit_samples *s, uint32_t n)
{
	struct culprit_samples one = *s;
	one.pc += n;
	one.bits += (size_t)2 * n * s->words;
	one.signature_count = 1;
	return one;
}

/* With contention as recorded: whose lanes have issue slots the graph decides on the way, by all that it saw. */
static struct culprit_shotgun *open_without_slots(const struct culprit_shotgun_params *p,
						  const struct culprit_samples *s)
{
	struct culprit_shotgun_machine m = program_machine();
	m.graph.issue_slots = false;
	struct culprit_shotgun *x = culprit_shotgun_create(&m, p, s, &code, NULL);
	assert_non_null(x);
	return x;
}

/* Fragments do not overlap: each takes as long as alone, whatever is idealised. */
static void fragments_take_their_own_time(void **state)
{
	static struct path p;
	path_make(&p, 6);
	struct culprit_samples s = path_samples(&p);
	for (size_t i = 0; i < s.detail_count; i++) /* a violation at a fragment's beginning has no store before it */
		if (program_at(s.details[i].pc)->flags & CULPRIT_LOAD)
			s.details[i].flags |= CULPRIT_VIOLATED;
	struct culprit_shotgun_params params = plain();
	static struct culprit_shotgun_results all, one;
	struct culprit_shotgun *x = open_without_slots(&params, &s);
	assert_true(culprit_shotgun_run(x, &all));
	culprit_shotgun_destroy(x);
	uint64_t sum[CULPRIT_GRAPH_SETS] = {0};
	for (uint32_t n = 0; n < SIGNATURES; n++) {
		struct culprit_samples alone = only(&s, n);
		x = open_without_slots(&params, &alone);
		assert_true(culprit_shotgun_run(x, &one));
		culprit_shotgun_destroy(x);
		for (unsigned set = 0; set < CULPRIT_GRAPH_SETS; set++)
			sum[set] += one.graph.time[set];
	}
	for (unsigned set = 0; set < CULPRIT_GRAPH_SETS; set++)
		assert_int_equal(all.graph.time[set], sum[set]);
	samples_free(&s);
}

/* Nothing is ever seen of lgalu here: its interval is that of so many fragments without any, not nothing. */
static void nothing_seen_is_not_nothing(void **state)
{
	static struct path p;
	path_make(&p, 5);
	struct culprit_samples s = path_samples(&p);
	struct culprit_shotgun_params params = plain();
	struct culprit_shotgun *x = open_shotgun(&params, &s);
	struct culprit_shotgun_results r;
	assert_true(culprit_shotgun_run(x, &r));
	const unsigned lgalu = 1u << CULPRIT_EVENT_lgalu;
	assert_int_equal(r.graph.cost[lgalu], 0);
	/* two fragments of mean length in which it is everything, among 12 */
	assert_true(fabs(r.cost_interval[lgalu].all - 100 * 1.96 * sqrt(2) / SIGNATURES) < 1e-9);
	culprit_shotgun_destroy(x);
	samples_free(&s);
}

static double size_of(double x, double y, double z)
{
	return sqrt(x * x + y * y + z * z);
}

static struct culprit_shotgun_interval interval_of_misses(const struct culprit_samples *s, uint32_t warmup)
{
	struct culprit_shotgun_params params = plain();
	params.warmup = warmup;
	params.own_weight = 100; /* a miss finds a sample of a miss in any half */
	static struct culprit_shotgun_results r;
	struct culprit_shotgun *x = open_without_slots(&params, s);
	assert_true(culprit_shotgun_run(x, &r));
	culprit_shotgun_destroy(x);
	return r.cost_interval[1u << CULPRIT_EVENT_dmiss];
}

/* Half of the samples changes nothing when all are alike; then only what runs before a fragment does, if anything. Cycles that
 * were counted and are not in the fragments make the bias and what is unseen larger, and nothing else. */
static void intervals_have_their_parts(void **state)
{
	static struct path p;
	path_make(&p, 5);
	struct culprit_samples s = path_samples(&p);
	assert_true(interval_of_misses(&s, 0).details == 0);
	assert_true(interval_of_misses(&s, LENGTH).details > 0);
	for (size_t i = 0; i < s.detail_count; i++)
		if (s.details[i].dmiss)
			s.details[i].dmiss = i % 7 ? 4 : 60;
	struct culprit_shotgun_interval a = interval_of_misses(&s, 0);
	assert_true(a.details > 1);
	s.instructions = 1000;
	s.cycles = 100000; /* far more than the fragments have */
	struct culprit_shotgun_interval b = interval_of_misses(&s, 0);
	assert_true(b.fragments == a.fragments && b.details == a.details && b.bias > 2 * a.bias);
	assert_true(fabs(b.all - hypot(size_of(b.fragments, b.details, b.bias), b.unseen)) < 1e-9);
	samples_free(&s);
}

/* The run counted twice the fragments' cycles, and detailed samples say where they are: in fetch misses that no fragment has. The
 * intervals of imiss and of the cycles an instruction reach that far; lgalu's, of which no sample has more than the fragments,
 * does not. */
static void what_fragments_lack_is_allowed_for(void **state)
{
	static struct path p;
	path_make(&p, 5);
	struct culprit_samples s = path_samples(&p);
	struct culprit_shotgun_params params = plain();
	struct culprit_shotgun *x = open_shotgun(&params, &s);
	struct culprit_shotgun_results before, after;
	assert_true(culprit_shotgun_run(x, &before));
	culprit_shotgun_destroy(x);
	assert_true(before.cpi_unlike < before.cpi / 4);
	double lack = before.cpi; /* cycles an instruction */
	uint64_t cold = 100, all = s.detail_count + cold;
	s.details = realloc(s.details, all * sizeof *s.details);
	for (; s.detail_count < all; s.detail_count++) /* of code where no fragment comes */
		s.details[s.detail_count] =
			(struct culprit_detail){.pc = 0x10c,
						.imiss = (uint32_t)(lack * (double)all / (double)cold),
						.bits = {0, 1u << CONTEXT}};
	s.instructions = 1000;
	s.cycles = (uint64_t)(1000 * 2 * lack);
	x = open_shotgun(&params, &s);
	assert_true(culprit_shotgun_run(x, &after));
	culprit_shotgun_destroy(x);
	assert_true(after.cpi_error >= 0.9 * lack);
	assert_true(after.cost_interval[1u << CULPRIT_EVENT_imiss].unseen > 45);
	assert_true(after.cost_interval[1u << CULPRIT_EVENT_lgalu].unseen < 5);
	samples_free(&s);
}

/* A load's own bits say that it missed the L2; no detailed sample of any load did. Then the bits are believed. */
static void bits_outweigh_samples(void **state)
{
	static struct path p;
	path_make(&p, 3);
	struct culprit_samples s = path_samples(&p);
	uint32_t step = 0;
	while (program_at(p.pc[path_start(0) + step])->op_class != CULPRIT_OP_load)
		step++;
	if (bit_of(&s, 0, 0, step))
		flip(&s, 0, 0, step);
	if (!bit_of(&s, 0, 1, step))
		flip(&s, 0, 1, step);
	struct culprit_shotgun_params params = plain();
	params.no_borrowing = params.no_rare = false;
	struct culprit_shotgun *x = open_shotgun(&params, &s);
	struct culprit_record r[LENGTH];
	enum culprit_abort why;
	assert_int_equal(culprit_shotgun_fragment(x, 0, r, LENGTH, &why), LENGTH);
	assert_int_equal(r[step].dlevel, CULPRIT_LEVEL_MEMORY);
	assert_int_equal(r[step].dmiss, program_machine().graph.miss_cycles[CULPRIT_LEVEL_MEMORY]);
	culprit_shotgun_destroy(x);
	samples_free(&s);
}

static void wrong_parameters_are_named(void **state)
{
	static struct path p;
	path_make(&p, 5);
	struct culprit_samples s = path_samples(&p);
	struct culprit_shotgun_machine m = program_machine();
	const char *why;
	struct culprit_shotgun_params params = plain();
	params.context = CONTEXT + 1;
	assert_null(culprit_shotgun_create(&m, &params, &s, &code, &why));
	assert_non_null(strstr(why, "fewer signature bits"));
	params = plain();
	params.length = LENGTH + 1;
	assert_null(culprit_shotgun_create(&m, &params, &s, &code, &why));
	assert_non_null(strstr(why, "longer"));
	samples_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fragments_are_the_path),
		cmocka_unit_test(waits_for_order_are_named),
		cmocka_unit_test(defaults_stand_in),
		cmocka_unit_test(impossible_bits_abort),
		cmocka_unit_test(an_l2_miss_is_possible),
		cmocka_unit_test(unknown_targets_abort),
		cmocka_unit_test(the_stack_knows_returns),
		cmocka_unit_test(wrong_targets_are_taken_back),
		cmocka_unit_test(sampled_targets_lead_on),
		cmocka_unit_test(others_kinds_and_bits_lend_nothing),
		cmocka_unit_test(the_unseen_borrow_from_the_seldom_seen),
		cmocka_unit_test(surroundings_without_a_sample_are_like_the_rare),
		cmocka_unit_test(addresses_are_the_samples),
		cmocka_unit_test(the_closest_sample_is_taken),
		cmocka_unit_test(fragments_add_up),
		cmocka_unit_test(fragments_take_their_own_time),
		cmocka_unit_test(nothing_seen_is_not_nothing),
		cmocka_unit_test(intervals_have_their_parts),
		cmocka_unit_test(what_fragments_lack_is_allowed_for),
		cmocka_unit_test(bits_outweigh_samples),
		cmocka_unit_test(wrong_parameters_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
