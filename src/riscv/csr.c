/* See csr.h. */
#include "riscv/csr.h"

#define INSTRUCTIONS_PER_TICK 100 /* of `time` */

static const struct {
	unsigned number;
	bool writable;
	const char *name;
} csrs[] = {
	{CSR_FFLAGS, true, "fflags"}, {CSR_FRM, true, "frm"},	 {CSR_FCSR, true, "fcsr"},
	{CSR_CYCLE, false, "cycle"},  {CSR_TIME, false, "time"}, {CSR_INSTRET, false, "instret"},
};

bool csr_exists(unsigned number, bool writes)
{
	for (unsigned i = 0; i < sizeof csrs / sizeof *csrs; i++) {
		if (csrs[i].number == number)
			return csrs[i].writable || !writes;
	}
	return false;
}

const char *csr_name(unsigned number)
{
	for (unsigned i = 0; i < sizeof csrs / sizeof *csrs; i++) {
		if (csrs[i].number == number)
			return csrs[i].name;
	}
	return "unknown";
}

uint64_t csr_read(const struct riscv_hart *hart, unsigned number)
{
	switch (number) {
	case CSR_FFLAGS:
		return hart->fflags;
	case CSR_FRM:
		return hart->frm;
	case CSR_FCSR:
		return (uint64_t)hart->frm << 5 | hart->fflags;
	case CSR_TIME:
		return hart->instret / INSTRUCTIONS_PER_TICK;
	default:
		return hart->instret;
	}
}

static void csr_write(struct riscv_hart *hart, unsigned number, uint64_t value)
{
	if (number == CSR_FFLAGS || number == CSR_FCSR)
		hart->fflags = value & 31;
	if (number == CSR_FRM)
		hart->frm = value & 7;
	if (number == CSR_FCSR)
		hart->frm = value >> 5 & 7;
}

uint64_t csr_access(struct riscv_hart *hart, unsigned number, enum csr_action action, uint64_t source)
{
	uint64_t old = csr_read(hart, number);

	if (action == CSR_WRITE)
		csr_write(hart, number, source);
	else if (source)
		csr_write(hart, number, action == CSR_SET ? old | source : old & ~source);
	return old;
}
