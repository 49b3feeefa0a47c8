/* The frame around the random parts (see program.h), and the ELF file. */
#include "random/program.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RA = 1, A0 = 10, A1 = 11, A2 = 12, A7 = 17 };
enum { SYS_WRITE = 64, SYS_EXIT = 93 };

#define FILE_PAGE 4096

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		abort();
	return memory;
}

uint64_t program_address(size_t half)
{
	return CODE_ADDRESS + 2 * half;
}

void program_emit16(struct program *program, uint16_t half)
{
	if (program->halves == program->room) {
		program->room = program->room ? 2 * program->room : 4096;
		program->code = realloc(program->code, program->room * sizeof *program->code);
		if (!program->code)
			abort();
	}
	program->code[program->halves++] = half;
}

void program_emit32(struct program *program, uint32_t word)
{
	program_emit16(program, (uint16_t)word);
	program_emit16(program, (uint16_t)(word >> 16));
}

unsigned pick(struct random *random, unsigned limit)
{
	return (unsigned)((random_next(random) >> 32) % limit);
}

/* Instruction formats that the frame needs. */
static uint32_t i_type(uint32_t word, unsigned rd, unsigned rs1, int imm)
{
	return word | rd << 7 | rs1 << 15 | (uint32_t)imm << 20;
}

static uint32_t s_type(uint32_t word, unsigned rs1, unsigned rs2, int imm)
{
	return word | ((uint32_t)imm & 31) << 7 | rs1 << 15 | rs2 << 20 | (uint32_t)imm >> 5 << 25;
}

static void load_constant(struct program *program, unsigned rd, uint32_t value)
{
	program_emit32(program, 0x37 | rd << 7 | ((value + 0x800) & 0xfffff000)); /* lui */
	program_emit32(program, i_type(0x1b, rd, rd, (int)(value << 20) >> 20));  /* addiw */
}

static int x_offset(unsigned i)
{
	return (int)(offsetof(struct record, x) + 8 * i) - BASE_OFFSET;
}

static int f_offset(unsigned i)
{
	return (int)(offsetof(struct record, f) + 8 * i) - BASE_OFFSET;
}

#define FCSR_OFFSET ((int)offsetof(struct record, fcsr) - BASE_OFFSET)

/* Any register but the base will do to carry fcsr. */
static unsigned carrier(unsigned base)
{
	return base == RA ? A0 : RA;
}

static void emit_prologue(struct program *program, unsigned base, uint32_t record_address)
{
	load_constant(program, base, record_address + BASE_OFFSET);
	program_emit32(program, i_type(0x3003, carrier(base), base, FCSR_OFFSET)); /* ld */
	program_emit32(program, 0x00301073 | carrier(base) << 15);		   /* csrw fcsr */
	for (unsigned i = 0; i < 32; i++)
		program_emit32(program, i_type(0x3007, i, base, f_offset(i))); /* fld */
	for (unsigned i = 1; i < 32; i++)
		if (i != base)
			program_emit32(program, i_type(0x3003, i, base, x_offset(i))); /* ld */
}

static void emit_epilogue(struct program *program, unsigned base, uint32_t record_address)
{
	for (unsigned i = 1; i < 32; i++)
		program_emit32(program, s_type(0x3023, base, i, x_offset(i))); /* sd */
	for (unsigned i = 0; i < 32; i++)
		program_emit32(program, s_type(0x3027, base, i, f_offset(i))); /* fsd */
	program_emit32(program, 0x00302073 | carrier(base) << 7);	       /* csrr fcsr */
	program_emit32(program, s_type(0x3023, base, carrier(base), FCSR_OFFSET));
	load_constant(program, A0, 1);
	load_constant(program, A1, record_address);
	load_constant(program, A2, sizeof(struct record));
	load_constant(program, A7, SYS_WRITE);
	program_emit32(program, 0x73); /* ecall */
}

static uint16_t random16(struct random *random)
{
	static const uint16_t edges[] = {0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7e00};
	uint16_t sign = pick(random, 2) ? 0x8000 : 0;

	return (uint16_t)(sign | (pick(random, 4) ? pick(random, 0x7c00) : edges[pick(random, COUNT(edges))]));
}

static uint64_t random_f_register(struct random *random, bool half)
{
	if (half && pick(random, 2))
		return 0xffffffffffff0000 | random16(random);
	switch (pick(random, 16)) {
	case 0:
		return random_next(random); /* as a single: not boxed */
	case 1 ... 8:
		return random64(random);
	default:
		return 0xffffffff00000000 | random32(random);
	}
}

static void fill_record(struct record *record, struct random *random, unsigned number, bool half)
{
	record->x[0] = number;
	for (int i = 1; i < 32; i++)
		record->x[i] = random_integer(random);
	for (int i = 0; i < 32; i++)
		record->f[i] = random_f_register(random, half);
	record->fcsr = pick(random, 2) ? pick(random, 32) : 0; /* half of them start with no flag up */
	record->fcsr |= pick(random, 5) << 5;
	for (size_t i = 0; i < SCRATCH_BYTES; i += 8) {
		uint64_t value = pick(random, 3) ? random_f_register(random, half) : random_integer(random);
		memcpy(record->scratch + i, &value, 8);
	}
}

/* Compressed loads and stores want the base among x8..x15 or in sp. */
static unsigned random_base(struct random *random)
{
	switch (pick(random, 3)) {
	case 0:
		return 2;
	case 1:
		return 8 + pick(random, 8);
	default:
		return 1 + pick(random, 31);
	}
}

static void generate_sequence(struct program *program, unsigned number, unsigned length)
{
	struct sequence *sequence = &program->sequences[number];
	struct random random = {sequence->seed};
	uint32_t address = (uint32_t)(DATA_ADDRESS + number * sizeof(struct record));
	unsigned base = random_base(&random);

	fill_record(&program->records[number], &random, number, program->beyond & RANDOM_HALF);
	emit_prologue(program, base, address);
	sequence->start = program->halves;
	units_generate(program, &random, base, length);
	sequence->end = program->halves;
	emit_epilogue(program, base, address);
}

void program_generate(struct program *program, uint64_t seed, unsigned count, unsigned length, unsigned only)
{
	struct random seeds = {seed * 0x9e3779b97f4a7c15 + 0x5851f42d4c957f2d};

	*program = (struct program){.count = count, .beyond = seed & (RANDOM_BITS | RANDOM_HALF | RANDOM_SWAPS)};
	program->sequences = allocate(count, sizeof *program->sequences);
	program->records = allocate(count, sizeof *program->records);
	for (unsigned i = 0; i < count; i++) {
		program->sequences[i].seed = random_next(&seeds) | 1;
		generate_sequence(program, i, only == ALL_SEQUENCES || only == i ? length : 0);
	}
	load_constant(program, A0, 0);
	load_constant(program, A7, SYS_EXIT);
	program_emit32(program, 0x73);
	if (program_address(program->halves) > DATA_ADDRESS)
		abort(); /* too many sequences for one program */
}

void program_free(struct program *program)
{
	free(program->sequences);
	free(program->records);
	free(program->code);
}

static void put(uint8_t *file, size_t offset, const void *from, size_t size)
{
	memcpy(file + offset, from, size);
}

bool program_write_elf(const struct program *program, const char *path)
{
	size_t code_bytes = 2 * program->halves, data_bytes = program->count * sizeof(struct record);
	size_t data_offset = FILE_PAGE + (code_bytes + FILE_PAGE - 1) / FILE_PAGE * FILE_PAGE;
	size_t size = data_offset + data_bytes;
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_RISCV,
		.e_version = EV_CURRENT,
		.e_entry = CODE_ADDRESS,
		.e_phoff = sizeof header,
		.e_flags = 5, /* compressed instructions, doubles in registers */
		.e_ehsize = sizeof header,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
	};
	Elf64_Phdr segments[2] = {
		{PT_LOAD, PF_R | PF_W | PF_X, FILE_PAGE, CODE_ADDRESS, CODE_ADDRESS, code_bytes, code_bytes, FILE_PAGE},
		{PT_LOAD, PF_R | PF_W, data_offset, DATA_ADDRESS, DATA_ADDRESS, data_bytes, data_bytes, FILE_PAGE},
	};
	uint8_t *file = allocate(1, size);
	FILE *out = fopen(path, "wb");
	bool done = false;

	put(file, 0, &header, sizeof header);
	put(file, sizeof header, segments, sizeof segments);
	put(file, FILE_PAGE, program->code, code_bytes);
	put(file, data_offset, program->records, data_bytes);
	if (out) {
		done = fwrite(file, 1, size, out) == size;
		done &= !fchmod(fileno(out), 0755);
		done &= !fclose(out);
	}
	free(file);
	return done;
}
