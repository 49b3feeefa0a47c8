/* Two JSON results compared, figure by figure: is the second the first made again? */
#ifndef CULPRIT_REPORT_COMPARE_H
#define CULPRIT_REPORT_COMPARE_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { COMPARE_SHOWN = 20, COMPARE_ALL = INT32_MAX };

struct compare_difference {
	char place[200]; /* graph.breakdown[3].percent */
	char was[60], is[60];
};

struct comparison {
	uint64_t figures; /* values compared: numbers, texts, truth values, nulls */
	uint64_t differences;
	struct compare_difference *kept; /* the first ones */
	size_t kept_count, most;
};

/* What the host and its load decide is left out: simulation time, the kernel that its vector instructions allow, and
 * all of the provenance but the machine and the files. Of the differences at most `most` are kept. */
bool compare_results(struct comparison *c, const json_t *was, const json_t *is, size_t most, struct error *err);
void comparison_destroy(struct comparison *c);
/* The differences, one a line, and how many more there are. */
void compare_text(const struct comparison *c, FILE *out);

#endif
