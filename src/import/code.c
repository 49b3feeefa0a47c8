/* Class and operands come from the simulator's own decoder where there is an encoding. Else a mnemonic says the
 * class: one of the decoder's rows, compressed rows and the common aliases, with '_' for '.' as gem5 writes them. */
#include "import/code.h"

#include "culprit/record.h"
#include "guest/elf.h"
#include "riscv/rows.h"
#include "riscv/static_insn.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the file --- */

static bool read_segment(struct import_code *c, int fd, const struct elf_segment *s, struct error *err)
{
	struct import_segment *to = &c->segments[c->count];
	*to = (struct import_segment){.start = s->address, .size = s->file_size, .bytes = malloc(s->file_size + 1)};
	if (!to->bytes)
		return error_set(err, ERROR_SYSTEM, "out of memory for code");
	c->count++;
	for (uint64_t done = 0; done < s->file_size;) {
		ssize_t got = pread(fd, to->bytes + done, s->file_size - done, (off_t)(s->offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return error_set(err, ERROR_INPUT, "cannot be read");
		done += (uint64_t)got;
	}
	c->low = c->count == 1 || s->address < c->low ? s->address : c->low;
	c->high = s->address + s->file_size > c->high ? s->address + s->file_size : c->high;
	return true;
}

static bool read_image(struct import_code *c, int fd, struct error *err)
{
	struct elf_image image;
	TRY(elf_read(fd, &image, err));
	c->segments = calloc(image.segment_count + 1, sizeof *c->segments);
	if (!c->segments)
		return error_set(err, ERROR_SYSTEM, "out of memory for code");
	for (size_t i = 0; i < image.segment_count; i++)
		if (image.segments[i].perm & PAGE_EXEC)
			TRY(read_segment(c, fd, &image.segments[i], err));
	return true;
}

bool import_code_read(struct import_code *c, const char *path, struct error *err)
{
	*c = (struct import_code){.low = 0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
	bool good = read_image(c, fd, err);
	close(fd);
	if (good)
		return true;
	err->code = ERROR_INPUT;
	return error_context(err, "%s", path);
}

void import_code_destroy(struct import_code *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->segments[i].bytes);
	free(c->segments);
	*c = (struct import_code){.low = 0};
}

static bool read_parcel(const struct import_code *c, uint64_t pc, uint32_t *parcel)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct import_segment *s = &c->segments[i];
		uint64_t at = pc - s->start;
		if (pc >= s->start && at < s->size && s->size - at >= 2) {
			*parcel = s->bytes[at] | (uint32_t)s->bytes[at + 1] << 8;
			return true;
		}
	}
	return false;
}

uint32_t import_code_at(const struct import_code *c, uint64_t pc)
{
	uint32_t low, high;
	if (!read_parcel(c, pc, &low))
		return 0;
	if ((low & 3) != 3)
		return low;
	return read_parcel(c, pc + 2, &high) ? low | high << 16 : 0;
}

/* --- what it is --- */

static bool decode(uint32_t bits, uint64_t pc, struct import_kind *k)
{
	struct riscv_insn insn;
	struct culprit_static_insn s;
	if (!bits || !riscv_decode(bits, pc, &insn) || !riscv_static_insn(bits, pc, &s))
		return false;
	*k = (struct import_kind){.op_class = s.op_class,
				  .branch = s.branch,
				  .length = s.length,
				  .mem_size = s.mem_size,
				  .dest = s.dest,
				  .source = {insn.rs1, insn.rs2, insn.rs3},
				  .flags = s.flags,
				  .decoded = true,
				  .target = s.target};
	return true;
}

/* Aliases that assemblers print, and what they are. */
static const struct alias {
	const char *name, *row;
} aliases[] = {
	{"nop", "addi"},	{"li", "addi"},		{"mv", "addi"},		{"not", "xori"},
	{"neg", "sub"},		{"negw", "subw"},	{"sext.w", "addiw"},	{"seqz", "sltiu"},
	{"snez", "sltu"},	{"sltz", "slt"},	{"sgtz", "slt"},	{"beqz", "beq"},
	{"bnez", "bne"},	{"blez", "bge"},	{"bgez", "bge"},	{"bltz", "blt"},
	{"bgtz", "blt"},	{"bgt", "blt"},		{"ble", "bge"},		{"bgtu", "bltu"},
	{"bleu", "bgeu"},	{"j", "jal"},		{"call", "jal"},	{"jr", "jalr"},
	{"ret", "jalr"},	{"fmv.d", "fsgnj.d"},	{"fmv.s", "fsgnj.s"},	{"fneg.d", "fsgnjn.d"},
	{"fneg.s", "fsgnjn.s"}, {"fabs.d", "fsgnjx.d"}, {"fabs.s", "fsgnjx.s"},
};

static const struct riscv_row *find_row(const char *name)
{
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (!strcmp(name, aliases[i].name))
			name = aliases[i].row;
	for (unsigned op = 0; op < RISCV_OP_COUNT; op++)
		if (riscv_rows[op].mnemonic && !strcmp(name, riscv_rows[op].mnemonic))
			return &riscv_rows[op];
	for (unsigned row = 0; row < RISCV_COMPRESSED_COUNT; row++)
		if (riscv_compressed_rows[row].mnemonic && !strcmp(name, riscv_compressed_rows[row].mnemonic))
			return &riscv_rows[riscv_compressed_rows[row].base];
	return NULL;
}

/* The first word, in small letters. What is left of the text is its operands. */
static const char *first_word(const char *text, char word[IMPORT_WORD])
{
	size_t n = 0;
	text += strspn(text, " \t");
	for (; *text && !isspace((unsigned char)*text) && *text != ':'; text++)
		if (n + 1 < IMPORT_WORD)
			word[n++] = *text == '_' ? '.' : (char)tolower((unsigned char)*text);
	word[n] = 0;
	return text;
}

static uint8_t branch_of(const char *word, const char *operands)
{
	bool ra = strstr(operands, "ra") != NULL;
	bool compressed = word[0] == 'c' && word[1] == '.';
	const char *name = compressed ? word + 2 : word;
	if (*name == 'b')
		return CULPRIT_BRANCH_CONDITIONAL;
	if (!strcmp(name, "j"))
		return CULPRIT_BRANCH_JUMP;
	if (!strcmp(name, "jal") || !strcmp(name, "call"))
		return ra || compressed || !strcmp(name, "call") ? CULPRIT_BRANCH_CALL : CULPRIT_BRANCH_JUMP;
	if (!strcmp(name, "ret"))
		return CULPRIT_BRANCH_RETURN;
	if (!strcmp(name, "jr"))
		return ra ? CULPRIT_BRANCH_RETURN : CULPRIT_BRANCH_INDIRECT_JUMP;
	if (strstr(operands, "zero"))
		return ra ? CULPRIT_BRANCH_RETURN : CULPRIT_BRANCH_INDIRECT_JUMP;
	return CULPRIT_BRANCH_INDIRECT_CALL;
}

static uint16_t record_flags(const struct riscv_row *row)
{
	return (uint16_t)((row->flags & RISCV_LOAD ? CULPRIT_LOAD : 0) |
			  (row->flags & RISCV_STORE ? CULPRIT_STORE : 0) |
			  (row->flags & RISCV_SERIALISING ? CULPRIT_SERIALISING | CULPRIT_AT_HEAD : 0));
}

void import_kind_of(uint32_t bits, uint64_t pc, const char *text, struct import_kind *kind)
{
	char word[IMPORT_WORD];
	if (decode(bits, pc, kind))
		return;
	const char *operands = first_word(text, word);
	const struct riscv_row *row = find_row(word);
	*kind = (struct import_kind){
		.op_class = CULPRIT_OP_int_alu, .length = 4, .dest = RISCV_NO_DEST, .guessed = !row};
	if (!row)
		return;
	kind->op_class = row->op_class;
	kind->mem_size = row->mem_size;
	kind->flags = record_flags(row);
	if (row->flags & RISCV_BRANCH)
		kind->branch = branch_of(word, operands);
	if (word[0] == 'c' && word[1] == '.')
		kind->length = 2;
}

bool import_contradicts(uint32_t bits, uint64_t pc, uint32_t told, const char *text)
{
	const uint16_t access = CULPRIT_LOAD | CULPRIT_STORE;
	struct import_kind file, trace;
	import_kind_of(bits, pc, "", &file);
	import_kind_of(told, pc, text, &trace);
	if (trace.guessed)
		return false;
	return !file.decoded || file.op_class != trace.op_class || file.mem_size != trace.mem_size ||
	       !file.branch != !trace.branch || (file.flags & access) != (trace.flags & access);
}
