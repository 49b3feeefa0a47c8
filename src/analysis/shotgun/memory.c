/* Dependences through memory that the code tells, and the addresses of samples.
 *
 * A register holds an unknown value plus a known offset: adding a constant keeps the unknown, anything else
 * written makes a new one. Two accesses with the same unknown and overlapping offsets are to the same bytes,
 * whatever the program did in between - which finds what is spilled to the stack and loaded again, at any
 * distance. Accesses with different unknowns may overlap, too: the first access with an unknown says by its
 * sample's address what it is, and then so does it for all others.
 *
 * The record's address is the unknown and the offset, so that the graph finds the same stores (it keeps a table by
 * address for windows larger than the machine's), and the same lines. */
#include "analysis/shotgun/state.h"

#include <string.h>

/* Room between two unknowns of which no sample tells: more than any offset of an instruction. They are above all
 * addresses, and below 2^62. */
enum { ROOM_BITS = 24 };
#define UNKNOWN ((1ull << 61) + (1ull << (ROOM_BITS - 1)))

void shotgun_memory_clear(struct shotgun_time *t)
{
	for (unsigned i = 0; i < 65; i++)
		t->symbol[i] = (struct shotgun_symbol){++t->versions, 0};
	memset(t->stores, 0, sizeof t->stores);
}

/* What the unknown is. Its first access decides: by `sampled`, its address; 0 = it has none. */
static uint64_t base_of(struct shotgun_time *t, const struct shotgun_symbol *s, int64_t offset, uint64_t sampled)
{
	struct shotgun_base *b = &t->bases[s->version % SHOTGUN_BASES];
	if (b->version == s->version)
		return b->value;
	uint64_t unknown = UNKNOWN + ((s->version & 0xffffffff) << ROOM_BITS);
	*b = (struct shotgun_base){s->version, sampled ? sampled - (uint64_t)(s->offset + offset) : unknown};
	return b->value;
}

void shotgun_memory_address(struct shotgun_time *t, const struct culprit_static_insn *insn, uint64_t sampled,
			    struct culprit_record *r)
{
	if (!(insn->flags & (CULPRIT_LOAD | CULPRIT_STORE)))
		return;
	if (t->params->no_inference) { /* every access by itself */
		r->mem_addr = (++t->versions & 0xffffffff) << ROOM_BITS;
		return;
	}
	const struct shotgun_symbol *base = &t->symbol[insn->source[0]];
	r->mem_addr = base_of(t, base, insn->offset, sampled) + (uint64_t)(base->offset + insn->offset);
}

static struct shotgun_written *entry(const struct shotgun_time *t, uint64_t granule)
{
	return (struct shotgun_written *)&t->stores[(granule ^ granule >> 21) % SHOTGUN_STORES];
}

uint32_t shotgun_memory_producer(const struct shotgun_time *t, const struct culprit_record *r)
{
	uint64_t end = r->mem_addr + r->mem_size, youngest = 0;
	for (uint64_t granule = r->mem_addr / 8; r->mem_size && granule <= (end - 1) / 8; granule++) {
		const struct shotgun_written *s = entry(t, granule);
		bool overlaps = s->granule == granule && s->first < end && s->end > r->mem_addr;
		if (overlaps && s->seq + 1 > youngest)
			youngest = s->seq + 1;
	}
	return youngest ? (uint32_t)(t->seq + 1 - youngest) : 0;
}

void shotgun_memory_store(struct shotgun_time *t, const struct culprit_record *r)
{
	uint64_t end = r->mem_addr + r->mem_size;
	for (uint64_t granule = r->mem_addr / 8; r->mem_addr && r->mem_size && granule <= (end - 1) / 8; granule++)
		*entry(t, granule) = (struct shotgun_written){granule, r->mem_addr, end, t->seq};
}

void shotgun_memory_write(struct shotgun_time *t, const struct culprit_static_insn *insn)
{
	struct shotgun_symbol *dest = &t->symbol[insn->dest];
	if (insn->dest > 63)
		return;
	struct shotgun_symbol sum = t->symbol[insn->source[0]];
	sum.offset += insn->offset;
	bool near = sum.offset > -(1 << (ROOM_BITS - 2)) && sum.offset < 1 << (ROOM_BITS - 2);
	*dest = insn->adds_offset && near ? sum : (struct shotgun_symbol){++t->versions, 0};
}
