/* culprit sample: a whole program from detailed samples. The parent executes the program, training caches, TLBs and
 * predictors all the way; for each sample a child, forked there, simulates in detail. docs/explanation/sample.md. */
#ifndef CULPRIT_SAMPLE_SAMPLE_H
#define CULPRIT_SAMPLE_SAMPLE_H

#include "base/bytes.h"
#include "provenance/provenance.h"
#include "report/sample/report.h"
#include "run/session.h"
#include "sample/events.h"
#include "sample/schedule.h"
#include "simpoint/points.h"

#include <sys/types.h>

/* One sample. What it measured is two snapshots, both since the child began: after the detailed warm-up, if there was
 * one, and at the end. The sample is their difference, so that nothing starts from an empty pipeline. */
struct sample_unit {
	bool due;		/* not finished */
	pid_t pid;		/* of its own child; 0: none, or finished */
	int files[2];		/* before, after: in memory, shared with that child; -1: read */
	struct bytes places[2]; /* before, after: what each counted by instruction (places.c) */
	uint64_t bounds
		[2]; /* first instruction that it measures, and the first behind; both 0: not a sample of the rest */
	unsigned passed;	     /* how many of them the parent has come to */
	struct sample_events met[2]; /* there, by the parent, since the region began */
	struct core_lesson *lessons; /* that its core has learnt, until the parent's is taught them (learn.c) */
	size_t lesson_count;
	bool taught;		/* of the start */
	json_t *before, *after; /* NULL: not finished, or the program ended in the warm-up; before: or no warm-up */
};

/* Predictors that learn before samples alone beside those that learn always (training.c). */
struct sample_training {
	size_t passed, count;		     /* samples whose end the parent has come to; those that were compared */
	bool compares, open;		     /* the reference learns; it did so where this sample began */
	struct sample_events own, reference; /* counted there */
	double sum[SAMPLE_EVENTS], squares[SAMPLE_EVENTS]; /* of what samples met more than with the reference */
	double largest[SAMPLE_EVENTS];			   /* either way */
	double met[SAMPLE_EVENTS];			   /* with it */
};

struct sample {
	struct options options; /* first */
	struct session session;
	struct sample_schedule schedule;
	struct simpoints points; /* the windows to simulate in place of a schedule's: --simpoints */
	uint64_t start, length, warmup, wanted;
	uint64_t trained; /* predictors learn so many instructions before a sample; TRAINED_ALWAYS */
	struct sample_training training;
	double confidence;	  /* part of 1 */
	double error, aimed;	  /* parts of 1: that CPI is to have, with that confidence; error 0: as it comes */
	bool asked;		  /* for that error: samples begin close together, and as few as suffice are kept */
	uint64_t region;	  /* instructions, as they were counted; 0: they were not */
	pid_t spare;		  /* waits for a second pass (again.c); 0: none */
	int orders;		  /* pipe to it */
	bool second;		  /* this is the second pass */
	struct sample_unit first; /* the region's start, simulated in full */
	struct sample_unit *units;
	size_t room, alive, jobs;
	struct sample_worker *workers; /* as many as `jobs`, of which `worker_count` have been started (worker.c) */
	size_t worker_count;
	bool works;		/* samples are the workers' */
	struct bytes state;	/* warm state on its way to one */
	uint64_t first_instret; /* of the guest, where the region begins */
	bool learns;		/* the machine has store sets (learn.c) */
	size_t taught;		/* of the units: what those before learnt is known to the parent's core */
	double learnt_cycles, learnt_instructions;
	uint64_t position;			  /* instructions of the region executed */
	struct sample_events began, started, met; /* counted where the region begins, behind its start, at `position` */
	struct symbols *symbols;
	struct lines *lines;
	size_t objects; /* that symbols and lines know */
	struct insn_cycles insn_cycles;
	struct insn_cycles whole; /* what all samples say of the whole region */
	char command[800], words[800];
	struct run_report screen;
	struct sample_report report;
	struct provenance provenance;
};

/* take.c: execute the region and take the samples. */
bool sample_take(struct sample *s, struct error *err);

/* unit.c: start a sample here, in a child of its own: `length` instructions after `warmup` that are not measured. */
bool sample_unit_start(struct sample *s, struct sample_unit *u, uint64_t warmup, uint64_t length, struct error *err);
/* Its child has ended with this status: what did it measure? */
bool sample_unit_finish(struct sample_unit *u, int status, struct error *err);
void sample_unit_destroy(struct sample_unit *u);
/* In whichever child: simulate it on the session's core, and append both snapshots to the files. */
bool sample_unit_simulate(struct sample *s, const int files[2], uint64_t warmup, uint64_t length, struct error *err);
/* Read snapshot `which` from a part of a file. */
struct file_part {
	uint64_t begin, end;
};
bool sample_unit_read(struct sample_unit *u, unsigned which, int file, struct file_part part, struct error *err);
/* A process of samples has ended in another way than by itself. */
bool sample_child_lost(int status, struct error *err);

/* take.c: of what the guest has loaded by now. */
bool sample_load_symbols(struct sample *s, struct error *err);

/* measure.c: what the listeners have heard so far: an object of numbers for each section, by its path, and for
 * "counts". They hear nothing after it. */
json_t *sample_measure(struct sample *s, struct error *err);
/* Names of functions and lines there. */
struct sample_place_names {
	const char *function;
	char line[300]; /* "": not known */
};
void sample_name_place(const struct sample *s, uint64_t pc, struct sample_place_names *to);
/* Cycles of functions and of lines, two of its objects, from a finished profile. */
void sample_measure_places(const struct sample *s, const struct insn_cycles *p, json_t *root);

/* fill.c: is there a section of this analysis's? */
bool sample_has(const char *analysis);
/* fill.c: the estimates. CPI alone, while samples are taken: relative half-width of its interval, were there `count`
 * samples. */
bool sample_fill(struct sample *s, struct error *err);
double sample_cpi_error(const struct sample *s, size_t count);
/* fill.c: how many times as many samples should give CPI to within the error? */
double sample_lack(const struct sample *s);

#endif
