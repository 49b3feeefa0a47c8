/* What a detailed sample says of a record, in the widths of the hardware's fields; and what samples cost in bits. */
#include "analysis/shotgun/detail.h"

#include <string.h>

enum {
	PC_BITS = 48,
	FLAG_BITS = 5, /* CULPRIT_DETAIL_FLAGS */
};

/* What does not fit the hardware's fields. */
static void saturate(struct culprit_detail *d)
{
#define DETAIL_FIELD(name, bits, meaning) \
	if (d->name > shotgun_bits(bits)) \
		d->name = (__typeof__(d->name))(is_distance(#name) ? 0 : shotgun_bits(bits));
#define is_distance(name) \
	(!strcmp(name, "mem_producer") || !strcmp(name, "order_waited") || !strcmp(name, "primary_miss"))
#include "culprit/shotgun_field.def"
#undef is_distance
}

/* Levels in two bits: an L1 hit is as good as no access, and the four that remain are none, L2, L3, memory. */
static uint8_t level_of(uint8_t level)
{
	return level > CULPRIT_LEVEL_L1 ? level - 1 : 0;
}

/* A store's sample stays open until the store is written. A store has no data access before, so its write has the
 * same fields. Its translation is one before the write where the sample tells its level. */
static void fill_write(struct culprit_detail *d, const struct culprit_record *r)
{
	d->dmiss = r->write_miss;
	if (r->dtlb)
		d->dtlb_level = level_of(r->dtlb_level > CULPRIT_LEVEL_L1 ? r->dtlb_level : CULPRIT_LEVEL_L2);
	else
		d->dtlb = r->write_dtlb;
	d->dlevel = level_of(r->write_level);
	d->flags |= r->write_merged ? CULPRIT_MERGED : 0;
}

void shotgun_detail_fill(struct culprit_detail *d, const struct culprit_record *r, const uint8_t stray[2])
{
	*d = (struct culprit_detail){
		.pc = r->pc,
		.address = r->mem_addr,
		.imiss = r->imiss,
		.itlb = r->itlb,
		.contention = (uint32_t)(r->issue - r->ready),
		.exec_latency = r->exec_latency,
		.dmiss = r->dmiss,
		.dtlb = r->dtlb,
		.mem_producer = r->mem_producer,
		.order_waited = r->order_waited,
		.primary_miss = r->primary_miss,
		.flags = r->flags & CULPRIT_DETAIL_FLAGS,
		.ilevel = level_of(r->ilevel),
		.itlb_level = level_of(r->itlb_level),
		.dlevel = level_of(r->dlevel),
		.dtlb_level = level_of(r->dtlb_level),
		.istray = r->istray ? level_of(stray[1]) : 0,
		.dstray = r->dstray ? level_of(stray[0]) : 0,
	};
	if ((r->flags & (CULPRIT_LOAD | CULPRIT_STORE)) == CULPRIT_STORE)
		fill_write(d, r);
	saturate(d);
	uint8_t *levels[] = {&d->ilevel, &d->itlb_level, &d->dlevel, &d->dtlb_level, &d->istray, &d->dstray};
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		*levels[i] = *levels[i] ? *levels[i] + 1 : 0;
}

/* --- what it costs --- */

uint32_t culprit_detail_bits(uint32_t context)
{
	uint32_t total = 2 * PC_BITS + FLAG_BITS + 2 * (2 * context + 1);
#define DETAIL_FIELD(name, bits, meaning) total += (bits);
#include "culprit/shotgun_field.def"
	return total;
}

uint32_t culprit_signature_sample_bits(uint32_t length, uint32_t context, uint32_t stack, uint32_t targets)
{
	return PC_BITS * (1 + stack + targets) + 2 * (length + 2 * context);
}
