/* What an unknown encoding is said to be: words that binutils assembled (objdump -M no-aliases beside them), each refused by
 * the decoder and named after the extension that the assembler needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "riscv/isa.h"
#include "riscv/riscv.h"

#include <string.h>

static const struct {
	uint32_t raw;
	const char *assembly, *opcode, *extension;
} words[] = {
	{0x022180d7, "vadd.vv v1,v2,v3", "OP-V", "V"},
	{0x0d0572d7, "vsetvli t0,a0,e32,m1,ta,ma", "OP-V", "V"},
	{0x02056407, "vle32.v v8,(a0)", "LOAD-FP", "V"},
	{0x02050427, "vse8.v v8,(a0)", "STORE-FP", "V"},
	{0xc2202573, "csrrs a0,vlenb,zero", "SYSTEM", "V"},
	{0x00a02573, "csrrs a0,vxrm,zero", "SYSTEM", "V"},
	{0x20c5a533, "sh1add a0,a1,a2", "OP", "Zba"},
	{0x20c5e53b, "sh3add.uw a0,a1,a2", "OP-32", "Zba"},
	{0x08c5853b, "add.uw a0,a1,a2", "OP-32", "Zba"},
	{0x0a85951b, "slli.uw a0,a1,0x28", "OP-IMM-32", "Zba"},
	{0x40c5f533, "andn a0,a1,a2", "OP", "Zbb"},
	{0x40c5e533, "orn a0,a1,a2", "OP", "Zbb"},
	{0x40c5c533, "xnor a0,a1,a2", "OP", "Zbb"},
	{0x0ac5c533, "min a0,a1,a2", "OP", "Zbb"},
	{0x0ac5f533, "maxu a0,a1,a2", "OP", "Zbb"},
	{0x60c59533, "rol a0,a1,a2", "OP", "Zbb"},
	{0x60c5d53b, "rorw a0,a1,a2", "OP-32", "Zbb"},
	{0x6215d513, "rori a0,a1,0x21", "OP-IMM", "Zbb"},
	{0x6035d51b, "roriw a0,a1,0x3", "OP-IMM-32", "Zbb"},
	{0x60059513, "clz a0,a1", "OP-IMM", "Zbb"},
	{0x6025951b, "cpopw a0,a1", "OP-IMM-32", "Zbb"},
	{0x60559513, "sext.h a0,a1", "OP-IMM", "Zbb"},
	{0x0805c53b, "zext.h a0,a1", "OP-32", "Zbb"},
	{0x2875d513, "orc.b a0,a1", "OP-IMM", "Zbb"},
	{0x6b85d513, "rev8 a0,a1", "OP-IMM", "Zbb"},
	{0x0ac59533, "clmul a0,a1,a2", "OP", "Zbc"},
	{0x0ac5b533, "clmulh a0,a1,a2", "OP", "Zbc"},
	{0x0ac5a533, "clmulr a0,a1,a2", "OP", "Zbc"},
	{0x48c59533, "bclr a0,a1,a2", "OP", "Zbs"},
	{0x48c5d533, "bext a0,a1,a2", "OP", "Zbs"},
	{0x68c59533, "binv a0,a1,a2", "OP", "Zbs"},
	{0x28c59533, "bset a0,a1,a2", "OP", "Zbs"},
	{0x4a859513, "bclri a0,a1,0x28", "OP-IMM", "Zbs"},
	{0x4a85d513, "bexti a0,a1,0x28", "OP-IMM", "Zbs"},
	{0x6a859513, "binvi a0,a1,0x28", "OP-IMM", "Zbs"},
	{0x2a859513, "bseti a0,a1,0x28", "OP-IMM", "Zbs"},
	{0x08c5c533, "pack a0,a1,a2", "OP", "Zbkb"},
	{0x08c5f533, "packh a0,a1,a2", "OP", "Zbkb"},
	{0x08c5c53b, "packw a0,a1,a2", "OP-32", "Zbkb"},
	{0x6875d513, "brev8 a0,a1", "OP-IMM", "Zbkb"},
	{0x28c5a533, "xperm4 a0,a1,a2", "OP", "Zbkx"},
	{0x28c5c533, "xperm8 a0,a1,a2", "OP", "Zbkx"},
	{0x32c58533, "aes64es a0,a1,a2", "OP", "Zkn"},
	{0x3ec58533, "aes64dsm a0,a1,a2", "OP", "Zkn"},
	{0x7ec58533, "aes64ks2 a0,a1,a2", "OP", "Zkn"},
	{0x31359513, "aes64ks1i a0,a1,0x3", "OP-IMM", "Zkn"},
	{0x30059513, "aes64im a0,a1", "OP-IMM", "Zkn"},
	{0x10259513, "sha256sig0 a0,a1", "OP-IMM", "Zknh"},
	{0x10559513, "sha512sum1 a0,a1", "OP-IMM", "Zknh"},
	{0x10859513, "sm3p0 a0,a1", "OP-IMM", "Zksh"},
	{0xb0c58533, "sm4ed a0,a1,a2,0x2", "OP", "Zksed"},
	{0x74c58533, "sm4ks a0,a1,a2,0x1", "OP", "Zksed"},
	{0x04c5f553, "fadd.h fa0,fa1,fa2", "OP-FP", "Zfh"},
	{0x6cc5f543, "fmadd.h fa0,fa1,fa2,fa3", "MADD", "Zfh"},
	{0x00259507, "flh fa0,2(a1)", "LOAD-FP", "Zfh"},
	{0x00a59127, "fsh fa0,2(a1)", "STORE-FP", "Zfh"},
	{0x40258553, "fcvt.s.h fa0,fa1", "OP-FP", "Zfh"},
	{0x42258553, "fcvt.d.h fa0,fa1", "OP-FP", "Zfh"},
	{0x4405f553, "fcvt.h.s fa0,fa1", "OP-FP", "Zfh"},
	{0x00d00073, "wrs.nto", "SYSTEM", "Zawrs"},
	{0x01d00073, "wrs.sto", "SYSTEM", "Zawrs"},
	{0x0015200f, "cbo.clean (a0)", "MISC-MEM", "Zicbom, Zicboz"},
	{0x0045200f, "cbo.zero (a0)", "MISC-MEM", "Zicbom, Zicboz"},
	{0x6805c573, "hlv.w a0,(a1)", "SYSTEM", "H"},
	{0x10200073, "sret", "SYSTEM", "privileged instruction"},
	{0x30200073, "mret", "SYSTEM", "privileged instruction"},
	{0x10500073, "wfi", "SYSTEM", "privileged instruction"},
	{0x12000073, "sfence.vma zero,zero", "SYSTEM", "privileged instruction"},
	{0x30002573, "csrrs a0,mstatus,zero", "SYSTEM", "a CSR that a user program does not have or cannot write"},
	{0xc0051073, "csrrw zero,cycle,a0", "SYSTEM", "a CSR that a user program does not have or cannot write"},
	{0x00000000, "c.unimp", "compressed, quadrant 0", "zeros: no instruction by definition"},
	{0x06c5f553, "fadd.q fa0,fa1,fa2", "OP-FP", "Q"},
	{0x00054507, "flq fa0,0(a0)", "LOAD-FP", "Q"},
	{0x4235f553, "fcvt.d.q fa0,fa1", "OP-FP", "Q"},
	{0x0ec5d533, "czero.eqz a0,a1,a2", "OP", "Zicond"},
	{0x0ec5f533, "czero.nez a0,a1,a2", "OP", "Zicond"},
	{0xf0100553, "fli.s fa0,-0x1p+0", "OP-FP", "Zfa"},
	{0x2ac5a553, "fminm.d fa0,fa1,fa2", "OP-FP", "Zfa"},
	{0x0000000b, "a vendor's", "custom-0", "an instruction of a vendor's own"},
	{0x0000006b, "none", "reserved", "a reserved encoding"},
	{0x00009c41, "c.mul s0,s0", "compressed, quadrant 1", "Zcb"},
	{0x2800302f, "amocas.d zero,zero,(zero)", "AMO", "Zacas"},
	{0x0000001f, "of 48 bits", "48-bit", "longer than 32 bits"},
};

static void each_is_named(void **state)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct riscv_insn insn;
		char text[120];
		if (riscv_decode(words[i].raw, 0, &insn) && !riscv_insn_extension(&insn))
			fail_msg("%s: the decoder knows it", words[i].assembly);
		riscv_missing(words[i].raw, text, sizeof text);
		const char *opcode = strncmp(text, "opcode ", 7) ? text : text + 7, *colon = strchr(text, ':');
		size_t length = strlen(words[i].opcode);
		if (!colon || opcode + length != colon || strncmp(opcode, words[i].opcode, length) != 0 ||
		    !strstr(colon, words[i].extension))
			fail_msg("%s: %s, expected %s ... %s", words[i].assembly, text, words[i].opcode,
				 words[i].extension);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_named)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
