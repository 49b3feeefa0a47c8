/* --with shotgun: the shotgun profiler's monitor listens; at the end its samples go to a file, if one was asked for,
 * and through the reconstruction, which sees nothing but samples, code files and machine. */
#include "base/output.h"
#include "with/analyses.h"
#include "with/shotgun_setup.h"
#include "guest/guest.h"
#include "with/perf_writer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct with_shotgun {
	const struct options *options;
	const struct machine *machine;
	struct culprit_monitor *monitor;
	struct culprit_monitor_params params;
	struct perf_writer *perf; /* --write-perf; else NULL */
	struct sample_file file;  /* its samples are the monitor's */
	struct shotgun_code code;
	struct shotgun_session session;
};

static void destroy(void *self)
{
	struct with_shotgun *w = self;
	shotgun_session_destroy(&w->session);
	shotgun_code_destroy(&w->code);
	memset(&w->file.samples, 0, sizeof w->file.samples);
	sample_file_destroy(&w->file);
	culprit_monitor_destroy(w->monitor);
	perf_writer_destroy(w->perf);
}

static bool create_perf(struct with_shotgun *w, struct error *err)
{
	enum { INTERVAL = 1000, DEPTH = 32 };
	const struct options *o = w->options;
	uint64_t depth = o->perf_depth ? o->perf_depth : DEPTH,
		 interval = o->perf_interval ? o->perf_interval : INTERVAL;
	if (depth < 2 || depth > PERF_DEPTH_MAX)
		return error_set(err, ERROR_USAGE, "--perf-depth: 2 to %d", PERF_DEPTH_MAX);
	if (interval > 1ull << 48)
		return error_set(err, ERROR_USAGE, "--perf-interval: at most %llu", 1ull << 48);
	if (!o->write_perf)
		return true;
	w->perf = perf_writer_create(interval, (uint32_t)depth, o->perf_not_taken, o->seed);
	return w->perf || error_set(err, ERROR_SYSTEM, "out of memory for --write-perf");
}

static bool create(void *self, const struct analysis_context *context, struct error *err)
{
	struct with_shotgun *w = self;
	const char *why;
	w->options = context->options;
	w->machine = context->machine;
	shotgun_code_create(&w->code);
	TRY(create_perf(w, err));
	TRY(shotgun_monitor_params(&w->params, w->options, err));
	TRY(shotgun_check_options(w->options, w->params.length, w->params.context, err));
	w->params.l2_line = w->machine->l2_line;
	w->monitor = culprit_monitor_create(&w->params, &why);
	return w->monitor || error_set(err, ERROR_USAGE, "--with shotgun: %s", why);
}

static void records(void *self, const struct culprit_record *r, size_t count)
{
	struct with_shotgun *w = self;
	culprit_monitor_push(w->monitor, r, count);
	if (w->perf)
		perf_writer_push(w->perf, r, count);
}

/* --- what goes into the file --- */

/* The path inside the sysroot, or the host's where there is none. */
static char *path_in(const char *sysroot, const struct guest_object *o)
{
	char root[PATH_MAX];
	size_t length = sysroot && realpath(sysroot, root) ? strlen(root) : 0;
	bool inside = length > 1 && !strncmp(o->path, root, length) && o->path[length] == '/';
	return strdup(inside ? o->path + length : o->path);
}

static bool add_mapping(struct with_shotgun *w, const struct guest_object *o, struct error *err)
{
	struct sample_file *f = &w->file;
	struct sample_mapping *grown = realloc(f->mappings, (f->mapping_count + 1) * sizeof *grown);
	if (!grown)
		return error_set(err, ERROR_SYSTEM, "out of memory for mappings");
	f->mappings = grown;
	struct sample_mapping *m = &f->mappings[f->mapping_count];
	*m = (struct sample_mapping){
		.path = path_in(w->options->sysroot, o), .start = o->start, .end = o->end, .bias = o->bias};
	if (!m->path)
		return error_set(err, ERROR_SYSTEM, "out of memory for mappings");
	f->mapping_count++;
	TRY(shotgun_code_identify(m, o->path, err));
	return shotgun_code_add(&w->code, m, o->path, err);
}

static bool fill_file(struct with_shotgun *w, const struct guest *guest, struct error *err)
{
	struct sample_file *f = &w->file;
	const struct culprit_samples *s = culprit_monitor_samples(w->monitor);
	if (!s)
		return error_set(err, ERROR_SYSTEM, "out of memory for samples");
	f->samples = *s;
	f->program = strdup(w->options->arguments[0]);
	f->machine_name = strdup(w->machine->name);
	f->machine = machine_text(w->machine);
	if (!f->machine || !f->program || !f->machine_name)
		return error_set(err, ERROR_SYSTEM, "out of memory for the sample file");
	f->skipped = w->options->skip;
	f->warmed = w->options->warmup;
	culprit_monitor_intervals(w->monitor, &f->signature_interval, &f->detail_interval);
	f->seed = w->params.seed;
	f->cut = culprit_monitor_cut(w->monitor);
	struct guest_object o;
	for (size_t i = 0; guest_object(guest, i, &o) && i < SAMPLE_MAPPINGS_MAX; i++)
		TRY(add_mapping(w, &o, err));
	return true;
}

static bool write_file(const struct with_shotgun *w, struct error *err)
{
	struct output o;
	TRY(output_open(&o, w->options->shotgun_file, err));
	return output_finish(&o, sample_file_write(&w->file, o.file, err), err);
}

static bool print_perf(const struct with_shotgun *w, const struct guest *guest, FILE *out, struct error *err)
{
	if (!perf_writer_good(w->perf))
		return error_set(err, ERROR_SYSTEM, "out of memory for --write-perf");
	struct guest_object o;
	for (size_t i = 0; i < w->file.mapping_count && guest_object(guest, i, &o); i++)
		TRY(perf_writer_mappings(out, o.path, w->file.mappings[i].path, o.bias, err));
	perf_writer_print(w->perf, w->options->arguments[0], out);
	return true;
}

static bool write_perf(const struct with_shotgun *w, const struct guest *guest, struct error *err)
{
	struct output o;
	TRY(output_open(&o, w->options->write_perf, err));
	return output_finish(&o, print_perf(w, guest, o.file, err), err);
}

static bool finish(void *self, const struct analysis_totals *totals, struct error *err)
{
	struct with_shotgun *w = self;
	TRY(fill_file(w, totals->guest, err));
	if (w->options->shotgun_file)
		TRY(write_file(w, err));
	if (w->perf)
		TRY(write_perf(w, totals->guest, err));
	return shotgun_session_run(&w->session, w->options, &w->file, w->machine, &w->code, err);
}

static void warn(void *self, FILE *out)
{
	struct with_shotgun *w = self;
	shotgun_base_head(&w->session.report, out);
}

static void text(void *self, FILE *out)
{
	struct with_shotgun *w = self;
	shotgun_text(&w->session.report, out);
}

static json_t *json(void *self)
{
	struct with_shotgun *w = self;
	return shotgun_json(&w->session.report);
}

const struct analysis analysis_shotgun = {
	.name = "shotgun",
	.help = "interaction costs from samples that hardware could take",
	.needs_guest = true,
	.size = sizeof(struct with_shotgun),
	.create = create,
	.records = records,
	.finish = finish,
	.warn = warn,
	.text = text,
	.json = json,
	.destroy = destroy,
};
