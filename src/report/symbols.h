/* Which function an address belongs to, from the ELF symbol tables of the objects a program has mapped. */
#ifndef CULPRIT_REPORT_SYMBOLS_H
#define CULPRIT_REPORT_SYMBOLS_H

#include "base/error.h"
#include "base/nearest.h"

#include <stddef.h>
#include <stdint.h>

struct symbols;

struct symbols *symbols_create(struct error *err);
void symbols_destroy(struct symbols *s);

/* Add an object mapped at [start, end) with load bias `bias`. A file that cannot be read just has no symbols: its
 * addresses are named by the object alone. False only when out of memory. */
bool symbols_add(struct symbols *s, const char *path, uint64_t start, uint64_t end, uint64_t bias, struct error *err);

struct symbol_place {
	const char *function; /* NULL when no symbol covers the address */
	const char *object;   /* file name without folders; NULL outside every object */
	uint64_t offset;      /* from the function's start, or from the object's base */
	uint64_t start;	      /* runtime address of the function (or object) */
};
struct symbol_place symbols_find(const struct symbols *s, uint64_t pc);

/* Does an instruction start another function than the one before it in the order of addresses? Where there are no
 * symbols, functions begin where calls have gone (`entered`). */
bool symbols_new_function(const struct symbol_place *now, const struct symbol_place *before, bool entered);

/* Addresses first <= pc < end. */
struct symbol_range {
	uint64_t first, end;
};

/* The `index`-th function of this name, from 0; false past the last. A symbol without size reaches to the next one. */
bool symbols_range(const struct symbols *s, const char *name, size_t index, struct symbol_range *range);

/* Every function's name; a compiler's copy (horner.constprop.0) is one mistake further than its function. */
void symbols_consider(const struct symbols *s, struct nearest *n);

#endif
