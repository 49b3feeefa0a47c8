/* A prediction of the interval model, and a design space. */
#include "made.h"
#include "report/explore/report.h"
#include "report/model/report.h"

static void add_terms(struct model_report *r, struct figures *f)
{
	static const char *const names[] = {"dispatch", "window", "resolve"};
	static const char *const groups[] = {"base", "base", "bmisp"};
	r->term_count = 4;
	for (uint32_t i = 0; i < 3; i++) {
		struct model_report_row *t = &r->terms[i];
		*t = (struct model_report_row){.name = names[i], .group = groups[i], .meaning = "what it means"};
		t->count = i == 1 ? 0 : fraction(f) * 100;
		if (i == 2)
			t->count = 0.625; /* counts are estimates: less than one event is still one term */
		t->penalty = fraction(f);
		t->cycles = fraction(f);
	}
	r->terms[3] = (struct model_report_row){"nothing", "base", "never printed as text", 0, 0, 0};
	r->group_count = 2;
	r->groups[0] = (struct model_report_row){.name = "base", .cycles = fraction(f)};
	r->groups[1] = (struct model_report_row){.name = "bmisp", .cycles = fraction(f)};
}

static void add_parallelism(struct model_report *r, struct figures *f)
{
	double *const figures[] = {&r->alpha, &r->beta,	      &r->residual, &r->latency,
				   &r->drain, &r->resolution, &r->balanced, &r->balanced_latent};
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		*figures[i] = fraction(f);
	r->fit_low = 16;
	r->fit_high = 512;
	r->window_count = 3;
	for (uint32_t i = 0; i < 3; i++) {
		struct model_report_window *w = &r->windows[i];
		w->window = 2u << i;
		w->path = fraction(f);
		w->fit = fraction(f);
		w->rate = fraction(f);
		w->latent = fraction(f);
	}
}

static void add_nearest(struct model_report *r, struct figures *f)
{
	static const char *const structures[] = {"l1d", "direction predictor"};
	r->nearest_count = 2;
	for (size_t i = 0; i < 2; i++) {
		struct model_report_nearest *n = &r->nearest[i];
		*n = (struct model_report_nearest){.structure = structures[i],
						   .text = i ? "this: taken as that" : "these: taken as those",
						   .component = i ? "bmisp" : "l1d"};
		n->count = fraction(f) * 100;
		n->off = fraction(f) * 10;
		n->cycles = fraction(f);
	}
	r->nearest_cycles = fraction(f);
}

void made_model(void)
{
	struct figures f = {0};
	struct model_report r = {.version = "9.8.7",
				 .machine = "machine",
				 .program = "program",
				 .reference = "reference machine",
				 .kind = "refined without window"};
	r.instructions = figure(&f);
	r.sampled = figure(&f);
	r.cycles = fraction(&f) * 10;
	r.cpi = fraction(&f);
	add_terms(&r, &f);
	add_parallelism(&r, &f);
	add_nearest(&r, &f);
	FILE *out = made_open("out.report");
	model_report_text(&r, out);
	made_close(out);
	made_json(model_report_json(&r), "out.json");

	/* predicted from another machine's profile, without what the one before has, and at the limit of what is a number */
	const struct model_report_foreign foreign = {fraction(&f), fraction(&f), 37};
	r.foreign = &foreign;
	r.balanced = 1e6;
	r.balanced_latent = 1e6 + 1;
	r.resolution = 0;
	r.nearest_count = 0;
	out = made_open("out.foreign.report");
	model_report_text(&r, out);
	made_close(out);
	made_json(model_report_json(&r), "out.foreign.json");
	made_json(model_report_legend(&r), "out.legend.json");
}

static void write(const struct explore_report *r, const char *name,
		  void (*print)(const struct explore_report *r, FILE *out))
{
	FILE *out = made_open(name);
	print(r, out);
	made_close(out);
}

void made_explore(void)
{
	struct figures f = {0};
	struct explore_report_row front[5] = {{0}};
	struct explore_report_dot cloud[4];
	static const char *const robs[] = {"32", "64", "96", "128", "192"};
	static const char *const predictors[] = {"bimodal", "combined", "tage \"64k\"", "tage, 128k", "oracle"};
	for (size_t i = 0; i < 5; i++) {
		front[i].cost = fraction(&f);
		front[i].cpi = fraction(&f) / 200;
		front[i].checked = i == 3 ? 0 : fraction(&f) / 200;
		front[i].knee = i == 1;
		front[i].nearest = i == 2;
		front[i].values[0] = robs[i];
		front[i].values[1] = predictors[i];
	}
	for (size_t i = 0; i < 4; i++) {
		cloud[i].cost = fraction(&f);
		cloud[i].cpi = fraction(&f) / 200;
	}
	front[2].off = 0.0715;
	uint64_t evaluated = figure(&f), rejected = figure(&f);
	struct explore_report r = {.program = "program <a>",
				   .base = "base machine",
				   .file = "space.yaml",
				   .evaluated = evaluated,
				   .rejected = rejected,
				   .axis_count = 2,
				   .axes = {"window.rob", "predictor, kind"},
				   .front = front,
				   .front_count = 5,
				   .cloud = cloud,
				   .cloud_count = 4};
	write(&r, "out.report", explore_report_text);
	write(&r, "out.csv", explore_report_csv);
	write(&r, "out.svg", explore_report_svg);
}
