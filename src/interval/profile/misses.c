/* See the header. */
#include "interval/profile/misses.h"

#include <string.h>

void interval_misses_init(struct interval_misses *m, uint32_t line_shift)
{
	*m = (struct interval_misses){.line_shift = line_shift};
}

static uint8_t *recent_with(struct interval_misses *m, uint64_t entry)
{
	return &m->recent_with[entry % MISSES_ENDINGS];
}

static void remember(struct interval_misses *m, uint64_t line)
{
	m->newest = (m->newest + 1) % MISSES_RECENT;
	uint64_t *entry = &m->recent[m->newest];
	if (*entry)
		--*recent_with(m, *entry);
	*entry = line + 1;
	++*recent_with(m, *entry);
}

static bool follows_line(struct interval_misses *m, uint64_t line)
{
	bool found = false;
	if (*recent_with(m, line))
		for (size_t i = 0; i < MISSES_RECENT && !found; i++)
			found = m->recent[i] && m->recent[i] == line; /* that is, line - 1 */
	remember(m, line);
	return found;
}

static bool follows_stride(struct interval_misses *m, uint64_t pc, uint64_t line)
{
	struct miss_stride *s = &m->strides[(pc >> 1) % MISSES_STRIDES];
	if (s->pc != pc) {
		*s = (struct miss_stride){.pc = pc, .line = line};
		return false;
	}
	int64_t stride = (int64_t)(line - s->line);
	bool found = stride && stride == s->stride;
	s->line = line;
	s->stride = stride;
	return found;
}

static uint64_t bucket(uint64_t n)
{
	return n < INTERVAL_CLUSTER_MOST ? n : INTERVAL_CLUSTER_MOST - 1;
}

static void note_block(struct interval_misses *m, uint64_t at, struct interval_level *to)
{
	for (size_t c = 0; c < INTERVAL_CLUSTERS; c++) {
		uint64_t block = at / (32u << c);
		if (block != m->block[c] && m->in_block[c]) {
			to->blocks[c][bucket(m->in_block[c])]++;
			m->busy_blocks[c]++;
			m->in_block[c] = 0;
		}
		m->block[c] = block;
		m->in_block[c]++;
	}
}

void interval_misses_note(struct interval_misses *m, uint64_t pc, uint64_t address, uint64_t at,
			  struct interval_level *to)
{
	uint64_t line = address >> m->line_shift;
	bool next = follows_line(m, line), stride = follows_stride(m, pc, line);
	to->next_line += next;
	to->stride += stride;
	to->either += next || stride;
	note_block(m, at, to);
}

void interval_misses_restart(struct interval_misses *m)
{
	memset(m->block, 0, sizeof m->block);
	memset(m->in_block, 0, sizeof m->in_block);
	memset(m->busy_blocks, 0, sizeof m->busy_blocks);
}

void interval_misses_finish(const struct interval_misses *m, uint64_t instructions, struct interval_level *to)
{
	for (size_t c = 0; c < INTERVAL_CLUSTERS; c++) {
		uint64_t blocks = (instructions + (32u << c) - 1) / (32u << c), busy = m->busy_blocks[c];
		if (m->in_block[c]) {
			to->blocks[c][bucket(m->in_block[c])]++;
			busy++;
		}
		to->blocks[c][0] = blocks - busy;
	}
}
