/* What a record file says of its run, at its beginning and at its end. */
#include "record/record_file.h"

#include "base/plain.h"
#include "culprit/graph.h"
#include "record/record_chunk.h"

#include <stdlib.h>

static void destroy_mappings(struct sample_mapping *mappings, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		free(mappings[i].path);
	free(mappings);
}

void record_about_destroy(struct record_about *a)
{
	free(a->program);
	free(a->machine_name);
	free(a->machine);
	destroy_mappings(a->mappings, a->mapping_count);
	free(a->code);
	record_ending_destroy(a);
	*a = (struct record_about){.program = NULL};
}

/* A byte of bits. Files of before OWN have it not, and count as another's. */
enum { LOG = 1, OWN = 2 };

void record_about_put(const struct record_about *a, struct bytes *to)
{
	bytes_put(to, CULPRIT_RECORD_VERSION, 4);
	bytes_put(to, a->unknown, 4);
	bytes_put(to, (a->has_log ? LOG : 0) | (a->own ? OWN : 0), 1);
	bytes_put(to, a->skipped, 8);
	bytes_put(to, a->warmed, 8);
	bytes_put_text(to, a->program);
	bytes_put_text(to, a->machine_name);
	bytes_put_text(to, a->machine);
	const uint32_t graph[] = {
#define BEYOND(name, most) a->graph.name,
#include "analysis/graph/beyond.def"
	};
	/* up to the last that is not 0: with a new one, the other files stay as they are */
	size_t count = sizeof graph / sizeof *graph;
	while (count && !graph[count - 1])
		count--;
	for (size_t i = 0; i < count; i++)
		bytes_put(to, graph[i], 4);
}

/* NULL in `why`: it is good. */
const char *record_about_get(struct record_about *a, struct cursor *from)
{
	if (cursor_get(from, 4) != CULPRIT_RECORD_VERSION)
		return "its records are of another version";
	a->unknown = (culprit_field_set)cursor_get(from, 4);
	const uint64_t bits = cursor_get(from, 1);
	a->has_log = bits & LOG;
	a->own = bits & OWN;
	a->skipped = cursor_get(from, 8);
	a->warmed = cursor_get(from, 8);
	a->program = cursor_get_text(from, SAMPLE_TEXT_MAX);
	a->machine_name = cursor_get_text(from, SAMPLE_TEXT_MAX);
	if (a->program && a->machine_name)
		plain_make(a->program), plain_make(a->machine_name);
	a->machine = cursor_get_text(from, SAMPLE_TEXT_MAX);
	uint32_t *const graph[] = {
#define BEYOND(name, most) &a->graph.name,
#include "analysis/graph/beyond.def"
	};
	uint32_t most;
	for (size_t i = 0; i < sizeof graph / sizeof *graph && from->left; i++)
		*graph[i] = (uint32_t)cursor_get(from, 4);
	struct culprit_field_info info;
	for (unsigned i = 0; culprit_field_info(i, &info); i++)
		if (info.required && (a->unknown >> i & 1))
			return "its records lack what is required";
	if (bits & ~(uint64_t)(LOG | OWN))
		return "a description of a later culprit";
	if (graph_beyond_wrong(&a->graph, &most))
		return "parameters of the graph that cannot be";
	if (a->unknown >> CULPRIT_FIELD_COUNT)
		return "fields that nobody knows";
	return from->failed || from->left ? "its description does not fit" : NULL;
}

static void put_mapping(struct bytes *to, const struct sample_mapping *m)
{
	bytes_put_text(to, m->path);
	bytes_put(to, m->start, 8);
	bytes_put(to, m->end, 8);
	bytes_put(to, m->bias, 8);
	bytes_put(to, m->checksum, 8);
}

void record_end_put(const struct record_about *a, struct bytes *to)
{
	bytes_put(to, a->instructions, 8);
	bytes_put(to, a->cycles, 8);
	bytes_put(to, a->mapping_count, 4);
	for (uint32_t i = 0; i < a->mapping_count; i++)
		put_mapping(to, &a->mappings[i]);
	bytes_put(to, a->code_count, 4);
	uint64_t last = 0;
	for (uint32_t i = 0; i < a->code_count; last = a->code[i++].pc) {
		bytes_put(to, a->code[i].pc - last, 8);
		bytes_put(to, a->code[i].bits, 4);
	}
}

static bool get_mappings(struct record_about *a, struct cursor *from)
{
	enum { LEAST = 36 }; /* bytes of one */
	uint64_t count = cursor_get(from, 4);
	if (count > SAMPLE_MAPPINGS_MAX || count * LEAST > from->left)
		return false;
	a->mappings = cursor_room(from, count, sizeof *a->mappings);
	if (!a->mappings)
		return false;
	for (; a->mapping_count < count && !from->failed; a->mapping_count++) {
		struct sample_mapping *m = &a->mappings[a->mapping_count];
		m->path = cursor_get_text(from, SAMPLE_TEXT_MAX);
		m->start = cursor_get(from, 8);
		m->end = cursor_get(from, 8);
		m->bias = cursor_get(from, 8);
		m->checksum = cursor_get(from, 8);
	}
	return !from->failed;
}

static bool get_code(struct record_about *a, struct cursor *from)
{
	enum { BYTES = 12 };
	uint64_t count = cursor_get(from, 4), last = 0;
	if (count * BYTES > from->left)
		return false;
	a->code = cursor_room(from, count, sizeof *a->code);
	if (!a->code)
		return false;
	for (; a->code_count < count; a->code_count++) {
		uint64_t pc = last + cursor_get(from, 8);
		if (a->code_count && pc <= last)
			return false;
		a->code[a->code_count] = (struct record_code){pc, (uint32_t)cursor_get(from, 4)};
		last = pc;
	}
	return !from->failed;
}

const char *record_end_get(struct record_about *a, struct cursor *from)
{
	a->instructions = cursor_get(from, 8);
	a->cycles = cursor_get(from, 8);
	return get_mappings(a, from) && get_code(a, from) ? NULL : "its end does not fit";
}
