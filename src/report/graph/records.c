/* See the header. */
#include "report/graph/records.h"

#include "report/format.h"
#include "report/terminal.h"

#include <string.h>

bool graph_records_off(const struct graph_records *r)
{
	return r && (r->rule_count || 100.0 * (double)r->contradicted > GRAPH_RECORDS_MOST * (double)r->count);
}

static void say_contradicted(const struct graph_records *r, FILE *out)
{
	char a[32], b[32], c[32], text[300];
	snprintf(text, sizeof text,
		 "*** %s of %s records contradict the graph of this machine, first: %s, %s (%s edges). ***",
		 format_grouped((int64_t)r->contradicted, a), format_grouped((int64_t)r->count, b), r->step, r->kind,
		 format_grouped((int64_t)r->kind_count, c));
	terminal_wrap(text, 2, TERMINAL_WIDTH, out);
}

static void say_rules(const struct graph_records *r, FILE *out)
{
	char a[32], text[60 + GRAPH_RULES_MOST * 48] = "*** Records that do not fit the machine or one another:";
	size_t used = strlen(text);
	for (size_t i = 0; i < r->rule_count; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s %s %s", i ? "," : "",
					 format_grouped((int64_t)r->rules[i].count, a), r->rules[i].name);
	snprintf(text + used, sizeof text - used, ". ***");
	terminal_wrap(text, 2, TERMINAL_WIDTH, out);
}

void graph_records_text(const struct graph_records *r, FILE *out)
{
	char text[200];
	if (!r || (!r->contradicted && !r->rule_count))
		return;
	if (r->contradicted)
		say_contradicted(r, out);
	if (r->rule_count)
		say_rules(r, out);
	snprintf(text, sizeof text, "*** %s %d%% of the records%s. `culprit check` says what to fill. ***",
		 graph_records_off(r) ? "Do not trust the costs below: it should be at most" : "Costs are told up to",
		 GRAPH_RECORDS_MOST, graph_records_off(r) ? ", and no rule" : "");
	terminal_wrap(text, 2, TERMINAL_WIDTH, out);
}

json_t *graph_records_json(const struct graph_records *r)
{
	json_t *rules = json_array();
	json_t *most = !r->step ? json_null()
				: json_pack("{s:s, s:s, s:I}", "step", r->step, "kind", r->kind, "count",
					    (json_int_t)r->kind_count);
	for (size_t i = 0; i < r->rule_count; i++)
		json_array_append_new(rules,
				      json_pack("{s:s, s:I, s:I}", "name", r->rules[i].name, "count",
						(json_int_t)r->rules[i].count, "of", (json_int_t)r->rules[i].asked));
	return json_pack("{s:I, s:I, s:o, s:o, s:i, s:b}", "count", (json_int_t)r->count, "contradicted",
			 (json_int_t)r->contradicted, "most", most, "rules", rules, "most_percent", GRAPH_RECORDS_MOST,
			 "trusted", !graph_records_off(r));
}
