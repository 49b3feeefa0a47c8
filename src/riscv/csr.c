/* See csr.h. */
#include "riscv/csr.h"

#include "riscv/vector.h"

#define INSTRUCTIONS_PER_TICK 100 /* of `time` */

static const struct {
	unsigned number;
	bool writable;
	const char *name;
} csrs[] = {
	{CSR_FFLAGS, true, "fflags"}, {CSR_FRM, true, "frm"},	  {CSR_FCSR, true, "fcsr"},
	{CSR_CYCLE, false, "cycle"},  {CSR_TIME, false, "time"},  {CSR_INSTRET, false, "instret"},
	{CSR_VSTART, true, "vstart"}, {CSR_VXSAT, true, "vxsat"}, {CSR_VXRM, true, "vxrm"},
	{CSR_VCSR, true, "vcsr"},     {CSR_VL, false, "vl"},	  {CSR_VTYPE, false, "vtype"},
	{CSR_VLENB, false, "vlenb"},
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

bool csr_is_vector(unsigned number)
{
	return (number >= CSR_VSTART && number <= CSR_VCSR) || (number >= CSR_VL && number <= CSR_VLENB);
}

static uint64_t vector_read(const struct riscv_vector *v, unsigned number)
{
	switch (number) {
	case CSR_VSTART:
		return v->vstart;
	case CSR_VXSAT:
		return v->vxsat;
	case CSR_VXRM:
		return v->vxrm;
	case CSR_VCSR:
		return (uint64_t)v->vxrm << 1 | v->vxsat;
	case CSR_VL:
		return v->vl;
	case CSR_VTYPE:
		return v->vtype;
	default:
		return v->vlenb;
	}
}

static void vector_write(struct riscv_vector *v, unsigned number, uint64_t value)
{
	if (number == CSR_VSTART)
		v->vstart = value & (8ull * v->vlenb - 1);
	if (number == CSR_VXSAT || number == CSR_VCSR)
		v->vxsat = value & 1;
	if (number == CSR_VXRM)
		v->vxrm = value & 3;
	if (number == CSR_VCSR)
		v->vxrm = value >> 1 & 3;
}

uint64_t csr_read(const struct riscv_hart *hart, unsigned number)
{
	if (csr_is_vector(number))
		return vector_read(hart->vector, number);
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
	if (csr_is_vector(number))
		vector_write(hart->vector, number, value);
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
