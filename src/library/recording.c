/* Record files from another simulator: records are made good where their source does not tell all, held against what a
 * reader asks of them, and written. */
#include "analysis/graph/machine.h"
#include "analysis/record_check.h"
#include "analysis/record_fill.h"
#include "base/output.h"
#include "library/analysis.h"
#include "record/record_file.h"
#include "record/record_valid.h"

#include <stdlib.h>
#include <string.h>

struct culprit_recording {
	struct output output;
	struct record_about about;
	struct record_writer *writer;
	struct record_fill fill;
	struct record_front front; /* of those written */
	bool open, failed;
	struct error error;
};

/* --- begin --- */

static bool fill_about(struct record_about *a, const struct machine *m, const char *program,
		       const struct culprit_graph_params *graph, culprit_field_set unknown)
{
	a->graph = graph_beyond_of(graph);
	a->program = strdup(program ? program : "program");
	a->machine_name = strdup(m->name);
	a->machine = machine_text(m);
	a->unknown = unknown;
	return a->program && a->machine_name && a->machine;
}

static bool begin(struct culprit_recording *r, const char *path, const char *program, const struct machine *m,
		  const struct culprit_graph_params *graph, culprit_field_set unknown, struct error *err)
{
	TRY(library_check_unknown(unknown, err));
	error_set(err, ERROR_SYSTEM, "out of memory for the record file");
	TRY(fill_about(&r->about, m, program, graph, unknown));
	uint32_t most;
	const char *wrong = graph_beyond_wrong(&r->about.graph, &most);
	if (wrong)
		return error_set(err, ERROR_USAGE, "%s: at most %u", wrong, most);
	TRY(record_fill_create(&r->fill, graph, unknown));
	TRY(r->open = output_open(&r->output, path, err));
	return (r->writer = record_writer_create(&r->about, r->output.file, err)) != NULL;
}

struct culprit_recording *culprit_recording_create(const char *path, const char *program,
						   const struct culprit_machine *machine, culprit_field_set unknown,
						   struct culprit_error *err)
{
	struct culprit_graph_params graph;
	graph_params_from_machine(&graph, &machine->machine);
	return culprit_recording_create_graph(path, program, machine, &graph, unknown, err);
}

struct culprit_recording *culprit_recording_create_graph(const char *path, const char *program,
							 const struct culprit_machine *machine,
							 const struct culprit_graph_params *graph,
							 culprit_field_set unknown, struct culprit_error *err)
{
	struct error why = {ERROR_SYSTEM, "out of memory"};
	struct culprit_recording *r = calloc(1, sizeof *r);
	if (r && begin(r, path, program, &machine->machine, graph, unknown, &why))
		return r;
	library_fail(err, &why);
	culprit_recording_destroy(r);
	return NULL;
}

void culprit_recording_destroy(struct culprit_recording *r)
{
	if (!r)
		return;
	record_writer_destroy(r->writer);
	if (r->open)
		output_abandon(&r->output);
	record_fill_destroy(&r->fill);
	record_about_destroy(&r->about);
	free(r);
}

/* --- records --- */

static bool check(struct culprit_recording *r, const struct culprit_record *record)
{
	struct error why = {ERROR_INPUT, ""};
	const char *values = record_values_wrong(record);
	if (values)
		error_set(&why, ERROR_INPUT, "%s", values);
	if (values || !record_check(record, &r->front, &why))
		return error_set(&r->error, ERROR_INPUT, "record %llu: %s", (unsigned long long)record->seq, why.text);
	r->front = (struct record_front){r->front.count + 1, record->seq, record->fetch, record->commit};
	return true;
}

static bool write_records(void *context, const struct culprit_record *records, size_t count)
{
	struct culprit_recording *r = context;
	for (size_t i = 0; i < count && !r->failed; i++)
		r->failed = !check(r, &records[i]);
	if (!r->failed)
		record_writer_records(r->writer, records, count);
	return !r->failed;
}

bool culprit_recording_push(struct culprit_recording *r, const struct culprit_record *records, size_t count)
{
	if (!r->failed && !r->open) {
		r->failed = true;
		error_set(&r->error, ERROR_USAGE, "comes after the end");
	}
	return !r->failed && record_fill_push(&r->fill, records, count, write_records, r);
}

const char *culprit_recording_error(const struct culprit_recording *r)
{
	return r->failed ? r->error.text : "";
}

/* --- end --- */

static bool end(struct culprit_recording *r, uint64_t cycles)
{
	TRY(!r->failed);
	if (!r->open)
		return error_set(&r->error, ERROR_USAGE, "comes after the end");
	TRY(record_fill_finish(&r->fill, write_records, r));
	TRY(library_cycles(&cycles, r->front.count, r->front.commit, &r->error));
	r->about.instructions = r->front.count;
	r->about.cycles = cycles;
	bool good = record_writer_finish(r->writer, &r->error);
	r->open = false;
	return output_finish(&r->output, good, &r->error);
}

bool culprit_recording_finish(struct culprit_recording *r, uint64_t cycles, struct culprit_error *err)
{
	r->failed = !end(r, cycles);
	return !r->failed || library_fail(err, &r->error);
}
