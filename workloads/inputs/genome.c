/* A genome with repeats, and reads of it with errors, for a read mapper (bwa). The genome is a function of the
 * position, so that the reads need no copy of the file. */
#include "inputs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { GENOME_BASES = 8000000, READ_BASES = 150, FAMILIES = 40, FAMILY_BASES = 600, LINE = 80 };

static char *make_genome(uint64_t bases)
{
	char *genome = malloc(bases + 1);
	char family[FAMILIES][FAMILY_BASES];
	struct random r = {2};
	if (!genome) {
		perror("workload-input");
		exit(125);
	}
	for (int i = 0; i < FAMILIES; i++)
		for (int j = 0; j < FAMILY_BASES; j++)
			family[i][j] = "ACGT"[random_below(&r, 4)];
	for (uint64_t i = 0; i < bases;) {
		uint64_t unique = 500 + random_below(&r, 4000);
		for (; unique > 0 && i < bases; unique--)
			genome[i++] = "AACGTT"[random_below(&r, 6)];
		const char *copy = family[random_below(&r, FAMILIES)];
		for (int j = 0; j < FAMILY_BASES && i < bases; j++)
			genome[i++] = random_below(&r, 12) ? copy[j] : "ACGT"[random_below(&r, 4)];
	}
	return genome;
}

void input_genome(uint64_t bases)
{
	char *genome = make_genome(bases);
	printf(">chr1\n");
	for (uint64_t i = 0; i < bases; i += LINE)
		printf("%.*s\n", (int)(bases - i < LINE ? bases - i : LINE), genome + i);
	free(genome);
}

static char complement(char base)
{
	return base == 'A' ? 'T' : base == 'C' ? 'G' : base == 'G' ? 'C' : 'A';
}

/* Copy a read from the genome at `from`: one base in a hundred wrong, one in a thousand skipped. */
static void take_read(struct random *r, const char *genome, uint64_t from, char read[READ_BASES])
{
	for (int i = 0; i < READ_BASES; i++, from++) {
		uint32_t chance = random_below(r, 1000);
		from += chance == 0;
		read[i] = chance < 10 ? "ACGT"[random_below(r, 4)] : genome[from];
	}
}

void input_reads(uint64_t count)
{
	char *genome = make_genome(GENOME_BASES), read[READ_BASES], quality[READ_BASES];
	struct random r = {3};
	for (uint64_t n = 0; n < count; n++) {
		take_read(&r, genome, random_below(&r, GENOME_BASES - 2 * READ_BASES), read);
		bool reverse = random_below(&r, 2);
		for (int i = 0; reverse && i < READ_BASES / 2; i++) {
			char base = complement(read[i]);
			read[i] = complement(read[READ_BASES - 1 - i]);
			read[READ_BASES - 1 - i] = base;
		}
		for (int i = 0; i < READ_BASES; i++)
			quality[i] = (char)('#' + random_below(&r, 38));
		printf("@read%llu\n%.*s\n+\n%.*s\n", (unsigned long long)n, READ_BASES, read, READ_BASES, quality);
	}
	free(genome);
}
