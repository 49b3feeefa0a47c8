/* The code of a program, from its ELF file, and what is known of the instructions of a trace. */
#ifndef CULPRIT_IMPORT_CODE_H
#define CULPRIT_IMPORT_CODE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { IMPORT_WORD = 24 }; /* letters of a mnemonic */

struct import_segment {
	uint64_t start, size;
	uint8_t *bytes;
};

struct import_code {
	struct import_segment *segments; /* those that can be executed */
	size_t count;
	uint64_t low, high; /* all of them lie between */
};

bool import_code_read(struct import_code *c, const char *path, struct error *err);
void import_code_destroy(struct import_code *c);
/* The encoding at pc; 0 = there is no code. */
uint32_t import_code_at(const struct import_code *c, uint64_t pc);

/* What an instruction is: decoded, or guessed from the word in front of its disassembly. */
struct import_kind {
	uint8_t op_class, branch, length, mem_size, dest, source[3];
	uint16_t flags;	 /* CULPRIT_LOAD, STORE, SERIALISING, AT_HEAD */
	bool decoded;	 /* operands are known */
	bool guessed;	 /* nothing says what it is: an addition, say */
	uint64_t target; /* of direct branches; else 0 */
};
void import_kind_of(uint32_t bits, uint64_t pc, const char *text, struct import_kind *kind);
/* Does a trace tell (encoding or disassembly, as above) another instruction than `bits`, which a file has there? By
 * what it does, not by its name, which differs from one disassembler to the next. */
bool import_contradicts(uint32_t bits, uint64_t pc, uint32_t told, const char *text);

#endif
