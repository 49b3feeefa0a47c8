/* Random instruction sequences: our executors against an independent emulator, every register and byte.
 *
 * usage: random_sequences [-bfc] [-e EMULATOR] [-a COMMAND] [-s SEED] [-p PROGRAMS] [-n SEQUENCES] [-l LENGTH]
 *
 * -b: bit manipulation, too (Zba, Zbb, Zbc, Zbs), which qemu-user has from version 7.1 on. -f: Zfh and Zfa, -c: Zacas, which it
 * has from 8.2 on.
 * EMULATOR PROGRAM and, if given, COMMAND PROGRAM must write what our executors (host.h) give. The environment variable
 * CULPRIT_RANDOM_PROGRAMS overrides PROGRAMS. Exit status 77 when there is no emulator. */
#include "random/host.h"
#include "riscv/riscv.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SKIPPED 77
#define COMMAND_SECONDS 60    /* of processor time */
#define ENOUGH_SEQUENCES 1000 /* to reach every row of the instruction table */

struct options {
	const char *emulator, *also;
	uint64_t seed, beyond; /* beyond: bits of the seed */
	unsigned programs, sequences, length;
	char folder[64], elf[80], out[80];
};

static const char *const x_names[] = {
	"sequence", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",	 "a1",	"a2", "a3", "a4", "a5",
	"a6",	    "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

/* Run a shell command line on the program, its output into a file. False unless it ends with status 0. */
static bool run_command(const struct options *options, const char *command)
{
	char line[1000];

	snprintf(line, sizeof line, "ulimit -t %d; %s %s >%s", COMMAND_SECONDS, command, options->elf, options->out);
	return system(line) == 0;
}

static void read_output(const char *path, struct host_output *output)
{
	FILE *file = fopen(path, "rb");
	long size = 0;

	if (!file)
		return;
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	output->bytes = malloc((size_t)size + 1);
	if (!output->bytes)
		abort();
	output->size = fread(output->bytes, 1, (size_t)size, file);
	fclose(file);
}

static void run_elsewhere(const struct options *options, const char *command, struct host_output *output)
{
	*output = (struct host_output){0};
	if (!run_command(options, command))
		snprintf(output->trouble, sizeof output->trouble, "%.100s failed", command);
	read_output(options->out, output);
}

/* --- comparing --- */

#define NO_DIFFERENCE UINT32_MAX

/* The first sequence whose records differ. */
static unsigned first_difference(const struct program *program, const struct host_output *expected,
				 const struct host_output *got)
{
	size_t size = sizeof(struct record);

	for (unsigned i = 0; i < program->count; i++)
		if (expected->size < (i + 1) * size || got->size < (i + 1) * size ||
		    memcmp(expected->bytes + i * size, got->bytes + i * size, size))
			return i;
	return *got->trouble || *expected->trouble ? program->count - 1 : NO_DIFFERENCE;
}

static bool read_record(const struct host_output *output, unsigned number, struct record *record)
{
	if (output->size < (number + 1) * sizeof *record)
		return false;
	memcpy(record, output->bytes + number * sizeof *record, sizeof *record);
	return true;
}

static void print_difference(const char *name, unsigned index, uint64_t initial, uint64_t expected, uint64_t got)
{
	if (expected != got)
		printf("  %s%.0u: expected %016" PRIx64 ", got %016" PRIx64 " (before: %016" PRIx64 ")\n", name, index,
		       expected, got, initial);
}

static void print_differences(const struct record *initial, const struct record *expected, const struct record *got)
{
	for (unsigned i = 0; i < 32; i++)
		print_difference(x_names[i], 0, initial->x[i], expected->x[i], got->x[i]);
	for (unsigned i = 0; i < 32; i++) {
		char name[8];
		snprintf(name, sizeof name, "f%u", i);
		print_difference(name, 0, initial->f[i], expected->f[i], got->f[i]);
	}
	print_difference("fcsr", 0, initial->fcsr, expected->fcsr, got->fcsr);
	for (unsigned i = 0; i < SCRATCH_BYTES; i++)
		if (expected->scratch[i] != got->scratch[i]) {
			printf("  scratch byte %d from the base: expected %02x, got %02x\n", (int)i - BASE_OFFSET,
			       expected->scratch[i], got->scratch[i]);
			return;
		}
}

static void print_sequence(const struct program *program, unsigned number)
{
	const struct sequence *sequence = &program->sequences[number];
	char text[100];

	for (size_t at = sequence->start; at < sequence->end;) {
		uint32_t raw = program->code[at];
		unsigned halves = (raw & 3) == 3 ? 2 : 1;
		if (halves == 2)
			raw |= (uint32_t)program->code[at + 1] << 16;
		riscv_disassemble(raw, program_address(at), text, sizeof text);
		printf("  %8" PRIx64 ": %0*" PRIx32 "%*s %s\n", program_address(at), (int)halves * 4, raw,
		       halves == 2 ? 0 : 4, "", text);
		at += halves;
	}
}

static void report(const struct program *program, const char *name, unsigned number, const struct host_output *expected,
		   const struct host_output *got)
{
	struct record initial = program->records[number], want, have;

	if (*expected->trouble)
		printf("  reference: %s\n", expected->trouble);
	if (*got->trouble)
		printf("  %s: %s\n", name, got->trouble);
	if (read_record(expected, number, &want) && read_record(got, number, &have))
		print_differences(&initial, &want, &have);
	else
		printf("  no record: the reference wrote %zu bytes, %s %zu\n", expected->size, name, got->size);
	print_sequence(program, number);
}

/* --- one program in every way --- */

struct failure {
	unsigned sequence; /* NO_DIFFERENCE: none */
	unsigned way;	   /* below HOST_MODES: that mode; else the other command */
	uint64_t instructions;
};

static const char *way_name(const struct options *options, unsigned way)
{
	return way < HOST_MODES ? host_mode_names[way] : options->also;
}

static struct failure try_program(const struct options *options, const struct program *program,
				  struct coverage *coverage, bool verbose)
{
	struct failure failure = {.sequence = NO_DIFFERENCE};
	struct host_output expected, got;
	unsigned ways = options->also ? HOST_MODES + 1 : HOST_MODES;

	if (!program_write_elf(program, options->elf)) {
		perror(options->elf);
		exit(1);
	}
	run_elsewhere(options, options->emulator, &expected);
	for (unsigned way = 0; way < ways && failure.sequence == NO_DIFFERENCE; way++) {
		if (way < HOST_MODES)
			host_run(program, way, &got, coverage);
		else
			run_elsewhere(options, options->also, &got);
		failure.sequence = first_difference(program, &expected, &got);
		failure.way = way;
		if (way == HOST_RUN)
			failure.instructions = got.instructions;
		else if (way < HOST_MODES && got.instructions != failure.instructions && !*got.trouble)
			printf("%s counts %" PRIu64 " instructions, %s %" PRIu64 "\n", host_mode_names[HOST_RUN],
			       failure.instructions, host_mode_names[way], got.instructions),
				failure.sequence = 0;
		if (verbose && failure.sequence != NO_DIFFERENCE)
			report(program, way_name(options, way), failure.sequence, &expected, &got);
		free(got.bytes);
	}
	free(expected.bytes);
	return failure;
}

/* Generate and run again, with all or one sequence; if that fails, show it. */
static bool fails_again(const struct options *options, uint64_t seed, unsigned length, unsigned only, bool verbose)
{
	struct coverage unused = {0};
	struct program program;
	struct failure failure;

	program_generate(&program, seed, options->sequences, length, only);
	failure = try_program(options, &program, &unused, verbose);
	program_free(&program);
	return failure.sequence != NO_DIFFERENCE;
}

/* Find the shortest beginning of the failing sequence that fails on its own, and show it; some need what went before. */
static void narrow_down(const struct options *options, uint64_t seed, const struct failure *failure)
{
	unsigned length = 0;

	while (length < options->length && !fails_again(options, seed, length, failure->sequence, false))
		length++;
	printf("seed %" PRIu64 ", sequence %u, %s\n", seed, failure->sequence, way_name(options, failure->way));
	printf("its first %u units alone:\n", length);
	if (fails_again(options, seed, length, failure->sequence, true))
		return;
	printf("  alike; with the sequences before it:\n");
	if (!fails_again(options, seed, options->length, ALL_SEQUENCES, true))
		printf("  alike this time\n");
}

static bool run_all(const struct options *options)
{
	struct coverage coverage = {0};
	uint64_t instructions = 0;

	for (unsigned i = 0; i < options->programs; i++) {
		struct program program;
		struct failure failure;

		program_generate(&program, options->seed + i, options->sequences, options->length, ALL_SEQUENCES);
		failure = try_program(options, &program, &coverage, false);
		program_free(&program);
		instructions += failure.instructions;
		if (failure.sequence != NO_DIFFERENCE) {
			narrow_down(options, options->seed + i, &failure);
			printf("again: -s %" PRIu64 " -p 1 -n %u -l %u\n", options->seed + i, options->sequences,
			       options->length);
			return false;
		}
	}
	printf("%u sequences alike in %u ways, %" PRIu64 " instructions\n", options->programs * options->sequences,
	       HOST_MODES + !!options->also, instructions);
	return options->programs * options->sequences < ENOUGH_SEQUENCES ||
	       coverage_complete(&coverage, options->beyond);
}

static void parse_arguments(int argc, char **argv, struct options *options)
{
	const char *programs = getenv("CULPRIT_RANDOM_PROGRAMS");
	int letter;

	while ((letter = getopt(argc, argv, "bfce:a:s:p:n:l:")) != -1) {
		switch (letter) {
		case 'b':
			options->beyond |= RANDOM_BITS;
			break;
		case 'f':
			options->beyond |= RANDOM_HALF;
			break;
		case 'c':
			options->beyond |= RANDOM_SWAPS;
			break;
		case 'e':
			options->emulator = optarg;
			break;
		case 'a':
			options->also = optarg;
			break;
		case 's':
			options->seed = strtoull(optarg, NULL, 0);
			break;
		case 'p':
			options->programs = (unsigned)atoi(optarg);
			break;
		case 'n':
			options->sequences = (unsigned)atoi(optarg);
			break;
		case 'l':
			options->length = (unsigned)atoi(optarg);
			break;
		default:
			exit(2);
		}
	}
	options->seed |= options->beyond;
	if (programs)
		options->programs = (unsigned)atoi(programs);
	if (!options->sequences || options->length > MAX_UNITS) {
		fprintf(stderr, "random_sequences: at least one sequence, of at most %d units\n", MAX_UNITS);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct options options = {
		.emulator = "qemu-riscv64", .seed = 1, .programs = 30, .sequences = 100, .length = 40};
	char probe[1000];
	bool alike;

	parse_arguments(argc, argv, &options);
	snprintf(probe, sizeof probe, "%s --version >/dev/null 2>&1", options.emulator);
	if (system(probe)) {
		printf("no emulator to compare with: %s\n", options.emulator);
		return SKIPPED;
	}
	snprintf(options.folder, sizeof options.folder, "/tmp/random_sequences.XXXXXX");
	if (!mkdtemp(options.folder)) {
		perror(options.folder);
		return 1;
	}
	snprintf(options.elf, sizeof options.elf, "%s/program", options.folder);
	snprintf(options.out, sizeof options.out, "%s/out", options.folder);
	alike = run_all(&options);
	unlink(options.elf);
	unlink(options.out);
	rmdir(options.folder);
	return alike ? 0 : 1;
}
