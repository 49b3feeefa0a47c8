/* Which function an address belongs to, from the ELF symbol tables of the objects a program has mapped. Names of C++
 * and Rust are shown as they were written, without parameters. All names are plain (base/plain.h). */
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

/* More functions of the object that was added last, from a file that a debugger would read: see debug_file.h. */
bool symbols_add_debug(struct symbols *s, const char *path, struct error *err);

struct symbol_place {
	const char *function; /* NULL when no symbol covers the address */
	const char *symbol;   /* its name in the file, where two of the same name differ */
	const char *object;   /* file name without folders; NULL outside every object */
	uint64_t offset; /* from the function's start, or from the object's base; the address itself outside of all */
	uint64_t start;	 /* runtime address of the function (or object) */
	uint64_t end;	 /* and behind it; 0 = not known */
};
struct symbol_place symbols_find(const struct symbols *s, uint64_t pc);

/* A mangled name of C++ (_Z...) or Rust (_ZN...E, _R...) as it was written, to be freed; NULL: it is none. */
char *symbol_demangled(const char *name);

/* Does another function begin between these neighbours? Where an object has no symbols, functions begin where calls
 * have gone (`called`). */
bool symbol_place_begins(const struct symbol_place *now, const struct symbol_place *before, bool called);
/* The function; where there are no symbols the object and the offset in it: "gzip+0x3a40". */
void symbol_place_name(const struct symbol_place *p, char *name, size_t size);
/* The address: "memcpy+0x12", "gzip+0x3ade". */
void symbol_place_text(const struct symbol_place *p, char *text, size_t size);
const char *symbol_place_object(const struct symbol_place *p);

/* Addresses first <= pc < end. */
struct symbol_range {
	uint64_t first, end;
};

/* The `index`-th function of this name (as shown, or as in the file), from 0; false past the last. A symbol without
 * size reaches to the next one. */
bool symbols_range(const struct symbols *s, const char *name, size_t index, struct symbol_range *range);

/* How far a function's name is from the one wanted: a compiler's copy (horner.constprop.0) is one mistake further
 * than its function. */
unsigned symbol_distance(const struct nearest *n, const char *name);
/* Every function's name. */
void symbols_consider(const struct symbols *s, struct nearest *n);

#endif
