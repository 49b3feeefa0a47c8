#include "analysis/phases.h"

#include <string.h>

void phases_init(struct phases *p, const struct commit_stack_params *params)
{
	memset(p, 0, sizeof *p);
	p->params = *params;
	p->length = p->current_end = PHASES_FIRST_LENGTH;
}

static void join(struct phase *to, const struct phase *from)
{
	to->instructions += from->instructions;
	for (unsigned c = 0; c < COMMIT_CAUSES; c++)
		to->causes[c] += from->causes[c];
}

static void halve(struct phases *p)
{
	for (size_t i = 0; i < PHASES_MOST / 2; i++) {
		struct phase pair = p->slices[2 * i];
		join(&pair, &p->slices[2 * i + 1]);
		p->slices[i] = pair;
	}
	memset(p->slices + PHASES_MOST / 2, 0, PHASES_MOST / 2 * sizeof *p->slices);
	p->length *= 2;
}

static __attribute__((noinline)) void turn_to(struct phases *p, uint64_t cycle)
{
	while (cycle / p->length >= PHASES_MOST)
		halve(p);
	p->current = (size_t)(cycle / p->length);
	p->current_end = (p->current + 1) * p->length;
}

static void note_wait(struct phases *p, const struct culprit_record *r, unsigned before)
{
	struct commit_wait wait;
	commit_stack_wait(&p->params, r, before, p->next_cycle, &wait);
	commit_cause_add(r, &p->params, &wait, p->slices[p->current].causes);
}

void phases_push(struct phases *p, const struct culprit_record *records, size_t count)
{
	unsigned before = p->previous_flags;
	for (const struct culprit_record *r = records, *end = records + count; r != end; before = r->flags, r++) {
		if (r->commit >= p->next_cycle) {
			if (r->commit >= p->current_end)
				turn_to(p, r->commit);
			if (r->commit > p->next_cycle)
				note_wait(p, r, before);
			p->slices[p->current].causes[CAUSE_commit]++;
			p->next_cycle = r->commit + 1;
		}
		p->slices[p->current].instructions++;
	}
	p->previous_flags = (uint16_t)before;
}

void phases_finish(struct phases *p, uint64_t cycles)
{
	if (cycles > p->next_cycle) {
		p->slices[p->current].causes[CAUSE_end] += cycles - p->next_cycle;
		p->next_cycle = cycles;
	}
	for (size_t i = 0; i < PHASES_MOST; i++) {
		p->slices[i].cycles = 0;
		for (unsigned c = 0; c < COMMIT_CAUSES; c++)
			p->slices[i].cycles += p->slices[i].causes[c];
	}
}
