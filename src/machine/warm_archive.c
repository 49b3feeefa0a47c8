/* What warm-up has left in caches, TLBs, prefetchers and predictors, to bytes and back. Sizes are the machine's, and
 * times are zero behind a warm-up, so neither is written: bytes are for the same machine only, in the same process or
 * one forked from it. */
#include "base/archive.h"
#include "machine/hierarchy.h"
#include "machine/hierarchy_state.h"
#include "machine/predictor.h"
#include "machine/predictor_state.h"

#include <stdlib.h>

/* Of a large cache most ways may be empty, and are so where this is loaded. */
static void archive_sets(struct archive *a, struct cache_sets *s)
{
	const uint64_t sets = s->set_mask + 1, entries = sets * s->ways;
	if (!entries)
		return;
	archive_raw(a, s->filled, sets * sizeof *s->filled);
	for (uint64_t set = 0; set < sets; set++) {
		const uint32_t ways = s->filled[set];
		if (ways > s->ways && !archive_fail(a, "warm state: a set of %u ways has %u", s->ways, ways))
			return;
		if (!ways)
			continue;
		archive_raw(a, s->tags + set * s->ways, ways * sizeof *s->tags);
		archive_raw(a, s->lines + set * s->ways, ways * sizeof *s->lines);
	}
	archive_raw(a, s->hints, (s->hint_mask + 1) * sizeof *s->hints);
	if (s->policy == replacement_plru)
		archive_raw(a, s->trees, sets * sizeof *s->trees);
	ARCHIVE(a, s->clock);
	ARCHIVE(a, s->random);
}

static void archive_cache(struct archive *a, struct cache *c)
{
	archive_sets(a, &c->sets);
	if (c->prefetch.kind)
		archive_raw(a, &c->prefetch, sizeof c->prefetch);
}

void hierarchy_archive(struct archive *a, struct hierarchy *h)
{
	archive_cache(a, &h->instructions.l1);
	archive_cache(a, &h->data.l1);
	archive_cache(a, &h->l2);
	if (h->has_l3)
		archive_cache(a, &h->l3);
	archive_sets(a, &h->instructions.tlb.sets);
	archive_sets(a, &h->data.tlb.sets);
	archive_sets(a, &h->tlb2.sets);
}

/* --- predictors --- */

static void archive_counters(struct archive *a, uint8_t *counters, uint32_t mask)
{
	if (counters)
		archive_raw(a, counters, (size_t)mask + 1);
}

static void archive_direction(struct archive *a, struct direction *d)
{
	archive_counters(a, d->bimodal, d->bimodal_mask);
	archive_counters(a, d->gshare, d->gshare_mask);
	archive_counters(a, d->meta, d->meta_mask);
	if (d->local)
		archive_raw(a, d->local, ((size_t)d->local_mask + 1) * sizeof *d->local);
	ARCHIVE(a, d->history);
	ARCHIVE(a, d->row);
	archive_raw(a, d->read, sizeof d->read);
	ARCHIVE(a, d->outcomes.waits);
	archive_raw(a, d->outcomes.waiting, d->outcomes.waits * sizeof *d->outcomes.waiting);
}

/* A perfect one grows without limit. */
static void make_room(struct archive *a, struct btb *b, uint64_t entries)
{
	uint64_t **arrays[] = {&b->pc, &b->target, &b->used};
	for (size_t i = 0; i < 3; i++) {
		uint64_t *grown = realloc(*arrays[i], entries * sizeof *grown);
		if (!grown) {
			archive_no_memory(a);
			return;
		}
		*arrays[i] = grown;
	}
}

static void archive_btb(struct archive *a, struct btb *b)
{
	const uint64_t room = b->capacity;
	ARCHIVE(a, b->capacity);
	if (b->capacity > room)
		make_room(a, b, b->capacity);
	const uint64_t entries = b->perfect ? b->capacity : (uint64_t)b->sets * b->ways;
	if (a->failed)
		return;
	archive_raw(a, b->pc, entries * sizeof *b->pc);
	archive_raw(a, b->target, entries * sizeof *b->target);
	archive_raw(a, b->used, entries * sizeof *b->used);
	ARCHIVE(a, b->count);
	ARCHIVE(a, b->clock);
}

static void archive_tage(struct archive *a, struct tage *t)
{
	const struct tage_geometry *g = t->geometry;
	archive_counters(a, t->base.counter, t->base.mask);
	archive_raw(a, t->entries, ((size_t)TAGE_TABLES << g->log2_entries) * sizeof *t->entries);
	archive_raw(a, t->use_alternate, sizeof t->use_alternate);
	ARCHIVE(a, t->pressure);
	ARCHIVE(a, t->random);
	archive_raw(a, &t->history, sizeof t->history);
	archive_raw(a, t->corrector.table, (size_t)CORRECTOR_TABLES << t->corrector.log2_entries);
	ARCHIVE(a, t->corrector.threshold);
	archive_raw(a, t->corrector.thresholds, sizeof t->corrector.thresholds);
	ARCHIVE(a, t->corrector.chooser_high);
	ARCHIVE(a, t->corrector.chooser_medium);
	archive_raw(a, &t->corrector_spec, sizeof t->corrector_spec);
	archive_raw(a, &t->loop, sizeof t->loop);
	archive_raw(a, &t->loop_spec, sizeof t->loop_spec);
}

static void archive_ittage(struct archive *a, struct ittage *t)
{
	archive_raw(a, t->entries, ITTAGE_TABLES * ((size_t)t->index_mask + 1) * sizeof *t->entries);
	ARCHIVE(a, t->use_alternate);
	ARCHIVE(a, t->pressure);
	ARCHIVE(a, t->random);
	archive_raw(a, &t->history, sizeof t->history);
}

static void archive_small(struct archive *a, struct predictor *p)
{
	if (p->ras.entries)
		archive_raw(a, p->ras.stack, p->ras.entries * sizeof *p->ras.stack);
	ARCHIVE(a, p->ras.top);
	ARCHIVE(a, p->ras.count);
	if (p->path.target)
		archive_raw(a, p->path.target, p->path.entries * sizeof *p->path.target);
	archive_raw(a, &p->path.path, sizeof p->path.path);
	if (p->first.entry)
		archive_raw(a, p->first.entry, p->first.entries * sizeof *p->first.entry);
	ARCHIVE(a, p->first.used);
	ARCHIVE(a, p->first.random);
	ARCHIVE(a, p->first.oldest);
	archive_counters(a, p->early.counter, p->early.mask);
	archive_flag(a, &p->restored);
}

void predictor_archive(struct archive *a, struct predictor *p)
{
	if (p->oracle)
		return;
	archive_direction(a, &p->direction);
	archive_btb(a, &p->btb);
	archive_small(a, p);
	if (p->tage)
		archive_tage(a, p->tage);
	if (p->ittage)
		archive_ittage(a, p->ittage);
}
