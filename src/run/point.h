/* A point of the run, as --start-at and --stop-at name it: [PROGRAM[:N]/][PLACE[:N]]. PLACE is a symbol, an address, a
 * marker of culprit/marker.h (marker-N), gem5's work-begin or work-end, or any encoding (encoding-0x13); :N says the
 * n-th time. PROGRAM is the name of a file, without its folder: where a process begins to execute it. */
#ifndef CULPRIT_RUN_POINT_H
#define CULPRIT_RUN_POINT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct point {
	char text[256];	     /* what the two names lie in */
	const char *program; /* NULL: whichever runs */
	uint64_t begun;	     /* it begins for the so many-th time, from 1 */
	const char *place;   /* NULL: where the program begins */
	uint64_t times;	     /* from 1 */
	uint32_t encoding;   /* place is an instruction with this encoding; 0: an address or a symbol */
};

bool point_parse(struct point *p, const char *option, const char *text, struct error *err);

#endif
