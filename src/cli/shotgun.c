/* culprit shotgun: reconstruct from a sample file, on a machine that never ran the program: the file, the code, nothing
 * else. Or from perf's samples of a real machine, with a machine file that describes it (shotgun_perf.c). */
#include "base/output.h"
#include "base/plain.h"
#include "report/terminal.h"
#include "cli/commands.h"
#include "cli/shotgun_perf.h"
#include "provenance/provenance.h"
#include "with/shotgun_setup.h"
#include "report/format.h"
#include "run/session.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct shotgun_command {
	struct options options; /* first */
	struct sample_file file;
	struct machine machine;
	struct shotgun_code code;
	struct shotgun_session session;
	struct provenance provenance;
	struct shotgun_perf perf;
};

/* --- where the code is --- */

bool shotgun_exists_in(char *path, const char *sysroot, const char *name)
{
	int size = snprintf(path, PATH_MAX, "%s%s%s", sysroot, *name == '/' || !*sysroot ? "" : "/", name);
	return size < PATH_MAX && access(path, R_OK) == 0;
}

/* The program as the user names it: a path here or in the sysroot, or a name that the sysroot's usual places know. */
bool shotgun_find_program(char *path, const char *sysroot, const char *name, struct error *err)
{
	static const char *const places[] = {"/usr/local/bin/", "/usr/bin/", "/bin/", "/usr/games/"};
	if (strchr(name, '/') && (shotgun_exists_in(path, sysroot, name) || shotgun_exists_in(path, "", name)))
		return true;
	for (size_t i = 0; !strchr(name, '/') && i < sizeof places / sizeof *places; i++) {
		char inside[PATH_MAX];
		snprintf(inside, sizeof inside, "%s%s", places[i], name);
		if (shotgun_exists_in(path, sysroot, inside))
			return true;
	}
	return error_set(err, ERROR_NOT_FOUND, "%s: no such program", name);
}

static bool add_object(struct shotgun_command *c, uint32_t i, const char *sysroot, struct error *err)
{
	const struct sample_mapping *m = &c->file.mappings[i];
	const char *given = c->options.arguments[1];
	char path[PATH_MAX];
	if (i == 0 && given)
		TRY(shotgun_find_program(path, sysroot, given, err));
	else if (!shotgun_exists_in(path, sysroot, m->path) && !shotgun_exists_in(path, "", m->path))
		return error_set(err, ERROR_INPUT, "%s: sampled, but not to be found%s%s", m->path,
				 *sysroot ? " in " : "; --sysroot says where its root is", sysroot);
	TRY(provenance_add_file(&c->provenance, i ? "library" : "program", path, err));
	return shotgun_code_add(&c->code, m, path, err);
}

static bool add_code(struct shotgun_command *c, struct error *err)
{
	const char *sysroot = c->options.sysroot ? c->options.sysroot : "";
	for (uint32_t i = 0; i < c->file.mapping_count; i++)
		TRY(add_object(c, i, sysroot, err));
	return true;
}

/* --- the machine --- */

static bool read_machine(struct shotgun_command *c, const char *path, struct error *err)
{
	if (machine_parse(&c->machine, c->file.machine, strlen(c->file.machine), "its machine", err)) {
		snprintf(c->machine.name, sizeof c->machine.name, "%s", c->file.machine_name);
		return true;
	}
	err->code = ERROR_INPUT;
	return error_context(err, "%s", path);
}

/* --- results --- */

static void print_text(const struct shotgun_command *c, FILE *out)
{
	const struct sample_file *f = &c->file;
	char n[64], program[4096], file[4096];
	fprintf(out, "%s on %s: %s sampled, %s\n", plain_copy(f->program, program, sizeof program), f->machine_name,
		format_counted(f->samples.instructions, "instruction", n),
		plain_copy(c->options.perf ? c->options.perf : c->options.arguments[0], file, sizeof file));
	shotgun_text(&c->session.report, out);
}

static bool write_json(struct shotgun_command *c, struct error *err)
{
	if (!c->options.json)
		return true;
	const struct sample_file *f = &c->file;
	json_t *root = json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:o}", "culprit", CULPRIT_VERSION, "machine",
				 f->machine_name, "program", f->program, "skipped", (json_int_t)f->skipped, "warmed",
				 (json_int_t)f->warmed, "instructions", (json_int_t)f->samples.instructions, "cycles",
				 (json_int_t)f->samples.cycles, "shotgun", shotgun_json(&c->session.report));
	return provenance_write(&c->provenance, &c->machine, root, c->options.json, err);
}

/* From a sample file. */
static bool read_samples(struct shotgun_command *c, struct error *err)
{
	const char *path = c->options.arguments[0];
	if (!path)
		return error_set(err, ERROR_USAGE,
				 "shotgun: no sample file given: culprit shotgun FILE [-- BINARY], or --perf FILE");
	if (c->options.machine || c->options.sets.count || c->options.binary)
		return error_set(err, ERROR_USAGE,
				 "-m, --set and --binary are for --perf: a sample file has its machine");
	TRY(provenance_add_file(&c->provenance, "samples", path, err));
	TRY(sample_file_read(&c->file, path, err));
	TRY(shotgun_check_options(&c->options, c->file.samples.length, c->file.samples.context, err));
	TRY(read_machine(c, path, err));
	return add_code(c, err);
}

/* From perf script's text. */
static bool read_perf(struct shotgun_command *c, struct error *err)
{
	if (c->options.arguments[0])
		return error_set(err, ERROR_USAGE, "--perf takes the place of a sample file: '%s' is not needed",
				 c->options.arguments[0]);
	if (!c->options.machine)
		return error_set(err, ERROR_USAGE, "--perf needs -m MACHINE, the machine that was sampled");
	TRY(session_machine(&c->machine, &c->options, err));
	TRY(shotgun_perf_read(&c->perf, &c->options, &c->machine, &c->file, &c->code, &c->provenance, err));
	c->session.report.perf = &c->perf.report;
	return shotgun_check_options(&c->options, c->file.samples.length, c->file.samples.context, err);
}

static bool shotgun(void *state, int *status, struct error *err)
{
	(void)status;
	struct shotgun_command *c = state;
	shotgun_code_create(&c->code);
	provenance_begin(&c->provenance, &c->options, FOR_SHOTGUN);
	TRY(provenance_check(&c->provenance, err));
	TRY(options_check_outputs(&c->options, err));
	TRY(c->options.perf ? read_perf(c, err) : read_samples(c, err));
	if (!shotgun_session_run(&c->session, &c->options, &c->file, &c->machine, &c->code, err))
		return error_context(err, "shotgun");
	TRY(write_json(c, err));
	TRY(OUTPUT_WRITE(c->options.csv, NULL, shotgun_csv, &c->session.report, err));
	return REPORT_WRITE(c->options.output, stdout, print_text, c, err);
}

static void destroy(void *state)
{
	struct shotgun_command *c = state;
	shotgun_session_destroy(&c->session);
	shotgun_code_destroy(&c->code);
	shotgun_perf_destroy(&c->perf, &c->file);
	sample_file_destroy(&c->file);
	provenance_destroy(&c->provenance);
}

const struct command command_shotgun = {
	.user = FOR_SHOTGUN,
	.size = sizeof(struct shotgun_command),
	.run = shotgun,
	.destroy = destroy,
};
