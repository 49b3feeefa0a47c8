/* Loop predictor of TAGE-SC-L: branches that go one way a constant number of times, then once the other way.
 *
 * 16 sets of 4. An entry learns from committed branches (`current`, `trips`, `confidence`); the iteration that fetch
 * has reached is counted beside it at speculate, saved and restored. Training never touches the speculative counts: a
 * fresh entry's count is whatever its slot held and comes right at the first exit, long before confidence is high. */
#ifndef CULPRIT_MACHINE_TAGE_LOOP_H
#define CULPRIT_MACHINE_TAGE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

enum { LOOP_ENTRIES = 64, LOOP_WAYS = 4, LOOP_NONE = 255 };

struct loop_entry {
	uint16_t tag;		 /* 10 bits */
	uint16_t trips;		 /* 10 bits; outcomes in `direction` between two exits; 0 = not yet known */
	uint16_t current;	 /* 10 bits; committed since the last exit */
	uint8_t confidence, age; /* 4 bits each */
	bool direction;
};

struct loop_predictor {
	struct loop_entry entry[LOOP_ENTRIES];
	int8_t trust; /* 7 bits: have confident predictions that differed from the others' been right? */
};

struct loop_spec {
	uint16_t iteration[LOOP_ENTRIES]; /* 10 bits each */
};

struct loop_note {
	bool confident; /* an entry that has proved itself exists */
	bool taken;	/* what it says */
};

uint64_t loop_storage_bits(void);
struct loop_note loop_predict(const struct loop_predictor *l, const struct loop_spec *s, uint64_t pc);
void loop_speculate(const struct loop_predictor *l, struct loop_spec *s, uint64_t pc, bool taken);
/* other_taken: what would be predicted without this predictor. When that is wrong, allocate, one time in four. */
void loop_update(struct loop_predictor *l, uint64_t pc, struct loop_note note, bool other_taken, bool taken,
		 uint64_t *random);

#endif
