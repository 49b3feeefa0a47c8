/* golden_nets recorded FIRST COUNT, golden_nets made FIRST COUNT: a line for each stream, with what the analyses make of it. */
#include "net.h"

#include <stdlib.h>
#include <string.h>

static const struct net_column columns[] = {
	{"graph    varied   few", false, net_graph},
	{"critical", false, net_critical},
	{"check   ", false, net_check},
	{"refused ", false, net_refused},
	{"causes  ", false, net_causes},
	{"commit  ", false, net_commit},
	{"insns   ", false, net_insns},
	{"calls   ", false, net_calls},
	{"profiles", true, net_profiles},
	{"stalls  ", false, net_stalls},
	{"engine  ", false, net_engine},
	{"replay  ", true, net_replay},
	{"stacks  ", true, net_stacks},
	{"pipe    ", true, net_pipe},
	{"window  ", true, net_window},
	{"samples  shotgun ", true, net_shotgun},
	{"branches", true, net_branches},
	{"truth   ", false, net_truth},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void print_stream(const struct net_stream *s, FILE *out)
{
	static const char *const told[TOLDS] = {"all", "less", "weights", "other"};
	fprintf(out, "%3llu %-7s %-22s %5zu %7llu", (unsigned long long)s->number, told[s->told], s->around, s->count,
		(unsigned long long)s->cycles);
	for (unsigned i = 0; i < COLUMNS; i++)
		if (s->recorded || !columns[i].recorded)
			columns[i].print(s, out);
	fprintf(out, "%s\n", s->failed ? " failed" : "");
}

int main(int argc, char **argv)
{
	static struct net_stream s;
	const bool recorded = argc == 4 && !strcmp(argv[1], "recorded");
	if (argc != 4 || (!recorded && strcmp(argv[1], "made") != 0))
		return 2;
	const uint64_t first = strtoull(argv[2], NULL, 0), count = strtoull(argv[3], NULL, 0);
	printf("  # told    machine                insns  cycles");
	for (unsigned i = 0; i < COLUMNS; i++)
		if (recorded || !columns[i].recorded)
			printf(" %s", columns[i].heading);
	printf("\n");
	for (uint64_t i = first; i < first + count; i++) {
		(recorded ? net_record : net_make)(&s, i);
		print_stream(&s, stdout);
		net_release(&s);
	}
	return 0;
}
