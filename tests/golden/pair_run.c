/* See the header. What a run found is one line: counts to read, and a checksum for each kind of thing that a core tells. A second run,
 * without listeners, has the same cycles. */
#include "pairs.h"

#include "base/archive.h"
#include "bare_guest.h"
#include "core_digest.h"
#include "machine/machine_rows.h"
#include "riscv/follow.h"
#include "riscv/vector.h"

#include <stdlib.h>
#include <string.h>

static const char *const ways[] = {"cold",   "warm",  "strays", "ideal",  "places",
				   "taught", "turns", "stop",	"follow", "pieces"};

void pair_make(struct pair *p, uint64_t number)
{
	*p = (struct pair){.number = number, .random = {(number + 1000) * 0x5851f42d4c957f2d}};
	if (number % 3 == 0)
		p->around = varied_machine(&p->machine, &p->random);
	else if (number % 3 == 1)
		p->around = varied_machine_wide(&p->machine, &p->random);
	else
		p->around = varied_machine_by_one(&p->machine, number / 3 % machine_row_count, &p->random);
	p->way = random_below(&p->random, 2) ? random_below(&p->random, WAYS) : WAY_COLD;
	p->vectors = random_below(&p->random, 3) == 0;
	p->size = varied_program(random_next(&p->random), p->vectors, p->code, sizeof p->code);
}

static struct guest *guest_of(const struct pair *p)
{
	struct guest *g = bare_guest_create(p->code, sizeof p->code);
	for (uint32_t i = 0; i < 1 << 14; i++)
		*(uint8_t *)address_space_host(guest_memory(g), BARE_DATA + i) = (uint8_t)(i * i >> 3);
	if (p->vectors) {
		guest_hart(g)->vector = riscv_vector_create(p->machine.vector_vlen);
		riscv_code_extend(guest_code(g), RISCV_EXT_V);
	}
	if (p->way == WAY_TURNS) { /* one ends soon */
		if (p->number % 2)
			bare_guest_live_apart(g);
		else
			bare_guest_take_turns(g);
		guest_hart(g)->instret = GUEST_TURN - 1 - p->number * 37 % (PAIR_WARM + PAIR_RUN);
	}
	return g;
}

static struct core *core_of(const struct pair *p, struct guest *g)
{
	struct error err;
	struct core *c = core_create(&p->machine, g, &err);
	if (!c) {
		fprintf(stderr, "pair %llu: %s\n", (unsigned long long)p->number, err.text);
		exit(1);
	}
	return c;
}

/* --- ways --- */

static void warm(struct core *c, uint64_t insns)
{
	uint64_t executed;
	core_warm(c, insns, &executed);
}

static void warm_with_strays(struct core *c)
{
	struct error err;
	core_train_branches(c, false);
	warm(c, PAIR_WARM / 8);
	core_train_branches(c, true);
	core_warm_strays(c);
	warm(c, PAIR_WARM / 4);
	core_reference_begin(c, &err);
	core_train_branches(c, false);
	warm(c, PAIR_WARM / 4);
	core_reference_end(c);
	core_train_branches(c, true);
	warm(c, PAIR_WARM / 4);
}

static void idealise_places(const struct pair *p, struct core *c, struct random_source *r)
{
	struct core_place places[4];
	struct error err;
	for (unsigned i = 0; i < 4; i++) {
		places[i].first = BARE_CODE + random_below(r, (uint32_t)p->size);
		places[i].end = places[i].first + random_below(r, 512);
		places[i].ideal = (culprit_event_set)random_next(r) & CORE_PLACE_CLASSES;
	}
	core_idealise_places(c, places, 4, &err);
}

/* What another core has learnt in the same program. */
static void teach(const struct pair *p, struct core *c)
{
	struct error err;
	struct guest *g = guest_of(p);
	struct core *other = core_of(p, g);
	size_t count;
	core_keep_lessons(other);
	core_limit(other, PAIR_RUN);
	core_run(other, UINT64_MAX, &err);
	const struct core_lesson *lessons = core_lessons(other, &count);
	for (size_t i = 0; i < count; i++)
		core_learn(c, &lessons[i]);
	if (core_keep_lessons(c))
		core_age_lessons(c, core_statistics(other)->cycles / 3);
	core_destroy(other);
	guest_destroy(g);
}

/* A core as this one is, which ends. */
static struct core *handed_over(const struct pair *p, struct core *c, struct guest *g)
{
	struct bytes bytes = {0};
	struct archive save = {.to = &bytes};
	core_archive_warm(c, &save);
	struct archive load = {.loading = true, .from = {.at = bytes.at, .left = bytes.size}};
	struct core *other = core_of(p, g);
	core_archive_warm(other, &load);
	core_destroy(c);
	free(bytes.at);
	return other;
}

/* --- where it ends --- */

/* The program's next instructions; returns how many. */
static size_t steps_of(const struct pair *p, struct riscv_follow_step *steps, size_t most)
{
	struct guest *g = guest_of(p);
	struct riscv_hart *hart = guest_hart(g);
	bool running = true;
	size_t count = 0;
	while (running && count < most) {
		struct riscv_outcome out = {0};
		struct riscv_follow_step *s = &steps[count++];
		*s = (struct riscv_follow_step){.pc = hart->pc};
		address_space_read(guest_memory(g), &s->bits, s->pc, sizeof s->bits);
		if ((s->bits & 3) != 3)
			s->bits &= 0xffff;
		const enum riscv_stop stop = riscv_run(hart, guest_code(g), guest_memory(g), 1, &out);
		if (stop == RISCV_STOP_FENCE_I)
			riscv_code_flush(guest_code(g));
		else if (stop != RISCV_STOP_LIMIT)
			running = guest_handle(g, stop, &out) == GUEST_RUNNING;
	}
	guest_destroy(g);
	return count;
}

/* At one of the program's next instructions, when it comes there for the second time. */
static void stop_somewhere(const struct pair *p, struct core *c, struct random_source *r)
{
	static struct riscv_follow_step steps[PAIR_RUN];
	const size_t count = steps_of(p, steps, PAIR_RUN);
	const struct riscv_follow_step *s = &steps[random_below(r, (uint32_t)count)];
	const struct guest_point by_pc = {.at = {.pc = s->pc}, .left = 2};
	const struct guest_point by_bits = {.at = {RISCV_NOWHERE, s->bits, 0}, .left = 2 + random_below(r, 50)};
	core_stop_at(c, random_below(r, 2) ? &by_pc : &by_bits);
}

/* Every now and then some instructions are not told, and the program is elsewhere. */
static void follow_some(const struct pair *p, struct core *c, struct random_source *r)
{
	static struct riscv_follow_step steps[PAIR_RUN];
	static struct riscv_follow follow;
	const size_t count = steps_of(p, steps, PAIR_RUN);
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		steps[kept++] = steps[i];
		if (i && random_below(r, 200) == 0)
			i += random_below(r, 20);
	}
	follow = (struct riscv_follow){.steps = steps, .count = kept};
	core_follow(c, &follow);
}

static struct core *prepare(const struct pair *p, struct guest *g)
{
	struct random_source r = p->random;
	struct error err;
	struct core *c = core_of(p, g);
	if (p->way == WAY_STRAYS)
		warm_with_strays(c);
	else if (p->way != WAY_COLD && p->way != WAY_PIECES && p->way != WAY_FOLLOWS && p->way != WAY_STOPPED)
		warm(c, random_below(&r, PAIR_WARM));
	if (p->way == WAY_IDEALISED)
		core_idealise(c,
			      1u << random_below(&r, CULPRIT_EVENT_COUNT) | 1u << random_below(&r, CULPRIT_EVENT_COUNT),
			      &err);
	if (p->way == WAY_PLACES)
		idealise_places(p, c, &r);
	if (p->way == WAY_LESSONS) {
		teach(p, c);
		c = handed_over(p, c, g);
		core_keep_lessons(c);
	}
	if (p->way == WAY_STOPPED)
		stop_somewhere(p, c, &r);
	core_limit(c, p->way == WAY_PIECES ? 0 : PAIR_RUN);
	if (p->way == WAY_FOLLOWS)
		follow_some(p, c, &r);
	return c;
}

/* To the end of the region; or to its middle, where the guest is left. */
static bool simulate(const struct pair *p, struct core *c)
{
	struct error err;
	enum core_stop stop = CORE_STOP_COUNT;
	if (core_guest_state(c) != GUEST_RUNNING)
		return true; /* over before it began */
	if (p->way == WAY_PIECES)
		for (uint64_t until = 7; stop == CORE_STOP_COUNT && until < PAIR_RUN; until += 7)
			stop = core_run(c, until, &err);
	else
		stop = core_run(c, UINT64_MAX, &err);
	if (stop == CORE_STOP_ERROR)
		fprintf(stderr, "pair %llu: %s\n", (unsigned long long)p->number, err.text);
	core_flush_records(c);
	return stop != CORE_STOP_ERROR;
}

/* --- lines --- */

static uint64_t mispredictions(const struct core_statistics *s)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < CULPRIT_BRANCH_COUNT; i++)
		sum += s->mispredicted[i];
	return sum;
}

static void print_line(const struct pair *p, struct core *c, const struct core_digest *d, FILE *out)
{
	const struct core_statistics *s = core_statistics(c);
	const struct hierarchy_statistics *h = core_hierarchy_statistics(c);
	fprintf(out, "%3llu %-6s %-22s %5llu %7llu %5llu %4llu %4llu %5llu %5llu", (unsigned long long)p->number,
		ways[p->way], p->around, (unsigned long long)s->committed, (unsigned long long)s->cycles,
		(unsigned long long)mispredictions(s), (unsigned long long)s->violations,
		(unsigned long long)s->forwarded, (unsigned long long)h->l1d.misses[false],
		(unsigned long long)h->l1i.misses[false]);
	for (unsigned i = 0; i < DIGEST_PARTS; i++)
		fprintf(out, " %08x", (unsigned)(d->part[i] >> 32 ^ d->part[i]));
	fprintf(out, "\n");
}

static void compare_unheard(const struct pair *p, uint64_t cycles, FILE *out)
{
	struct guest *g = guest_of(p);
	struct core *c = prepare(p, g);
	if (!simulate(p, c) || core_statistics(c)->cycles != cycles)
		fprintf(out, "    %llu cycles when nobody listens\n", (unsigned long long)core_statistics(c)->cycles);
	core_destroy(c);
	guest_destroy(g);
}

void pair_run(const struct pair *p, FILE *out)
{
	static struct core_digest d;
	struct guest *g = guest_of(p);
	struct core *c = prepare(p, g);
	core_digest_begin(&d);
	core_record(c, &d.sink, p->way == WAY_PIECES ? NULL : &d.log);
	if (!simulate(p, c))
		fprintf(out, "    pair %llu failed\n", (unsigned long long)p->number);
	core_digest_end(&d, c, g);
	print_line(p, c, &d, out);
	const uint64_t cycles = core_statistics(c)->cycles;
	core_destroy(c);
	guest_destroy(g);
	compare_unheard(p, cycles, out);
}
