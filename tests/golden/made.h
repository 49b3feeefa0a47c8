/* Results made by hand for the report writers: every figure is another one, so that a swapped column, a wrong divisor or a renamed
 * key shows in the golden files. made.c calls one function for each report; each writes files out.*. */
#ifndef GOLDEN_MADE_H
#define GOLDEN_MADE_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

struct figures {
	uint64_t drawn;
};

/* Squares modulo a prime: no two are equal, and sums and differences of them hardly ever. 4 to 6 digits. */
static inline uint64_t figure(struct figures *f)
{
	uint64_t n = ++f->drawn;
	return 1009 + n * n * 7919 % 999983;
}

static inline double fraction(struct figures *f)
{
	return (double)figure(f) / 997;
}

FILE *made_open(const char *name);		/* exits when it cannot */
void made_close(FILE *out);			/* the same */
void made_json(json_t *root, const char *name); /* the same; gives up the reference */

void made_run(void);
void made_truth(void);
void made_model(void);
void made_explore(void);
void made_critical(void);
void made_oracle(void);
void made_profilers(void);
void made_graph(void);
void made_stacks(void);
void made_stalls(void);
void made_shotgun(void);
void made_code(void);

#endif
