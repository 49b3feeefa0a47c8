/* Wrong paths. Behind a mispredicted branch the machine goes the wrong way until the branch has completed, and what
 * the loads and fetches there bring is on its way, or here, when the right path comes: the wrong path of an `if` is
 * often the right path a little later, and a misprediction then does not serialise the misses around it. The profile
 * has the instructions (profile/strays.h); the flow gives them times as it does the right path's, but for units,
 * forwarding and queues, which hardly hold up a path that seldom lasts longer than a few tens of cycles.
 *
 * A functional pass knows no levels for what it did not keep. They are taken from the right path: a line that it
 * misses further on is missed here (flow_judge_strays); a line that it does not need is no concern of the model. */
#include "interval/flow/flow.h"
#include "interval/flow/state.h"

#include <stdlib.h>
#include <string.h>

/* --- before the flow: levels and predictions --- */

enum { KNOWN_LOG2 = 16, LINE = 1, WIDE_LINE, PAGE, CODE_LINE, CODE_PAGE };

/* What the right path does next with a line or a page. Those that share an entry push each other out. */
struct known {
	uint64_t key;
	uint8_t what; /* enum culprit_level; a branch: predicted taken? */
};

struct judge {
	struct known known[1 << KNOWN_LOG2];
	uint32_t line, wide_line, page, code_line, code_page; /* shifts */
};

static uint64_t key_of(unsigned kind, uint64_t number)
{
	return number << 3 | kind;
}

static struct known *find(struct judge *j, uint64_t key)
{
	return &j->known[key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - KNOWN_LOG2)];
}

static void set(struct judge *j, unsigned kind, uint64_t number, uint8_t what)
{
	uint64_t key = key_of(kind, number);
	*find(j, key) = (struct known){key, what};
}

static uint8_t get(struct judge *j, unsigned kind, uint64_t number, uint8_t otherwise)
{
	uint64_t key = key_of(kind, number);
	const struct known *k = find(j, key);
	return k->key == key ? k->what : otherwise;
}

static void learn(struct judge *j, const struct interval_sample *s)
{
	if (s->dlevel) {
		set(j, LINE, s->address >> j->line, s->dlevel);
		if (s->dlevel > CULPRIT_LEVEL_L1)
			set(j, WIDE_LINE, s->address >> j->wide_line, s->dlevel);
		set(j, PAGE, s->address >> j->page, s->dtlb);
	}
	if (s->ilevel) {
		set(j, CODE_LINE, s->pc >> j->code_line, s->ilevel);
		set(j, CODE_PAGE, s->pc >> j->code_page, s->itlb);
	}
}

static void judge_stray(struct judge *j, struct interval_sample *s)
{
	s->dlevel = s->dtlb = s->ilevel = s->itlb = CULPRIT_LEVEL_NONE;
	if (s->flags & SAMPLE_LOAD) {
		uint8_t level = get(j, LINE, s->address >> j->line, CULPRIT_LEVEL_NONE);
		if (level == CULPRIT_LEVEL_NONE && get(j, WIDE_LINE, s->address >> j->wide_line, 0) > CULPRIT_LEVEL_L2)
			level = CULPRIT_LEVEL_MEMORY;
		s->dlevel = (level ? level : CULPRIT_LEVEL_L1) & 7;
		s->dtlb = get(j, PAGE, s->address >> j->page, CULPRIT_LEVEL_L1) & 7;
	}
	s->ilevel = get(j, CODE_LINE, s->pc >> j->code_line, CULPRIT_LEVEL_L1) & 7;
	s->itlb = get(j, CODE_PAGE, s->pc >> j->code_page, CULPRIT_LEVEL_L1) & 7;
}

static uint32_t log2_of(uint32_t v)
{
	return (uint32_t)(31 - __builtin_clz(v));
}

bool flow_judge_strays(const struct flow_stream *stream, const struct machine *m, struct interval_sample *strays,
		       struct error *err)
{
	struct judge *j = calloc(1, sizeof *j);
	if (!j)
		return error_set(err, ERROR_SYSTEM, "out of memory for the wrong paths");
	j->line = log2_of(m->l1d_line) - 3;
	j->wide_line = log2_of(m->l2_line) - 3;
	j->page = log2_of(m->tlb_page) - 3;
	j->code_line = log2_of(m->l1i_line) - 1;
	j->code_page = log2_of(m->tlb_page) - 1;
	size_t path = stream->wrong_count;
	for (size_t i = stream->count; i-- > 0;) {
		for (; path && stream->wrong[path - 1].branch >= i; path--) {
			const struct interval_wrong_path *w = &stream->wrong[path - 1];
			for (uint32_t n = 0; w->branch == i && n < w->count; n++)
				judge_stray(j, &strays[w->first + n]);
		}
		learn(j, &stream->samples[i]);
	}
	free(j);
	return true;
}

/* --- in the flow --- */

/* A wrong path on its way. */
struct stray {
	const struct flow_stream *stream;
	const struct interval_sample *list;
	uint32_t count;
	uint64_t branch, back;	      /* the branch, and how far its stretch reaches back from there */
	uint64_t resolved;	      /* nothing begins from this cycle on */
	uint64_t fetch, dispatch;     /* of the present instruction */
	uint32_t fetched, dispatched; /* in those cycles */
	uint64_t stores_known;
	uint64_t line; /* the last that was fetched */
};

/* When are the operands there? */
static uint64_t operands(const struct flow *f, const struct stray *w, const struct interval_sample *s, uint64_t n)
{
	uint64_t ready = 0;
	for (unsigned k = 0; k < 3; k++) {
		uint64_t d = s->producer[k], made = 0;
		if (d && d < n)
			made = f->stray_wake[n - d];
		else if (d && d - n <= w->back)
			made = f->wake[(w->branch + n - d) & (FLOW_RING - 1)];
		ready = made > ready ? made : ready;
	}
	return ready;
}

static void fetch(struct flow *f, struct stray *w, const struct interval_sample *s)
{
	if (w->fetched >= f->m.fetch_width) {
		w->fetch++;
		w->fetched = 0;
	}
	uint64_t line = s->pc >> f->fetch_line_shift;
	if (line != w->line) {
		w->line = line;
		uint64_t stall = flow_stray_fetch(f, s, w->fetch);
		w->fetch += stall;
		w->fetched = stall ? 0 : w->fetched;
	}
	w->fetched++;
}

/* False: there is no room in the window while the branch is in it. */
static bool dispatch(const struct flow *f, struct stray *w, uint64_t n)
{
	uint64_t at = w->fetch + f->m.frontend_stages, rob = f->d.rob;
	if (n >= rob)
		return false;
	uint64_t room = w->branch + n >= rob ? f->commit[(w->branch + n - rob) & (FLOW_RING - 1)] : 0;
	at = room > at ? room : at;
	if (at <= w->dispatch)
		at = w->dispatch + (w->dispatched >= f->m.dispatch_width);
	w->dispatched = at == w->dispatch ? w->dispatched + 1 : 1;
	w->dispatch = at;
	return true;
}

/* When is the result there? */
static uint64_t execute(struct flow *f, struct stray *w, const struct interval_sample *s, uint64_t n)
{
	uint64_t ready = w->dispatch + f->m.issue_dispatch_to_issue, made = operands(f, w, s, n);
	ready = made > ready ? made : ready;
	if (!(s->flags & SAMPLE_LOAD)) {
		ready += f->d.latency[s->op];
		if ((s->flags & SAMPLE_STORE) && ready > w->stores_known)
			w->stores_known = ready;
		return ready;
	}
	if (f->m.lsq_disambiguation == disambiguation_conservative && flow_has(f, FLOW_order) &&
	    w->stores_known > ready)
		ready = w->stores_known;
	if (ready < w->resolved && !(s->flags & SAMPLE_AT_HEAD))
		return flow_stray_load(f, s, ready);
	return ready + f->d.latency[s->op] + f->m.l1d_latency;
}

/* One instruction, number n behind the branch; false: it does not get into the window before all of this is
 * squashed. */
static bool step(struct flow *f, struct stray *w, const struct interval_sample *s, uint64_t n)
{
	if (w->fetch >= w->resolved || n >= FLOW_STRAY_MOST)
		return false;
	fetch(f, w, s);
	if (!dispatch(f, w, n) || w->dispatch >= w->resolved)
		return false;
	f->stray_wake[n] = execute(f, w, s, n);
	return true;
}

/* Where the mispredicted branch number n leads until it has completed; returns how many of the list's instructions
 * that takes. */
static uint32_t follow_inner(struct flow *f, const struct stray *w, uint32_t at, uint64_t n)
{
	struct stray inner = *w;
	uint32_t end = at;
	if (f->stray_wake[n] < inner.resolved)
		inner.resolved = f->stray_wake[n];
	while (end < w->count && (w->list[end].flags & SAMPLE_INNER))
		end++;
	for (uint32_t i = at; i < end && step(f, &inner, &w->list[i], ++n); i++)
		;
	return end - at;
}

static void follow(struct flow *f, struct stray *w)
{
	uint64_t n = 1;
	for (uint32_t i = 0; i < w->count && step(f, w, &w->list[i], n); n++) {
		if (!(w->list[i++].flags & SAMPLE_MISPREDICTED))
			continue;
		i += follow_inner(f, w, i, n);
		w->fetch = f->stray_wake[n] + f->m.frontend_redirect;
		w->fetched = 0;
	}
}

void flow_run_wrong_path(struct flow *f, const struct flow_stream *stream, uint64_t i, uint64_t back)
{
	while (f->wrong_at < stream->wrong_count && stream->wrong[f->wrong_at].branch < i)
		f->wrong_at++;
	if (!flow_has(f, FLOW_stray) || f->wrong_at == stream->wrong_count || stream->wrong[f->wrong_at].branch != i)
		return;
	const struct interval_wrong_path *path = &stream->wrong[f->wrong_at];
	struct stray w = {
		.stream = stream,
		.list = &stream->strays[path->first],
		.count = path->count,
		.branch = i,
		.back = back,
		.resolved = f->complete[i & (FLOW_RING - 1)],
		.fetch = f->fetch_cycle + 1,
		.dispatch = f->dispatch_cycle,
		.dispatched = f->dispatched,
		.stores_known = f->stores_known,
	};
	follow(f, &w);
}
