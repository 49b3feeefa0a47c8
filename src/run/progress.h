/* A progress line on stderr when that is a terminal, and Ctrl-C as a flag to look at between steps. */
#ifndef CULPRIT_RUN_PROGRESS_H
#define CULPRIT_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Instructions between looks at the clock and at Ctrl-C. A signal that no look notices within a second of processor
 * time ends the process without a report, and a slow host with every analysis on does less than 200,000 a second. */
enum { PROGRESS_STEP = 100000 };

struct progress {
	bool shown;
	bool drawn;
	const char *doing; /* "" while the region is simulated */
	uint64_t goal;	   /* instructions; 0 = unknown */
	double started, last;
};

double progress_clock(void); /* seconds, monotonic */
void progress_begin(struct progress *p, const char *doing, uint64_t goal, bool quiet);
void progress_update(struct progress *p, uint64_t done);
void progress_end(struct progress *p);

/* SIGINT, SIGTERM and SIGHUP set a flag from here on; a second one ends the process. */
void interrupt_install(void);
bool interrupt_seen(void);
int interrupt_status(void); /* the exit status that a shell shows for the signal */

#endif
