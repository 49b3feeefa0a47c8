#include "report/code/result.h"

void code_result_ending(const struct code_result *r, FILE *out)
{
	if (!r->complete)
		fputs("  *** interrupted: the figures are of the part simulated so far ***\n", out);
	if (*r->killed)
		fprintf(out, "  *** killed by %s: %s ***\n", r->killed, r->reason);
}
