/* The disassembler against binutils: many random words of every row and every 16-bit word go into one file, objdump
 * reads it once, and each line must be what riscv_disassemble says. Words that the decoder calls illegal must not be
 * RV64GC instructions to binutils either. */
#include "riscv/isa.h"
#include "riscv/rows.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define WORDS_PER_ROW 100
#define RANDOM_WORDS 50000
#define OBJDUMP "riscv64-linux-gnu-objdump"
#define AS "riscv64-linux-gnu-as"
#define STRIP "riscv64-linux-gnu-strip"

struct blob {
	uint8_t *bytes;
	size_t size, capacity;
};

struct counts {
	unsigned lines, illegal, foreign;
};

static uint64_t random_state = 0x853c49e6748fea9b;

static uint32_t random_word(void)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(random_state >> 32);
}

/* objdump reads on over the ends of longer encodings than 32 bits: leave those out. */
static void append(struct blob *blob, uint32_t raw)
{
	unsigned length = (raw & 3) == 3 ? 4 : 2;

	if ((raw & 31) == 31)
		return;
	if (blob->size + 4 > blob->capacity) {
		blob->capacity = blob->capacity ? 2 * blob->capacity : 1 << 20;
		blob->bytes = realloc(blob->bytes, blob->capacity);
		assert_non_null(blob->bytes);
	}
	memcpy(blob->bytes + blob->size, &raw, length);
	blob->size += length;
}

static void collect(struct blob *blob)
{
	for (unsigned op = 0; op < RISCV_OP_COUNT; op++) {
		if (op == RISCV_OP_illegal)
			continue;
		for (unsigned n = 0; n < WORDS_PER_ROW; n++)
			append(blob, (random_word() & ~riscv_rows[op].mask) | riscv_rows[op].match);
	}
	/* The CSRs that exist, which random numbers hit too rarely. */
	for (unsigned n = 0; n < 6 * WORDS_PER_ROW; n++) {
		static const uint32_t numbers[] = {0x001, 0x002, 0x003, 0xc00, 0xc01, 0xc02};
		uint32_t fields = random_word() & (n & 1 ? 0x000fff80 : 0x00007f80);
		append(blob, numbers[n % 6] << 20 | fields | 0x73);
	}
	for (uint32_t raw = 0; raw <= UINT16_MAX; raw++) {
		if ((raw & 3) != 3)
			append(blob, raw);
	}
	for (unsigned n = 0; n < RANDOM_WORDS; n++)
		append(blob, random_word() | 3);
}

static bool is_our_mnemonic(const char *text)
{
	size_t length = strcspn(text, "\t");

	for (unsigned op = 0; op < RISCV_OP_COUNT; op++) {
		const char *mnemonic = riscv_rows[op].mnemonic;
		if (mnemonic && strlen(mnemonic) == length && !strncmp(mnemonic, text, length))
			return true;
	}
	return !strncmp(text, "c.", 2);
}

/* Illegal here for a reason: CSRs that user mode or this hart lacks, reserved rounding modes, the defined illegal
 * instruction, a reserved immediate. */
static bool rightly_illegal(const char *text)
{
	return !is_our_mnemonic(text) || !strncmp(text, "csr", 3) || strstr(text, "unknown") ||
	       !strcmp(text, "c.unimp") || !strcmp(text, "c.addi16sp\tsp,0");
}

/* Binutils names these from 2.41 on, or later. */
static bool is_newer(const struct riscv_insn *insn)
{
	const uint32_t newer = RISCV_EXT_ZICOND | RISCV_EXT_ZFA | RISCV_EXT_ZCB | RISCV_EXT_ZIMOP | RISCV_EXT_ZACAS;

	return (riscv_insn_extension(insn) & newer) || (insn->op >= RISCV_OP_vandn_vv && insn->op <= RISCV_OP_vwsll_vi);
}

static bool compare(uint64_t address, uint32_t raw, char *theirs, struct counts *counts)
{
	char ours[160], *comment = strstr(theirs, " # ");
	struct riscv_insn insn;

	theirs[strcspn(theirs, "\n")] = '\0';
	if (comment)
		*comment = '\0';
	counts->lines++;
	if (!riscv_decode(raw, address, &insn)) {
		counts->illegal++;
		counts->foreign += theirs[0] != '.';
		if (rightly_illegal(theirs))
			return true;
		print_error("%08" PRIx32 " is \"%s\" to binutils, illegal to us\n", raw, theirs);
		return false;
	}
	riscv_disassemble(raw, address, ours, sizeof ours);
	if (!strncmp(theirs, ".insn\t", 6) && ours[0] == '.') /* so binutils from 2.42 on calls what it does not know */
		return true;
	if (!strcmp(ours, theirs) || (is_newer(&insn) && theirs[0] == '.'))
		return true;
	print_error("%" PRIx64 ": %08" PRIx32 " binutils \"%s\", ours \"%s\"\n", address, raw, theirs, ours);
	return false;
}

static void equals_binutils(void **state)
{
	char path[] = "/tmp/culprit-disassemble-XXXXXX", command[400], line[400];
	struct blob blob = {0};
	struct counts counts = {0};
	unsigned failures = 0;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	collect(&blob);
	assert_int_equal(write(fd, blob.bytes, blob.size), (ssize_t)blob.size);
	close(fd);
	/* Without symbols, because the assembler marks the words as data. */
	snprintf(command, sizeof command,
		 "echo '.incbin \"%s\"' | " AS
		 " -march=rv64gcv_zba_zbb_zbc_zbs_zfh_zawrs_zicbom_zicboz -o %s.o - && " STRIP " -s %s.o && " OBJDUMP
		 " -D -z -j .text -M no-aliases %s.o; rm -f %s.o",
		 path, path, path, path, path);
	FILE *listing = popen(command, "r");
	assert_non_null(listing);
	uint64_t expected = 0;
	while (fgets(line, sizeof line, listing)) {
		uint64_t address;
		uint32_t raw;
		int text;

		if (sscanf(line, " %" SCNx64 ": %" SCNx32 " %n", &address, &raw, &text) != 2)
			continue;
		assert_int_equal(address, expected);
		expected += (raw & 3) == 3 ? 4 : 2;
		failures += !compare(address, raw, line + text, &counts);
		if (failures > 40)
			break;
	}
	assert_int_equal(pclose(listing), 0);
	unlink(path);
	free(blob.bytes);
	print_message("%u words compared; %u illegal here, of which binutils names %u (other extensions)\n",
		      counts.lines, counts.illegal, counts.foreign);
	assert_int_equal(failures, 0);
	assert_int_equal(expected, blob.size);
}

/* The length is snprintf's, and a short buffer is cut, not overrun. */
static void reports_length(void **state)
{
	char text[8];

	assert_int_equal(riscv_disassemble(0x00b50533, 0, text, sizeof text), strlen("add\ta0,a0,a1"));
	assert_string_equal(text, "add\ta0,");
}

int main(void)
{
	if (system(OBJDUMP " --version > /dev/null 2>&1")) {
		print_message("no " OBJDUMP " here: skipped\n");
		return 77;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_binutils),
		cmocka_unit_test(reports_length),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
