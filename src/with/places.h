/* Functions of the program and its libraries, by name. */
#ifndef CULPRIT_WITH_PLACES_H
#define CULPRIT_WITH_PLACES_H

#include "guest/guest.h"
#include "options/options.h"
#include "report/lines.h"
#include "report/symbols.h"

/* Of everything mapped; from split debug files, too, where `options` (may be NULL) say where these are. NULL when
 * out of memory. */
struct symbols *places_symbols(const struct guest *guest, const struct options *options, struct error *err);
struct lines *places_lines(const struct guest *guest, const struct options *options, struct error *err);
/* The instruction at pc as text, with blanks for tabs. Its length in bytes; 0, and the address as text, where no
 * code is any more (unmapped, or replaced). */
unsigned places_disassemble(struct guest *guest, uint64_t pc, char *text, size_t size);
/* The function that was probably meant by `name`, in *n. */
void places_nearest(const struct guest *guest, const char *name, struct nearest *n);

#endif
