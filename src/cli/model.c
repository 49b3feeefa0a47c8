/* culprit model: predict a machine, or explore many, from a profile. */
#include "base/output.h"
#include "report/terminal.h"
#include "cli/commands.h"
#include "page/page.h"
#include "interval/explore/explore.h"
#include "interval/model/foreign.h"
#include "interval/model/scaling.h"
#include "options/options.h"
#include "provenance/provenance.h"
#include "run/session.h"
#include "report/explore/report.h"
#include "report/format.h"
#include "report/model/report.h"
#include "report/model/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct model_prediction {
	struct options options; /* first */
	struct machine machine;
	struct interval_profile profile;
	struct model model;
	struct model_result result;
	struct model_report report;
	struct scaling_report *scaling; /* --scaling; or NULL */
	char kind[200];
	struct provenance provenance;
};

/* --- --explore FILE: the whole grid, its front, and the front checked by the whole model --- */

enum { SHOWN = 24 }; /* rows of the front that are checked and printed, besides the knees */

struct exploration {
	struct explore_space space;
	struct explore_result result;
	struct explore_report report;
	struct explore_report_row *rows;
	struct explore_report_dot *dots;
};

static bool check_point(const struct exploration *e, const struct model *model, struct explore_point *p,
			struct error *err)
{
	struct machine m;
	struct model_result r;
	TRY(explore_machine(&e->space, p->index, &m, err));
	TRY(model_refined(model, &m, MODEL_REFINED, &r, err));
	p->checked = r.cpi;
	p->nearest = r.counts.nearest_count;
	p->off = model_all_nearest_cycles(&r) / r.cycles;
	return true;
}

/* The knees, the ends, and others evenly between. */
static bool check_some(struct exploration *e, const struct model *model, struct error *err)
{
	size_t n = e->result.front_count, every = n > SHOWN ? (n + SHOWN - 1) / SHOWN : 1;
	for (size_t i = 0; i < n; i++)
		if (i % every == 0 || i + 1 == n || e->result.front[i].knee)
			TRY(check_point(e, model, &e->result.front[i], err));
	return true;
}

static bool fill_rows(struct exploration *e, struct error *err)
{
	const struct explore_result *r = &e->result;
	e->rows = calloc(r->front_count + 1, sizeof *e->rows);
	e->dots = calloc(r->cloud_count + 1, sizeof *e->dots);
	if (!e->rows || !e->dots)
		return error_set(err, ERROR_SYSTEM, "out of memory for the report");
	for (size_t i = 0; i < r->front_count; i++) {
		const struct explore_point *p = &r->front[i];
		uint32_t digits[EXPLORE_AXES];
		explore_digits(&e->space, p->index, digits);
		e->rows[i] =
			(struct explore_report_row){p->cost, p->cpi, p->checked, p->nearest, p->off, p->knee, {NULL}};
		for (uint32_t k = 0; k < e->space.axis_count; k++)
			e->rows[i].values[k] = e->space.axes[k].values[digits[k]].name;
	}
	for (size_t i = 0; i < r->cloud_count; i++)
		e->dots[i] = (struct explore_report_dot){r->cloud[i].cost, r->cloud[i].cpi};
	return true;
}

static bool fill_exploration(struct exploration *e, const struct options *o, const struct model *model,
			     struct error *err)
{
	TRY(fill_rows(e, err));
	const char *slash = strrchr(o->explore, '/');
	e->report = (struct explore_report){.program = model->profile->program,
					    .base = e->space.base.name,
					    .file = slash ? slash + 1 : o->explore,
					    .evaluated = e->result.evaluated,
					    .rejected = e->result.rejected,
					    .axis_count = e->space.axis_count,
					    .front = e->rows,
					    .front_count = e->result.front_count,
					    .cloud = e->dots,
					    .cloud_count = e->result.cloud_count};
	for (uint32_t i = 0; i < e->space.axis_count; i++)
		e->report.axes[i] = e->space.axes[i].name;
	return true;
}

static bool write_exploration(const struct exploration *e, const struct options *o, struct error *err)
{
	TRY(OUTPUT_WRITE(o->csv, NULL, explore_report_csv, &e->report, err));
	TRY(OUTPUT_WRITE(o->svg, NULL, explore_report_svg, &e->report, err));
	return REPORT_WRITE(o->output, stdout, explore_report_text, &e->report, err);
}

static bool explore(struct exploration *e, const struct options *o, const struct model *model, struct error *err)
{
	TRY(explore_read(&e->space, o->explore, err));
	TRY(explore_run(&e->space, model, (uint32_t)(o->jobs < 64 ? o->jobs : 64), &e->result, err));
	if (!o->quiet) /* host times are no part of the report, which is the same every time */
		fprintf(stderr, "explore: tables in %.2f s, then %llu machines in %.3f s: %.2f million a second\n",
			e->result.table_seconds, (unsigned long long)e->result.evaluated + e->result.rejected,
			e->result.seconds,
			(double)(e->result.evaluated + e->result.rejected) / 1e6 /
				(e->result.seconds > 0 ? e->result.seconds : 1));
	TRY(check_some(e, model, err));
	TRY(fill_exploration(e, o, model, err));
	return write_exploration(e, o, err);
}

static bool model_explore(const struct options *o, const struct model *model, struct error *err)
{
	struct exploration *e = calloc(1, sizeof *e);
	if (!e)
		return error_set(err, ERROR_SYSTEM, "out of memory for the design space");
	bool good = explore(e, o, model, err);
	explore_result_destroy(&e->result);
	explore_destroy(&e->space);
	free(e->rows);
	free(e->dots);
	free(e);
	return good;
}

/* --- --scaling FILE: time for each instruction against depth and width, optimum depths by search and by formula, the
 * issue rates of figure 21, and the balanced window (section 4 of the 2009 paper) --- */

enum { SHALLOWEST = 3, RAMP = 96 }; /* stages; instructions from one misprediction to the next */

static struct scaling_report_point report_point(const struct scaling_point *p)
{
	return (struct scaling_report_point){
		p->depth,
		p->window,
		p->tpi,
		{p->dispatch, p->edge, p->icache, p->resolve, p->refill, p->long_miss, p->tlb}};
}

static bool fill_curve(const struct scaling *s, struct scaling_report_curve *c, struct error *err)
{
	struct scaling_point point;
	for (int i = 0; i < SCALING_REPORT_DEPTHS; i++) {
		TRY(scaling_point(s, c->width, SHALLOWEST + i, c->pipelined, &point, err));
		c->points[i] = report_point(&point);
	}
	TRY(scaling_search(s, c->width, c->pipelined, &point, err));
	c->best = report_point(&point);
	c->beyond = point.depth >= SCALING_DEEPEST;
	return scaling_formula(s, c->width, c->pipelined, &c->formula, err);
}

/* Figure 21: dispatch as wide as issue. The window is large enough. */
static void fill_ramp(const struct model *model, struct scaling_report_ramp *r)
{
	r->count = ilp_ramp(&model->ilp, RAMP, r->width, r->width, ILP_WINDOW, 1, r->rates, SCALING_REPORT_RAMP);
}

static bool fill_scaling(struct model_prediction *p, struct error *err)
{
	static const double widths[SCALING_REPORT_WIDTHS] = {2, 4, 6, 8}, shares[SCALING_REPORT_SHARES] = {1, 0.5, 0};
	const struct scaling s = {&p->model, p->machine, SCALING_LOGIC, SCALING_LATCH, SCALING_BASE_DEPTH};
	struct scaling_report *r = p->scaling = calloc(1, sizeof *r);
	if (!r)
		return error_set(err, ERROR_SYSTEM, "out of memory for the scaling studies");
	r->program = p->profile.program;
	r->machine = p->machine.name;
	r->logic = s.logic;
	r->latch = s.latch;
	r->base_depth = s.base_depth;
	r->between = RAMP;
	for (int w = 0; w < SCALING_REPORT_WIDTHS; w++) {
		for (int f = 0; f < SCALING_REPORT_SHARES; f++) {
			r->curves[w][f].width = widths[w];
			r->curves[w][f].pipelined = shares[f];
			TRY(fill_curve(&s, &r->curves[w][f], err));
		}
		r->ramps[w].width = widths[w];
		fill_ramp(&p->model, &r->ramps[w]);
	}
	return true;
}

static bool write_scaling(const struct model_prediction *p, struct error *err)
{
	const struct options *o = &p->options;
	TRY(OUTPUT_WRITE(o->scaling, NULL, scaling_report_csv, p->scaling, err));
	TRY(OUTPUT_WRITE(o->svg, NULL, scaling_report_svg, p->scaling, err));
	return REPORT_WRITE(o->output, stdout, scaling_report_text, p->scaling, err);
}

/* --- the report of one machine --- */

static void fill_terms(struct model_report *r, const struct model_result *result)
{
	for (unsigned i = 0; i < MODEL_TERMS; i++) {
		const struct model_line *l = &result->lines[i];
		r->terms[r->term_count++] = (struct model_report_row){model_term_name(i),
								      model_group_name(model_term_group(i)),
								      model_term_meaning(i),
								      l->count,
								      l->penalty,
								      l->cycles};
	}
	for (unsigned i = 0; i < MODEL_GROUPS; i++)
		r->groups[r->group_count++] = (struct model_report_row){.name = model_group_name(i),
									.meaning = model_group_meaning(i),
									.cycles = model_group_cycles(result, i)};
}

static void fill_parallelism(struct model_report *r, const struct model_result *result, const struct machine *m)
{
	const struct ilp *ilp = &result->ilp;
	r->alpha = ilp->fit.alpha;
	r->beta = ilp->fit.beta;
	r->residual = ilp->fit.residual;
	r->fit_low = ilp->fit.low;
	r->fit_high = ilp->fit.high;
	r->latency = result->latency;
	r->balanced = ilp_window(&ilp->fit, m->dispatch_width, 1);
	r->balanced_latent = ilp_window(&ilp->fit, m->dispatch_width, result->latency);
	for (uint32_t w = 2; w <= ilp->measured; w *= 2)
		r->windows[r->window_count++] =
			(struct model_report_window){w, ilp->k[w], pow(w, 1 / ilp->fit.beta) / ilp->fit.alpha,
						     w / ilp->k[w], w / (ilp->k[w] * result->latency)};
}

static void fill_nearest(struct model_report *r, const struct model_result *result)
{
	for (uint32_t i = 0; i < result->counts.nearest_count; i++) {
		const struct model_nearest *n = &result->counts.nearest[i];
		r->nearest[r->nearest_count++] = (struct model_report_nearest){
			n->structure, n->text, model_group_name(model_term_group(n->term)),
			n->count,     n->off,  model_nearest_cycles(result, n)};
	}
	r->nearest_cycles = model_all_nearest_cycles(result);
}

static void fill_report(struct model_prediction *p)
{
	struct model_report *r = &p->report;
	r->version = CULPRIT_VERSION;
	r->machine = p->machine.name;
	r->program = p->profile.program;
	r->reference = p->profile.reference.machine;
	r->changed = p->options.sets.count;
	r->kind = p->kind;
	r->instructions = p->profile.instructions;
	r->cut = p->profile.ended == INTERVAL_END_INTERRUPTED;
	r->sampled = p->profile.samples.count;
	r->cycles = p->result.cycles;
	r->cpi = p->result.cpi;
	r->drain = p->result.drain;
	r->resolution = p->result.resolution;
	fill_terms(r, &p->result);
	fill_nearest(r, &p->result);
	static const struct model_report_foreign measured = {MODEL_FOREIGN_MEAN, MODEL_FOREIGN_MOST,
							     MODEL_FOREIGN_PREDICTIONS};
	r->foreign = p->result.foreign ? &measured : NULL;
	fill_parallelism(r, &p->result, &p->machine);
}

static bool write_json(struct model_prediction *p, struct error *err)
{
	if (!p->options.json && !p->options.html)
		return true;
	TRY(provenance_add_file(&p->provenance, "profile", p->options.arguments[0], err));
	json_t *report = model_report_json(&p->report);
	if (p->scaling)
		json_object_set_new(report, "scaling", scaling_report_json(p->scaling));
	json_t *root = provenance_result(&p->provenance, &p->machine, report, err);
	return page_write_result(root, model_report_legend(&p->report), p->options.html, p->options.json, err);
}

/* --- predict --- */

static bool predict(struct model_prediction *p, struct error *err)
{
	const struct options *o = &p->options;
	uint32_t without = 0;
	if (o->without)
		TRY(model_refinements_parse(o->without, &without, err));
	if (o->plain && o->without)
		return error_set(err, ERROR_USAGE, "--plain has no refinements: --without does not go with it");
	snprintf(p->kind, sizeof p->kind, "%s%s%.150s", o->plain ? "plain" : "refined", o->without ? " without " : "",
		 o->without ? o->without : "");
	return o->plain ? model_plain(&p->model, &p->machine, &p->result, err)
			: model_refined(&p->model, &p->machine, MODEL_REFINED & ~without, &p->result, err);
}

static bool read_profile(struct model_prediction *p, struct error *err)
{
	if (!p->options.arguments[0])
		return error_set(err, ERROR_USAGE, "model: which profile? (`culprit profile` makes one)");
	if (p->options.arguments[1])
		return error_set(err, ERROR_USAGE, "model: one profile at a time: what is '%s'?",
				 p->options.arguments[1]);
	TRY(interval_read(&p->profile, p->options.arguments[0], err));
	return model_open(&p->model, &p->profile, err);
}

/* Without -m: the machine that the profile was made for. */
static bool choose_machine(struct model_prediction *p, struct error *err)
{
	if (p->options.machine)
		return session_machine(&p->machine, &p->options, err);
	p->machine = p->profile.machine;
	for (size_t i = 0; i < p->options.sets.count; i++)
		TRY(machine_set(&p->machine, p->options.sets.items[i], err));
	return machine_check(&p->machine, "--set", err);
}

static bool check_options(const struct options *o, struct error *err)
{
	if (o->explore && (o->machine || o->sets.count || o->plain || o->without || o->json || o->html || o->scaling))
		return error_set(err, ERROR_USAGE,
				 "--explore takes its base and what it changes from its file: --machine, --set, "
				 "--plain, --without, "
				 "--json, --html and --scaling do not go with it");
	if (!o->explore && (o->csv || o->jobs))
		return error_set(err, ERROR_USAGE, "--%s needs --explore", o->csv ? "csv" : "jobs");
	if (!o->explore && !o->scaling && o->svg)
		return error_set(err, ERROR_USAGE, "--svg needs --explore or --scaling");
	return options_check_outputs(o, err);
}

static bool run(void *state, int *status, struct error *err)
{
	(void)status;
	struct model_prediction *p = state;
	const struct options *o = &p->options;
	provenance_begin(&p->provenance, o, FOR_MODEL);
	TRY(provenance_check(&p->provenance, err));
	TRY(check_options(o, err));
	TRY(read_profile(p, err));
	if ((o->explore || o->scaling) && p->profile.ended == INTERVAL_END_INTERRUPTED)
		fprintf(stderr, "culprit: %s: interrupted: the profile is of the part executed until then\n",
			o->arguments[0]);
	if (o->explore)
		return model_explore(o, &p->model, err);
	TRY(choose_machine(p, err));
	if (o->scaling)
		TRY(fill_scaling(p, err));
	if (!o->scaling || o->json || o->html) {
		TRY(predict(p, err));
		fill_report(p);
		TRY(write_json(p, err));
	}
	if (o->scaling)
		return write_scaling(p, err);
	return REPORT_WRITE(o->output, stdout, model_report_text, &p->report, err);
}

static void destroy(void *state)
{
	struct model_prediction *p = state;
	model_close(&p->model);
	interval_profile_clear(&p->profile);
	free(p->scaling);
	provenance_destroy(&p->provenance);
}

const struct command command_model = {
	.user = FOR_MODEL,
	.size = sizeof(struct model_prediction),
	.run = run,
	.destroy = destroy,
};
