/* Memory order that store sets learn, by lane.
 *
 * A load that issues before an older store to its bytes violates memory order: it is fetched again, and from then on
 * load and store are in one store set. A load or store of a set waits for the set's last store. Who learns what differs
 * from lane to lane, so each lane has the machine's tables, and so has the recorded run: what it learns is in the
 * records. A lane whose tables say the same of an instruction as the recorded run's waits as recorded, which also has
 * what wrong paths did to the tables. Another waits as its own tables say.
 *
 * Only entries of the id table that some lane has trained are kept: few loads collide with stores. */
#ifndef CULPRIT_ANALYSIS_GRAPH_ORDER_H
#define CULPRIT_ANALYSIS_GRAPH_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct culprit_graph;
struct culprit_record;

enum { ORDER_LANES = 256 }; /* as GRAPH_LANES */

/* The set that an entry of the id table names, or a set's last store: number + 1, cut to 32 bits; 0 = none. */
struct order_column {
	uint32_t lane[ORDER_LANES];
	uint32_t recorded; /* ... in the recorded run */
	bool same;	   /* in all lanes as recorded */
};

/* The store that an instruction has to wait for. */
struct order_told {
	struct order_column store;
	bool any;	 /* the tables have an entry: else every lane waits as recorded */
	const void *row; /* where lanes wait for different ones: until when; NULL = none waits */
};

/* What is asked later of an instruction. */
struct order_seen {
	uint64_t pc;
	uint32_t latency; /* from issue to wake-up, as recorded */
	uint32_t missing; /* cycles of misses on the longest way to its result */
	uint8_t event;	  /* that idealises the latency */
	uint32_t base;	  /* distance to what makes the first operand; 0 = it was there long ago */
};

/* Of one lane, or the recorded run. */
struct order_lane {
	uint64_t clearings;
	uint64_t squashed; /* up to this instruction number all have been fetched before a load was taken back, ... */
	uint64_t ahead;	   /* ... so many cycles ahead */
};

struct graph_order {
	uint32_t entries, sets;	       /* of the machine's two tables */
	uint32_t *entry_at, *last_at;  /* where an entry's, a set's column is, + 1; 0 = nobody has used it */
	struct order_column **columns; /* of both */
	uint32_t count, room;
	struct order_lane lanes[ORDER_LANES + 1]; /* the last is the recorded run */
	uint64_t squashed;			  /* the largest of them */
	struct order_told told;			  /* of the last load or store planned */
	struct order_seen *seen;		  /* the last records, by number */
	uint64_t mask;
};

/* order_sets.c: the tables. False: out of memory. */
bool order_sets_create(struct graph_order *o, uint32_t entries, uint32_t sets);
void order_sets_destroy(struct graph_order *o);
/* What the tables have a load or store wait for, into o->told; a store is its set's last one from now on. */
bool order_sets_predict(struct graph_order *o, uint64_t pc, uint64_t number, bool is_store, uint64_t furthest);
/* Trains one lane, or with ORDER_LANES the recorded run. */
bool order_sets_train(struct graph_order *o, uint64_t load, uint64_t store, unsigned lane);
/* Has the recorded run both in one set? */
bool order_sets_know(const struct graph_order *o, uint64_t load, uint64_t store);
/* After training or clearing: which columns are the same in all lanes. */
void order_sets_compare(struct graph_order *o);
void order_sets_clear(struct graph_order *o, unsigned lane);
/* Two lanes change places. */
void order_sets_swap(struct graph_order *o, unsigned a, unsigned b);

#endif
