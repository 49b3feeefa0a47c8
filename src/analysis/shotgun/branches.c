/* From samples with branch stacks to the samples that the reconstruction takes (culprit/precise.h).
 *
 * Between two branch records the path is straight: from the target of the one, instruction by instruction, to the
 * next one's branch. A stack is read from its newest record backwards, as far as the code agrees; so a path that
 * came out of the kernel, or of a library that nobody named, begins behind that. Its oldest record only says where
 * the path begins.
 *
 * Cycles of a block are of the machine, whatever it did: an interrupt, or another process, are in them. One such record
 * would outweigh thousands. So a block that took more cycles than its instructions can take is none of the path, and
 * the path begins behind it.
 *
 * A sample's address is hit about once in so many instructions, and the last branches before it may be few
 * instructions or many: so a path is in the samples as often as it is long, and has to count as one over its length
 * (keep_fragment in shotgun.c). */
#include "analysis/shotgun/state.h"
#include "culprit/precise.h"

#include <stdlib.h>
#include <string.h>

enum {
	BLOCK = 1024,
	PATH = 8192,
	CONTEXT = CULPRIT_CONTEXT_MAX,
	/* An access waits for others before it, and the machine may be slower than its file says: four times as long.
	 * Chosen, not measured. */
	QUEUEING = 4,
};

struct maker {
	struct culprit_samples *s;
	const struct culprit_precise *from;
	const struct culprit_code *code;
	const struct culprit_shotgun_machine *machine;
	struct culprit_precise_made *made;
	struct culprit_path *paths;
	struct culprit_branch_record *branches;
	size_t branch_count, detail_count;
	uint8_t *bits; /* bit 1 of the path's instructions, in order */
	double cpi;    /* summed over paths with cycles */
};

/* --- straight pieces --- */

enum block { BLOCK_GOOD, BLOCK_NO_CODE, BLOCK_NO_PATH, BLOCK_INTERRUPTED };

/* Instructions from `at` to the one at `end`, into *count; bit 1 of each but the last into `bits`, if not NULL. */
static enum block straight(const struct maker *m, uint64_t at, uint64_t end, uint32_t *count, uint8_t *bits)
{
	struct culprit_static_insn insn;
	*count = 0;
	while (at < end && *count < BLOCK) {
		if (!m->code->decode(m->code->context, at, &insn))
			return BLOCK_NO_CODE;
		if (insn.branch > CULPRIT_BRANCH_CONDITIONAL)
			return BLOCK_NO_PATH;
		if (bits)
			bits[*count] = (insn.flags & (CULPRIT_LOAD | CULPRIT_STORE)) != 0;
		++*count;
		at += insn.length;
	}
	return at == end ? BLOCK_GOOD : BLOCK_NO_PATH;
}

/* The instructions of a block, its branch with them. The branch has to be one, and to be able to go there. */
static enum block block_of(const struct maker *m, uint64_t at, const struct culprit_branch_record *b, uint32_t *count,
			   uint8_t *bits)
{
	struct culprit_static_insn insn;
	enum block good = straight(m, at, b->from, count, bits);
	if (good != BLOCK_GOOD)
		return good;
	if (!m->code->decode(m->code->context, b->from, &insn))
		return BLOCK_NO_CODE;
	bool taken = !(b->flags & CULPRIT_BRANCH_NOT_TAKEN);
	bool direct = insn.branch && insn.branch < CULPRIT_BRANCH_INDIRECT_JUMP;
	if (!insn.branch || (taken && direct && insn.target != b->to) ||
	    (!taken && insn.branch != CULPRIT_BRANCH_CONDITIONAL))
		return BLOCK_NO_PATH;
	if (bits)
		bits[*count] = taken;
	++*count;
	return BLOCK_GOOD;
}

/* Where execution went behind a record. */
static uint64_t behind(const struct maker *m, const struct culprit_branch_record *b)
{
	struct culprit_static_insn insn;
	if (!(b->flags & CULPRIT_BRANCH_NOT_TAKEN))
		return b->to;
	return m->code->decode(m->code->context, b->from, &insn) ? b->from + insn.length : b->to;
}

/* The most cycles that so many instructions can take, one after the other: each one's line and data from memory, both
 * translated by walks, the longest operation, and a redirect. */
static uint64_t most_cycles(const struct maker *m, uint32_t instructions)
{
	const struct culprit_shotgun_machine *x = m->machine;
	const uint64_t walk = x->graph.walk_latency, miss = x->graph.miss_cycles[CULPRIT_LEVEL_MEMORY];
	uint64_t longest = 0;
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++)
		longest = x->latency[op] > longest ? x->latency[op] : longest;
	const uint64_t pipeline = (uint64_t)x->redirect + x->graph.frontend_stages + x->graph.dispatch_to_issue +
				  x->graph.commit_delay + x->wakeup;
	return QUEUEING * (2 * (miss + walk) + longest + pipeline) * instructions;
}

/* --- one stack --- */

/* How many of the newest blocks fit the code, and their instructions. */
static uint32_t fitting(struct maker *m, const struct culprit_branch_record *b, uint32_t count, uint32_t *length,
			bool counts)
{
	uint32_t blocks = 0, more;
	*length = 0;
	for (; blocks + 1 < count; blocks++) {
		enum block good = block_of(m, behind(m, &b[blocks + 1]), &b[blocks], &more, NULL);
		if (good == BLOCK_GOOD && b[blocks].cycles > most_cycles(m, more))
			good = BLOCK_INTERRUPTED;
		if (good == BLOCK_GOOD && *length + more <= PATH) {
			*length += more;
			continue;
		}
		m->made->no_code += counts && good == BLOCK_NO_CODE;
		m->made->no_path += counts && good == BLOCK_NO_PATH;
		m->made->interrupted += counts && good == BLOCK_INTERRUPTED;
		break;
	}
	return blocks;
}

static void add_path(struct maker *m, const struct culprit_precise_sample *x)
{
	const struct culprit_branch_record *b = m->from->branches + x->first_branch;
	uint32_t length, blocks = fitting(m, b, x->branch_count, &length, true);
	m->made->stacks++;
	if (!blocks)
		return;
	m->made->cut += blocks + 1 < x->branch_count;
	struct culprit_path *p = &m->paths[m->made->used++];
	*p = (struct culprit_path){.first_branch = m->branch_count, .branch_count = blocks, .length = length};
	for (uint32_t i = blocks; i-- > 0;) {
		m->branches[m->branch_count++] = b[i];
		p->cycles += b[i].cycles;
		m->made->not_taken |= (b[i].flags & CULPRIT_BRANCH_NOT_TAKEN) != 0;
	}
	m->s->pc[m->made->used - 1] = behind(m, &b[blocks]);
	m->made->instructions += length;
	m->cpi += (double)p->cycles / length;
	m->made->cycles |= p->cycles > 0;
	m->s->length = length > m->s->length ? length : m->s->length;
}

/* --- signature bits --- */

static void set_bit(uint64_t *words, uint32_t position)
{
	words[position / 64] |= 1ull << position % 64;
}

/* Again through the path, now that it is known how long the longest is. */
static void fill_bits(struct maker *m, size_t number)
{
	const struct culprit_path *p = &m->paths[number];
	uint64_t at = m->s->pc[number], *words = m->s->bits + 2 * number * m->s->words;
	uint32_t position = CONTEXT, count;
	for (uint32_t i = 0; i < p->branch_count; i++) {
		const struct culprit_branch_record *b = &m->branches[p->first_branch + i];
		block_of(m, at, b, &count, m->bits);
		for (uint32_t k = 0; k < count; k++, position++)
			if (m->bits[k])
				set_bit(words, position);
		at = behind(m, b);
	}
}

/* --- detailed samples --- */

/* Bit 1 of the instructions in front of the sample's own, as far as its branch stack tells: the oldest in bit 0, its
 * own in bit CONTEXT. A branch may be the newest record itself. */
static uint64_t bits_in_front(struct maker *m, const struct culprit_precise_sample *x)
{
	const struct culprit_branch_record *b = m->from->branches + x->first_branch;
	uint64_t bits = 1ull << CONTEXT;
	uint32_t known = 0, count;
	for (uint32_t i = x->branch_count && b[0].from == x->ip; i < x->branch_count && known < CONTEXT; i++) {
		enum block good = i ? block_of(m, behind(m, &b[i]), &b[i - 1], &count, m->bits)
				    : straight(m, behind(m, &b[0]), x->ip, &count, m->bits);
		if (good != BLOCK_GOOD)
			break;
		while (count && known < CONTEXT)
			bits |= (uint64_t)m->bits[--count] << (CONTEXT - ++known);
	}
	return bits;
}

static uint8_t level_here(const struct maker *m, uint8_t level)
{
	const uint32_t *cycles = m->machine->graph.miss_cycles;
	return level == CULPRIT_LEVEL_L3 && cycles[CULPRIT_LEVEL_L3] <= cycles[CULPRIT_LEVEL_L2] ? CULPRIT_LEVEL_MEMORY
												 : level;
}

static uint32_t at_least(uint32_t value, uint32_t less)
{
	return value > less ? value - less : 0;
}

/* Cycles beyond an L1 hit. */
static uint32_t beyond_hit(const struct maker *m, const struct culprit_precise_sample *x, uint8_t level, uint32_t hit)
{
	bool missed = level > CULPRIT_LEVEL_L1 || (x->flags & (CULPRIT_PRECISE_MERGED | CULPRIT_PRECISE_WALK));
	if (!missed)
		return 0;
	if (x->latency && x->latency_of == CULPRIT_LATENCY_ACCESS)
		return at_least(x->latency, hit);
	if (x->latency && x->latency_of == CULPRIT_LATENCY_MISS)
		return x->latency;
	return m->machine->graph.miss_cycles[level > CULPRIT_LEVEL_L1 ? level : CULPRIT_LEVEL_L2];
}

static void add_detail(struct maker *m, const struct culprit_precise_sample *x)
{
	struct culprit_static_insn insn;
	if (!m->code->decode(m->code->context, x->ip, &insn) || !(insn.flags & (CULPRIT_LOAD | CULPRIT_STORE))) {
		m->made->strange++;
		return;
	}
	uint32_t hit = m->machine->latency[insn.op_class];
	uint8_t level = level_here(m, x->level);
	uint32_t beyond = beyond_hit(m, x, level, insn.flags & CULPRIT_LOAD ? hit : 0);
	bool walked_only = (x->flags & CULPRIT_PRECISE_WALK) && level <= CULPRIT_LEVEL_L1;
	struct culprit_detail *d = &m->s->details[m->detail_count++];
	*d = (struct culprit_detail){.pc = x->ip, .exec_latency = (uint16_t)hit};
	d->bits[0] = bits_in_front(m, x);
	if (walked_only) {
		d->dtlb = (uint16_t)(beyond > UINT16_MAX ? UINT16_MAX : beyond);
		d->dtlb_level = CULPRIT_LEVEL_MEMORY;
	} else if (beyond) {
		d->dmiss = beyond;
		d->dlevel = level > CULPRIT_LEVEL_L1 ? level : CULPRIT_LEVEL_L2;
		d->flags = x->flags & CULPRIT_PRECISE_MERGED ? CULPRIT_MERGED : 0;
	}
}

/* --- all --- */

static bool make_room(struct maker *m)
{
	size_t stacks = 0, details = 0, branches = 0;
	for (size_t i = 0; i < m->from->count; i++) {
		const struct culprit_precise_sample *x = &m->from->samples[i];
		bool stack = (x->flags & CULPRIT_PRECISE_STACK) && x->branch_count > 1;
		stacks += stack;
		branches += stack ? x->branch_count : 0;
		details += (x->flags & CULPRIT_PRECISE_ACCESS) != 0;
	}
	m->bits = malloc(BLOCK + 1);
	m->s->paths = m->paths = malloc((stacks + 1) * sizeof *m->paths);
	m->s->branches = m->branches = malloc((branches + 1) * sizeof *m->branches);
	m->s->pc = calloc(stacks + 1, sizeof *m->s->pc);
	m->s->details = malloc((details + 1) * sizeof *m->s->details);
	return m->bits && m->paths && m->branches && m->s->pc && m->s->details;
}

static bool finish(struct maker *m)
{
	struct culprit_samples *s = m->s;
	s->context = CONTEXT;
	s->words = (s->length + 2 * CONTEXT + 63) / 64;
	s->signature_count = m->made->used;
	s->detail_count = m->made->details = m->detail_count;
	s->bits = calloc(2 * s->signature_count * s->words + 1, sizeof *s->bits);
	s->returns = calloc(1, sizeof *s->returns);
	if (!s->bits || !s->returns)
		return false;
	for (size_t i = 0; i < s->signature_count; i++)
		fill_bits(m, i);
	if (m->made->cycles) {
		s->instructions = m->made->instructions;
		s->cycles = (uint64_t)(m->cpi / (double)s->signature_count * (double)s->instructions + 0.5);
	}
	return true;
}

bool culprit_samples_from_branches(struct culprit_samples *samples, const struct culprit_precise *precise,
				   const struct culprit_code *code, const struct culprit_shotgun_machine *machine,
				   struct culprit_precise_made *made)
{
	*samples = (struct culprit_samples){.length = 1};
	*made = (struct culprit_precise_made){.stacks = 0};
	struct maker m = {.s = samples, .from = precise, .code = code, .machine = machine, .made = made};
	bool good = make_room(&m);
	for (size_t i = 0; good && i < precise->count; i++) {
		const struct culprit_precise_sample *x = &precise->samples[i];
		if ((x->flags & CULPRIT_PRECISE_STACK) && x->branch_count > 1)
			add_path(&m, x);
		if (x->flags & CULPRIT_PRECISE_ACCESS)
			add_detail(&m, x);
	}
	good = good && finish(&m);
	free(m.bits);
	return good;
}

void culprit_branch_samples_free(struct culprit_samples *s)
{
	free((void *)s->paths);
	free((void *)s->branches);
	free(s->pc);
	free(s->bits);
	free(s->returns);
	free(s->details);
	*s = (struct culprit_samples){.length = 0};
}
