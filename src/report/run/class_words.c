/* The classes whose costs the verdict tells, as it calls them. */
#include "report/run/verdict.h"

#include <string.h>

const char *verdict_class_words(const char *name)
{
	static const struct {
		const char *name, *words;
	} rows[] = {{"dl1", "the latency of first-level hits"},	 {"win", "limits of the window"},
		    {"bw", "limits of width and units"},	 {"bmisp", "branch mispredictions"},
		    {"dmiss", "data-cache and TLB misses"},	 {"shalu", "the latency of one-cycle operations"},
		    {"lgalu", "the latency of long operations"}, {"imiss", "instruction-cache and TLB misses"}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].words;
	return name;
}
