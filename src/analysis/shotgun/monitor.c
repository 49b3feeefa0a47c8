/* The shotgun profiler's hardware: signature bits of every committed instruction go through a shift register; now
 * and then a stretch of them is kept (signature sample), or one instruction in detail with the bits around it. One
 * sample of each kind at a time.
 *
 * Between events an instruction costs a shift and a count-down; everything else happens at an event: a sample
 * begins, has 64 more bits, or ends. Intervals are uniform between half and one and a half times their mean, so that
 * no loop of the program can run in step with them. */
#include "analysis/shotgun/detail.h"
#include "analysis/shotgun/random.h"
#include "culprit/shotgun.h"

#include <stdlib.h>
#include <string.h>

#define NEVER UINT64_MAX

enum {
	STRAY_LINES = 64,
	NEWEST = 63, /* the shift register's end where bits come in */
};

struct culprit_monitor {
	struct culprit_monitor_params params;
	struct culprit_samples samples;
	size_t detail_room, signature_room;
	uint64_t random;
	uint64_t history[2]; /* the last 64 instructions' bits */
	uint64_t count;	     /* instructions seen */
	uint64_t known;	     /* of these, in the shift register since the last switch */
	uint64_t next_event, next_detail, next_signature;
	uint64_t detail_end, signature_flush;  /* NEVER = no sample is being taken */
	uint32_t collected;		       /* positions of the signature sample written out */
	uint64_t targets_end;		       /* instructions seen at the sample's last one; 0 = no targets wanted */
	uint32_t target_count;		       /* in it so far */
	bool jumped;			       /* the next instruction's pc is one of these targets */
	bool target_follows;		       /* the next instruction's pc is the sampled branch's target */
	uint64_t expected;		       /* pc of the next instruction; 0 = a branch was taken */
	uint64_t returns[CULPRIT_RETURNS_MAX]; /* what a return stack of the hardware holds */
	uint32_t next_return, return_count;
	uint8_t stray[2];		      /* of the last instruction that had any: data, instruction */
	uint64_t stray_lines[2][STRAY_LINES]; /* last used of what wrong paths brought: data, instructions; + 1 */
	uint64_t cut;
	uint64_t first_fetch, last_commit;
	bool failed;
};

/* --- intervals --- */

static uint64_t draw(struct culprit_monitor *m, uint64_t mean)
{
	return mean ? mean - mean / 2 + shotgun_random_below(&m->random, mean + 1) : NEVER - m->count;
}

static void schedule(struct culprit_monitor *m)
{
	uint64_t next = m->next_detail < m->next_signature ? m->next_detail : m->next_signature;
	next = m->detail_end < next ? m->detail_end : next;
	m->next_event = m->signature_flush < next ? m->signature_flush : next;
	if (m->target_follows)
		m->next_event = m->count + 1;
}

static const char *check(const struct culprit_monitor_params *p)
{
	if (!p->length || p->length > CULPRIT_SIGNATURE_MAX)
		return "length of a signature sample: 1 to 65536 instructions";
	if (p->context > CULPRIT_CONTEXT_MAX)
		return "signature bits around a detailed sample: at most 31 on either side";
	if (p->stack > CULPRIT_RETURNS_MAX)
		return "return addresses in a signature sample: at most 64";
	if (p->targets > CULPRIT_TARGETS_MAX)
		return "targets in a signature sample: at most 256";
	if (p->signature_interval > UINT64_MAX / 4 || p->detail_interval > UINT64_MAX / 4)
		return "an interval is too large";
	return NULL;
}

struct culprit_monitor *culprit_monitor_create(const struct culprit_monitor_params *params, const char **why)
{
	const char *unused;
	why = why ? why : &unused;
	*why = check(params);
	if (*why)
		return NULL;
	struct culprit_monitor *m = calloc(1, sizeof *m);
	*why = "out of memory";
	if (!m)
		return NULL;
	*why = NULL;
	m->params = *params;
	m->samples.context = params->context;
	m->samples.length = params->length;
	m->samples.stack = params->stack;
	m->samples.target_slots = params->targets;
	m->samples.words = (params->length + 2 * params->context + 63) / 64;
	m->random = params->seed;
	m->detail_end = m->signature_flush = NEVER;
	m->next_detail = draw(m, params->detail_interval);
	m->next_signature = draw(m, params->signature_interval);
	schedule(m);
	return m;
}

void culprit_monitor_destroy(struct culprit_monitor *m)
{
	if (!m)
		return;
	free(m->samples.details);
	free(m->samples.pc);
	free(m->samples.bits);
	free(m->samples.returns);
	free(m->samples.targets);
	free(m);
}

/* --- detailed samples --- */

static bool detail_has_room(struct culprit_monitor *m)
{
	if (m->samples.detail_count < m->detail_room)
		return true;
	size_t room = m->detail_room ? 2 * m->detail_room : 1024;
	struct culprit_detail *grown = realloc(m->samples.details, room * sizeof *grown);
	if (!grown)
		return false;
	m->samples.details = grown;
	m->detail_room = room;
	return true;
}

/* A sample ends with the bits after it, and not before a branch's target is known. */
static unsigned detail_wait(const struct culprit_monitor *m)
{
	return m->params.context ? m->params.context : 1;
}

static bool goes_anywhere(const struct culprit_record *r)
{
	return r->branch >= CULPRIT_BRANCH_INDIRECT_JUMP;
}

/* Every second sample is dropped, and from now on half as many are taken: those kept are as if there never had been
 * more. */
static void thin_details(struct culprit_monitor *m)
{
	struct culprit_samples *s = &m->samples;
	for (size_t i = 1; 2 * i < s->detail_count; i++)
		s->details[i] = s->details[2 * i];
	s->detail_count = (s->detail_count + 1) / 2;
	m->params.detail_interval *= 2;
}

static void begin_detail(struct culprit_monitor *m, const struct culprit_record *r)
{
	if (m->params.most_details && m->samples.detail_count >= m->params.most_details)
		thin_details(m);
	m->next_detail = m->count + draw(m, m->params.detail_interval);
	if (m->known <= m->params.context)
		return; /* nothing is known of what came before */
	if (!detail_has_room(m)) {
		m->failed = true;
		return;
	}
	shotgun_detail_fill(&m->samples.details[m->samples.detail_count], r, m->stray);
	m->target_follows = goes_anywhere(r);
	m->detail_end = m->count + detail_wait(m);
	if (m->next_detail <= m->detail_end)
		m->next_detail = m->detail_end + 1;
}

static void end_detail(struct culprit_monitor *m)
{
	struct culprit_detail *d = &m->samples.details[m->samples.detail_count];
	unsigned context = m->params.context;
	for (unsigned b = 0; b < 2; b++)
		d->bits[b] = m->history[b] >> (NEWEST - context - detail_wait(m)) & shotgun_bits(2 * context + 1);
	m->samples.detail_count++;
	m->detail_end = NEVER;
}

/* --- signature samples --- */

static bool signature_has_room(struct culprit_monitor *m)
{
	if (m->samples.signature_count < m->signature_room)
		return true;
	size_t room = m->signature_room ? 2 * m->signature_room : 64, words = 2 * (size_t)m->samples.words;
	uint64_t *pc = realloc(m->samples.pc, room * sizeof *pc);
	m->samples.pc = pc ? pc : m->samples.pc;
	uint64_t *bits = pc ? realloc(m->samples.bits, room * words * sizeof *bits) : NULL;
	m->samples.bits = bits ? bits : m->samples.bits;
	uint64_t *returns = bits ? realloc(m->samples.returns, room * (m->params.stack + 1) * sizeof *returns) : NULL;
	m->samples.returns = returns ? returns : m->samples.returns;
	uint64_t *targets = returns ? realloc(m->samples.targets, room * (m->params.targets + 1) * sizeof *targets)
				    : NULL;
	if (!targets)
		return false;
	m->samples.targets = targets;
	m->signature_room = room;
	return true;
}

/* The newest first. The sampled instruction itself has not used it yet. */
static void copy_returns(const struct culprit_monitor *m, uint64_t *to)
{
	for (uint32_t i = 0; i < m->params.stack; i++)
		to[i] = i < m->return_count ? m->returns[(m->next_return - 1 - i) % CULPRIT_RETURNS_MAX] : 0;
}

static void begin_targets(struct culprit_monitor *m)
{
	uint32_t slots = m->params.targets;
	memset(m->samples.targets + m->samples.signature_count * slots, 0, slots * sizeof *m->samples.targets);
	m->target_count = 0;
	m->targets_end = slots ? m->count + m->params.length - 1 : 0; /* nothing follows the last one */
}

static void thin_signatures(struct culprit_monitor *m)
{
	struct culprit_samples *s = &m->samples;
	const size_t words = 2 * (size_t)s->words;
	for (size_t i = 1; 2 * i < s->signature_count; i++) {
		s->pc[i] = s->pc[2 * i];
		memcpy(s->bits + i * words, s->bits + 2 * i * words, words * sizeof *s->bits);
		memcpy(s->returns + i * s->stack, s->returns + 2 * i * s->stack, s->stack * sizeof *s->returns);
		memcpy(s->targets + i * s->target_slots, s->targets + 2 * i * s->target_slots,
		       s->target_slots * sizeof *s->targets);
	}
	s->signature_count = (s->signature_count + 1) / 2;
	m->params.signature_interval *= 2;
}

static void begin_signature(struct culprit_monitor *m, const struct culprit_record *r)
{
	if (m->params.most_signatures && m->samples.signature_count >= m->params.most_signatures)
		thin_signatures(m);
	m->next_signature = m->count + draw(m, m->params.signature_interval);
	uint32_t positions = culprit_signature_positions(&m->samples);
	if (m->known <= m->params.context)
		return;
	if (!signature_has_room(m)) {
		m->failed = true;
		return;
	}
	uint64_t last = m->count + positions - 1 - m->params.context;
	if (m->next_signature <= last)
		m->next_signature = last + 1;
	m->samples.pc[m->samples.signature_count] = r->pc;
	copy_returns(m, m->samples.returns + m->samples.signature_count * m->params.stack);
	begin_targets(m);
	m->collected = 0;
	uint64_t full = m->count + NEWEST - m->params.context;
	m->signature_flush = full < last ? full : last;
}

/* The next bits of the sample are in the register; the sample may be whole with them. */
static void flush_signature(struct culprit_monitor *m)
{
	const struct culprit_samples *s = &m->samples;
	uint32_t positions = culprit_signature_positions(s), left = positions - m->collected;
	unsigned fresh = left < 64 ? left : 64;
	for (unsigned b = 0; b < 2; b++)
		s->bits[(2 * s->signature_count + b) * s->words + m->collected / 64] = m->history[b] >> (64 - fresh);
	m->collected += fresh;
	left -= fresh;
	m->signature_flush = left ? m->count + (left < 64 ? left : 64) : NEVER;
	m->samples.signature_count += left == 0;
}

/* --- records --- */

static void on_event(struct culprit_monitor *m, const struct culprit_record *r)
{
	if (m->target_follows) {
		m->samples.details[m->samples.detail_count].target = r->pc;
		m->target_follows = false;
	}
	if (m->count == m->detail_end)
		end_detail(m);
	if (m->count == m->signature_flush)
		flush_signature(m);
	if (m->count == m->next_detail && m->detail_end == NEVER)
		begin_detail(m, r);
	if (m->count == m->next_signature && m->signature_flush == NEVER)
		begin_signature(m, r);
	if (m->count == m->signature_flush)
		flush_signature(m);
	schedule(m);
}

/* The processor went to a signal handler or another thread: what is being sampled is of no use. */
static void cut_samples(struct culprit_monitor *m)
{
	m->cut += (uint64_t)(m->detail_end != NEVER) + (m->signature_flush != NEVER);
	m->detail_end = m->signature_flush = NEVER;
	m->target_follows = m->jumped = false;
	m->targets_end = 0;
	m->known = 0;
	m->return_count = 0;
	schedule(m);
}

/* An L2 line keeps the mark as an L1 line does, and loses it with its first use: what else of it a wrong path
 * brought into the L1 would have come from the L2. */
static uint8_t stray_level(struct culprit_monitor *m, unsigned kind, uint64_t addr, uint8_t level)
{
	if (level <= CULPRIT_LEVEL_L2 || !m->params.l2_line)
		return level;
	uint64_t line = addr / m->params.l2_line + 1, *slot = &m->stray_lines[kind][line % STRAY_LINES];
	bool again = *slot == line;
	*slot = line;
	return again ? CULPRIT_LEVEL_L2 : level;
}

static inline void follow_calls(struct culprit_monitor *m, const struct culprit_record *r)
{
	if (r->branch == CULPRIT_BRANCH_CALL || r->branch == CULPRIT_BRANCH_INDIRECT_CALL) {
		m->returns[m->next_return++ % CULPRIT_RETURNS_MAX] = r->pc + r->length;
		m->return_count += m->return_count < CULPRIT_RETURNS_MAX;
	} else if (r->branch == CULPRIT_BRANCH_RETURN && m->return_count) {
		m->next_return--;
		m->return_count--;
	}
}

/* Hardware writes it down as the branch commits. Here its record does not have it; the next one's pc is it. */
static inline void keep_target(struct culprit_monitor *m, uint64_t pc)
{
	uint64_t *to = m->samples.targets + m->samples.signature_count * m->params.targets;
	to[m->target_count++] = pc;
	m->jumped = false;
}

/* Is this a jump or call whose target the sample under way should have? */
static inline bool wants_target(const struct culprit_monitor *m, const struct culprit_record *r)
{
	bool indirect = r->branch == CULPRIT_BRANCH_INDIRECT_JUMP || r->branch == CULPRIT_BRANCH_INDIRECT_CALL;
	return indirect && m->count < m->targets_end && m->target_count < m->params.targets;
}

static inline void push_one(struct culprit_monitor *m, const struct culprit_record *r)
{
	if (m->expected && r->pc != m->expected)
		cut_samples(m);
	m->expected = r->flags & CULPRIT_TAKEN ? 0 : r->pc + r->length;
	if (m->jumped)
		keep_target(m, r->pc);
	if (r->dstray | r->istray) {
		m->stray[0] = stray_level(m, 0, r->mem_addr, r->dstray);
		m->stray[1] = stray_level(m, 1, r->pc, r->istray);
	}
	uint64_t bits = culprit_signature_bits(r, m->params.wide);
	m->history[0] = m->history[0] >> 1 | bits << NEWEST;
	m->history[1] = m->history[1] >> 1 | bits >> 1 << NEWEST;
	m->known++;
	if (++m->count == m->next_event)
		on_event(m, r);
	if (r->branch >= CULPRIT_BRANCH_CALL) {
		follow_calls(m, r);
		m->jumped = wants_target(m, r);
	}
}

void culprit_monitor_push(struct culprit_monitor *m, const struct culprit_record *records, size_t count)
{
	if (!count)
		return;
	if (!m->count)
		m->first_fetch = records[0].fetch - records[0].imiss - records[0].itlb;
	for (size_t i = 0; i < count && !m->failed; i++)
		push_one(m, &records[i]);
	m->last_commit = records[count - 1].commit;
	m->samples.instructions = m->count;
	m->samples.cycles = m->last_commit - m->first_fetch;
}

const struct culprit_samples *culprit_monitor_samples(const struct culprit_monitor *m)
{
	return m->failed ? NULL : &m->samples;
}

void culprit_monitor_intervals(const struct culprit_monitor *m, uint64_t *signature, uint64_t *detail)
{
	*signature = m->params.signature_interval;
	*detail = m->params.detail_interval;
}

uint64_t culprit_monitor_cut(const struct culprit_monitor *m)
{
	return m->cut;
}
