/* The shotgun profiler's report as JSON: docs/explanation/shotgun.md lists the keys. */
#include "report/format.h"
#include "report/shotgun/report.h"

#include <math.h>

/* Null where the samples do not tell. */
static json_t *number(const struct graph_row *row, double value)
{
	return isnan(row->percent) ? json_null() : json_real(value);
}

static json_t *breakdown(const struct shotgun_report *r)
{
	json_t *all = json_array();
	for (size_t i = 0; i < r->row_count; i++) {
		const struct graph_row *row = &r->rows[i];
		const struct culprit_shotgun_interval *x = &r->row_interval[i];
		json_t *one = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "term", row->label, "percent",
					number(row, row->percent), "interval", number(row, x->all),
					"interval_fragments", number(row, x->fragments), "interval_details",
					number(row, x->details), "interval_bias", number(row, x->bias),
					"interval_unseen", number(row, x->unseen), "kind", graph_row_kind(row));
		if (shotgun_row_least(r, row))
			json_object_set_new(one, "at_least", json_true());
		json_array_append_new(all, one);
	}
	return all;
}

static json_t *told(const struct shotgun_report *r, unsigned set, int64_t cycles)
{
	return graph_withholds(&r->graph, set) ? json_null() : json_integer(cycles);
}

static json_t *sets(const struct shotgun_report *r)
{
	const struct culprit_graph_results *x = &r->results->graph;
	json_t *all = json_array();
	for (unsigned set = 0; set < 1u << x->class_count; set++) {
		json_t *names = json_array();
		for (uint32_t c = 0; c < x->class_count; c++)
			if (set & (1u << c))
				json_array_append_new(names, json_string(x->names[c]));
		json_array_append_new(all, json_pack("{s:o, s:o, s:o, s:o}", "classes", names, "cycles",
						     told(r, set, (int64_t)x->time[set]), "cost",
						     told(r, set, x->cost[set]), "icost", told(r, set, x->icost[set])));
	}
	return all;
}

static json_t *samples(const struct shotgun_report *r)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "signature", (json_int_t)r->signatures,
			 "detailed", (json_int_t)r->details, "cut", (json_int_t)r->cut, "length", (json_int_t)r->length,
			 "context", (json_int_t)r->context, "signature_interval", (json_int_t)r->signature_interval,
			 "detail_interval", (json_int_t)r->detail_interval, "signature_bits",
			 (json_int_t)r->signature_bits, "detail_bits", (json_int_t)r->detail_bits,
			 "bits_per_instruction", format_ratio(shotgun_report_bits(r), (double)r->instructions));
}

static json_t *fragments(const struct shotgun_report *r)
{
	const struct culprit_shotgun_results *x = r->results;
	json_t *reasons = json_object();
	for (unsigned i = 0; i < CULPRIT_ABORT_COUNT; i++)
		json_object_set_new(reasons, culprit_abort_name(i), format_integer(x->aborts[i]));
	json_t *all = json_pack("{s:I, s:I, s:I, s:I, s:o}", "built", (json_int_t)x->built, "aborted",
				(json_int_t)x->aborted, "length", (json_int_t)r->fragment_length, "warmup",
				(json_int_t)r->warmup, "aborts", reasons);
	const struct {
		const char *key;
		uint64_t value;
	} counts[] = {
		{"shortened", x->shortened},
		{"instructions", x->instructions},
		{"without_sample", x->missing},
		{"borrowed", x->borrowed},
		{"addresses", r->places},
		{"addresses_without_sample", r->places_missing},
		{"bits_compared", x->compared},
		{"bits_agreed", x->agreed},
		{"targets_from_samples", x->targets_sampled},
		{"targets_from_stack", x->targets_stack},
		{"targets_from_signature", x->targets_signature},
		{"aborted_after_indirect_jump", x->guessed[CULPRIT_BRANCH_INDIRECT_JUMP]},
		{"aborted_after_indirect_call", x->guessed[CULPRIT_BRANCH_INDIRECT_CALL]},
		{"aborted_after_return", x->guessed[CULPRIT_BRANCH_RETURN]},
		{"aborted_without_guess", x->guessed[CULPRIT_BRANCH_NONE]},
		{"stores_not_found", x->stores_missed},
		{"primary_misses_not_found", x->primary_misses_missed},
		{"stores_inferred", x->stores_inferred},
	};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		json_object_set_new(all, counts[i].key, format_integer(counts[i].value));
	return all;
}

static json_t *objects(const struct shotgun_report *r)
{
	json_t *all = json_array();
	for (size_t i = 0; i < r->object_count; i++) {
		const struct shotgun_object_row *o = &r->objects[i];
		json_array_append_new(all, json_pack("{s:s, s:I, s:I, s:I}", "object", o->name, "instructions",
						     (json_int_t)o->visits, "without_sample", (json_int_t)o->missing,
						     "aborts", (json_int_t)o->aborts));
	}
	return all;
}

static json_t *singles(const struct culprit_shotgun_results *x, const double single[])
{
	json_t *all = json_object();
	for (unsigned c = 0; c < x->graph.class_count; c++)
		if (x->has_single[c])
			json_object_set_new(all, x->graph.names[c], json_real(single[c]));
	return all;
}

json_t *shotgun_json(const struct shotgun_report *r)
{
	const struct culprit_shotgun_results *x = r->results;
	json_t *all = json_pack(
		"{s:o, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "samples", samples(r),
		"fragments", fragments(r), "cpi", x->cpi, "cpi_interval", x->cpi_error, "cpi_interval_fragments",
		x->cpi_fragments, "cpi_interval_details", x->cpi_details, "cpi_interval_unlike", x->cpi_unlike,
		"counted_cpi", format_ratio((double)r->cycles, (double)r->instructions), "base",
		graph_base_json(&r->graph.base), "breakdown", breakdown(r), "single_samples", singles(x, x->single),
		"single_samples_used", singles(x, x->single_used), "objects", objects(r), "sets", sets(r));
	if (r->perf)
		json_object_set_new(all, "perf", shotgun_perf_json(r));
	return all;
}
