/* What a trace tells of an instruction against the code of a file: the same instruction under any of its names does not
 * contradict it; one that does something else does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "import/code.h"
#include "riscv/rows.h"

static void judge(uint32_t bits, const char *text, bool contradicts)
{
	if (import_contradicts(bits, 0x10000, 0, text) != contradicts)
		fail_msg("0x%08x '%s': %s", bits, text, contradicts ? "it was taken" : "it contradicts");
}

/* As gem5 writes names: with '_' for '.'. */
static void own_names(uint32_t bits, const char *name)
{
	char other[64];
	struct import_kind k;
	import_kind_of(bits, 0x10000, "", &k);
	if (!name || !k.decoded)
		return;
	judge(bits, name, false);
	snprintf(other, sizeof other, "%s", name);
	for (char *c = other; *c; c++)
		*c = *c == '.' ? '_' : *c;
	judge(bits, other, false);
}

static void every_row(void **state)
{
	(void)state;
	for (unsigned op = 0; op < RISCV_OP_COUNT; op++)
		own_names(riscv_rows[op].match, riscv_rows[op].mnemonic);
	for (unsigned row = 0; row < RISCV_COMPRESSED_COUNT; row++)
		if (riscv_find_compressed_row(riscv_compressed_rows[row].match) ==
		    row) /* no other with operands of 0 */
			own_names(riscv_compressed_rows[row].match, riscv_compressed_rows[row].mnemonic);
}

static void words(void **state)
{
	const uint32_t addi = 0x00150513, lw = 0x00052503, c_mv = 0x852e;
	(void)state;
	judge(addi, "addi a0, a0, 1", false);
	judge(addi, "add a0, a0, a1", false); /* does the same, as far as anybody here looks */
	judge(addi, "li", false);
	judge(addi, "beqz a0, 0x20", true);
	judge(addi, "lw a0, 0(a0)", true);
	judge(addi, "mul", true);
	judge(addi, "rdfoo a0", false); /* nobody knows what that is */
	judge(addi, "", false);
	judge(lw, "lw a0, 0(a0)", false);
	judge(lw, "ld a0, 0(a0)", true);
	judge(lw, "sw a0, 0(a0)", true);
	judge(c_mv, "mv a0, a1", false);
	judge(0xffffffff, "addi a0, a0, 1", true); /* no code */
}

static void encodings(void **state)
{
	(void)state;
	assert_false(import_contradicts(0x852e, 0x10000, 0x00b00533, "")); /* c.mv, which RTL has expanded */
	assert_true(import_contradicts(0x852e, 0x10000, 0x00052503, ""));
	assert_false(import_contradicts(0x852e, 0x10000, 0x852e, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_row), cmocka_unit_test(words),
					   cmocka_unit_test(encodings)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
