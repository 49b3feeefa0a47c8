/* Kanata 0004, for Konata. Stages: F fetch and front end, Q waits in the window for operands, W waits for issue, X
 * executes, C waits for commit. Commands are printed in the order of cycles, and within a cycle ends of stages first:
 * time never goes back. Arrows lead from what makes an operand. */
#include "export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum command { END, START, RETIRE };

struct event {
	uint64_t cycle;
	size_t op;
	uint8_t order; /* within op and cycle */
	uint8_t command;
	char stage; /* START, END */
	bool first; /* START: the instruction begins */
};

struct kanata {
	const struct export_window *window;
	FILE *out;
	struct event *events;
	size_t count;
};

enum { STAGES = 5, EVENTS_MOST = 2 * STAGES + 1 };

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	if (x->op != y->op)
		return x->op < y->op ? -1 : 1;
	return x->order - y->order;
}

static void add_stage(struct kanata *w, size_t op, char stage, uint64_t from, uint64_t to, uint8_t *order, bool *first)
{
	if (from >= to && !*first)
		return;
	w->events[w->count++] = (struct event){from, op, (*order)++, START, stage, *first};
	w->events[w->count++] = (struct event){to, op, (*order)++, END, stage, false};
	*first = false;
}

static void add_op(struct kanata *w, size_t i)
{
	const struct export_op *op = &w->window->ops[i];
	uint8_t order = 0;
	bool first = true;
	uint64_t in = op->dispatched ? op->dispatch : op->end;
	add_stage(w, i, 'F', op->fetch, in, &order, &first);
	if (op->squashed) {
		add_stage(w, i, 'Q', in, op->end, &order, &first);
	} else {
		add_stage(w, i, 'Q', op->dispatch, op->ready, &order, &first);
		add_stage(w, i, 'W', op->ready, op->issue, &order, &first);
		add_stage(w, i, 'X', op->issue, op->complete, &order, &first);
		add_stage(w, i, 'C', op->complete, op->end, &order, &first);
	}
	w->events[w->count++] = (struct event){op->end, i, order, RETIRE, 0, false};
}

static void begin_op(const struct kanata *w, size_t i)
{
	const struct export_op *op = &w->window->ops[i];
	char text[128];
	export_op_text(op, text, sizeof text);
	fprintf(w->out, "I\t%zu\t%" PRIu64 "\t0\nL\t%zu\t0\t%s\n", i, op->number, i, text);
	if (op->code && *op->code->function)
		fprintf(w->out, "L\t%zu\t1\t%s %s\n", i, op->code->function, op->code->line);
	if (op->wait)
		fprintf(w->out, "L\t%zu\t1\tcommit waited %" PRIu64 " cycles: %s\n", i, op->wait, op->why);
}

static void arrows(const struct kanata *w, size_t i)
{
	const struct export_op *op = &w->window->ops[i];
	for (unsigned p = 0; p < EXPORT_PRODUCERS; p++)
		if (op->producers[p] != EXPORT_NO_OP && op->producers[p] < i)
			fprintf(w->out, "W\t%zu\t%zu\t0\n", i, op->producers[p]);
}

static void print_events(struct kanata *w)
{
	uint64_t now = 0, retired = 0;
	for (size_t i = 0; i < w->count; i++) {
		const struct event *e = &w->events[i];
		if (e->cycle > now)
			fprintf(w->out, "C\t%" PRIu64 "\n", e->cycle - now);
		now = e->cycle;
		if (e->first)
			begin_op(w, e->op);
		if (e->command == RETIRE) {
			bool squashed = w->window->ops[e->op].squashed;
			fprintf(w->out, "R\t%zu\t%" PRIu64 "\t%d\n", e->op, retired, squashed);
			retired += !squashed;
		} else {
			fprintf(w->out, "%c\t%zu\t0\t%c\n", e->command == END ? 'E' : 'S', e->op, e->stage);
		}
		if (e->command == START && e->stage == 'X')
			arrows(w, e->op);
	}
}

bool export_kanata(const struct export_input *in, FILE *out, struct error *err)
{
	struct kanata w = {&in->window, out, NULL, 0};
	w.events = calloc(w.window->count * EVENTS_MOST + 1, sizeof *w.events);
	if (!w.events)
		return error_set(err, ERROR_SYSTEM, "out of memory");
	for (size_t i = 0; i < w.window->count; i++)
		add_op(&w, i);
	qsort(w.events, w.count, sizeof *w.events, by_time);
	fprintf(out, "Kanata\t0004\nC=\t%" PRIu64 "\n", w.window->first_cycle);
	print_events(&w);
	free(w.events);
	return true;
}
