/* golden_pairs core FIRST COUNT: a line for each pair. golden_pairs keys NUMBER: how its machine differs from the one it was drawn
 * around. golden_pairs analyses FIRST COUNT: what all analyses find. */
#include "pairs.h"

#include <stdlib.h>
#include <string.h>

static void print_keys(uint64_t number)
{
	static struct pair pair;
	struct machine base;
	pair_make(&pair, number);
	kernel_machine(&base, pair.around);
	printf("%s\n", pair.around);
	for (unsigned k = 0; k < any_machine_keys(); k++)
		if (any_machine_differs(&pair.machine, &base, k)) {
			any_machine_print(&pair.machine, k, stdout);
			printf("\n");
		}
}

static void run_pairs(uint64_t first, uint64_t count)
{
	static struct pair pair;
	printf("pair way    machine                insns  cycles misp. viol forw   L1D   L1I counts   times    causes  "
	       " log      state    "
	       "guest\n");
	for (uint64_t i = first; i < first + count; i++) {
		pair_make(&pair, i);
		pair_run(&pair, stdout);
	}
}

static void analyse_pairs(uint64_t first, uint64_t count)
{
	printf("  # machine                insns cycles run      stacks   records  commit   stalls   graph    recorded "
	       "critical oracle   "
	       "profiles samples  shotgun\n");
	for (uint64_t i = first; i < first + count; i++)
		pair_analyse(i, stdout);
}

int main(int argc, char **argv)
{
	const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 0) : 0,
		       count = argc > 3 ? strtoull(argv[3], NULL, 0) : 0;
	if (argc == 3 && !strcmp(argv[1], "keys"))
		print_keys(first);
	else if (argc == 4 && !strcmp(argv[1], "core"))
		run_pairs(first, count);
	else if (argc == 4 && !strcmp(argv[1], "analyses"))
		analyse_pairs(first, count);
	else
		return 2;
	return 0;
}
