/* culprit model --scaling FILE: time for each instruction against depth and width, optimum depths by search and by formula, the
 * issue rates of figure 21, and the balanced window. One line of CSV for each figure, with the study's name in front. */
#include "cli/model_scaling.h"

#include "base/output.h"
#include "interval/model/scaling.h"

static const double widths[] = {2, 4, 6, 8}, shares[] = {1, 0.5, 0};
enum { WIDTHS = 4, SHARES = 3, DEEPEST = 40, RAMP = 96, RAMP_CYCLES = 400 };

static void print_point(const char *name, const struct scaling_point *p, FILE *out)
{
	fprintf(out, "%s,%g,%g,%g,%.0f,%.5f,%.5f,%.5f,%.5f,%.5f,%.5f,%.5f,%.5f\n", name, p->width, p->depth,
		p->pipelined, p->window, p->tpi, p->dispatch, p->edge, p->icache, p->resolve, p->refill, p->long_miss,
		p->tlb);
}

static bool depths(const struct scaling *s, FILE *out, struct error *err)
{
	for (int w = 0; w < WIDTHS; w++)
		for (int f = 0; f < SHARES; f++)
			for (int p = 3; p <= DEEPEST; p++) {
				struct scaling_point point;
				TRY(scaling_point(s, widths[w], p, shares[f], &point, err));
				print_point("tpi", &point, out);
			}
	return true;
}

static bool optima(const struct scaling *s, FILE *out, struct error *err)
{
	printf("Optimum depth (stages) of balanced processors: by search, by the formula, search x sqrt(D)\n  %5s",
	       "D");
	for (int f = 0; f < SHARES; f++)
		printf("      miss paths pipelined %.0f%%", 100 * shares[f]);
	putchar('\n');
	for (int w = 0; w < WIDTHS; w++) {
		printf("  %5g", widths[w]);
		for (int f = 0; f < SHARES; f++) {
			struct scaling_point best;
			double formula;
			TRY(scaling_search(s, widths[w], shares[f], &best, err));
			TRY(scaling_formula(s, widths[w], shares[f], &formula, err));
			print_point("optimum", &best, out);
			fprintf(out, "formula,%g,%.3f,%g,0,0,0,0,0,0,0,0,0\n", widths[w], formula, shares[f]);
			printf("  %8.2f %8.2f %9.2f", best.depth, formula, best.depth * __builtin_sqrt(widths[w]));
		}
		putchar('\n');
	}
	return true;
}

/* Figure 21: a misprediction every 96 instructions, dispatch as wide as issue. The window is large enough. */
static void ramps(const struct model *model, FILE *out)
{
	for (int w = 0; w < WIDTHS; w++) {
		double rates[RAMP_CYCLES];
		size_t n = ilp_ramp(&model->ilp, RAMP, widths[w], widths[w], ILP_WINDOW, 1, rates, RAMP_CYCLES);
		for (size_t i = 0; i < n; i++)
			fprintf(out, "ramp,%g,%zu,0,0,%.5f,0,0,0,0,0,0,0\n", widths[w], i + 1, rates[i]);
	}
}

static bool print_all(const struct model *model, const struct machine *base, FILE *out, struct error *err)
{
	struct scaling s = {model, *base, SCALING_LOGIC, SCALING_LATCH, SCALING_BASE_DEPTH};
	fputs("study,width,depth,pipelined,window,tpi,dispatch,edge,icache,resolve,refill,long_miss,tlb\n", out);
	TRY(depths(&s, out, err));
	TRY(optima(&s, out, err));
	ramps(model, out);
	return true;
}

bool model_scaling(const struct model *model, const struct machine *base, const char *path, struct error *err)
{
	struct output o;
	TRY(output_open(&o, path, err));
	if (!print_all(model, base, o.file, err)) {
		output_abandon(&o);
		return false;
	}
	return output_commit(&o, err);
}
