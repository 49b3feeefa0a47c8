/* The rows of machine.def as data, and the reading and writing of one value. */
#include "base/count.h"
#include "machine/machine_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One array of words for each tag; a tag's row closes the array before it. */
/* clang-format off */
static const struct machine_word words_before_the_first_tag[] __attribute__((unused)) = {
	{ NULL, 0, NULL },
#define MACHINE_ENUM_TAG(tag, meaning) \
	}                              \
	;                              \
	static const struct machine_word words_of_##tag[] = {
#define MACHINE_ENUM_VALUE(tag, name, word, meaning) { word, tag##_##name, meaning },
#include "machine/machine_enums.def"
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* clang-format off */
const struct machine_row machine_rows[] = {
#define MACHINE_UINT(section, name, def, min, max, unit, meaning)                                        \
	{ #section, #name, MACHINE_KIND_UINT, def, min, max, unit, meaning, NULL, 0,                     \
	  offsetof(struct machine, section##_##name) },
#define MACHINE_BOOL(section, name, def, meaning)                                                        \
	{ #section, #name, MACHINE_KIND_BOOL, def, 0, 1, "", meaning, NULL, 0,                           \
	  offsetof(struct machine, section##_##name) },
#define MACHINE_ENUM(section, name, tag, def, meaning)                                                   \
	{ #section, #name, MACHINE_KIND_ENUM, tag##_##def, 0, COUNT(words_of_##tag) - 1, "", meaning,    \
	  words_of_##tag, COUNT(words_of_##tag), offsetof(struct machine, section##_##name) },
#include "machine/machine.def"
};
/* clang-format on */
const size_t machine_row_count = COUNT(machine_rows);

const struct machine_section machine_sections[] = {
#define MACHINE_SECTION(section, meaning) {#section, meaning},
#include "machine/machine.def"
};
const size_t machine_section_count = COUNT(machine_sections);

const struct machine_row *machine_row_find(const char *section, const char *name)
{
	for (size_t i = 0; i < machine_row_count; i++)
		if (!strcmp(machine_rows[i].section, section) && !strcmp(machine_rows[i].name, name))
			return &machine_rows[i];
	return NULL;
}

bool machine_section_known(const char *name)
{
	for (size_t i = 0; i < machine_section_count; i++)
		if (!strcmp(name, machine_sections[i].name))
			return true;
	return !strcmp(name, "latency") || !strcmp(name, "interval") || !strcmp(name, "queues") ||
	       !strcmp(name, "units");
}

uint32_t machine_row_get(const struct machine *m, const struct machine_row *row)
{
	const char *field = (const char *)m + row->offset;
	if (row->kind == MACHINE_KIND_BOOL)
		return *(const bool *)field;
	uint32_t value; /* every enum tag has the size of an int */
	memcpy(&value, field, sizeof value);
	return value;
}

void machine_row_put(struct machine *m, const struct machine_row *row, uint32_t value)
{
	char *field = (char *)m + row->offset;
	if (row->kind == MACHINE_KIND_BOOL)
		*(bool *)field = value != 0;
	else
		memcpy(field, &value, sizeof value);
}

const char *machine_quotable(const char *text, char buffer[64])
{
	size_t n = 0;
	for (; text[n] && n < 60; n++)
		buffer[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
	strcpy(buffer + n, text[n] ? "..." : "");
	return buffer;
}

/* Decimal digits only, of a size also k, m or g behind them: no sign, no blanks, no octal or hexadecimal, so that 010
 * cannot mean eight. */
static bool digits(const char *text, const char *unit, uint64_t *value)
{
	size_t length = strspn(text, "0123456789");
	if (!length || (length > 1 && text[0] == '0'))
		return false;
	if (text[length])
		return text[0] != '0' && !strcmp(unit, "bytes") && count_parse(text, COUNT_BYTES, value);
	*value = length > 18 ? UINT64_MAX : strtoull(text, NULL, 10);
	return true;
}

static void range_expected(uint32_t min, uint32_t max, const char *unit, char *text, size_t size)
{
	snprintf(text, size, "a whole number from %u to %u%s%s", min, max, *unit ? " " : "", unit);
}

static bool number(uint32_t min, uint32_t max, const char *unit, const char *text, uint32_t *value, char *reason,
		   size_t size)
{
	char expected[128], quoted[64];
	range_expected(min, max, unit, expected, sizeof expected);
	uint64_t wide;
	if (!digits(text, unit, &wide))
		snprintf(reason, size, "expected %s; found '%s'", expected, machine_quotable(text, quoted));
	else if (wide < min || wide > max)
		snprintf(reason, size, "%s is out of range: expected %s", machine_quotable(text, quoted), expected);
	else {
		*value = (uint32_t)wide;
		return true;
	}
	return false;
}

void machine_row_expected(const struct machine_row *row, char *text, size_t size)
{
	if (row->kind == MACHINE_KIND_UINT) {
		range_expected(row->min, row->max, row->unit, text, size);
		return;
	}
	if (row->kind == MACHINE_KIND_BOOL) {
		snprintf(text, size, "true or false");
		return;
	}
	size_t used = (size_t)snprintf(text, size, "one of ");
	for (uint32_t i = 0; i < row->word_count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", row->words[i].text);
}

static bool word(const struct machine_row *row, const char *text, uint32_t *value)
{
	if (row->kind == MACHINE_KIND_BOOL) {
		*value = !strcmp(text, "true");
		return *value || !strcmp(text, "false");
	}
	for (uint32_t i = 0; i < row->word_count; i++)
		if (!strcmp(row->words[i].text, text)) {
			*value = row->words[i].value;
			return true;
		}
	return false;
}

bool machine_row_parse(const struct machine_row *row, const char *text, uint32_t *value, char *reason, size_t size)
{
	if (row->kind == MACHINE_KIND_UINT)
		return number(row->min, row->max, row->unit, text, value, reason, size);
	if (word(row, text, value))
		return true;
	char expected[200], quoted[64];
	machine_row_expected(row, expected, sizeof expected);
	snprintf(reason, size, "expected %s; found '%s'", expected, machine_quotable(text, quoted));
	return false;
}

const char *machine_row_text(const struct machine_row *row, uint32_t value, char buffer[16])
{
	if (row->kind == MACHINE_KIND_BOOL)
		return value ? "true" : "false";
	if (row->kind == MACHINE_KIND_ENUM)
		return value < row->word_count ? row->words[value].text : "?";
	snprintf(buffer, 16, "%u", value);
	return buffer;
}

static const struct machine_range access_latency = {0, MACHINE_OP_MAX, "cycles"}; /* the cache adds its own */
static const struct machine_range op_cycles = {1, MACHINE_OP_MAX, "cycles"};
static const struct machine_range queue_entries = {0, MACHINE_QUEUE_ENTRIES_MAX, "entries"};
static const struct machine_range queue_width = {0, MACHINE_QUEUE_WIDTH_MAX, "instructions/cycle"};
static const struct machine_range unit_count = {1, MACHINE_UNIT_COUNT_MAX, "units"};

const struct machine_range *machine_range_find(const char *path)
{
	const char *last = strrchr(path, '.');
	if (!last)
		return NULL;
	last++;
	if (!strncmp(path, "latency.", 8) && machine_op_find(last) >= 0)
		return strcmp(last, "load") && strcmp(last, "amo") ? &op_cycles : &access_latency;
	if (!strncmp(path, "interval.", 9) && machine_op_find(last) >= 0)
		return &op_cycles;
	if (!strncmp(path, "queues", 6) && !strcmp(last, "entries"))
		return &queue_entries;
	if (!strncmp(path, "queues", 6) && !strcmp(last, "width"))
		return &queue_width;
	if (!strncmp(path, "units", 5) && !strcmp(last, "count"))
		return &unit_count;
	return NULL;
}

bool machine_range_parse(const struct machine_range *range, const char *text, uint32_t *value, char *reason,
			 size_t size)
{
	return number(range->min, range->max, range->unit, text, value, reason, size);
}

bool machine_validation_known(const char *text)
{
	/* its cycles against hardware; a published figure of its; the sizes alone */
	static const char *const kinds[] = {"measured: ", "published: ", "parameters: "};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t length = strlen(kinds[i]);
		if (!strncmp(text, kinds[i], length) && text[length])
			return true;
	}
	return false;
}
