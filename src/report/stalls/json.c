/* The stall tree as JSON: the whole tree down to nodes of a hundred-thousandth of what was lost; what is smaller is
 * summed into its parent's "small", so that own + children + small = total at every node. */
#include "report/format.h"
#include "report/stalls/report.h"

#include <math.h>

static const char *class_name(const struct stalls_report *r, uint32_t type)
{
	static const char *const names[] = {
#define EVENT_CLASS(name, base, what) #name,
#include "culprit/event_class.def"
	};
	return r->classes && r->classes[type] < CULPRIT_EVENT_COUNT ? names[r->classes[type]] : NULL;
}

static json_t *type_json(const struct stalls_report *r, uint32_t type)
{
	const struct culprit_stall_type_info *t = &r->results->types[type];
	return json_pack("{s:s, s:s, s:s, s:s, s:s?}", "set", t->set, "name", t->type.name, "label", t->type.label,
			 "meaning", t->type.meaning, "class", class_name(r, type));
}

static json_t *forest_json(const struct culprit_stall_results *x, size_t first, size_t end, uint64_t least,
			   uint64_t *small)
{
	json_t *list = json_array();
	*small = 0;
	for (size_t i = first; i < end; i = x->nodes[i].end) {
		const struct culprit_stall_node *n = &x->nodes[i];
		if (n->total < least) {
			*small += n->total;
			continue;
		}
		uint64_t below = 0;
		json_t *node = json_pack("{s:s, s:s, s:I, s:I}", "set", x->types[n->type].set, "name",
					 x->types[n->type].type.name, "total", (json_int_t)n->total, "own",
					 (json_int_t)n->own);
		if (n->end > i + 1) {
			json_t *children = forest_json(x, i + 1, n->end, least, &below);
			json_object_set_new(node, "children", children);
			json_object_set_new(node, "small", format_integer(below));
		}
		json_array_append_new(list, node);
	}
	return list;
}

static json_t *totals_json(const struct culprit_stall_results *x, const uint64_t *totals)
{
	json_t *o = json_object();
	char key[128];
	for (uint32_t i = 0; i < x->type_count; i++)
		if (totals[i]) {
			snprintf(key, sizeof key, "%s.%s", x->types[i].set, x->types[i].type.name);
			json_object_set_new(o, key, format_integer(totals[i]));
		}
	return o;
}

/* Per cent of the time, of the leaves that something is known of. */
static json_t *gains_json(const struct stalls_report *r)
{
	json_t *o = json_object();
	char key[128];
	for (uint32_t i = 0; i < r->results->type_count; i++)
		if (!isnan(r->gains[i])) {
			const struct culprit_stall_type_info *t = &r->results->types[i];
			snprintf(key, sizeof key, "%s.%s", t->set, t->type.name);
			json_object_set_new(o, key, json_real(r->gains[i]));
		}
	return o;
}

static json_t *types_json(const struct stalls_report *r)
{
	const struct culprit_stall_results *x = r->results;
	json_t *list = json_array();
	for (uint32_t i = 1; i < x->type_count; i++)
		if (x->node_totals[i])
			json_array_append_new(list, type_json(r, i));
	return list;
}

static json_t *intervals_json(const struct culprit_stall_results *x)
{
	json_t *list = json_array();
	for (size_t i = 0; i < x->interval_count; i++) {
		const struct culprit_stall_interval *v = &x->intervals[i];
		json_t *o = json_object();
		json_object_set_new(o, "first", format_integer(v->first));
		json_object_set_new(o, "cycles", format_integer(v->cycles));
		json_object_set_new(o, "lost", format_integer(v->lost));
		json_object_set_new(o, "leaves", totals_json(x, v->leaves));
		json_object_set_new(o, "tops", totals_json(x, v->tops));
		json_array_append_new(list, o);
	}
	return list;
}

json_t *stalls_report_json(const struct stalls_report *r)
{
	const struct culprit_stall_results *x = r->results;
	json_t *o = json_object();
	json_object_set_new(o, "accumulator", json_string(x->accumulator));
	json_object_set_new(o, "place", r->place ? json_string(r->place) : json_null());
	json_object_set_new(o, "width", json_integer(x->width));
	json_object_set_new(o, "opportunities", format_integer(stalls_opportunities(r)));
	json_object_set_new(o, "lost", format_integer(x->lost));
	json_object_set_new(o, "elsewhere", format_integer(x->elsewhere));
	json_object_set_new(o, "leaves", totals_json(x, x->leaf_totals));
	if (r->gains) {
		json_object_set_new(o, "gain_method", json_string(r->gain_method));
		json_object_set_new(o, "gains", gains_json(r));
	}
	json_object_set_new(o, "nodes", totals_json(x, x->node_totals));
	json_object_set_new(o, "types", types_json(r));
	uint64_t small;
	json_t *tree = forest_json(x, 0, x->node_count, x->lost / 100000, &small);
	json_object_set_new(o, "tree", tree);
	json_object_set_new(o, "small", format_integer(small));
	if (x->interval) {
		json_object_set_new(o, "interval", format_integer(x->interval));
		json_object_set_new(o, "intervals", intervals_json(x));
	}
	json_object_set_new(o, "chains", format_integer(x->chains));
	json_object_set_new(o, "snipped", format_integer(x->snipped));
	json_object_set_new(o, "folded", format_integer(x->folded));
	json_object_set_new(o, "dropped_events", format_integer(x->dropped_events));
	return o;
}
