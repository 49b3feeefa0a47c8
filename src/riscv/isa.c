#include "riscv/isa.h"

#include "riscv/csr.h"
#include "riscv/rows.h"
#include "riscv/vector.h"

#include <stdio.h>
#include <string.h>

enum { RISCV_EXT_NONE = 0, RISCV_EXT_ZFA_ZFH = RISCV_EXT_ZFA | RISCV_EXT_ZFH };

static const struct {
	const char *name;
	uint32_t extensions;
} sets[] = {
#define ISA_NAME(name, extensions) {name, extensions},
#include "riscv/isa.def"
};

const char *riscv_isa_name(unsigned index)
{
	return index < sizeof sets / sizeof *sets ? sets[index].name : NULL;
}

/* "_zvl512b" */
static bool parse_vlen(const char *suffix, uint32_t *vlen)
{
	unsigned bits;
	int length = 0;

	if (sscanf(suffix, "_zvl%4ub%n", &bits, &length) != 1 || !length || suffix[length])
		return false;
	*vlen = bits;
	return bits >= RISCV_VLEN_LEAST && bits <= RISCV_VLEN_MOST && !(bits & (bits - 1));
}

bool riscv_isa_named(const char *name, struct riscv_isa *isa)
{
	const char *suffix = strstr(name, "_zvl");
	size_t length = suffix ? (size_t)(suffix - name) : strlen(name);

	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		if (strlen(sets[i].name) != length || strncmp(sets[i].name, name, length))
			continue;
		isa->extensions = sets[i].extensions;
		return !suffix || ((isa->extensions & RISCV_EXT_V) && parse_vlen(suffix, &isa->vlen));
	}
	return false;
}

const char *riscv_isa_names(void)
{
	/* one behind the other, each after a comma: the first comma is left out */
	static const char names[] =
#define ISA_NAME(name, extensions) ", " name
#include "riscv/isa.def"
		;
	return names + 2;
}

void riscv_isa_string(const struct riscv_isa *isa, char *text, unsigned size)
{
	static const struct {
		uint32_t extension;
		const char *word;
	} words[] = {
#define ISA_WORD(extension, word, bit) {RISCV_EXT_##extension, word},
#include "riscv/isa.def"
	};
	size_t used = (size_t)snprintf(text, size, "rv64imafdc%s", isa->extensions & RISCV_EXT_V ? "v" : "");

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (used < size && (!words[i].extension || (isa->extensions & words[i].extension)))
			used += (size_t)snprintf(text + used, size - used, "_%s", words[i].word);
}

uint64_t riscv_isa_hwprobe(const struct riscv_isa *isa)
{
	enum { V_BIT = 2, NO_BIT = 64 };
	uint64_t bits = isa->extensions & RISCV_EXT_V ? 1u << V_BIT : 0;

#define ISA_WORD(extension, word, bit)                                   \
	if ((bit) < NO_BIT && (isa->extensions & RISCV_EXT_##extension)) \
		bits |= 1ull << ((bit) % NO_BIT);
#include "riscv/isa.def"
	return bits;
}

uint32_t riscv_op_extension(unsigned op)
{
	uint32_t extension = RISCV_EXT_NONE;

	/* the last start that is not behind op: in the order of the rows */
#define EXTENSION(name)               \
	if (op >= RISCV_FIRST_##name) \
		extension = RISCV_EXT_##name;
#include "riscv/instructions.def"
	return extension;
}

/* The forms of Zcb and Zcmop stand together. Some of them expand to instructions that need more. */
static uint32_t compressed_extension(uint32_t raw)
{
	unsigned row = riscv_find_compressed_row(raw);

	if (row == RISCV_c_mop)
		return RISCV_EXT_ZIMOP;
	return row >= RISCV_c_lbu && row <= RISCV_c_mul ? RISCV_EXT_ZCB : RISCV_EXT_NONE;
}

uint32_t riscv_insn_extension(const struct riscv_insn *insn)
{
	uint32_t extension = riscv_op_extension(insn->op);

	if (insn->op_class == CULPRIT_OP_csr && csr_is_vector(CSR_NUMBER_OF(insn->imm)))
		return RISCV_EXT_V;
	return insn->length == 2 ? extension | compressed_extension(insn->raw) : extension;
}
