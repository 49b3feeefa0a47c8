/* Replay of chains of actions, and the points at which it begins: after the squash of a mispredicted branch, and in
 * the cycle after a branch was fetched, if the last such point is not too near. */
#ifndef CULPRIT_CORE_MEMO_REPLAY_H
#define CULPRIT_CORE_MEMO_REPLAY_H

#include "core/commit.h"
#include "core/fetch.h"
#include "core/memo_state.h"

/* Where the chain that is replayed began. */
struct memo_begin {
	const struct memo_node *node;
	uint64_t head, now;
	uint32_t stores_head;
};

/* --- fetch --- */

/* The branch at index, which was executed. */
static inline uint64_t memo_replay_branch(struct core *c, struct slot *s, uint64_t index,
					  const struct riscv_outcome *outcome, struct memo_answer *a)
{
	struct branch_note *n = &c->branches[index & c->mask];
	if (outcome->taken)
		c->block = NULL;
	fetch_predict(c, s, index, outcome);
	a->target = n->actual_next;
	if (s->flags & SLOT_MISPREDICTED) {
		n->held = !(n->prediction.target_known && path_leave(c, index, n));
		predictor_speculate(c->predictor, &n->query, n->held ? n->actual_taken : n->prediction.taken,
				    n->held ? n->actual_next : n->prediction.next_pc);
	}
	return memo_branch_answer(c, s, n);
}

/* Up to `most` instructions, in one block. Sets `end` if the run ends with them. */
static inline uint32_t memo_replay_block(struct core *c, const struct riscv_insn *insn, uint32_t most,
					 enum memo_end *end, uint64_t *what, struct memo_answer *a)
{
	const uint8_t wrong = c->wrong;
	const uint32_t left = c->block->count - c->block_next, count = most < left ? most : left;
	uint64_t pc = path_pc(c), index = c->tail;
	struct riscv_outcome outcome;
	uint32_t i = 0;
	for (; i < count; i++, index++, pc += (insn++)->length) {
		if (!fetch_run_step(c, insn, wrong, &outcome)) {
			*end = RUN_CUT;
			break;
		}
		struct slot *s = slot_at(c, index);
		path_fill(c, s, insn, pc, wrong);
		if (!(insn->flags & (RISCV_LOAD | RISCV_STORE)))
			continue;
		s->mem_addr = outcome.mem_addr;
		path_note_memory(c, s, index, insn->mem_size);
		if ((insn->flags & RISCV_LOAD) && s->mem_producer) {
			*end = RUN_STORE;
			*what = memo_store_answer(s);
			i++, index++, insn++;
			break;
		}
	}
	c->tail = index;
	c->turn -= wrong ? 0 : i;
	c->block_next += i;
	if (i && *end == RUN_PLAIN && (insn[-1].flags & RISCV_BRANCH)) {
		*end = RUN_BRANCH;
		*what = memo_replay_branch(c, slot_at(c, index - 1), index - 1, &outcome, a);
	}
	return i;
}

static inline void memo_replay_run(struct core *c, uint32_t most, struct memo_answer *a)
{
	enum memo_end end = RUN_PLAIN;
	uint64_t what = 0;
	uint32_t done = 0;
	while (done < most && end == RUN_PLAIN) {
		const struct riscv_insn *insn = path_peek(c);
		if (!insn)
			end = RUN_CUT;
		else
			done += memo_replay_block(c, insn, most - done, &end, &what, a);
	}
	c->memo->cut = end == RUN_CUT;
	a->what = memo_run_answer(done, end, what);
}

static inline uint64_t memo_replay_line(struct core *c, uint32_t which)
{
	path_peek(c);
	const uint64_t pc = path_pc(c);
	c->fetched = c->tail;
	return fetch_ask(c, pc, (pc >> c->line_bits) + which);
}

/* --- the others --- */

static inline void memo_replay_store(struct core *c, uint64_t index)
{
	const struct slot *s = slot_at(c, index);
	struct memory_access write;
	hierarchy_store(c->hierarchy, c->now, index, s->pc, s->mem_addr, s->insn->mem_size, &write);
	path_retire_store(c);
}

/* What squash_mispredicted does, but for the window. */
static void memo_replay_squash(struct core *c, uint64_t index)
{
	struct slot *s = slot_at(c, index);
	const struct branch_note *n = &c->branches[index & c->mask];
	c->stats.squashes++;
	s->flags &= (uint8_t)~SLOT_MISPREDICTED;
	if (n->held)
		return;
	c->stats.fetched_wrong_path += c->tail - (index + 1);
	c->tail = index + 1;
	path_drop_stores(c, s->store_number);
	path_return(c, path_checkpoint_of(c, index));
	predictor_speculate(c->predictor, &n->query, n->actual_taken, n->actual_next);
}

static inline void memo_count(struct core *c, const struct memo_counts *n)
{
	c->memo->replayed += n->committed;
	c->stats.committed += n->committed;
	c->stats.loads += n->loads;
	c->stats.stores += n->stores;
	c->stats.forwarded += n->forwarded;
	c->stats.fetched += n->fetched;
	c->stats.issued_wrong_path += n->issued_wrong_path;
}

/* --- chains --- */

/* No chain comes to where the loop has to look: a region's end, a turn's, the number of instructions asked for. */
static bool memo_has_margin(const struct core *c, uint64_t committed)
{
	const uint64_t fetches = c->memo->room + RUN_MOST, commits = fetches + c->mask + 1;
	return c->limit - c->tail > fetches && c->turn > fetches && c->stats.committed + commits < committed &&
	       c->stats.committed >= c->memo_from;
}

static void memo_begin(struct core *c, uint64_t head, uint64_t action_cycle)
{
	struct memo *m = c->memo;
	m->head = head;
	m->fetched = c->fetched;
	m->branched = false;
	m->stats = c->stats;
	m->action_cycle = action_cycle;
	m->muted_tail = 0;
	m->run_begin = c->fetched;
}

/* Go on in the core, muted: what has been replayed of the chain is known. Returns whether in the middle of a cycle. */
static bool memo_leave(struct core *c, const struct memo_begin *b, uint32_t steps)
{
	struct memo *m = c->memo;
	const uint32_t *words = m->words + b->node->words;
	const uint64_t now = c->now;
	memo_restore(c, words, b->head, b->now, b->stores_head);
	memo_begin(c, b->head, now);
	m->left = steps;
	m->muted_tail = m->run_begin = c->tail;
	m->answer_count = 0;
	return words[0] & 1;
}

/* The place of the next actions: behind the MEMO_STOP of those that were recorded last, if they came to no end. */
static uint32_t memo_place(struct memo *m)
{
	m->action_count += m->actions[m->action_count - 1].op != MEMO_END;
	return m->action_count;
}

/* An answer that is new here: what follows is recorded. */
static void memo_branch_off(struct memo *m, struct memo_action *a, const struct memo_answer *got)
{
	m->recording = m->action_count + 3 <= MEMO_ACTIONS && got->what != UINT64_MAX;
	if (!m->recording)
		return;
	a->other = memo_place(m);
	struct memo_action *other = &m->actions[m->action_count++];
	*other = *a;
	other->answer = *got;
	other->other = 0;
	other[1].op = MEMO_STOP;
}

/* The action after `a` for the answer; NULL: it is new. */
static inline struct memo_action *memo_follow(struct memo *m, struct memo_action *a, const struct memo_answer *got)
{
	while (a->answer.what != got->what || a->answer.target != got->target) {
		if (!a->other) {
			memo_branch_off(m, a, got);
			return NULL;
		}
		a = &m->actions[a->other];
	}
	m->cut = false;
	return a + 1;
}

/* An action with an answer. Returns 1 if it counts as a step. */
static inline uint32_t memo_ask(struct core *c, const struct memo_action *a, uint64_t head, struct memo_answer *got)
{
	if (a->op == MEMO_RUN) {
		memo_replay_run(c, a->count, got);
		return 0;
	}
	got->what = a->op == MEMO_LINE ? memo_replay_line(c, a->arg)
				       : memo_ask_load(c, slot_at(c, head + a->arg), head + a->arg);
	c->memo->answers[c->memo->answer_count++] = (uint32_t)got->what;
	return 1;
}

/* One chain. Returns the next node; NULL: the core has gone on. */
static inline struct memo_node *memo_replay_chain(struct core *c, const struct memo_begin *b, bool *middle)
{
	struct memo *m = c->memo;
	struct memo_action *a = &m->actions[b->node->first];
	const uint64_t head = b->head;
	uint32_t steps = 0;
	m->answer_count = 0;
	for (;;) {
		struct memo_answer got = {0, 0};
		c->now += a->wait;
		switch ((enum memo_op)a->op) {
		case MEMO_RUN:
		case MEMO_LINE:
		case MEMO_LOAD:
			steps += memo_ask(c, a, head, &got);
			a = memo_follow(m, a, &got);
			if (a)
				continue;
			/* on the right path, there is a fault or a call: not for chains */
			m->recording &= !m->cut || c->wrong;
			*middle = memo_leave(c, b, steps);
			return NULL;
		case MEMO_STORE:
			memo_replay_store(c, head + a->arg);
			break;
		case MEMO_BRANCH:
			commit_branch(c, slot_at(c, head + a->arg), head + a->arg);
			break;
		case MEMO_SQUASH:
			memo_replay_squash(c, head + a->arg);
			break;
		case MEMO_END:
			memo_count(c, &a->counts);
			return &m->nodes[a->arg];
		case MEMO_STOP:
			*middle = memo_leave(c, b, steps);
			return NULL;
		}
		steps++;
		a++;
	}
}

/* From the node's state, which is the core's, on. Returns whether the core goes on in the middle of a cycle. */
static bool memo_replay(struct core *c, const struct memo_node *n, uint64_t committed)
{
	struct memo *m = c->memo;
	struct memo_begin b = {.node = n, .head = c->head};
	bool middle = false;
	m->recording = false;
	m->cut = false;
	do {
		const uint64_t before = c->stats.committed;
		b.now = c->now;
		b.stores_head = c->stores_head;
		if (!memo_has_margin(c, committed))
			return memo_leave(c, &b, 0);
		b.node = memo_replay_chain(c, &b, &middle);
		b.head += c->stats.committed - before;
	} while (b.node);
	return middle;
}

/* --- points --- */

static struct memo_counts memo_counts(const struct core *c)
{
	const struct core_statistics *s = &c->stats, *before = &c->memo->stats;
	return (struct memo_counts){
		.committed = (uint16_t)(s->committed - before->committed),
		.loads = (uint16_t)(s->loads - before->loads),
		.stores = (uint16_t)(s->stores - before->stores),
		.forwarded = (uint16_t)(s->forwarded - before->forwarded),
		.fetched = (uint16_t)(s->fetched - before->fetched),
		.issued_wrong_path = (uint16_t)(s->issued_wrong_path - before->issued_wrong_path),
	};
}

static void memo_end(struct core *c, const struct memo_node *n)
{
	struct memo_action *end = memo_append(c, MEMO_END, (uint32_t)(n - c->memo->nodes), 0);
	if (end)
		end->counts = memo_counts(c);
}

/* The chain ends in a state that is not memoized: a squash cannot be its last action, since what is behind the branch
 * would be needed to go back. */
static void memo_abandon(struct core *c, bool middle)
{
	struct memo *m = c->memo;
	if (m->recording && middle)
		m->actions[--m->action_count].op = MEMO_STOP;
	m->recording = false;
	memo_begin(c, c->head, c->now);
}

/* The node of the state in the buffer, perhaps a new one. */
static struct memo_node *memo_find(struct memo *m, const struct memo_writer *w)
{
	const uint32_t count = (uint32_t)(w->at - m->buffer);
	uint32_t at = (uint32_t)(w->hash >> 32) & (MEMO_TABLE - 1);
	for (; m->table[at] != UINT32_MAX; at = (at + 1) & (MEMO_TABLE - 1)) {
		struct memo_node *n = &m->nodes[m->table[at]];
		if (n->hash == w->hash && n->count == count &&
		    !memcmp(m->words + n->words, m->buffer, count * sizeof *m->buffer))
			return n;
	}
	struct memo_node *n = &m->nodes[m->node_count];
	m->table[at] = m->node_count++;
	*n = (struct memo_node){.hash = w->hash, .words = m->word_count, .count = count};
	memcpy(m->words + n->words, m->buffer, count * sizeof *m->buffer);
	m->word_count += count;
	return n;
}

static bool memo_has_space(const struct core *c)
{
	const struct memo *m = c->memo;
	return m->word_count + memo_words(c) < MEMO_WORDS && m->node_count < MEMO_NODES &&
	       m->action_count + 4 < MEMO_ACTIONS && m->flushes == c->code->flushes;
}

/* Returns whether the core goes on in the middle of a cycle: after its events. */
static bool memo_point(struct core *c, bool middle, uint64_t committed)
{
	struct memo *m = c->memo;
	struct memo_writer w;
	m->squashed = false;
	if (!memo_has_space(c)) {
		memo_forget(m);
		m->flushes = c->code->flushes;
	}
	if (!memo_has_margin(c, committed) || c->spaces || !memo_encode(c, middle, &w)) {
		memo_abandon(c, middle);
		return middle;
	}
	struct memo_node *n = memo_find(m, &w);
	memo_end(c, n);
	if (n->first)
		return memo_replay(c, n, committed);
	n->first = memo_place(m);
	m->actions[n->first].op = MEMO_STOP;
	m->recording = true;
	memo_begin(c, c->head, c->now);
	return middle;
}

/* At the end of a cycle: is this a point? */
static inline bool memo_is_due(const struct core *c)
{
	const struct memo *m = c->memo;
	const uint64_t count = c->fetched - m->fetched;
	return (m->branched && count >= MEMO_SPACING) || count >= m->room;
}

#endif
