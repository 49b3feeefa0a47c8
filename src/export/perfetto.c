/* Perfetto's trace in protocol buffers. A cycle is a nanosecond. An instruction is a slice on a track of its own for as
 * long as it is in the pipeline (tracks are used again); its stages are slices within. Flows lead from what makes an
 * operand to what takes it. Field numbers are those of perfetto/trace/trace_packet.proto and what it includes. */
#include "export/export.h"
#include "export/wire.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TRACE_PACKET = 1 };
enum { PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_FLAGS = 13, PACKET_DESCRIPTOR = 60 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PARENT = 5, TRACK_ORDERING = 11, TRACK_RANK = 12, ORDER_EXPLICIT = 3 };
enum {
	EVENT_NOTE = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_FLOW = 47,
	EVENT_LAST_FLOW = 48
};
enum { NOTE_UINT = 3, NOTE_TEXT = 6, NOTE_NAME = 10 };
enum { SLICE_BEGIN = 1, SLICE_END = 2 };
enum { ROOT_TRACK = 1, FIRST_TRACK = 2 };

/* A flow is an operand of a consumer: consumer * EXPORT_PRODUCERS + operand. */
struct perfetto {
	const struct export_window *window;
	FILE *out;
	struct wire event, packet, file;
	size_t *first_flow; /* of each producer: flow + 1; 0 = none */
	size_t *next_flow;  /* of each flow: likewise */
	uint64_t *free_at;  /* of each track */
	size_t tracks;
	bool failed;
};

/* --- packets --- */

static void end_packet(struct perfetto *w)
{
	wire_uint(&w->packet, PACKET_SEQUENCE, 1);
	wire_message(&w->file, TRACE_PACKET, &w->packet);
	fwrite(w->file.bytes, 1, w->file.size, w->out);
	w->failed |= w->file.failed;
	w->file.size = 0;
}

static void track(struct perfetto *w, uint64_t uuid, const char *name, uint64_t rank)
{
	wire_uint(&w->event, TRACK_UUID, uuid);
	wire_text(&w->event, TRACK_NAME, name);
	if (uuid == ROOT_TRACK) {
		wire_uint(&w->event, TRACK_ORDERING, ORDER_EXPLICIT);
	} else {
		wire_uint(&w->event, TRACK_PARENT, ROOT_TRACK);
		wire_uint(&w->event, TRACK_RANK, rank);
	}
	wire_message(&w->packet, PACKET_DESCRIPTOR, &w->event);
	wire_uint(&w->packet, PACKET_FLAGS, 1);
	end_packet(w);
}

static void end_event(struct perfetto *w, uint64_t cycle)
{
	wire_uint(&w->packet, PACKET_TIME, w->window->first_cycle + cycle);
	wire_message(&w->packet, PACKET_EVENT, &w->event);
	end_packet(w);
}

static void begin_event(struct perfetto *w, unsigned type, size_t lane)
{
	wire_uint(&w->event, EVENT_TYPE, type);
	wire_uint(&w->event, EVENT_TRACK, FIRST_TRACK + lane);
}

static void note(struct perfetto *w, const char *name, const char *text, uint64_t number)
{
	struct wire inner = {0};
	wire_text(&inner, NOTE_NAME, name);
	if (text)
		wire_text(&inner, NOTE_TEXT, text);
	else
		wire_uint(&inner, NOTE_UINT, number);
	wire_message(&w->event, EVENT_NOTE, &inner);
	wire_destroy(&inner);
}

/* --- instructions --- */

static void flows(struct perfetto *w, size_t i)
{
	const struct export_op *op = &w->window->ops[i];
	for (size_t flow = w->first_flow[i]; flow; flow = w->next_flow[flow - 1])
		wire_fixed64(&w->event, EVENT_FLOW, flow);
	for (unsigned p = 0; p < EXPORT_PRODUCERS; p++)
		if (op->producers[p] != EXPORT_NO_OP)
			wire_fixed64(&w->event, EVENT_LAST_FLOW, i * EXPORT_PRODUCERS + p + 1);
}

static void stage(struct perfetto *w, size_t i, size_t lane, const char *name, uint64_t from, uint64_t to)
{
	bool executes = name[0] == 'E';
	if (from >= to && !executes)
		return;
	begin_event(w, SLICE_BEGIN, lane);
	wire_text(&w->event, EVENT_NAME, name);
	wire_text(&w->event, EVENT_CATEGORY, "stage");
	if (executes)
		flows(w, i);
	end_event(w, from);
	begin_event(w, SLICE_END, lane);
	end_event(w, to);
}

static void stages(struct perfetto *w, size_t i, size_t lane)
{
	const struct export_op *op = &w->window->ops[i];
	stage(w, i, lane, "Front end", op->fetch, op->dispatched ? op->dispatch : op->end);
	if (op->squashed) {
		stage(w, i, lane, "Window", op->dispatched ? op->dispatch : op->end, op->end);
		return;
	}
	stage(w, i, lane, "Waits for operands", op->dispatch, op->ready);
	stage(w, i, lane, "Waits for issue", op->ready, op->issue);
	stage(w, i, lane, "Executes", op->issue, op->complete);
	stage(w, i, lane, "Waits for commit", op->complete, op->end);
}

static void instruction(struct perfetto *w, size_t i, size_t lane)
{
	const struct export_op *op = &w->window->ops[i];
	char text[128];
	export_op_text(op, text, sizeof text);
	begin_event(w, SLICE_BEGIN, lane);
	wire_text(&w->event, EVENT_NAME, op->code && *op->code->text ? op->code->text : text);
	wire_text(&w->event, EVENT_CATEGORY, op->squashed ? "squashed" : "committed");
	note(w, "number", NULL, op->number);
	if (op->code) {
		snprintf(text, sizeof text, "0x%" PRIx64, op->code->pc);
		note(w, "address", text, 0);
		note(w, "function", op->code->function, 0);
		note(w, "line", op->code->line, 0);
		note(w, "commit waited", NULL, op->wait);
	}
	if (*op->why)
		note(w, "cause", op->why, 0);
	end_event(w, op->fetch);
	stages(w, i, lane);
	begin_event(w, SLICE_END, lane);
	end_event(w, op->end);
}

/* The first track that is free. */
static size_t take_lane(struct perfetto *w, const struct export_op *op)
{
	char name[32];
	size_t lane = 0;
	while (lane < w->tracks && w->free_at[lane] > op->fetch)
		lane++;
	if (lane == w->tracks) {
		snprintf(name, sizeof name, "Slot %03zu", lane);
		track(w, FIRST_TRACK + lane, name, lane);
		w->tracks++;
	}
	w->free_at[lane] = op->end;
	return lane;
}

static void link_flows(struct perfetto *w)
{
	for (size_t i = w->window->count; i-- > 0;)
		for (unsigned p = EXPORT_PRODUCERS; p-- > 0;) {
			size_t producer = w->window->ops[i].producers[p], flow = i * EXPORT_PRODUCERS + p;
			if (producer == EXPORT_NO_OP)
				continue;
			w->next_flow[flow] = w->first_flow[producer];
			w->first_flow[producer] = flow + 1;
		}
}

bool export_perfetto(const struct export_input *in, FILE *out, struct error *err)
{
	struct perfetto w = {.window = &in->window, .out = out};
	size_t count = in->window.count;
	char name[300];
	w.first_flow = calloc(count + 1, sizeof *w.first_flow);
	w.next_flow = calloc(count * EXPORT_PRODUCERS + 1, sizeof *w.next_flow);
	w.free_at = calloc(count + 1, sizeof *w.free_at);
	w.failed = !w.first_flow || !w.next_flow || !w.free_at;
	if (!w.failed) {
		snprintf(name, sizeof name, "%.200s: instructions", in->window.program);
		link_flows(&w);
		track(&w, ROOT_TRACK, name, 0);
		for (size_t i = 0; i < count && !w.failed; i++)
			instruction(&w, i, take_lane(&w, &in->window.ops[i]));
	}
	free(w.first_flow);
	free(w.next_flow);
	free(w.free_at);
	wire_destroy(&w.event);
	wire_destroy(&w.packet);
	wire_destroy(&w.file);
	return !w.failed || error_set(err, ERROR_SYSTEM, "out of memory");
}
