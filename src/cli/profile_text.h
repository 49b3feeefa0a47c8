/* A profile for people to read. */
#ifndef CULPRIT_CLI_PROFILE_TEXT_H
#define CULPRIT_CLI_PROFILE_TEXT_H

#include "interval/profile/profile.h"
#include "report/killed.h"

#include <stdio.h>

struct profile_report {
	const struct interval_profile *profile;
	double seconds;	 /* of the pass; 0 = read from a file */
	uint64_t passed; /* instructions in them, warm-up included */
	bool cut;	 /* interrupted */
	struct report_killed killed;
};

void profile_report_text(const struct profile_report *r, FILE *out);

#endif
