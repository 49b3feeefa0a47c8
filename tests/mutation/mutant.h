/* Included before every source of a build with planted faults (tests/mutation/run). CULPRIT_MUTANT names the one that this process
 * suffers, CULPRIT_MUTANTS_REACHED a file with a byte for each that is set when its place is reached. */
#ifndef MUTANT_H
#define MUTANT_H

extern unsigned mutant_active;
extern unsigned char *mutant_reached;
#define MUTANT(n) (mutant_reached[n] = 1, __builtin_expect(mutant_active == (n), 0))
/* Reached only where the fault makes a difference to the value. */
#define MUTANT_IF(n, differs) (mutant_reached[n] |= (differs), __builtin_expect(mutant_active == (n), 0))

#endif
