#include "analysis/profile.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1 << 14, OVERFLOW_PC = 1 };

bool profile_create(struct profile *p, struct error *err)
{
	memset(p, 0, sizeof *p);
	p->capacity = FIRST_CAPACITY;
	p->entries = calloc(p->capacity, sizeof *p->entries);
	return p->entries || error_set(err, ERROR_SYSTEM, "out of memory for the profile");
}

void profile_destroy(struct profile *p)
{
	free(p->entries);
	p->entries = NULL;
}

static struct profile_entry *place_of(struct profile_entry *entries, size_t capacity, uint64_t pc)
{
	uint64_t hash = (pc >> 1) * 0x9e3779b97f4a7c15ull;
	size_t i = (size_t)(hash >> 32) & (capacity - 1);
	while (entries[i].pc && entries[i].pc != pc)
		i = (i + 1) & (capacity - 1);
	return &entries[i];
}

static bool grow(struct profile *p)
{
	struct profile_entry *larger = calloc(p->capacity * 2, sizeof *larger);
	if (!larger)
		return false;
	for (size_t i = 0; i < p->capacity; i++)
		if (p->entries[i].pc)
			*place_of(larger, p->capacity * 2, p->entries[i].pc) = p->entries[i];
	free(p->entries);
	p->entries = larger;
	p->capacity *= 2;
	return true;
}

static struct profile_entry *entry_of(struct profile *p, uint64_t pc)
{
	struct profile_entry *e = place_of(p->entries, p->capacity, pc);
	if (e->pc)
		return e;
	if (p->used * 2 >= p->capacity && pc != OVERFLOW_PC) {
		if (p->out_of_memory || !grow(p)) {
			p->out_of_memory = true;
			return entry_of(p, OVERFLOW_PC);
		}
		e = place_of(p->entries, p->capacity, pc);
	}
	e->pc = pc;
	p->used++;
	return e;
}

void profile_push(struct profile *p, const struct culprit_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct culprit_record *r = &records[i];
		struct profile_entry *e = entry_of(p, r->pc);
		e->count++;
		e->entry |= p->after_call;
		p->after_call = r->branch == CULPRIT_BRANCH_CALL || r->branch == CULPRIT_BRANCH_INDIRECT_CALL;
		if (r->commit < p->next_cycle)
			continue;
		e->cycles += r->commit + 1 - p->next_cycle;
		p->next_cycle = r->commit + 1;
	}
}

static int by_pc(const void *a, const void *b)
{
	uint64_t x = ((const struct profile_entry *)a)->pc, y = ((const struct profile_entry *)b)->pc;
	return x < y ? -1 : x > y;
}

size_t profile_finish(struct profile *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->capacity; i++)
		if (p->entries[i].pc)
			p->entries[n++] = p->entries[i];
	qsort(p->entries, n, sizeof *p->entries, by_pc);
	return n;
}
