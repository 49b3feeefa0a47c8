/* The net over the analyses: streams of records, and a checksum of each figure that an analysis makes of them. A recorded stream is
 * what a core told of a varied program on a varied machine; a made one is drawn record by record, and says things that no core of
 * ours does. What is told of either may be changed: fields left out, weights, values that do not go together. */
#ifndef TESTS_GOLDEN_NET_H
#define TESTS_GOLDEN_NET_H

#include "culprit/field.h"
#include "culprit/graph.h"
#include "culprit/log.h"
#include "machine/machine.h"
#include "random_program.h"

#include <stdbool.h>
#include <stdio.h>

enum net_told {
	TOLD_ALL,     /* as it was */
	TOLD_LESS,    /* some fields left out, and made good by record_fill */
	TOLD_WEIGHTS, /* records of more or less than one entry or slot */
	TOLD_OTHER,   /* some values that fit nothing else */
	TOLDS
};

enum { NET_RUN = 2000, NET_CODE_BYTES = 60000 };

/* What came in one go: records, or a part of the log. */
struct net_batch {
	bool is_log;
	size_t first, count, first_squashed, squashed_count;
};

struct net_stream {
	uint64_t number;
	bool recorded; /* by a core: only then there are machine, code and log */
	enum net_told told;
	culprit_field_set unknown;
	const char *around;
	struct machine machine;
	struct culprit_graph_params graph;
	struct random_source random;
	uint8_t code[NET_CODE_BYTES];
	struct culprit_record *records;
	struct culprit_log_entry *entries;
	struct culprit_log_squashed *squashed;
	struct net_batch *batches;
	size_t count, entry_count, squashed_count, batch_count;
	uint64_t cycles;
	bool failed;
};

void net_record(struct net_stream *s, uint64_t number);
void net_make(struct net_stream *s, uint64_t number);
void net_release(struct net_stream *s);
/* The part of the log that a batch is. */
struct culprit_log_part net_log(const struct net_stream *s, const struct net_batch *b);
/* So many times one behind the other: seq and times go on. The caller's to free. */
struct culprit_record *net_repeated(const struct net_stream *s, size_t times);
/* For what a column draws. */
struct random_source net_random(const struct net_stream *s, unsigned column);
/* In this many per cent of cases. */
bool net_chance(struct random_source *r, uint32_t percent);

/* --- sums --- */

struct net_sum {
	uint64_t value;
};

void net_add(struct net_sum *sum, uint64_t value);
void net_add_text(struct net_sum *sum, const char *text); /* NULL as well */
/* To six digits: the last ones are the host's. */
void net_add_real(struct net_sum *sum, double value);
void net_add_record(struct net_sum *sum, const struct culprit_record *r);
void net_print(FILE *out, const struct net_sum *sum);

/* --- columns: each prints as many checksums as its heading has words --- */

struct net_column {
	const char *heading;
	bool recorded; /* of those alone */
	void (*print)(const struct net_stream *s, FILE *out);
};

void net_graph(const struct net_stream *s, FILE *out);
void net_refused(const struct net_stream *s, FILE *out);
void net_causes(const struct net_stream *s, FILE *out);
void net_critical(const struct net_stream *s, FILE *out);
void net_check(const struct net_stream *s, FILE *out);
void net_commit(const struct net_stream *s, FILE *out);
void net_insns(const struct net_stream *s, FILE *out);
void net_calls(const struct net_stream *s, FILE *out);
void net_profiles(const struct net_stream *s, FILE *out);
void net_stalls(const struct net_stream *s, FILE *out);
void net_engine(const struct net_stream *s, FILE *out);
void net_replay(const struct net_stream *s, FILE *out);
void net_stacks(const struct net_stream *s, FILE *out);
void net_pipe(const struct net_stream *s, FILE *out);
void net_window(const struct net_stream *s, FILE *out);
void net_shotgun(const struct net_stream *s, FILE *out);
void net_branches(const struct net_stream *s, FILE *out);
void net_truth(const struct net_stream *s, FILE *out);

/* A machine for the graph: that of the stream, with some parameters and classes that no machine file can say. */
void net_graph_params(struct culprit_graph_params *p, const struct net_stream *s, struct random_source *r);

#endif
