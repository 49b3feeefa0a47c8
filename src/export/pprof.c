/* pprof's profile.proto, gzipped. One sample and one location for each instruction; a location has a line for each
 * inlined call, the innermost first. One sample type for each column, cycles first. Field numbers are those of
 * github.com/google/pprof, proto/profile.proto. */
#include "export/export.h"
#include "export/gzip.h"
#include "export/numbers.h"
#include "export/sites.h"
#include "export/wire.h"

#include <string.h>

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
};
enum { TYPE_NAME = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2 };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_INLINES = 10 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILE = 4 };

struct pprof {
	struct export_columns columns;
	struct wire profile, part, line;
	struct numbers strings, functions, objects;
	uint64_t locations;
};

static uint32_t text(struct pprof *w, const char *value)
{
	bool fresh;
	uint32_t number = numbers_of(&w->strings, value, &fresh);
	if (fresh)
		wire_text(&w->profile, PROFILE_STRING, value);
	return number;
}

/* Numbers of functions and mappings count from 1. */
static uint32_t function(struct pprof *w, const struct export_frame *f)
{
	char key[64];
	bool fresh;
	uint32_t name = text(w, f->function), file = text(w, f->file);
	snprintf(key, sizeof key, "%u %u", name, file);
	uint32_t number = numbers_of(&w->functions, key, &fresh) + 1;
	if (fresh) {
		struct wire one = {0};
		wire_uint(&one, FUNCTION_ID, number);
		wire_uint(&one, FUNCTION_NAME, name);
		wire_uint(&one, FUNCTION_FILE, file);
		wire_message(&w->profile, PROFILE_FUNCTION, &one);
		wire_destroy(&one);
	}
	return number;
}

static uint32_t mapping(struct pprof *w, const char *object)
{
	bool fresh;
	uint32_t number = numbers_of(&w->objects, object, &fresh) + 1;
	if (fresh) {
		uint32_t file = text(w, object);
		wire_uint(&w->part, MAPPING_ID, number);
		wire_uint(&w->part, MAPPING_FILE, file);
		wire_uint(&w->part, MAPPING_HAS_FUNCTIONS, 1);
		wire_uint(&w->part, MAPPING_HAS_INLINES, 1);
		wire_message(&w->profile, PROFILE_MAPPING, &w->part);
	}
	return number;
}

static void location(struct pprof *w, const struct export_site *site)
{
	uint32_t object = mapping(w, site->object);
	wire_uint(&w->part, LOCATION_ID, ++w->locations);
	wire_uint(&w->part, LOCATION_MAPPING, object);
	wire_uint(&w->part, LOCATION_ADDRESS, site->pc);
	for (size_t i = site->depth; i-- > 0;) {
		wire_uint(&w->line, LINE_FUNCTION, function(w, &site->frames[i]));
		wire_uint(&w->line, LINE_NUMBER, site->frames[i].line);
		wire_message(&w->part, LOCATION_LINE, &w->line);
	}
	wire_message(&w->profile, PROFILE_LOCATION, &w->part);
}

static bool sample(void *context, const struct export_site *site)
{
	struct pprof *w = context;
	uint64_t values[EXPORT_COLUMNS_MAX];
	location(w, site);
	for (size_t i = 0; i < w->columns.count; i++)
		values[i] = export_column(&w->columns, i, site->counts);
	wire_numbers(&w->part, SAMPLE_LOCATION, &w->locations, 1);
	wire_numbers(&w->part, SAMPLE_VALUE, values, w->columns.count);
	wire_message(&w->profile, PROFILE_SAMPLE, &w->part);
	return !w->profile.failed;
}

static void sample_types(struct pprof *w)
{
	char name[40];
	text(w, ""); /* text 0 is the empty one */
	for (size_t i = 0; i < w->columns.count; i++) {
		export_column_name(&w->columns, i, name);
		uint32_t type = text(w, name), unit = text(w, "count");
		wire_uint(&w->part, TYPE_NAME, type);
		wire_uint(&w->part, TYPE_UNIT, unit);
		wire_message(&w->profile, PROFILE_SAMPLE_TYPE, &w->part);
		if (i == EXPORT_CYCLES)
			wire_uint(&w->profile, PROFILE_DEFAULT_TYPE, type);
	}
}

bool export_pprof(const struct export_input *in, FILE *out, struct error *err)
{
	struct pprof w = {.locations = 0};
	char comment[256];
	bool good = numbers_create(&w.strings) && numbers_create(&w.functions) && numbers_create(&w.objects);
	snprintf(comment, sizeof comment, "culprit %s, machine %.100s", in->version, in->result.machine);
	export_columns(&w.columns, &in->result.code);
	if (good) {
		sample_types(&w);
		wire_uint(&w.profile, PROFILE_COMMENT, text(&w, comment));
		good = export_sites(&in->result, sample, &w);
	}
	good &= !w.profile.failed && !w.strings.failed && !w.functions.failed && !w.objects.failed;
	good = good && gzip_write(w.profile.bytes, w.profile.size, out);
	numbers_destroy(&w.strings);
	numbers_destroy(&w.functions);
	numbers_destroy(&w.objects);
	wire_destroy(&w.profile);
	wire_destroy(&w.part);
	wire_destroy(&w.line);
	return good || error_set(err, ERROR_SYSTEM, "out of memory");
}
