#include "with/shotgun_setup.h"

#include "analysis/graph/machine.h"
#include "analysis/shotgun/machine.h"

#include <string.h>
#include <unistd.h>

/* The paper's lengths. Its text gives no rates; docs/explanation/shotgun.md measures what they are worth. */
enum {
	LENGTH = 1000,
	CONTEXT = 10,
	SIGNATURE_INTERVAL = 10000,
	/* at the intervals above, of 164 and 52 million instructions; 11 and 50 MB */
	MOST_SIGNATURES = 16384,
	MOST_DETAILS = 524288,
	DETAIL_INTERVAL = 100,
	STACK = 16,
	TARGETS = 32,
	BUFFER = 4096, /* bytes */
	WARMUP = 1000,
	OWN_WEIGHT = 100,
	FRAGMENTS = 2000,
};

static uint64_t or_default(uint64_t given, uint64_t otherwise)
{
	return given ? given : otherwise;
}

static uint64_t given_or(uint64_t value, uint64_t otherwise)
{
	return value == OPTION_NOT_GIVEN ? otherwise : value;
}

static bool at_most(const char *option, uint64_t value, uint64_t most, struct error *err)
{
	return value <= most || error_set(err, ERROR_USAGE, "--%s: at most %llu", option, (unsigned long long)most);
}

bool shotgun_monitor_params(struct culprit_monitor_params *p, const struct options *o, struct error *err)
{
	TRY(at_most("signature-length", o->signature_length, CULPRIT_SIGNATURE_MAX, err));
	uint64_t context = given_or(o->sample_context, CONTEXT);
	TRY(at_most("sample-context", context, CULPRIT_CONTEXT_MAX, err));
	uint64_t stack = given_or(o->return_stack, STACK);
	TRY(at_most("return-stack", stack, CULPRIT_RETURNS_MAX, err));
	uint64_t targets = given_or(o->branch_targets, TARGETS);
	TRY(at_most("branch-targets", targets, CULPRIT_TARGETS_MAX, err));
	TRY(at_most("signature-interval", o->signature_interval, 1ull << 48, err));
	TRY(at_most("detail-interval", o->detail_interval, 1ull << 48, err));
	*p = (struct culprit_monitor_params){
		.length = (uint32_t)or_default(o->signature_length, LENGTH),
		.context = (uint32_t)context,
		.stack = (uint32_t)stack,
		.targets = (uint32_t)targets,
		.signature_interval = or_default(o->signature_interval, SIGNATURE_INTERVAL),
		.detail_interval = or_default(o->detail_interval, DETAIL_INTERVAL),
		.seed = o->seed,
		.wide = o->wide_bit,
		.most_signatures = MOST_SIGNATURES,
		.most_details = MOST_DETAILS,
	};
	return true;
}

bool shotgun_check_options(const struct options *o, uint32_t length, uint32_t context, struct error *err)
{
	TRY(at_most("fragments", given_or(o->fragments, 0), 1000000, err));
	TRY(at_most("fragment-length", o->fragment_length, length, err));
	TRY(at_most("fragment-warmup", given_or(o->fragment_warmup, 0), CULPRIT_SIGNATURE_MAX, err));
	TRY(at_most("match-context", given_or(o->match_context, 0), context, err));
	TRY(at_most("match-bits", given_or(o->match_bits, 0), 2, err));
	return at_most("thin", o->thin, 1000000, err);
}

static struct culprit_shotgun_params params_from(const struct options *o, const struct culprit_samples *s)
{
	uint32_t length = (uint32_t)or_default(o->fragment_length, s->length);
	return (struct culprit_shotgun_params){
		.seed = o->seed + 1, /* not the monitor's own stream */
		.fragments = (uint32_t)given_or(o->fragments, FRAGMENTS),
		.length = length,
		.warmup = (uint32_t)given_or(o->fragment_warmup, o->as_paper ? 0 : WARMUP),
		.context = (uint32_t)given_or(o->match_context, s->context),
		.signature_bits = (uint32_t)given_or(o->match_bits, 2),
		.thin = (uint32_t)or_default(o->thin, 1),
		.own_weight = o->as_paper ? 0 : OWN_WEIGHT,
		.no_return = o->as_paper,
		.whole = o->as_paper,
		.no_borrowing = o->as_paper,
		.no_rare = o->as_paper || o->perf,
		.no_strays = o->as_paper,
		.no_inference = o->as_paper,
	};
}

/* --- the report --- */

/* The interval of "other" is that of everything else together: 100 less the rows shown. */
static void fill_rows(struct shotgun_session *s)
{
	struct shotgun_report *r = &s->report;
	double other[CULPRIT_GRAPH_SETS] = {1};
	r->row_count = graph_rows(&r->graph, r->rows);
	for (size_t i = 0; i < r->row_count; i++) {
		unsigned set = r->rows[i].set;
		if (!set) {
			r->row_interval[i] = culprit_shotgun_interval_of(s->shotgun, other);
			continue;
		}
		r->row_interval[i] = s->results.icost_interval[set];
		for (unsigned part = set;; part = (part - 1) & set) {
			other[part] -= __builtin_popcount(set ^ part) % 2 ? 1 : -1;
			if (!part)
				break;
		}
	}
}

static void add_place(struct shotgun_report *r, const struct shotgun_object_row *row)
{
	size_t i = 0;
	while (i < r->object_count && strcmp(r->objects[i].name, row->name) != 0)
		i++;
	if (i == SHOTGUN_OBJECTS_MAX)
		i--; /* the last row takes what has none of its own */
	if (i == r->object_count)
		r->objects[r->object_count++] = (struct shotgun_object_row){.visits = 0};
	struct shotgun_object_row *o = &r->objects[i];
	memcpy(o->name, row->name, sizeof o->name);
	o->visits += row->visits;
	o->missing += row->missing;
	o->aborts += row->aborts;
}

static void fill_objects(struct shotgun_session *s, const struct sample_file *file, const struct shotgun_code *code)
{
	struct culprit_shotgun_place p;
	for (size_t i = 0; culprit_shotgun_place(s->shotgun, i, &p); i++) {
		if (!p.visits)
			continue;
		size_t object = shotgun_code_object(code, p.pc);
		const char *path = object < file->mapping_count ? file->mappings[object].path : "no object";
		const char *slash = strrchr(path, '/');
		struct shotgun_object_row row = {
			.visits = p.visits, .missing = p.lacks ? p.visits : 0, .aborts = p.aborts};
		snprintf(row.name, sizeof row.name, "%s", slash ? slash + 1 : path);
		add_place(&s->report, &row);
		s->report.places++;
		s->report.places_missing += p.lacks;
	}
}

/* The fragments' own time against what was counted, as far as sampling tells it. */
static void fill_base(struct shotgun_session *s, const struct machine *machine)
{
	struct shotgun_report *r = &s->report;
	struct graph_base *b = &r->graph.base;
	if (!s->results.built || !r->instructions || !r->cycles)
		return;
	b->method = s->results.cpi;
	b->simulated = (double)r->cycles / (double)r->instructions;
	b->interval = 100 * s->results.cpi_error / b->simulated;
	b->gap_count = graph_gaps(machine, b->gaps, GRAPH_GAPS_MOST);
}

static void fill_report(struct shotgun_session *s, const struct options *o, const struct sample_file *file,
			const struct culprit_shotgun_params *p, const struct shotgun_code *code)
{
	const struct culprit_samples *x = &file->samples;
	s->report = (struct shotgun_report){
		.results = &s->results,
		.perf = s->report.perf,
		.graph = {.results = &s->results.graph, .withheld = s->report.perf ? CULPRIT_EVENT_BIT(imiss) : 0},
		.instructions = x->instructions,
		.cycles = x->cycles,
		.signatures = x->signature_count,
		.details = x->detail_count,
		.cut = file->cut,
		.length = x->length,
		.context = x->context,
		.fragment_length = p->length,
		.warmup = p->warmup,
		.signature_interval = file->signature_interval,
		.detail_interval = file->detail_interval,
		.signature_bits = culprit_signature_sample_bits(x->length, x->context, x->stack, x->target_slots),
		.detail_bits = culprit_detail_bits(x->context),
		.buffer_bytes = or_default(o->sample_buffer, BUFFER),
	};
	fill_rows(s);
	fill_objects(s, file, code);
}

bool shotgun_session_run(struct shotgun_session *s, const struct options *o, const struct sample_file *file,
			 const struct machine *machine, const struct shotgun_code *code, struct error *err)
{
	struct culprit_shotgun_machine m;
	shotgun_machine_from_machine(&m, machine);
	struct culprit_shotgun_params p = params_from(o, &file->samples);
	const char *why;
	s->shotgun = culprit_shotgun_create(&m, &p, &file->samples, &code->interface, &why);
	if (!s->shotgun)
		return error_set(err, ERROR_USAGE, "%s", why);
	if (!culprit_shotgun_run(s->shotgun, &s->results))
		return error_set(err, ERROR_INTERNAL, "%s", culprit_shotgun_error(s->shotgun));
	fill_report(s, o, file, &p, code);
	fill_base(s, machine);
	return true;
}

void shotgun_session_destroy(struct shotgun_session *s)
{
	culprit_shotgun_destroy(s->shotgun);
	s->shotgun = NULL;
}
