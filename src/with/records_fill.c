/* See the header. */
#include "with/records_fill.h"

bool graph_records_create(struct graph_records_check *c, const struct culprit_graph_params *params, struct error *err)
{
	return (c->check = check_create(params, err)) != NULL;
}

void graph_records_destroy(struct graph_records_check *c)
{
	check_destroy(c->check);
}

void graph_records_push(struct graph_records_check *c, const struct culprit_record *records, size_t count)
{
	if (c->check)
		check_push(c->check, records, count);
}

static void find_rules(struct graph_records_check *c, culprit_field_set unknown)
{
	struct graph_records *r = &c->found;
	struct check_value value;
	for (; r->rule_count < GRAPH_RULES_MOST && check_value(c->check, unknown, r->rule_count, &value);
	     r->rule_count++)
		r->rules[r->rule_count] = (struct graph_rule){value.name, value.count, value.asked};
}

bool graph_records_finish(struct graph_records_check *c, culprit_field_set unknown, const struct graph_records **found,
			  struct error *err)
{
	struct graph_records *r = &c->found;
	struct check_row most;
	*found = NULL;
	if (!c->check)
		return true;
	if (*check_error(c->check))
		return error_set(err, ERROR_INPUT, "%s", check_error(c->check));
	*r = (struct graph_records){.count = check_instructions(c->check),
				    .contradicted = check_contradicting(c->check)};
	if (check_contradicted(c->check, 0, &most)) {
		r->step = check_node_name(most.node);
		r->kind = culprit_critical_kind_name(most.kind);
		r->kind_count = most.count;
	}
	find_rules(c, unknown);
	*found = r;
	return true;
}
