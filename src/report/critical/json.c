/* The same as JSON; docs/explanation/critical.md lists the keys. */
#include "report/critical/report.h"
#include "report/format.h"

static json_t *kinds(const uint64_t cycles[CULPRIT_CRITICAL_KINDS])
{
	json_t *all = json_object();
	for (unsigned k = 0; k < CULPRIT_CRITICAL_KINDS; k++)
		if (cycles[k])
			json_object_set_new(all, culprit_critical_kind_name(k), format_integer(cycles[k]));
	return all;
}

/* null: no execution of it was in a watched window. */
static json_t *if_watched(const struct culprit_critical_row *s, double value)
{
	return s->watched ? json_real(value) : json_null();
}

static json_t *sums(const struct critical_entry *e)
{
	const struct culprit_critical_row *s = &e->sum;
	json_t *o = json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "executions", format_integer(s->executions), "path",
		format_integer(s->path), "path_by_kind", kinds(s->cycles), "visits", format_integer(s->visits),
		"watched", format_integer(s->watched), "tied", if_watched(s, e->tied), "cost", if_watched(s, e->cost),
		"saved_by_one_cycle", if_watched(s, e->saved), "zero_slack", format_integer(s->zero_slack));
	json_object_set_new(o, "mean_slack", if_watched(s, format_ratio((double)s->slack_sum, (double)s->watched)));
	json_object_set_new(o, "least_slack", s->watched ? format_integer(s->slack_min) : json_null());
	return o;
}

static json_t *functions(const struct critical_table *t)
{
	json_t *all = json_array();
	for (size_t i = 0; i < t->count; i++) {
		json_t *e = sums(&t->entries[i]);
		json_object_set_new(e, "function", json_string(t->entries[i].name));
		json_object_set_new(e, "object", json_string(t->entries[i].where));
		json_array_append_new(all, e);
	}
	return all;
}

static json_t *lines(const struct critical_table *t)
{
	json_t *all = json_array();
	for (size_t i = 0; i < t->count; i++) {
		json_t *e = sums(&t->entries[i]);
		json_object_set_new(e, "line", json_string(t->entries[i].name));
		json_object_set_new(e, "file", json_string(t->entries[i].where));
		json_array_append_new(all, e);
	}
	return all;
}

static json_t *instruction(const struct critical_entry *x)
{
	json_t *e = sums(x);
	json_object_set_new(e, "pc", format_integer(x->sum.pc));
	json_object_set_new(e, "text", json_string(x->name));
	json_object_set_new(e, "place", json_string(x->where));
	json_object_set_new(e, "line", *x->line ? json_string(x->line) : json_null());
	return e;
}

static json_t *instructions(const struct critical_table *t)
{
	json_t *all = json_array();
	for (size_t i = 0; i < t->count; i++)
		json_array_append_new(all, instruction(&t->entries[i]));
	return all;
}

static json_t *loop(const struct critical_report *r)
{
	const struct culprit_critical_loop *l = &r->loop;
	if (!r->has_loop)
		return json_null();
	json_t *chain = json_array();
	for (size_t i = 0; i < l->steps; i++) {
		json_t *e = instruction(&r->chain[i]);
		json_object_set_new(e, "next", json_string(culprit_critical_kind_name(l->chain[i].next)));
		json_object_set_new(e, "next_taken", format_integer(l->chain[i].taken));
		json_array_append_new(chain, e);
	}
	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "first", format_integer(l->first), "end",
			 format_integer(l->end), "place", r->loop_place.where, "line",
			 *r->loop_place.line ? json_string(r->loop_place.line) : json_null(), "iterations",
			 format_integer(l->iterations), "path", format_integer(l->cycles), "chain_path",
			 format_integer(l->chain_cycles), "chain", chain);
}

json_t *critical_json(const struct critical_report *r)
{
	const struct culprit_critical_totals *t = &r->totals;
	json_t *root = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "graph_cycles",
				 format_integer(t->cycles), "simulated_cycles",
				 format_integer((uint64_t)r->base.simulated), "base", graph_base_json(&r->base),
				 "path_by_kind", kinds(t->by_kind), "edges", kinds(t->hops), "tied", json_real(r->tied),
				 "visits", format_integer(t->visits), "zero_slack", format_integer(t->zero_slack),
				 "mean_slack", json_real(format_ratio((double)t->slack_sum, (double)t->watched)));
	if (!root)
		return NULL;
	json_object_set_new(root, "watched", format_integer(t->watched));
	json_object_set_new(root, "seams", format_integer(t->seams));
	json_object_set_new(root, "seams_off", format_integer(t->seams_off));
	json_object_set_new(root, "seam_cycles", json_integer(t->seam_cycles));
	json_object_set_new(root, "functions", functions(&r->functions));
	json_object_set_new(root, "lines", lines(&r->lines));
	json_object_set_new(root, "instructions", instructions(&r->instructions));
	json_object_set_new(root, "hottest_loop", loop(r));
	return root;
}
