/* What a signal that killed the guest is reported as: function and line from the object that the pc is in. */
#ifndef CULPRIT_RUN_KILLED_H
#define CULPRIT_RUN_KILLED_H

#include "base/error.h"
#include "guest/guest.h"
#include "report/killed.h"

struct symbols;
struct lines;

/* Of a death that is known, with the names of its places. */
void killed_fill(struct report_killed *k, const struct guest_death *d, const struct symbols *symbols,
		 const struct lines *lines);
/* k->signal = 0 when it was not killed. Where the host failed the guest, that is the error. */
bool killed_find(struct report_killed *k, const struct guest *guest, struct error *err);
/* The line for the user, to stderr, in which `program` is the one that the run began with. Nothing when it was not
 * killed. */
void killed_say(const struct report_killed *k, const char *program);

#endif
