/* Plain traces: a line for each instruction that was executed, `PC [ADDRESS]`, hexadecimal, with or without 0x;
 * ADDRESS is that of its load or store. `#` begins a comment. */
#include "import/steps.h"

#include <stdlib.h>
#include <string.h>

/* A hexadecimal number of at most 64 bits; *at moves behind it and what separates. */
static bool take(const char **at, uint64_t *value)
{
	const char *text = *at + (!strncmp(*at, "0x", 2) ? 2 : 0);
	const size_t digits = strspn(text, "0123456789abcdefABCDEF");
	if (!digits || digits > 16 || (text[digits] && !strchr(" \t", text[digits])))
		return false;
	*value = strtoull(text, NULL, 16);
	*at = text + digits;
	*at += strspn(*at, " \t");
	return true;
}

static bool read_line(struct import_steps *s, const char *at, uint64_t line, struct error *err)
{
	at += strspn(at, " \t");
	if (!*at)
		return true;
	struct riscv_follow_step *step = import_steps_add(s, err);
	TRY(step);
	if (!take(&at, &step->pc))
		return import_steps_wrong(s, line, err, "not `PC [ADDRESS]` in hexadecimal");
	if (!*at)
		return true;
	step->flags = RISCV_FOLLOW_ADDRESS;
	if (!take(&at, &step->address) || *at)
		return import_steps_wrong(s, line, err, "not `PC [ADDRESS]` in hexadecimal");
	return true;
}

bool import_plain(struct import_steps *s, FILE *in, struct error *err)
{
	char *text = NULL;
	size_t room = 0;
	uint64_t line = 0;
	bool good = true;
	s->format = "plain";
	while (good && getline(&text, &room, in) > 0) {
		text[strcspn(text, "#\r\n")] = 0;
		good = read_line(s, text, ++line, err);
	}
	free(text);
	return good;
}
