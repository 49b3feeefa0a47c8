/* The sample on other caches, TLBs and BTBs than the reference's. Its levels are the reference's; where the machine
 * misses more or less often, they are changed until the sample misses as often as the sweeps say the machine does.
 * Without this a machine whose caches are much smaller would be given a penalty that was measured on the few misses
 * that the reference had.
 *
 * Which ones: the accesses of a side (loads, stores, fetches, each side's translations, targets of taken branches)
 * are put in an order, and the first of them miss. An access that the reference serves from further away is before
 * one that it serves from nearer; of those alike, the one whose line, page or branch was used longest ago in its
 * stretch; of those again alike, or not used before in it, a hash of the place decides (the same every time). Places
 * at random had a first-level TLB of 16 entries miss anywhere. */
#include "interval/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum side { LOADS, STORES, CODE, DATA_PAGES, CODE_PAGES, REDIRECTS, SIDES };

/* How many accesses of a side go beyond a level: L1, L2, L3; a TLB has L1 (its own) and L2 (the second TLB). Each
 * counts those of the next, too. */
enum { BEYOND_L1, BEYOND_L2, BEYOND_L3, BEYONDS };
struct far {
	double beyond[BEYONDS];
};

/* An order of accesses, the first in the highest bits: the level 3, the distance 20, a hash 17, the place 24. */
enum { PLACE_BITS = 24, HASH_BITS = 17, DISTANCE_BITS = 20, USES_LOG2 = 14 };
_Static_assert(3 + DISTANCE_BITS + HASH_BITS + PLACE_BITS == 64, "a word");

/* Who used a line last. Lines that share an entry forget each other. */
struct use {
	uint64_t key;
	uint64_t stretch, at;
};

struct order {
	struct use uses[1 << USES_LOG2];
	size_t count;
	uint64_t list[];
};

static bool takes_part(const struct interval_sample *s, enum side side)
{
	switch (side) {
	case LOADS:
		return s->dlevel && s->flags & SAMPLE_LOAD;
	case STORES:
		return s->dlevel && !(s->flags & SAMPLE_LOAD);
	case CODE:
		return s->ilevel;
	case DATA_PAGES:
		return s->dtlb;
	case REDIRECTS:
		return s->flags & SAMPLE_TAKEN;
	default:
		return s->itlb;
	}
}

static unsigned level_of(const struct interval_sample *s, enum side side)
{
	unsigned target = s->flags & SAMPLE_BTB_MISS ? CULPRIT_LEVEL_L2 : CULPRIT_LEVEL_L1;
	const unsigned levels[SIDES] = {s->dlevel, s->dlevel, s->ilevel, s->dtlb, s->itlb, target};
	return levels[side];
}

static void set_level(struct interval_sample *s, enum side side, unsigned level)
{
	if (side == LOADS || side == STORES)
		s->dlevel = level & 7;
	else if (side == CODE)
		s->ilevel = level & 7;
	else if (side == DATA_PAGES)
		s->dtlb = level & 7;
	else if (side == CODE_PAGES)
		s->itlb = level & 7;
	else
		s->flags = (uint8_t)((s->flags & ~SAMPLE_BTB_MISS) | (level > CULPRIT_LEVEL_L1 ? SAMPLE_BTB_MISS : 0));
}

static uint64_t shifted(uint64_t address, uint32_t unit, uint32_t size)
{
	return address * unit / size;
}

/* The line or page of an access: addresses are in units of 8 bytes, pcs of 2. */
static uint64_t line_of(const struct interval_sample *s, enum side side, const struct machine *m)
{
	switch (side) {
	case CODE:
		return shifted(s->pc, 2, m->l1i_line);
	case CODE_PAGES:
		return shifted(s->pc, 2, m->tlb_page);
	case REDIRECTS:
		return s->pc;
	case DATA_PAGES:
		return shifted(s->address, 8, m->tlb_page);
	default:
		return shifted(s->address, 8, m->l1d_line);
	}
}

static uint64_t mix(uint64_t x)
{
	x *= UINT64_C(0x9E3779B97F4A7C15);
	x ^= x >> 31;
	return x * UINT64_C(0xBF58476D1CE4E5B9);
}

/* Instructions since the line was last used in the stretch; the most that there are bits for if it was not. */
static uint64_t distance(struct order *o, uint64_t line, uint64_t stretch, uint64_t at)
{
	const uint64_t most = (1ull << DISTANCE_BITS) - 1;
	struct use *u = &o->uses[mix(line) >> (64 - USES_LOG2)];
	uint64_t d = u->key == line + 1 && u->stretch == stretch && at - u->at < most ? at - u->at : most;
	*u = (struct use){line + 1, stretch, at};
	return d;
}

static int falling(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x < y) - (x > y);
}

static void put_in_order(struct order *o, const struct flow_stream *stream, enum side side, const struct machine *m)
{
	memset(o->uses, 0, sizeof o->uses);
	o->count = 0;
	for (size_t i = 0; i < stream->count; i++) {
		const struct interval_sample *s = &stream->samples[i];
		if (!takes_part(s, side))
			continue;
		uint64_t stretch = stream->stretch ? i / stream->stretch : 0;
		uint64_t d = distance(o, line_of(s, side, m), stretch, i);
		uint64_t hash = mix(i * SIDES + side) >> (64 - HASH_BITS);
		o->list[o->count++] =
			(((uint64_t)level_of(s, side) << DISTANCE_BITS | d) << HASH_BITS | hash) << PLACE_BITS | i;
	}
	qsort(o->list, o->count, sizeof *o->list, falling);
}

/* --- how many --- */

static double wanted(double sampled, double here, double reference, double share)
{
	return reference > 0 && sampled > 0 ? sampled * here / reference : here * share;
}

/* How many there should be in the sample: as the sweeps say, or in proportion to them where they count otherwise
 * than the sample; level by level, the furthest first. */
static struct far want(const struct far *sampled, const struct far *here, const struct far *reference, double share)
{
	struct far far = {{0}};
	double before = 0, h = 0, r = 0, s = 0;
	for (unsigned i = BEYONDS; i-- > 0;) {
		before += wanted(sampled->beyond[i] - s, here->beyond[i] - h, reference->beyond[i] - r, share);
		far.beyond[i] = round(before);
		s = sampled->beyond[i];
		h = here->beyond[i];
		r = reference->beyond[i];
	}
	return far;
}

static void count_events(const struct model_counts *c, struct far sides[SIDES])
{
	const struct far counts[SIDES] = {
		[LOADS] = {{c->l1d, c->l2d, c->l2d * c->l3_share}},
		[STORES] = {{c->l1d_stores, c->l2d_stores, c->l2d_stores * c->l3_store_share}},
		[CODE] = {{c->l1i, c->l2i, c->l2i * c->l3_share}},
		[DATA_PAGES] = {{c->dtlb, c->dtlb * c->dtlb_walk, c->dtlb * c->dtlb_walk}},
		[CODE_PAGES] = {{c->itlb, c->itlb * c->itlb_walk, c->itlb * c->itlb_walk}},
		[REDIRECTS] = {{c->redirects, 0, 0}},
	};
	memcpy(sides, counts, sizeof counts);
}

static struct far count_sampled(const struct flow_stream *stream, enum side side)
{
	struct far n = {{0}};
	for (size_t i = 0; i < stream->count; i++) {
		unsigned level = level_of(&stream->samples[i], side);
		if (!takes_part(&stream->samples[i], side))
			continue;
		n.beyond[BEYOND_L1] += level > CULPRIT_LEVEL_L1;
		n.beyond[BEYOND_L2] += level > CULPRIT_LEVEL_L2;
		n.beyond[BEYOND_L3] += level > CULPRIT_LEVEL_L3;
	}
	return n;
}

static bool nearly(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(a, b);
}

static bool alike(const struct far *a, const struct far *b)
{
	for (unsigned i = 0; i < BEYONDS; i++)
		if (!nearly(a->beyond[i], b->beyond[i]))
			return false;
	return true;
}

static void assign(const struct order *o, const struct far *far, enum side side, struct interval_sample *list)
{
	for (size_t n = 0; n < o->count; n++) {
		unsigned level = n < far->beyond[BEYOND_L3]   ? CULPRIT_LEVEL_MEMORY
				 : n < far->beyond[BEYOND_L2] ? CULPRIT_LEVEL_L3
				 : n < far->beyond[BEYOND_L1] ? CULPRIT_LEVEL_L2
							      : CULPRIT_LEVEL_L1;
		set_level(&list[o->list[n] & ((1ull << PLACE_BITS) - 1)], side, level);
	}
}

struct task {
	const struct model *model;
	const struct machine *m;
	struct far here[SIDES], reference[SIDES];
	double share;
};

static bool adapt_sides(const struct task *t, struct interval_sample *list, struct error *err)
{
	const struct flow_stream *stream = &t->model->stream;
	struct order *o = malloc(sizeof *o + stream->count * sizeof o->list[0]);
	if (!o)
		return error_set(err, ERROR_SYSTEM, "out of memory for the sample");
	for (enum side side = 0; side < SIDES; side++) {
		if (alike(&t->here[side], &t->reference[side]))
			continue;
		const struct far sampled = count_sampled(stream, side);
		const struct far far = want(&sampled, &t->here[side], &t->reference[side], t->share);
		put_in_order(o, stream, side, t->m);
		assign(o, &far, side, list);
	}
	free(o);
	return true;
}

static bool adapt(const struct task *t, struct model *adapted, struct error *err)
{
	const struct model *model = t->model;
	struct interval_sample *list = adapted->own = malloc(model->stream.count * sizeof *list);
	if (!list)
		return error_set(err, ERROR_SYSTEM, "out of memory for the sample");
	memcpy(list, model->stream.samples, model->stream.count * sizeof *list);
	TRY(adapt_sides(t, list, err));
	struct flow_stream stream = model->stream;
	stream.samples = list;
	TRY(model_judge_strays(&stream, model->profile, &adapted->own_strays, err));
	model_restrict(adapted, &stream);
	adapted->partial = true; /* its counts are its own, not the reference's */
	return true;
}

bool model_adapt(const struct model *model, const struct machine *m, const struct model_counts *here,
		 struct model *adapted, struct error *err)
{
	struct task t = {.model = model, .m = m, .share = (double)model->stream.count / here->instructions};
	count_events(here, t.here);
	count_events(&model->reference_counts, t.reference);
	*adapted = *model;
	bool same = true;
	for (unsigned side = 0; side < SIDES; side++)
		same = same && alike(&t.here[side], &t.reference[side]);
	return same || adapt(&t, adapted, err);
}

void model_adapt_free(struct model *adapted)
{
	free(adapted->own);
	free(adapted->own_strays);
	adapted->own = adapted->own_strays = NULL;
}
