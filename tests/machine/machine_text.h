/* Helpers of the machine file tests: parse a text, expect an exact error. */
#ifndef TESTS_MACHINE_TEXT_H
#define TESTS_MACHINE_TEXT_H

#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline bool parse_text(struct machine *m, const char *text, struct error *err)
{
	memset(m, 0, sizeof *m);
	memset(err, 0, sizeof *err);
	return machine_parse(m, text, strlen(text), "t.yaml", err);
}

static inline void expect_good(struct machine *m, const char *text)
{
	struct error err;
	if (!parse_text(m, text, &err))
		fail_msg("unexpected error: %s", err.text);
}

static inline void expect_error(const char *text, const char *message)
{
	struct machine m;
	struct error err;
	if (parse_text(&m, text, &err))
		fail_msg("accepted, but should say: %s", message);
	assert_string_equal(err.text, message);
	assert_int_equal(err.code, ERROR_INPUT);
}

/* The machine as machine_print writes it; to be freed. */
static inline char *printed(const struct machine *m)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_true(machine_print(m, out));
	fclose(out);
	return text;
}

/* Print and parse again: the same machine, byte by byte. */
static inline void expect_round_trip(const struct machine *m)
{
	struct machine again;
	struct error err;
	char *text = printed(m);
	memset(&again, 0, sizeof again);
	if (!machine_parse(&again, text, strlen(text), m->name, &err))
		fail_msg("%s does not read back: %s", m->name, err.text);
	assert_memory_equal(&again, m, sizeof again);
	free(text);
}

#endif
