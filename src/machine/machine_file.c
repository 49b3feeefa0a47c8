/* The libcyaml schema of a machine file, generated from machine.def, machine_enums.def and the public tables, and the
 * load through it. libcyaml checks the structure (known keys, types, words); it knows no ranges and reads numbers
 * leniently ("08", "maybe"), so the outline's texts are read once more, strictly. */
#include "machine/machine_file.h"
#include "machine/machine_rows.h"

#include <cyaml/cyaml.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONAL_POINTER (CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* clang-format off */
static const cyaml_strval_t words_before_the_first_tag[] __attribute__((unused)) = {
	{ NULL, 0 },
#define MACHINE_ENUM_TAG(tag, meaning) \
	}                              \
	;                              \
	static const cyaml_strval_t words_of_##tag[] = {
#define MACHINE_ENUM_VALUE(tag, name, word, meaning) { word, tag##_##name },
#include "machine/machine_enums.def"
};

static const cyaml_strval_t op_bits[] = {
#define OP_CLASS(name, label, event) { #name, INT64_C(1) << CULPRIT_OP_##name },
#include "culprit/op_class.def"
};

static const cyaml_strval_t event_bits[] = {
#define EVENT_CLASS(name, base, what) { #name, INT64_C(1) << CULPRIT_EVENT_##name },
#include "culprit/event_class.def"
};
/* clang-format on */

/* clang-format off */
static const cyaml_schema_field_t fields_before_the_first_section[] __attribute__((unused)) = {
#define MACHINE_SECTION(section, meaning) \
	CYAML_FIELD_END                   \
	}                                 \
	;                                 \
	static const cyaml_schema_field_t fields_of_##section[] = {
#define MACHINE_UINT(section, name, def, min, max, unit, meaning) \
	CYAML_FIELD_UINT_PTR(#name, OPTIONAL_POINTER, struct file_##section, name),
#define MACHINE_BOOL(section, name, def, meaning) \
	CYAML_FIELD_BOOL_PTR(#name, OPTIONAL_POINTER, struct file_##section, name),
#define MACHINE_ENUM(section, name, tag, def, meaning)                                                     \
	CYAML_FIELD_ENUM_PTR(#name, OPTIONAL_POINTER | CYAML_FLAG_STRICT, struct file_##section, name,     \
			     words_of_##tag, COUNT(words_of_##tag)),
#include "machine/machine.def"
	CYAML_FIELD_END
};

static const cyaml_schema_field_t op_fields[] = {
#define OP_CLASS(name, label, event) CYAML_FIELD_UINT_PTR(#name, OPTIONAL_POINTER, struct file_ops, name),
#include "culprit/op_class.def"
	CYAML_FIELD_END
};

static const cyaml_schema_field_t queue_fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct file_queue, name, 1, MACHINE_NAME_MAX - 1),
	CYAML_FIELD_UINT_PTR("entries", OPTIONAL_POINTER, struct file_queue, entries),
	CYAML_FIELD_UINT_PTR("width", OPTIONAL_POINTER, struct file_queue, width),
	CYAML_FIELD_END
};
static const cyaml_schema_value_t queue_value = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_queue,
								       queue_fields) };

static const cyaml_schema_field_t unit_fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct file_unit, name, 1, MACHINE_NAME_MAX - 1),
	CYAML_FIELD_UINT_PTR("count", OPTIONAL_POINTER, struct file_unit, count),
	CYAML_FIELD_STRING_PTR("queue", OPTIONAL_POINTER, struct file_unit, queue, 1, MACHINE_NAME_MAX - 1),
	CYAML_FIELD_FLAGS("ops", CYAML_FLAG_STRICT, struct file_unit, ops, op_bits, COUNT(op_bits)),
	CYAML_FIELD_END
};
static const cyaml_schema_value_t unit_value = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_unit,
								      unit_fields) };

static const cyaml_schema_field_t top_fields[] = {
	CYAML_FIELD_STRING_PTR("description", OPTIONAL_POINTER, struct machine_file, description, 0,
			       MACHINE_DESCRIPTION_MAX),
	CYAML_FIELD_STRING_PTR("extends", OPTIONAL_POINTER, struct machine_file, extends, 1, 63),
#define MACHINE_SECTION(section, meaning) \
	CYAML_FIELD_MAPPING(#section, CYAML_FLAG_OPTIONAL, struct machine_file, section, fields_of_##section),
#include "machine/machine.def"
	CYAML_FIELD_MAPPING("latency", CYAML_FLAG_OPTIONAL, struct machine_file, latency, op_fields),
	CYAML_FIELD_MAPPING("interval", CYAML_FLAG_OPTIONAL, struct machine_file, interval, op_fields),
	CYAML_FIELD_SEQUENCE("queues", OPTIONAL_POINTER, struct machine_file, queues, &queue_value, 0,
			     MACHINE_QUEUES_MAX),
	CYAML_FIELD_SEQUENCE("units", OPTIONAL_POINTER, struct machine_file, units, &unit_value, 0,
			     MACHINE_UNITS_MAX),
	CYAML_FIELD_FLAGS_PTR("ideal", OPTIONAL_POINTER | CYAML_FLAG_STRICT, struct machine_file, ideal, event_bits,
			      COUNT(event_bits)),
	CYAML_FIELD_END
};
static const cyaml_schema_value_t top_value = { CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct machine_file,
								     top_fields) };
/* clang-format on */

static const size_t row_offsets[] = {
#define MACHINE_UINT(section, name, def, min, max, unit, meaning) offsetof(struct machine_file, section.name),
#define MACHINE_BOOL(section, name, def, meaning) offsetof(struct machine_file, section.name),
#define MACHINE_ENUM(section, name, tag, def, meaning) offsetof(struct machine_file, section.name),
#include "machine/machine.def"
};

const void *machine_file_row(const struct machine_file *file, size_t row)
{
	const void *value;
	memcpy(&value, (const char *)file + row_offsets[row], sizeof value);
	return value;
}

/* libcyaml's log lines, each cut short, since a line may quote a value of any length. Lines that do not fit any more
 * are left out: keys nest three deep, and the reason comes first. */
struct log {
	char text[1024];
	size_t used;
};

static void log_line(cyaml_log_t level, void *context, const char *format, va_list args)
{
	struct log *log = context;
	char line[128];
	int n = vsnprintf(line, sizeof line, format, args);
	if (n < 0 || level < CYAML_LOG_ERROR)
		return;
	line[strcspn(line, "\n")] = '\0';
	if (log->used + strlen(line) + 2 > sizeof log->text)
		return;
	log->used += (size_t)sprintf(log->text + log->used, "%s\n", line);
}

static cyaml_config_t config_with(struct log *log)
{
	return (cyaml_config_t){.log_fn = log ? log_line : NULL,
				.log_ctx = log,
				.mem_fn = cyaml_mem,
				.log_level = CYAML_LOG_ERROR,
				.flags = CYAML_CFG_DEFAULT};
}

/* "window.rob" -> the row; NULL for paths that are not rows. */
static const struct machine_row *row_at(const char *path)
{
	const char *dot = strchr(path, '.');
	char section[MACHINE_NAME_MAX];
	if (!dot || (size_t)(dot - path) >= sizeof section)
		return NULL;
	memcpy(section, path, (size_t)(dot - path));
	section[dot - path] = '\0';
	return machine_row_find(section, dot + 1);
}

static bool strict_values(const struct outline *o, struct error *err)
{
	for (size_t i = 0; i < o->count; i++) {
		const struct outline_node *node = &o->nodes[i];
		const struct machine_row *row = row_at(node->path);
		const struct machine_range *range = machine_range_find(node->path);
		uint32_t value;
		char reason[300];
		if ((row && !machine_row_parse(row, node->text, &value, reason, sizeof reason)) ||
		    (range && !machine_range_parse(range, node->text, &value, reason, sizeof reason)))
			return outline_error(o, node->path, err, "%s", reason);
	}
	return true;
}

bool machine_file_read(struct machine_file **file, const char *text, size_t length, const struct outline *o,
		       struct error *err)
{
	struct log log = {.used = 0};
	cyaml_config_t config = config_with(&log);
	void *data = NULL;
	*file = NULL;
	errno = 0;
	cyaml_err_t status = cyaml_load_data((const uint8_t *)text, length, &config, &top_value, &data, NULL);
	if (status == CYAML_ERR_OOM || (status != CYAML_OK && errno == ENOMEM)) /* libyaml names it otherwise */
		return error_set(err, ERROR_SYSTEM, "%s: out of memory", o->place);
	if (status != CYAML_OK)
		return machine_file_explain(log.text, o, err);
	if (!data) { /* nothing given: the documentation lets libcyaml allocate nothing */
		data = cyaml_mem(NULL, NULL, sizeof **file);
		if (!data)
			return error_set(err, ERROR_SYSTEM, "%s: out of memory", o->place);
		memset(data, 0, sizeof **file);
	}
	if (!strict_values(o, err)) {
		machine_file_free(data);
		return false;
	}
	*file = data;
	return true;
}

void machine_file_free(struct machine_file *file)
{
	cyaml_config_t config = config_with(NULL);
	cyaml_free(&config, &top_value, file, 0);
}
