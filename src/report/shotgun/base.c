/* The fragments' own time against the counted one: is the difference more than sampling explains, which figure of
 * the profile says why, and what helps. */
#include "report/format.h"
#include "report/shotgun/report.h"

#include <inttypes.h>
#include <math.h>

enum { FEW = 30 };		/* fragments */
static const double MUCH = 2;	/* percent of fragments or instructions */
static const double UNLIKE = 5; /* percent of time */

static double percent(uint64_t part, uint64_t whole)
{
	return 100 * format_ratio((double)part, (double)whole);
}

static const char *direction(double error)
{
	return error > 0 ? "longer" : "shorter";
}

void shotgun_base_head(const struct shotgun_report *r, FILE *out)
{
	const struct graph_base *b = &r->graph.base;
	double error = graph_base_error(b);
	if (graph_base_vague(b))
		fprintf(out,
			"  *** shotgun: its samples tell the run's time to +-%.0f%% only: do not trust its figures "
			"***\n",
			b->interval);
	else if (graph_base_off(b))
		fprintf(out,
			"  *** shotgun: the fragments' time is %.1f%% %s than the run's: do not trust its figures "
			"***\n",
			fabs(error), direction(error));
}

/* The class whose latencies make the fragments' time most unlike the run's. */
static unsigned most_unlike(const struct culprit_shotgun_results *x)
{
	unsigned most = 0;
	for (unsigned c = 1; c < x->graph.class_count; c++)
		most = x->has_single[c] && x->unlike[c] > x->unlike[most] ? c : most;
	return most;
}

static void print_unlike(const struct shotgun_report *r, const char *mark, FILE *out)
{
	const struct culprit_shotgun_results *x = r->results;
	unsigned c = most_unlike(x);
	double all = x->single[c], used = x->single_used[c];
	if (fabs(all - used) < UNLIKE || fabs(all - used) < fmax(all, used) / 4)
		return;
	fprintf(out,
		"  %sThe fragments are not like the whole run. Latencies of %s, added up,\n"
		"  %sare %.1f%% of the time in all detailed samples, %.1f%% in the fragments.\n"
		"  %sThe intervals allow for it. More signature samples make it less (a\n"
		"  %ssmaller --signature-interval, a longer region).\n",
		mark, x->graph.names[c], mark, all, used, mark, mark);
}

/* What a fragment is made of is not there. */
static bool print_lacking(const struct culprit_shotgun_results *x, FILE *out)
{
	bool few = x->built < FEW;
	bool aborted = percent(x->aborted, x->built + x->aborted) > MUCH;
	uint64_t strange = x->missing > x->borrowed ? x->missing : x->borrowed;
	bool other = percent(strange, x->instructions) > MUCH;
	if (few)
		fprintf(out, "  *** Only %" PRIu64 " fragment%s built. More signature samples help. ***\n", x->built,
			x->built == 1 ? " was" : "s were");
	if (aborted)
		fprintf(out,
			"  *** %" PRIu64 " fragments of %" PRIu64 " could not be built, and may be unlike those that "
			"could. More detailed\n  *** samples help. ***\n",
			x->aborted, x->built + x->aborted);
	if (other)
		fprintf(out,
			"  *** %.1f%% of the instructions have no detailed sample of their own. More detailed samples "
			"help. ***\n",
			percent(strange, x->instructions));
	return few || aborted || other;
}

static void print_reasons(const struct shotgun_report *r, FILE *out)
{
	const struct graph_base *b = &r->graph.base;
	for (size_t i = 0; i < b->gap_count; i++)
		fprintf(out, "  *** The graph does not model all that this machine has: %s ***\n", b->gaps[i]);
	if (!print_lacking(r->results, out) && !b->gap_count && !graph_base_vague(b))
		fprintf(out,
			"  *** No figure of this profile says why: the samples do not have what this time goes to.\n"
			"  *** --with graph, which sees every instruction, does. ***\n");
}

void shotgun_base_text(const struct shotgun_report *r, FILE *out)
{
	const struct graph_base *b = &r->graph.base;
	double error = graph_base_error(b);
	bool off = graph_base_off(b);
	if (graph_base_vague(b))
		fprintf(out,
			"  *** The samples tell the run's time to +-%.0f%% only. Do not trust the figures below. ***\n",
			b->interval);
	else if (off)
		fprintf(out,
			"  *** The fragments' time is %.1f%% %s than the run's, which was counted. Chance explains "
			"%.1f%%.\n"
			"  *** Do not trust the figures below. ***\n",
			fabs(error), direction(error), b->interval);
	if (off)
		print_reasons(r, out);
	print_unlike(r, off ? "*** " : "", out);
}
