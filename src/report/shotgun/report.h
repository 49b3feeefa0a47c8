/* The shotgun profiler's breakdown, as text and as JSON: the graph's rows with intervals, and what became of the
 * samples. */
#ifndef CULPRIT_REPORT_SHOTGUN_REPORT_H
#define CULPRIT_REPORT_SHOTGUN_REPORT_H

#include "culprit/precise.h"
#include "report/graph/report.h"

enum { SHOTGUN_OBJECTS_MAX = 32 };

/* Where fragments went. */
struct shotgun_object_row {
	char name[64];
	uint64_t visits, missing,
		aborts; /* instructions walked, those whose pc has no detailed sample, fragments given up */
};

/* What became of a real machine's samples. */
struct shotgun_perf_report {
	struct culprit_precise_made made;
	uint64_t samples, others, unread, merged, unused; /* perf_script.h */
	bool all_paths;
	uint32_t slowest;	/* accesses of fewer cycles were not sampled ... */
	char slowest_event[64]; /* ... by this event */
	uint64_t lost_objects;	/* mapped, and not to be found */
};

struct shotgun_report {
	const struct culprit_shotgun_results *results;
	const struct shotgun_perf_report *perf; /* NULL: the samples are of our hardware */
	struct graph_report graph;
	struct graph_row rows[GRAPH_ROWS_MAX];
	struct culprit_shotgun_interval row_interval[GRAPH_ROWS_MAX]; /* half-width of the 95% interval, percent */
	size_t row_count;

	uint64_t instructions, cycles; /* of the run, as counters have them */
	uint64_t signatures, details, cut;
	uint32_t length, context; /* of the samples */
	uint32_t fragment_length, warmup;
	uint64_t signature_interval, detail_interval;
	uint32_t signature_bits, detail_bits; /* one sample in hardware */
	uint64_t buffer_bytes;		      /* of the hardware; 0 = not known */

	struct shotgun_object_row objects[SHOTGUN_OBJECTS_MAX];
	size_t object_count;
	uint64_t places, places_missing; /* distinct pcs walked; without a detailed sample */
};

/* Is the row's cost the least that it may be? Of perf's samples, where branches that were not taken are not recorded:
 * nobody knows which of them were mispredicted. */
bool shotgun_row_least(const struct shotgun_report *r, const struct graph_row *row);

/* Bits that went from the buffer to memory. */
double shotgun_report_bits(const struct shotgun_report *r);
/* Interrupts that the full buffer raised. */
double shotgun_report_interrupts(const struct shotgun_report *r);

/* Nothing when the fragments' time is as it should be. For the report's head; the first lines of its own part. */
void shotgun_base_head(const struct shotgun_report *r, FILE *out);
void shotgun_base_text(const struct shotgun_report *r, FILE *out);

/* perf.c: of a real machine's samples. What they cannot tell, and the identity: the graph's time against the branch
 * records' cycles. Then what became of them. */
void shotgun_perf_base(const struct shotgun_report *r, FILE *out);
void shotgun_perf_samples(const struct shotgun_report *r, FILE *out);
json_t *shotgun_perf_json(const struct shotgun_report *r);

void shotgun_text(const struct shotgun_report *r, FILE *out);
json_t *shotgun_json(const struct shotgun_report *r); /* NULL: out of memory */
void shotgun_csv(const struct shotgun_report *r, FILE *out);

#endif
