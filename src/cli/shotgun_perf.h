/* culprit shotgun --perf. */
#ifndef CULPRIT_CLI_SHOTGUN_PERF_H
#define CULPRIT_CLI_SHOTGUN_PERF_H

#include "import/perf_script.h"
#include "options/options.h"
#include "provenance/provenance.h"
#include "with/shotgun_setup.h"

struct shotgun_perf {
	struct perf_script script;
	struct culprit_precise_made made;
	struct shotgun_perf_report report;
	bool has_samples;
};

/* Fills what a sample file would have had, and the code. Afterwards shotgun_perf_destroy, in any case. */
bool shotgun_perf_read(struct shotgun_perf *p, const struct options *o, const struct machine *machine,
		       struct sample_file *file, struct shotgun_code *code, struct provenance *provenance,
		       struct error *err);
/* Takes out of `file` what is not a sample file's own. */
void shotgun_perf_destroy(struct shotgun_perf *p, struct sample_file *file);

/* shotgun.c: is it there, with the sysroot in front of it? A program as the user names it: a path here or in the
 * sysroot, or a name that the sysroot's usual places know. */
bool shotgun_exists_in(char *path, const char *sysroot, const char *name);
bool shotgun_find_program(char *path, const char *sysroot, const char *name, struct error *err);

#endif
