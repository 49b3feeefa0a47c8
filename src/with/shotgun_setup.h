/* What `run --with shotgun` and `culprit shotgun` share: parameters from options, the reconstruction, its report. */
#ifndef CULPRIT_WITH_SHOTGUN_SETUP_H
#define CULPRIT_WITH_SHOTGUN_SETUP_H

#include "options/options.h"
#include "with/sampled_code.h"
#include "machine/machine.h"
#include "report/shotgun/report.h"

struct shotgun_session {
	struct culprit_shotgun *shotgun;
	struct culprit_shotgun_results results;
	struct shotgun_report report;
};

/* The monitor's parameters; errors name the option. */
bool shotgun_monitor_params(struct culprit_monitor_params *p, const struct options *o, struct error *err);
/* Are the reconstruction's options in range, for signature samples of this length and samples of this context? */
bool shotgun_check_options(const struct options *o, uint32_t length, uint32_t context, struct error *err);

/* Reconstruct and fill the report. `file` and `code` must outlive the session. */
bool shotgun_session_run(struct shotgun_session *s, const struct options *o, const struct sample_file *file,
			 const struct machine *machine, const struct shotgun_code *code, struct error *err);
void shotgun_session_destroy(struct shotgun_session *s);

#endif
