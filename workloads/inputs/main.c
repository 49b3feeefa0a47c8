/* workload-input NAME SIZE: print the generated input NAME of the given size to stdout. */
#include "inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct input {
	const char *name, *size;
	void (*print)(uint64_t size);
} inputs[] = {
	{"text", "bytes", input_text},		 {"sentences", "count", input_sentences},
	{"csource", "functions", input_csource}, {"flow", "nodes", input_flow},
	{"cnf", "variables", input_cnf},	 {"genome", "bases", input_genome},
	{"reads", "count", input_reads},
};

static int usage(void)
{
	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
		fprintf(stderr, "%s workload-input %s %s\n", i ? "      " : "usage:", inputs[i].name, inputs[i].size);
	return 125;
}

int main(int argc, char **argv)
{
	char *end;
	uint64_t size = argc == 3 ? strtoull(argv[2], &end, 10) : 0;
	if (argc != 3 || *end || !size)
		return usage();
	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
		if (strcmp(inputs[i].name, argv[1]) != 0)
			continue;
		inputs[i].print(size);
		if (fflush(stdout) == 0 && !ferror(stdout))
			return 0;
		perror("workload-input");
		return 125;
	}
	return usage();
}
