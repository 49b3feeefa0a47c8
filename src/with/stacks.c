/* --with stacks: CPI stacks of every counter architecture side by side. */
#include "analysis/replay/replay.h"
#include "analysis/stacks/stacks.h"
#include "base/nearest.h"
#include "base/output.h"
#include "with/analyses.h"
#include "with/stacks_fill.h"

#include <stdlib.h>
#include <string.h>

struct with_stacks {
	struct stacks *stacks;
	struct replay *replay;
	const char *svg, *csv;
	struct stacks_resolution resolution;
	struct stacks_report report;
};

static void destroy(void *self)
{
	struct with_stacks *w = self;
	replay_destroy(w->replay);
	stacks_destroy(w->stacks);
}

static bool parse_rules(const char *list, uint32_t *rules, struct error *err)
{
	while (list && *list) {
		size_t length = strcspn(list, ",");
		enum fmt_rule rule = fmt_rule_find(list, length);
		if (rule == FMT_RULES) {
			char names[100] = "";
			struct nearest near;
			nearest_begin(&near, list, length);
			for (unsigned i = 0; i < FMT_RULES; i++) {
				nearest_consider(&near, fmt_rule_name(i));
				strncat(names, i ? ", " : "", sizeof names - strlen(names) - 1);
				strncat(names, fmt_rule_name(i), sizeof names - strlen(names) - 1);
			}
			return error_set(err, ERROR_USAGE, "--fmt-rule: no rule '%.*s'%s (there are %s)", (int)length,
					 list, nearest_hint(&near), names);
		}
		*rules |= 1u << rule;
		list += length + (list[length] == ',');
	}
	return true;
}

static bool find_params(const struct analysis_context *context, struct stacks_params *params, struct error *err)
{
	const struct options *o = context->options;
	stacks_params_from_machine(params, context->machine);
	if (o->fmt_rows > 65536)
		return error_set(err, ERROR_USAGE, "--fmt-rows: at most 65536");
	if (o->fmt_rows)
		params->fmt_rows = (uint32_t)o->fmt_rows;
	return parse_rules(o->fmt_rule, &params->fmt_rules, err);
}

static bool create_replay(struct with_stacks *w, const struct machine *m, struct error *err)
{
	struct replay_params params;
	replay_params_from_machine(&params, m);
	w->replay = replay_create(&params, stacks_observer(w->stacks), err);
	return w->replay != NULL;
}

static bool create(void *self, const struct analysis_context *context, struct error *err)
{
	struct with_stacks *w = self;
	struct stacks_params params;
	const struct options *o = context->options;
	TRY(find_params(context, &params, err));
	w->svg = o->stacks_svg;
	w->csv = o->stacks_csv;
	w->report.program = o->arguments ? o->arguments[0] : "";
	w->report.machine = context->machine->name;
	TRY(w->stacks = stacks_create(&params, err));
	return create_replay(w, context->machine, err);
}

static void log_part(void *self, const struct culprit_log_part *part)
{
	struct with_stacks *w = self;
	replay_log(w->replay, part);
}

static void records(void *self, const struct culprit_record *records, size_t count)
{
	struct with_stacks *w = self;
	replay_records(w->replay, records, count);
	stacks_resolution_push(&w->resolution, records, count);
}

/* A picture may show many reports. */
static void print_svg(const struct stacks_report *r, FILE *out)
{
	stacks_report_svg((const struct stacks_report *const[]){r}, 1, out);
}

static bool finish(void *self, const struct analysis_totals *totals, struct error *err)
{
	struct with_stacks *w = self;
	TRY(replay_finish(w->replay, err));
	TRY(stacks_finish(w->stacks, totals->cycles, totals->instructions, err));
	struct stacks_report *r = &w->report;
	stacks_fill(r, w->stacks, &w->resolution, totals->cycles, totals->instructions);
	TRY(OUTPUT_WRITE(w->svg, NULL, print_svg, r, err));
	return OUTPUT_WRITE(w->csv, NULL, stacks_report_csv, r, err);
}

static void text(void *self, FILE *out)
{
	struct with_stacks *w = self;
	stacks_report_text(&w->report, out);
}

static json_t *json(void *self)
{
	struct with_stacks *w = self;
	return stacks_report_json(&w->report);
}

const struct analysis analysis_stacks = {
	.name = "stacks",
	.help = "CPI stacks of five counter architectures, by stage and top-down",
	.size = sizeof(struct with_stacks),
	.create = create,
	.records = records,
	.log = log_part,
	.finish = finish,
	.text = text,
	.json = json,
	.destroy = destroy,
};
