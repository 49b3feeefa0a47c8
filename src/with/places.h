/* Functions of the program and its libraries, by name; instructions, by address. */
#ifndef CULPRIT_WITH_PLACES_H
#define CULPRIT_WITH_PLACES_H

#include "guest/guest.h"
#include "with/analyses.h"

/* NULL when out of memory. */
struct symbols *places_symbols(const struct guest *guest, struct error *err);
/* The function that was probably meant by `name`, in *n. */
void places_nearest(const struct guest *guest, const char *name, struct nearest *n);

/* The code of a guest, as it is now. */
struct analysis_code places_code(struct guest *guest);
/* The instruction's text. The code may be gone by the region's end (unmapped, or replaced): then its address. */
void places_disassemble(const struct analysis_code *code, uint64_t pc, char *text, size_t size);

#endif
