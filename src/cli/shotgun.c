/* culprit shotgun: reconstruct from a sample file, on a machine that never ran the program: the file, the code, nothing
 * else. */
#include "base/output.h"
#include "cli/commands.h"
#include "cli/provenance.h"
#include "cli/shotgun_setup.h"
#include "report/format.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct shotgun_command {
	struct options options;
	struct sample_file file;
	struct machine machine;
	struct shotgun_code code;
	struct shotgun_session session;
	struct provenance provenance;
};

/* --- where the code is --- */

static bool exists_in(char *path, const char *sysroot, const char *name)
{
	int size = snprintf(path, PATH_MAX, "%s%s%s", sysroot, *name == '/' || !*sysroot ? "" : "/", name);
	return size < PATH_MAX && access(path, R_OK) == 0;
}

/* The program as the user names it: a path here or in the sysroot, or a name that the sysroot's usual places know. */
static bool find_program(char *path, const char *sysroot, const char *name, struct error *err)
{
	static const char *const places[] = {"/usr/local/bin/", "/usr/bin/", "/bin/", "/usr/games/"};
	if (strchr(name, '/') && (exists_in(path, sysroot, name) || exists_in(path, "", name)))
		return true;
	for (size_t i = 0; !strchr(name, '/') && i < sizeof places / sizeof *places; i++) {
		char inside[PATH_MAX];
		snprintf(inside, sizeof inside, "%s%s", places[i], name);
		if (exists_in(path, sysroot, inside))
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
		TRY(find_program(path, sysroot, given, err));
	else if (!exists_in(path, sysroot, m->path) && !exists_in(path, "", m->path))
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

static bool write_text(const struct shotgun_command *c, struct error *err)
{
	const char *path = c->options.output;
	struct output o = {.file = stdout};
	if (path)
		TRY(output_open(&o, path, err));
	const struct sample_file *f = &c->file;
	char n[32];
	fprintf(o.file, "%s on %s: %s instructions sampled, %s\n", f->program, f->machine_name,
		format_grouped((int64_t)f->samples.instructions, n), c->options.arguments[0]);
	shotgun_text(&c->session.report, o.file);
	return !path || output_commit(&o, err);
}

static bool write_csv(const struct shotgun_command *c, struct error *err)
{
	struct output o;
	if (!c->options.csv)
		return true;
	TRY(output_open(&o, c->options.csv, err));
	shotgun_csv(&c->session.report, o.file);
	return output_commit(&o, err);
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

static bool shotgun(struct shotgun_command *c, struct error *err)
{
	const char *path = c->options.arguments[0];
	if (!path)
		return error_set(err, ERROR_USAGE, "shotgun: no sample file given: culprit shotgun FILE [-- BINARY]");
	provenance_begin(&c->provenance, &c->options, FOR_SHOTGUN);
	TRY(provenance_check(&c->provenance, err));
	TRY(shotgun_check_options(&c->options, err));
	TRY(options_check_outputs(&c->options, err));
	TRY(provenance_add_file(&c->provenance, "samples", path, err));
	TRY(sample_file_read(&c->file, path, err));
	TRY(read_machine(c, path, err));
	TRY(add_code(c, err));
	TRY(shotgun_session_run(&c->session, &c->options, &c->file, &c->machine, &c->code, err));
	TRY(write_json(c, err));
	TRY(write_csv(c, err));
	return write_text(c, err);
}

/* FILE stands before the options' end: `culprit shotgun [OPTION...] FILE [OPTION...] -- BINARY`. */
static void drop_dashes(char **arguments)
{
	if (!arguments[0] || !arguments[1] || strcmp(arguments[1], "--") != 0)
		return;
	for (char **a = arguments + 1; *a; a++)
		a[0] = a[1];
}

int command_shotgun(char **argv)
{
	struct error err = {0};
	struct shotgun_command *c = calloc(1, sizeof *c);
	int status = 0;
	if (!c)
		return report_no_memory();
	shotgun_code_create(&c->code);
	if (!options_parse(&c->options, argv, FOR_SHOTGUN, &err)) {
		status = report_error(&err);
	} else if (c->options.help) {
		printf("culprit shotgun [OPTION...] FILE [-- BINARY]\n");
		options_help(FOR_SHOTGUN, stdout);
	} else {
		drop_dashes(c->options.arguments);
		status = shotgun(c, &err) ? 0 : report_error(&err);
	}
	shotgun_session_destroy(&c->session);
	shotgun_code_destroy(&c->code);
	sample_file_destroy(&c->file);
	provenance_destroy(&c->provenance);
	options_destroy(&c->options);
	free(c);
	return status;
}
