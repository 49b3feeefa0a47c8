/* Any bytes as a trace: behind 'K' a Kanata file, behind 'M' a map of stages, behind 'S' a database of PerfCCT, else O3PipeView.
 * An error in one line, or records that can be written and read. */
#include "import/import.h"
#include "import/perfcct.h"
#include "machine/machine_read.h"
#include "record/record_file.h"

#include <stdlib.h>
#include <string.h>

static void must(bool truth)
{
	if (!truth)
		abort();
}

static void one_line(bool good, const struct error *err)
{
	must(good || (err->code != ERROR_NONE && !strncmp(err->text, "fuzz", 4) && !strchr(err->text, '\n')));
}

static bool read_trace(struct import_trace *t, const uint8_t *data, size_t size, struct error *err)
{
	const struct import_stages own = {.rule = {NULL}};
	if (data[0] == 'S')
		return import_perfcct_memory(t, data + 1, size - 1, err);
	FILE *in = fmemopen((void *)(data + 1), size - 1, "r");
	if (!in)
		return error_set(err, ERROR_SYSTEM, "fuzz: out of memory");
	bool good = data[0] == 'K' ? import_kanata(t, in, &own, err) : import_o3pipeview(t, in, err);
	fclose(in);
	return good;
}

/* As `culprit import` writes them; the reader looks at every value. */
static void write_and_read(const struct import_result *r, const struct machine *m)
{
	char *machine = NULL, *made = NULL;
	size_t size = 0, length = 0;
	struct error err;
	FILE *text = open_memstream(&machine, &size);
	must(text && machine_print(m, text));
	fclose(text);
	struct record_about about = {
		.program = "fuzz", .machine_name = "fuzz", .machine = machine, .unknown = r->unknown};
	FILE *out = open_memstream(&made, &length);
	struct record_writer *w = record_writer_create(&about, out, &err);
	must(w);
	record_writer_records(w, r->records, r->instructions);
	about.instructions = r->instructions;
	about.cycles = r->cycles;
	must(record_writer_finish(w, &err));
	record_writer_destroy(w);
	fclose(out);
	struct record_about again;
	struct record_part part = {.is_end = false};
	struct record_reader *reader = record_reader_memory(made, length, "fuzz", false, &again, &err);
	must(reader);
	while (!part.is_end)
		must(record_reader_next(reader, &part, &err));
	must(again.instructions == r->instructions);
	record_reader_destroy(reader);
	record_about_destroy(&again);
	free(made);
	free(machine);
}

static void map_of_stages(const uint8_t *data, size_t size)
{
	struct import_stages stages;
	struct error err = {ERROR_NONE, ""};
	one_line(import_stages_read(&stages, (const char *)data, size, "fuzz", &err), &err);
	import_stages_destroy(&stages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	if (data[0] == 'M') {
		map_of_stages(data + 1, size - 1);
		return 0;
	}
	char *said = NULL;
	size_t said_size;
	struct error err = {ERROR_NONE, ""};
	struct machine m;
	struct import_result result = {.records = NULL};
	struct import_trace t = {.place = "fuzz", .said = open_memstream(&said, &said_size)};
	machine_defaults(&m);
	bool good = t.said && read_trace(&t, data, size, &err) && import_build(&t, NULL, &m, true, &result, &err);
	one_line(good, &err);
	if (good)
		write_and_read(&result, &m);
	free(result.records);
	import_destroy(&t);
	fclose(t.said);
	free(said);
	return 0;
}
