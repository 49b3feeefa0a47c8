/* Exact memoization of the pipeline (Schnarr and Larus, ASPLOS 1998), for the bare run on plain machines.
 *
 * A state is all that the pipeline's next cycles depend on, relative to now and to the oldest instruction
 * (memo_state.h). From one state to the next leads a chain of actions: what the pipeline asked of the program, the
 * predictor and the caches, in order of time, with the cycles in between. An answer that differs from the one that the
 * chain expects leads to another action (`other`), and so a state's chains are a tree. Replay (memo_replay.h) asks
 * again, goes down the tree and moves neither window nor queues.
 *
 * For an answer that has not been seen, the core goes back to the state at which the chain began, and simulates again
 * what was replayed: it takes answers from the list that replay kept, and what was fetched is in its slots already. It
 * is "muted" until it has come to where replay stopped; from there on it records.
 *
 * What is asked is always asked: caches, predictors and memory see the same in the same order as without. */
#ifndef CULPRIT_CORE_MEMO_H
#define CULPRIT_CORE_MEMO_H

#include "core/state.h"
#include "machine/hierarchy_inline.h"

/* A compilation of the loop that records and replays. */
#ifndef LOOP_MEMO
#define LOOP_MEMO 0
#endif

enum memo_op {
	MEMO_STOP, /* not known further */
	MEMO_RUN,  /* fetch up to `count` instructions: how many, and what ended them */
	MEMO_LINE, /* of the next instruction (arg 0), or of its end (1): cycles to wait */
	MEMO_LOAD, /* issues: cycles */
	/* without an answer */
	MEMO_STORE,  /* commits */
	MEMO_BRANCH, /* commits */
	MEMO_SQUASH, /* a mispredicted branch resolves; always a chain's last but one */
	MEMO_END,    /* the state `arg` */
};

/* What ends a run of fetched instructions. */
enum memo_end {
	RUN_PLAIN, /* as many as asked for */
	RUN_STORE, /* a load that depends on a store in flight */
	RUN_BRANCH,
	RUN_CUT, /* nothing further can be executed */
};

/* Statistics of a chain. */
struct memo_counts {
	uint16_t committed, loads, stores, forwarded, fetched, issued_wrong_path;
};

struct memo_answer {
	uint64_t what;
	uint64_t target; /* RUN_BRANCH: where the right path goes on */
};

struct memo_action {
	uint8_t op, count;
	uint16_t wait;	/* cycles since the one before */
	uint32_t other; /* index of the action for another answer; 0 = none */
	uint32_t arg;	/* instruction, from the chain's first oldest on; or as above */
	union {
		struct memo_answer answer; /* expected */
		struct memo_counts counts;
	};
};

struct memo_node {
	uint64_t hash;
	uint32_t words, count; /* place and number of the state's */
	uint32_t first;	       /* action */
};

/* Powers of two. When one is full, all is forgotten. */
enum { RUN_COUNT_BITS = 6, RUN_MOST = (1 << RUN_COUNT_BITS) - 1, RUN_WHAT = RUN_COUNT_BITS + 2 };

enum { MEMO_FROM = 20000 }; /* committed instructions before: fewer do not come again often enough */
enum { MEMO_SPACING = 16 }; /* instructions between points, at least */
enum { MEMO_ACTIONS = 1 << 21, MEMO_NODES = 1 << 18, MEMO_TABLE = 1 << 19, MEMO_WORDS = 1 << 24 };

struct memo {
	struct memo_action *actions; /* the first is not used */
	struct memo_node *nodes;
	uint32_t *table; /* by hash, linear probing: node; UINT32_MAX = free */
	uint32_t *words; /* of states */
	uint32_t *buffer;
	uint32_t action_count, node_count, word_count;
	uint64_t flushes;  /* of the decoded code, when all was forgotten last */
	uint64_t room;	   /* instructions that a chain may fetch: their slots are not used again meanwhile */
	uint64_t replayed; /* committed instructions */

	/* the chain under way */
	bool recording;
	bool squashed;		      /* in this cycle */
	bool branched;		      /* has fetched a branch */
	uint64_t head, fetched;	      /* when it began */
	uint64_t action_cycle;	      /* of the last action */
	uint64_t run_begin;	      /* from there on, fetched instructions are in no action */
	struct core_statistics stats; /* when it began */

	/* muted: what replay has done and the core has not */
	uint32_t left;	     /* actions but runs */
	uint64_t muted_tail; /* instructions before are fetched; 0 = none are */
	bool cut;	     /* the last run's end */
	uint32_t answer_count;
	uint32_t *answers;
};

/* Instructions that a chain may fetch before it has to end; their slots are not used again meanwhile. */
static inline uint64_t memo_room(const struct core *c)
{
	const uint64_t used = (uint64_t)c->d.window + c->d.front_capacity + c->d.fetch_width, ring = c->mask + 1;
	return used < ring ? (ring - used < RUN_MOST ? ring - used : RUN_MOST) : 0;
}

struct memo *memo_create(const struct core *c); /* NULL: no memory */
void memo_destroy(struct memo *m);
void memo_forget(struct memo *m);

static inline bool memo_is_muted(const struct core *c)
{
	const struct memo *m = c->memo;
	return m->left || m->cut || c->fetched < m->muted_tail;
}

/* --- recording --- */

/* The instruction as a chain names it. */
static inline uint32_t memo_name(const struct core *c, uint64_t index)
{
	return (uint32_t)(index - c->memo->head);
}

/* NULL: not recorded, nor what follows. */
static inline struct memo_action *memo_append(struct core *c, enum memo_op op, uint32_t arg, uint64_t what)
{
	struct memo *m = c->memo;
	const uint64_t wait = c->now - m->action_cycle;
	if (!m->recording)
		return NULL;
	if (m->action_count + 2 > MEMO_ACTIONS || wait > UINT16_MAX) {
		m->recording = false;
		return NULL;
	}
	m->action_cycle = c->now;
	struct memo_action *a = &m->actions[m->action_count++];
	*a = (struct memo_action){.op = (uint8_t)op, .wait = (uint16_t)wait, .arg = arg, .answer.what = what};
	a[1].op = MEMO_STOP;
	return a;
}

static inline uint64_t memo_run_answer(uint64_t count, enum memo_end end, uint64_t what)
{
	if (what >> (64 - RUN_WHAT))
		return UINT64_MAX; /* a wild address: nobody expects that */
	return count | (uint64_t)end << RUN_COUNT_BITS | what << RUN_WHAT;
}

/* Fetch of the instructions up to `index` ends here. */
static inline void memo_run(struct core *c, uint64_t index, enum memo_end end, uint64_t what, uint64_t target)
{
	struct memo *m = c->memo;
	if (!m->recording || memo_is_muted(c))
		return;
	const uint64_t count = index - m->run_begin;
	m->run_begin = index;
	if (!count && end != RUN_CUT)
		return;
	const uint64_t answer = memo_run_answer(count, end, what);
	m->recording = count < RUN_MOST && answer != UINT64_MAX;
	struct memo_action *a = memo_append(c, MEMO_RUN, 0, answer);
	if (!a)
		return;
	a->count = (uint8_t)(count + (end == RUN_CUT));
	a->answer.target = target;
}

static inline uint64_t memo_store_answer(const struct slot *load)
{
	return (uint64_t)load->mem_producer << 1 | load->partial;
}

/* A load, or anything else but a branch, is executed. */
static inline void memo_fetched(struct core *c, const struct slot *s, uint64_t index)
{
	if ((s->flags & SLOT_LOAD) && s->mem_producer)
		memo_run(c, index + 1, RUN_STORE, memo_store_answer(s), 0);
	if (s->flags & SLOT_SERIALISE)
		c->memo->recording = false;
}

/* How the branch was predicted; where fetch goes on. */
static inline uint64_t memo_branch_answer(const struct core *c, const struct slot *s, const struct branch_note *n)
{
	const struct prediction *p = &n->prediction;
	const bool wrong = s->flags & SLOT_MISPREDICTED, held = wrong && n->held;
	const uint64_t late = p->btb_hit ? p->late : 0, missed = (s->record_flags & CULPRIT_BTB_MISS) != 0;
	const uint64_t next = wrong && !held ? c->hart->pc : 0;
	return wrong | (uint64_t)held << 1 | (uint64_t)p->taken << 2 | missed << 3 | (uint64_t)p->btb_hit << 4 |
	       late << 5 | next << 13;
}

/* Without a checkpoint it was fetched again, and not predicted, in a muted cycle. */
static inline void memo_branched(struct core *c, const struct slot *s, uint64_t index)
{
	const struct branch_note *n = &c->branches[index & c->mask];
	c->memo->branched = true;
	if (index >= c->memo->muted_tail)
		memo_run(c, index + 1, RUN_BRANCH, memo_branch_answer(c, s, n), n->actual_next);
}

/* Has replay gone down the wrong path behind it already? */
static inline bool memo_has_left(const struct core *c, uint64_t index)
{
	return index < c->memo->muted_tail && !c->branches[index & c->mask].held;
}

/* Fetch comes to an instruction that cannot be executed; true: replay did, so that it is not told again. */
static inline bool memo_knows_cut(struct core *c)
{
	const bool known = c->memo->cut && !c->memo->left;
	if (known)
		c->memo->cut = false;
	return known;
}

/* --- answers --- */

static inline uint32_t memo_next_answer(struct core *c)
{
	c->memo->left--;
	return c->memo->answers[c->memo->answer_count++];
}

/* Cycles from now on. */
static inline uint64_t memo_ask_load(struct core *c, const struct slot *s, uint64_t index)
{
	const bool wrong = s->flags & SLOT_WRONG_PATH;
	const uint32_t agu = c->d.latency[s->insn->op_class];
	struct memory_access a;
	if (hierarchy_load_hits(c->hierarchy, c->now + agu, s->mem_addr, s->insn->mem_size, wrong))
		return agu + c->d.l1d_latency;
	hierarchy_load(c->hierarchy, c->now + agu, index | (wrong ? WRONG_PATH_SEQ : 0), s->pc, s->mem_addr,
		       s->insn->mem_size, wrong, &a);
	return a.done - c->now;
}

static inline uint64_t memo_load(struct core *c, const struct slot *s, uint64_t index)
{
	if (memo_is_muted(c))
		return memo_next_answer(c);
	const uint64_t cycles = memo_ask_load(c, s, index);
	memo_append(c, MEMO_LOAD, memo_name(c, index), cycles);
	return cycles;
}

/* An action without an answer; true: replay has done it. */
static inline bool memo_has_done(struct core *c, enum memo_op op, uint64_t index)
{
	if (memo_is_muted(c)) {
		c->memo->left--;
		return true;
	}
	memo_append(c, op, memo_name(c, index), 0);
	return false;
}

/* Before the squash. */
static inline void memo_squash(struct core *c, uint64_t branch)
{
	memo_append(c, MEMO_SQUASH, memo_name(c, branch), 0);
	c->memo->squashed = true;
	c->memo->muted_tail = 0;
}

#endif
