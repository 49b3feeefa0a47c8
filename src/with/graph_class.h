/* --graph-class NAME=EVENT[+EVENT...][@PLACE[,PLACE...]]: event classes of the user's own, at places of the program.
 *
 * A place is a function, a source line FILE:LINE, an address 0xA, or addresses 0xA-0xB (from A to before B). Addresses
 * are those at which the code is mapped, as in reports; of a program that is not position-independent, the file's
 * own. */
#ifndef CULPRIT_WITH_GRAPH_CLASS_H
#define CULPRIT_WITH_GRAPH_CLASS_H

#include "base/error.h"
#include "culprit/graph.h"
#include "guest/guest.h"

struct graph_class {
	char name[CULPRIT_GRAPH_NAME];
	culprit_event_set events;
	const char *places; /* in the text parsed; NULL = everywhere */
};

/* Everything that does not need the program is checked. */
bool graph_class_parse(const char *text, struct graph_class *c, struct error *err);

/* EVENT[+EVENT...]@PLACE, without a name, as --ideal has it: its events and ranges. With guest NULL everything is
 * checked that does not need the program, and there are no ranges. Free the ranges. */
bool graph_class_place(const char *text, const struct guest *guest, struct culprit_graph_class *to, struct error *err);

/* Classes of the parameters from all texts. The ranges are those of what the guest has mapped; with guest NULL, there
 * are none yet. Free them with graph_classes_release. */
bool graph_classes_apply(const char *const *texts, size_t count, const struct guest *guest,
			 struct culprit_graph_params *params, struct error *err);
void graph_classes_release(struct culprit_graph_params *params);

#endif
