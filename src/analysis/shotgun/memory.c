/* Dependences through memory that the code alone tells. A register holds an unknown value plus a known offset: adding a
 * constant keeps the unknown, anything else written makes a new one. Two accesses with the same unknown and overlapping
 * offsets are to the same bytes, whatever the program did in between - which finds what is spilled to the stack and
 * loaded again, at any distance. Accesses with different unknowns may still overlap; that only a sample can tell.
 *
 * The record's address is made from the unknown and the offset, so that the graph finds the same stores (it keeps a
 * table by address for windows larger than the machine's). */
#include "analysis/shotgun/state.h"

#include <string.h>

/* Room between two unknowns: more than any offset of an instruction; addresses stay below 2^62. */
enum { ROOM_BITS = 24 };

void shotgun_memory_clear(struct shotgun_time *t)
{
	for (unsigned i = 0; i < 65; i++)
		t->symbol[i] = (struct shotgun_symbol){++t->versions, 0};
	memset(t->stores, 0, sizeof t->stores);
}

void shotgun_memory_address(struct shotgun_time *t, const struct culprit_static_insn *insn, struct culprit_record *r)
{
	if (!(insn->flags & (CULPRIT_LOAD | CULPRIT_STORE)))
		return;
	if (t->params->no_inference) { /* every access by itself */
		r->mem_addr = (++t->versions & 0xffffffff) << ROOM_BITS;
		return;
	}
	const struct shotgun_symbol *base = &t->symbol[insn->source[0]];
	uint64_t unknown = ((base->version & 0xffffffff) << ROOM_BITS) + (1ull << (ROOM_BITS - 1));
	r->mem_addr = unknown + (uint64_t)(base->offset + insn->offset);
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
