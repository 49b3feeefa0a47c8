/* How event classes interact, by their interaction cost. One rule for every report: what prints as 0.0 percent of the
 * time is none. */
#ifndef CULPRIT_BASE_INTERACTION_H
#define CULPRIT_BASE_INTERACTION_H

enum interaction {
	INTERACTION_INDEPENDENT,
	INTERACTION_PARALLEL, /* positive: these cycles go only when all of the set are idealised */
	INTERACTION_SERIAL,   /* negative: idealising any one of the set is enough for these cycles */
	INTERACTIONS
};

/* `percent`: the interaction cost, of the base time. */
enum interaction interaction_of(double percent);
const char *interaction_name(enum interaction i);
const char *interaction_advice(enum interaction i); /* of a pair: what to do */
const char *interaction_meaning(enum interaction i);

#endif
