/* STF, the Simulation Trace Format of Sparcians' stf_lib (Olympia, Dromajo, Pegasus, Spike's fork): records of one byte
 * that says which and a payload whose size follows from it, little-endian. What comes before an encoding (opcode
 * record) belongs to that instruction; an encoding's address is the one before plus its length, or what a target
 * record in between said. Sizes: stf_record.def. Version 1 is read, of one process, of RV64. */
#include "base/bytes.h"
#include "import/import.h"
#include "import/steps.h"

#include <inttypes.h>
#include <string.h>

enum stf_kind {
#define STF_RECORD(name, code, fixed, count_bytes, each) STF_##name = (code),
#include "import/stf_record.def"
};

enum { RISCV = 1, RV64 = 2, EVENT64 = 0x80000 };      /* of ISA, INST_IEM, TRACE_INFO_FEATURE */
enum { INTEGER = 1, FLOATING_POINT = 2, VECTOR = 3 }; /* the low four bits of a register's type */
enum { STATE = 1, DESTINATION = 3 };		      /* the next two: 2 is a source, which is known */
enum { READ = 1, WRITE = 2 };
enum { FIXED_MOST = 32, VECTOR_MOST = 65536, COUNTED_MOST = 1 << 24 };

struct stf {
	struct import_steps *s;
	FILE *in;
	uint64_t record; /* counted from 1 */
	uint64_t features;
	uint32_t vlen;
	uint64_t pc, target, process[2];
	bool begun, has_pc, turns; /* `turns`: the next instruction but one is at `target` */
	struct riscv_follow_step next;
	bool stores, has_content;
	uint64_t content;
};

static bool wrong(const struct stf *t, struct error *err, const char *why)
{
	return error_set(err, ERROR_INPUT, "%s: record %" PRIu64 ": %s", t->s->place, t->record, why);
}

static bool take(struct stf *t, void *to, size_t size, struct error *err)
{
	if (fread(to, 1, size, t->in) == size)
		return true;
	return ferror(t->in) ? error_set(err, ERROR_INPUT, "%s: %s", t->s->place, import_unreadable(t->in))
			     : wrong(t, err, "cut short");
}

static bool pass(struct stf *t, uint64_t size, struct error *err)
{
	uint8_t bytes[256];
	for (; size; size -= size < sizeof bytes ? size : sizeof bytes)
		TRY(take(t, bytes, size < sizeof bytes ? size : sizeof bytes, err));
	return true;
}

/* --- what records say --- */

/* Of the processor's thread, process and thread only the last two: threads of a program move. */
static bool is_of(struct stf *t, const uint8_t *at, struct error *err)
{
	const uint64_t process[2] = {bytes_number(at + 4, 4), bytes_number(at + 8, 4)};
	if (t->s->count && memcmp(process, t->process, sizeof process) != 0)
		return wrong(t, err, "a second process or thread: the trace of one is needed");
	memcpy(t->process, process, sizeof process);
	return true;
}

static bool take_register(struct stf *t, const uint8_t *at, struct error *err)
{
	const unsigned type = at[2] & 15, operand = at[2] >> 4 & 3;
	const uint64_t which = bytes_number(at, 2), value = bytes_number(at + 3, 8);
	if (type == VECTOR) {
		if (!t->vlen)
			return wrong(t, err, "a vector register, and no record of vectors' length");
		return pass(t, (t->vlen + 63ull) / 64 * 8 - 8, err);
	}
	if (type != INTEGER && type != FLOATING_POINT)
		return true;
	if (which > 31)
		return wrong(t, err, "a register that there is not: they are 0 to 31");
	const unsigned mine = (unsigned)which + (type == FLOATING_POINT ? 32 : 0);
	if (operand == DESTINATION && mine) {
		t->next.value = value;
		t->next.flags |= RISCV_FOLLOW_VALUE;
	} else if (operand == STATE && !t->s->count) {
		t->s->first[mine] = value;
		t->s->has_first |= (uint64_t)1 << mine;
	}
	return true;
}

/* Of several accesses the first one. */
static void take_access(struct stf *t, const uint8_t *at)
{
	if (t->next.flags & RISCV_FOLLOW_ADDRESS)
		return;
	t->next.address = bytes_number(at, 8);
	t->next.flags |= RISCV_FOLLOW_ADDRESS;
	t->stores = at[12] == WRITE;
}

static void take_content(struct stf *t, uint64_t value)
{
	if (t->has_content || !(t->next.flags & RISCV_FOLLOW_ADDRESS))
		return;
	t->has_content = true;
	t->content = value;
}

static bool take_encoding(struct stf *t, uint32_t bits, uint32_t length, struct error *err)
{
	const uint64_t pc = t->pc;
	if (!t->has_pc)
		return wrong(t, err, "an instruction before its address is told");
	if (((bits & 3) == 3 ? 4u : 2u) != length && bits)
		return wrong(t, err, "an encoding of another length than its record");
	t->pc = t->turns ? t->target : pc + length;
	t->turns = false;
	if (bits) { /* of an instruction that could not be fetched or decoded it is 0: it was not executed */
		struct riscv_follow_step *step = import_steps_add(t->s, err);
		TRY(step);
		*step = t->next;
		step->pc = pc;
		step->bits = bits;
		if (t->has_content && !(step->flags & RISCV_FOLLOW_VALUE)) {
			step->value = t->content;
			step->flags |= t->stores ? RISCV_FOLLOW_STORED : RISCV_FOLLOW_LOADED;
		}
	} else {
		t->s->left_out++;
	}
	t->next = (struct riscv_follow_step){.pc = 0};
	t->has_content = t->stores = false;
	return true;
}

static bool take_header(struct stf *t, enum stf_kind kind, const uint8_t *at, struct error *err)
{
	if (kind == STF_VERSION && bytes_number(at, 4) != 1)
		return wrong(t, err, "a version of STF that is not read: 1 is");
	if (kind == STF_ISA && bytes_number(at, 2) != RISCV)
		return wrong(t, err, "not of RISC-V");
	if (kind == STF_INST_IEM && bytes_number(at, 2) != RV64)
		return wrong(t, err, "not of RV64");
	if (kind == STF_TRACE_INFO_FEATURE)
		t->features = bytes_number(at, 8);
	if (kind == STF_VLEN_CONFIG)
		t->vlen = (uint32_t)bytes_number(at, 4);
	return t->vlen <= VECTOR_MOST || wrong(t, err, "vectors of more than 65536 bits");
}

static bool take_record(struct stf *t, enum stf_kind kind, const uint8_t *at, struct error *err)
{
	switch (kind) {
	case STF_PROCESS_ID_EXT:
		return is_of(t, at, err);
	case STF_FORCE_PC:
		t->pc = bytes_number(at, 8);
		t->has_pc = true;
		t->turns = false;
		return true;
	case STF_INST_PC_TARGET:
	case STF_EVENT_PC_TARGET:
		t->target = bytes_number(at, 8);
		t->turns = true;
		return true;
	case STF_INST_REG:
		return take_register(t, at, err);
	case STF_INST_MEM_ACCESS:
		if (at[12] != READ && at[12] != WRITE)
			return wrong(t, err, "an access that is neither a read nor a write");
		take_access(t, at);
		return true;
	case STF_INST_MEM_CONTENT:
		take_content(t, bytes_number(at, 8));
		return true;
	case STF_INST_OPCODE32:
		return take_encoding(t, (uint32_t)bytes_number(at, 4), 4, err);
	case STF_INST_OPCODE16:
		return take_encoding(t, (uint32_t)bytes_number(at, 2), 2, err);
	case STF_PROTOCOL_ID:
	case STF_CLOCK_ID:
		return wrong(t, err, "a trace of transactions, not of instructions");
	default:
		return take_header(t, kind, at, err);
	}
}

/* --- the stream --- */

struct layout {
	uint8_t fixed, count_bytes, each;
	bool known;
};

static struct layout layout_of(const struct stf *t, int kind)
{
	static const struct layout layouts[256] = {
#define STF_RECORD(name, code, fixed, count_bytes, each) [code] = {fixed, count_bytes, each, true},
#include "import/stf_record.def"
	};
	struct layout layout = layouts[kind];
	if (kind == STF_EVENT && !(t->features & EVENT64))
		layout.fixed = 4;
	return layout;
}

static bool read_record(struct stf *t, int kind, struct error *err)
{
	uint8_t fixed[FIXED_MOST], count[4] = {0};
	const struct layout layout = layout_of(t, kind);
	t->record++;
	if (!layout.known)
		return error_set(err, ERROR_INPUT, "%s: record %" PRIu64 ": a kind that is not known: %d", t->s->place,
				 t->record, kind);
	if ((t->record == 1) != (kind == STF_IDENTIFIER))
		return wrong(t, err, t->record == 1 ? "not the identifier of an STF file" : "a second identifier");
	TRY(take(t, fixed, layout.fixed, err) && take(t, count, layout.count_bytes, err));
	const uint64_t size = bytes_number(count, layout.count_bytes) * layout.each;
	if (size > COUNTED_MOST)
		return wrong(t, err, "longer than 16 MiB");
	return pass(t, size, err) && take_record(t, (enum stf_kind)kind, fixed, err);
}

bool import_stf_is(const char *head, size_t size)
{
	return size >= 4 && !memcmp(head, "\1STF", 4);
}

bool import_stf(struct import_steps *s, FILE *in, struct error *err)
{
	struct stf t = {.s = s, .in = in};
	bool good = true;
	s->has_code = true;
	s->format = "STF";
	s->left_what = "encodings";
	for (int kind; good && (kind = getc(in)) != EOF;)
		good = read_record(&t, kind, err);
	return good;
}
