/* An instruction behind its address; without lines behind its offset, as the other reports call its place, and so is a
 * jump's target. */
#include "report/code/annotate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A jump's target in the function, as it is written in the disassembly; NULL: it has none. */
static const char *target_of(const struct code_function *f, const struct code_insn *n, uint64_t *target)
{
	const char *name = n->text + (strncmp(n->text, "c.", 2) ? 0 : 2);
	const char *last = NULL;
	for (const char *c = n->text; (c = strpbrk(c, ", ")); c++)
		last = c + 1;
	if ((*name != 'b' && *name != 'j') || !last || strncmp(last, "0x", 2) != 0)
		return NULL;
	*target = strtoull(last, NULL, 16);
	return *target >= f->start && *target < f->end ? last : NULL;
}

void code_insn_text(const struct code_function *f, const struct code_insn *n, char *text, size_t size)
{
	uint64_t to;
	const char *nameless = code_nameless(f);
	const bool by_address = n->file != CODE_NONE || (nameless && *nameless != '+');
	const char *target = by_address ? NULL : target_of(f, n, &to);
	if (by_address)
		snprintf(text, size, " %" PRIx64 "  %s", n->pc, n->text);
	else if (!target)
		snprintf(text, size, " +0x%" PRIx64 "  %s", code_offset(f, n->pc), n->text);
	else
		snprintf(text, size, " +0x%" PRIx64 "  %.*s+0x%" PRIx64, code_offset(f, n->pc), (int)(target - n->text),
			 n->text, code_offset(f, to));
}
