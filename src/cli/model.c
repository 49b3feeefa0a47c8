/* culprit model: predict a machine, or explore many, from a profile. */
#include "interval/model/model.h"

#include "base/output.h"
#include "cli/commands.h"
#include "cli/model_explore.h"
#include "cli/model_scaling.h"
#include "cli/options.h"
#include "cli/provenance.h"
#include "cli/session.h"
#include "report/format.h"
#include "report/model/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct prediction {
	struct options options;
	struct machine machine;
	struct interval_profile profile;
	struct model model;
	struct model_result result;
	struct model_report report;
	char kind[200];
	struct provenance provenance;
};

/* --- fill the report --- */

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

static void fill_report(struct prediction *p)
{
	struct model_report *r = &p->report;
	r->version = CULPRIT_VERSION;
	r->machine = p->machine.name;
	r->program = p->profile.program;
	r->reference = p->profile.reference.machine;
	r->kind = p->kind;
	r->instructions = p->profile.instructions;
	r->sampled = p->profile.samples.count;
	r->cycles = p->result.cycles;
	r->cpi = p->result.cpi;
	r->drain = p->result.drain;
	r->resolution = p->result.resolution;
	fill_terms(r, &p->result);
	fill_nearest(r, &p->result);
	fill_parallelism(r, &p->result, &p->machine);
}

static bool write_text(const struct prediction *p, struct error *err)
{
	if (!p->options.output) {
		model_report_text(&p->report, stdout);
		return true;
	}
	struct output o;
	TRY(output_open(&o, p->options.output, err));
	model_report_text(&p->report, o.file);
	return output_commit(&o, err);
}

static bool write_json(struct prediction *p, struct error *err)
{
	if (!p->options.json)
		return true;
	TRY(provenance_add_file(&p->provenance, "profile", p->options.arguments[0], err));
	return provenance_write(&p->provenance, &p->machine, model_report_json(&p->report), p->options.json, err);
}

/* --- predict --- */

static bool predict(struct prediction *p, struct error *err)
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

static bool read_profile(struct prediction *p, struct error *err)
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
static bool choose_machine(struct prediction *p, struct error *err)
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
	if (o->explore && (o->machine || o->sets.count || o->plain || o->without || o->json || o->scaling))
		return error_set(err, ERROR_USAGE,
				 "--explore takes its base and what it changes from its file: --machine, --set, "
				 "--plain, --without, "
				 "--json and --scaling do not go with it");
	if (!o->explore && (o->csv || o->svg || o->jobs))
		return error_set(err, ERROR_USAGE, "--%s needs --explore", o->csv ? "csv" : o->svg ? "svg" : "jobs");
	return options_check_outputs(o, err);
}

static bool run(struct prediction *p, struct error *err)
{
	const struct options *o = &p->options;
	provenance_begin(&p->provenance, o, FOR_MODEL);
	TRY(provenance_check(&p->provenance, err));
	TRY(check_options(o, err));
	TRY(read_profile(p, err));
	if (o->explore)
		return model_explore(o, &p->model, err);
	TRY(choose_machine(p, err));
	if (o->scaling)
		return model_scaling(&p->model, &p->machine, o->scaling, err);
	TRY(predict(p, err));
	fill_report(p);
	TRY(write_json(p, err));
	return write_text(p, err);
}

int command_model(char **argv)
{
	struct error err = {0};
	struct prediction *p = calloc(1, sizeof *p);
	if (!p)
		return report_no_memory();
	int status = 0;
	if (!options_parse(&p->options, argv, FOR_MODEL, &err)) {
		status = report_error(&err);
	} else if (p->options.help) {
		printf("culprit model [OPTION...] PROFILE\n");
		options_help(FOR_MODEL, stdout);
	} else if (!run(p, &err)) {
		status = report_error(&err);
	}
	model_close(&p->model);
	interval_profile_clear(&p->profile);
	provenance_destroy(&p->provenance);
	options_destroy(&p->options);
	free(p);
	return status;
}
