/* The public side of criticality: parameters in, records through a moving buffer of history, chunk and lookahead. See
 * edges/emit.h for the graph and path.c, slack.c and loop.c for what is made of it. */
#include "analysis/critical/state.h"
#include "analysis/recent.h"
#include "analysis/record_check.h"
#include "base/bits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Entries: window.rob and window.released of 8192 each, idealised, are 327,680. */
enum { MOST_ENTRIES = 1 << 19, MOST_CHUNK = 1 << 20, LEAST_CHUNK = 8192, UNLIMITED_FETCH = 256 };

bool critical_fail(struct culprit_critical *c, const char *format, ...)
{
	if (c->failed)
		return false;
	c->failed = true;
	int n = snprintf(c->error, sizeof c->error, "record %llu: ", (unsigned long long)c->history.count);
	va_list args;
	va_start(args, format);
	vsnprintf(c->error + n, sizeof c->error - (size_t)n, format, args);
	va_end(args);
	return false;
}

const char *culprit_critical_error(const struct culprit_critical *c)
{
	return c->error;
}

/* --- kinds --- */

static const struct {
	const char *name, *label, *what;
	unsigned base;
} kinds[] = {
#define NONE CULPRIT_EVENT_COUNT
#define CRITICAL_KIND(name, label, base, what) {#name, label, what, base},
#include "culprit/critical_kind.def"
};

const char *culprit_critical_kind_name(enum culprit_critical_kind kind)
{
	return kinds[kind].name;
}

const char *culprit_critical_kind_label(enum culprit_critical_kind kind)
{
	return kinds[kind].label;
}

const char *culprit_critical_kind_meaning(enum culprit_critical_kind kind)
{
	return kinds[kind].what;
}

unsigned culprit_critical_kind_class(enum culprit_critical_kind kind)
{
	return kinds[kind].base;
}

/* --- creation --- */

static const char *check_params(const struct culprit_critical_params *params)
{
	const struct culprit_graph_params *p = &params->graph;
	if (!p->rob || p->rob > MOST_ENTRIES)
		return "rob: 1 to 524288";
	if (p->fetch_width > 4096 || p->dispatch_width > 4096 || p->commit_width > 4096 || p->taken_limit > 4096)
		return "fetch_width, dispatch_width, commit_width, taken_limit: at most 4096";
	if (p->frontend_capacity > 65536)
		return "frontend_capacity: at most 65536";
	if (p->fetch_asked > CULPRIT_ASKED_MOST)
		return "fetch_asked: at most 4096";
	if (p->check_bytes > CULPRIT_BLOCK_MOST || (p->check_bytes & (p->check_bytes - 1)))
		return "check_bytes: a power of two, at most 4096";
	if (p->cracked > CULPRIT_CRACKED_MOST || p->decode_stages > CULPRIT_DECODE_MOST ||
	    p->decode_insns > CULPRIT_DECODE_MOST)
		return "cracked: at most 16; decode_stages, decode_insns: at most 4096";
	if (p->frontend_stages > 4096 || p->dispatch_to_issue > 4096 || p->commit_delay > 4096)
		return "frontend_stages, dispatch_to_issue, commit_delay: at most 4096";
	if (recent_largest(p) > MOST_ENTRIES)
		return "lq, sq, lsq, branches, int_regs, fp_regs, regs, limits of commit: at most 524288";
	if (p->write_interval && (!p->l1_line || p->write_interval > 4096))
		return "write_interval: at most 4096, and with l1_line";
	if (p->queue_count > CULPRIT_GRAPH_QUEUES)
		return "queue_count: at most 8";
	for (uint32_t q = 0; q < p->queue_count; q++)
		if (p->queue_entries[q] > MOST_ENTRIES)
			return "queue_entries: at most 524288";
	if (p->window_factor > 1000)
		return "window_factor: at most 1000";
	if (p->fetch_line & (p->fetch_line - 1))
		return "fetch_line: a power of two or 0";
	if (params->chunk > MOST_CHUNK || params->lookahead > MOST_CHUNK)
		return "chunk, lookahead: at most 1048576";
	return NULL;
}

static uint32_t most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* A chunk is at least as long as the longest edge between records with weights of one, so that the path cannot step
 * over one. Where weights make an edge longer than that, check() refuses it. */
static void size_buffer(struct culprit_critical *c, const struct culprit_critical_params *params)
{
	const struct culprit_graph_params *p = &params->graph;
	uint32_t longest = most(most(p->rob, starts_records(p)), most(p->dispatch_width, p->commit_width));
	longest = most(longest, p->fetch_width ? p->fetch_width : UNLIMITED_FETCH) + 1;
	c->kept = most(longest, (uint32_t)weights_reach(p, p->rob) + 1);
	c->lookahead = params->lookahead ? params->lookahead : 8 * p->rob;
	c->chunk = most(params->chunk ? params->chunk : most(LEAST_CHUNK, 4 * c->lookahead), longest);
	c->watch = most(params->watch, 1);
	c->begin = c->end = c->kept;
}

static bool create_buffer(struct culprit_critical *c)
{
	size_t slots = (size_t)c->kept + c->chunk + c->lookahead, nodes = slots * EDGE_NODES;
	c->time = calloc(nodes, sizeof *c->time);
	c->slack = calloc(nodes, sizeof *c->slack);
	c->starts = calloc(nodes, sizeof *c->starts);
	c->slots = calloc(slots, sizeof *c->slots);
	c->edges = calloc((slots - c->kept) * CRITICAL_EDGES, sizeof *c->edges);
	/* as many sources as an edge can have, and one that is being put in */
	c->detours = calloc((size_t)(c->kept + 2) * EDGE_NODES + 1, sizeof *c->detours);
	c->longest = calloc(slots / CRITICAL_BLOCK + 1, sizeof *c->longest);
	return c->time && c->slack && c->starts && c->slots && c->edges && c->detours && c->longest;
}

/* Which windows are watched must have nothing to do with the program: a hash of the number, and the first. */
static bool is_watched(const struct culprit_critical *c, uint64_t window)
{
	uint64_t h = (window ^ window >> 7) * 0x9e3779b97f4a7c15u;
	return !window || (h >> 40) % c->watch == 0;
}

static void open_window(struct culprit_critical *c)
{
	c->watched[0] = is_watched(c, c->windows);
	c->watched[1] = is_watched(c, c->windows + 1);
}

struct culprit_critical *culprit_critical_create(const struct culprit_critical_params *params, const char **why)
{
	const char *unused;
	why = why ? why : &unused;
	*why = check_params(params);
	if (*why)
		return NULL;
	struct culprit_critical *c = calloc(1, sizeof *c);
	*why = "out of memory";
	if (!c)
		return NULL;
	size_buffer(c, params);
	if (edge_history_create(&c->history, &params->graph) && create_buffer(c) && critical_rows_create(c)) {
		open_window(c);
		*why = NULL;
		return c;
	}
	culprit_critical_destroy(c);
	return NULL;
}

void culprit_critical_destroy(struct culprit_critical *c)
{
	if (!c)
		return;
	critical_rows_destroy(c);
	edge_history_destroy(&c->history);
	free(c->time);
	free(c->slack);
	free(c->starts);
	free(c->slots);
	free(c->edges);
	free(c->detours);
	free(c->longest);
	free(c);
}

/* --- records --- */

static void analyse(struct culprit_critical *c, uint32_t until)
{
	struct critical_path path = {.c = c, .until = until, .at = (c->end - 1) * EDGE_NODES + NODE_C};
	if (c->watched[0])
		critical_slack(&path);
	else
		critical_path_trace(&path);
	critical_path_join(&path);
	c->windows++;
	open_window(c);
}

/* The chunk is done: its end becomes history, the lookahead the next chunk's start. */
static void move_on(struct culprit_critical *c)
{
	uint32_t by = c->chunk, kept = c->end - by;
	memmove(c->time, c->time + (size_t)by * EDGE_NODES, (size_t)kept * EDGE_NODES * sizeof *c->time);
	memmove(c->slots, c->slots + by, kept * sizeof *c->slots);
	uint32_t gone = kept > c->begin ? c->slots[c->begin].edges : c->edge_count;
	memmove(c->edges, c->edges + gone, (c->edge_count - gone) * sizeof *c->edges);
	c->edge_count -= gone;
	c->end = kept;
	for (uint32_t slot = c->begin; slot < c->end; slot++)
		c->slots[slot].edges -= gone;
	c->seam_node -= by * EDGE_NODES;
}

static bool check(struct culprit_critical *c, const struct culprit_record *r)
{
	struct error err;
	const char *why;
	const struct record_front front = {c->history.count, c->history.last.seq, c->history.last.fetch,
					   c->history.last.commit};
	if (!record_check(r, &front, &err))
		return critical_fail(c, "%s", err.text);
	if (!edge_history_weigh(&c->history, r, &why))
		return critical_fail(c, "%s", why);
	if (c->history.reach > c->chunk || c->history.backs.dispatch > c->chunk)
		return critical_fail(c, "more records in the window than a chunk of %u has", c->chunk);
	return r->complete - r->dispatch <= UINT32_MAX ||
	       critical_fail(c, "longer than 32 bits of cycles in the window");
}

static bool push_one(struct culprit_critical *c, const struct culprit_record *r)
{
	if (!check(c, r) || !critical_place(c, r))
		return false;
	if (c->end - c->begin == c->chunk + c->lookahead) {
		analyse(c, c->begin + c->chunk);
		move_on(c);
	}
	return !c->failed;
}

bool culprit_critical_push(struct culprit_critical *c, const struct culprit_record *records, size_t count)
{
	if (c->finished)
		return critical_fail(c, "comes after the end");
	for (size_t i = 0; i < count && !c->failed; i++)
		push_one(c, &records[i]);
	return !c->failed;
}

/* --- results --- */

bool culprit_critical_finish(struct culprit_critical *c, struct culprit_critical_totals *totals)
{
	memset(totals, 0, sizeof *totals);
	if (!c->failed && !c->finished && c->end > c->begin) {
		analyse(c, c->end);
		c->totals.cycles = c->time[(size_t)(c->end - 1) * EDGE_NODES + NODE_C] - CRITICAL_ORIGIN;
	}
	if (!c->failed && !c->finished)
		critical_find_hottest(c);
	c->finished = true;
	if (c->failed)
		return false;
	c->totals.instructions = c->history.count;
	c->totals.rows = c->row_count;
	*totals = c->totals;
	return true;
}

bool culprit_critical_row(const struct culprit_critical *c, size_t index, struct culprit_critical_row *row)
{
	if (index >= c->row_count)
		return false;
	*row = c->rows[index].public;
	return true;
}
