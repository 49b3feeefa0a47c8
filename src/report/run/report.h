/* The report of `culprit run`: one struct that the command fills, printed as text or as JSON. */
#ifndef CULPRIT_REPORT_RUN_REPORT_H
#define CULPRIT_REPORT_RUN_REPORT_H

#include "base/error.h"
#include "culprit/field.h"
#include "report/code/code.h"
#include "report/killed.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

enum {
	REPORT_ROWS_MAX = 64,
	REPORT_FUNCTIONS_MAX = 10,
	REPORT_CAUSES_MAX = 24,
	REPORT_WORST_MAX = 8,
	REPORT_LEAST_PERMILLE = 5, /* of the cycles: less is not worth a row of the first screen */
	REPORT_COSTS_MAX = 8
};

struct report_stack_row {
	const char *name;
	const char *meaning;
	uint64_t cycles;
};

struct report_rate_row {
	const char *name;  /* JSON key and label */
	uint64_t accesses; /* right path */
	uint64_t misses;
	uint64_t wrong_path_misses;
	bool has_accesses;
};

/* A source line within one function; where lines are not known, one instruction. */
struct report_spot {
	char function[200];
	char object[100];
	char place[160];    /* file:line, else function+0x12 */
	uint64_t weight;    /* by what it was chosen, in the unit of the owner */
	uint64_t instances; /* executions of the instructions that count, misses or mispredictions among them: */
	uint64_t bad, worse;
	size_t id;   /* among all spots of the program */
	double half; /* sampled: half of the weight's interval */
};

/* Why commit waited, in fewer words than the stack's rows. Together they are the cycles. */
struct report_cause {
	const char *name, *label, *words;
	const char *event; /* the event class that it is part of; NULL = none */
	bool nobodys;	   /* not to be accused: committing itself, the pipeline's length, the end, unknown */
	uint64_t cycles;
	struct report_spot spot; /* where most of it is: weight in cycles */
	double half;		 /* sampled: half of its interval */
};

struct report_function_row {
	char name[200];
	char object[100];
	char place[160]; /* of its costliest line; "" = not known */
	uint64_t place_cycles;
	uint64_t cycles;
	uint64_t instructions;
	uint64_t causes[REPORT_CAUSES_MAX]; /* as run_report.causes */
	size_t id;			    /* among all functions of the program */
	double half;			    /* sampled: half of the cycles' interval */
};

/* One static instruction. */
struct report_site {
	uint64_t pc;
	char function[200];
	char object[100];
	char line[160]; /* file:line; "" = not known */
	uint64_t executions, cycles, commit_cycles;
	uint64_t stack[REPORT_ROWS_MAX]; /* as run_report.stack */
	uint64_t causes[REPORT_CAUSES_MAX];
	uint64_t refill, mispredictions, l1d_misses, memory;
};

/* What event classes cost, from an analysis that knows: percent of the time. */
struct report_costs {
	const char *method;   /* NULL = no analysis told */
	double base_error;    /* percent by which its own time is off; */
	bool trusted;	      /* that is little enough, and the records fit */
	bool unfit;	      /* records of another core, which do not fit */
	const char *unscored; /* the option that it was not scored with; NULL = none */
	char gaps[200];	      /* machine keys that it does not follow, a list; empty = none */
	double other;	      /* what single classes and pairs leave unexplained */
	uint32_t count;
	struct {
		char name[32];
		double cost;
		double low, high; /* what it may be; the same = just that */
		bool withheld;	  /* what it is made from does not tell: cost and pairs mean nothing */
	} classes[REPORT_COSTS_MAX];
	double pairs[REPORT_COSTS_MAX][REPORT_COSTS_MAX]; /* interaction costs */
	double pair_low[REPORT_COSTS_MAX][REPORT_COSTS_MAX], pair_high[REPORT_COSTS_MAX][REPORT_COSTS_MAX];
	/* Of the causes that the user chose, those that gain most alone: of all, and of structures of the window. */
	struct report_alone {
		char name[32]; /* "" = none */
		double cost;
	} alone, window;
};

/* A program that ran, where there were several. */
struct report_program {
	char path[200];
	uint64_t processes, cycles, instructions;
};

/* Of a run that followed a trace: what the trace did not tell. */
struct report_trace {
	const char *format;	      /* NULL: there was none */
	const char *left_what;	      /* "lines" */
	uint64_t left_out;	      /* of these, by the reader */
	uint64_t accesses, addresses; /* loads and stores; without an address */
	uint64_t results, values;     /* registers written; without a value */
	uint64_t jumps;		      /* the next instruction is not where the one before leads */
	const char *code;	      /* "program", "trace": where it never went there is none, "made" */
};

/* In the head of a report that is not whole; of `cut`. */
#define REPORT_CUT_LINE "  *** %s: the figures are of the part simulated so far ***\n"

struct run_report {
	const char *version;
	const char *machine;
	const char *validated; /* how far the machine is; "": its file does not say */
	const char *program;
	struct report_trace trace;
	const char *plugins;	   /* whole lines about parts of the user's own; NULL = none */
	bool functional;	   /* no timing: only instructions, seconds */
	const char *cut;	   /* why the run is not whole ("interrupted"); NULL = it is */
	char *warnings;		   /* whole lines about what analyses found; NULL = none */
	uint64_t samples;	   /* all figures are estimates from so many; 0 = everything was counted */
	double confidence;	   /* percent, of their intervals; 0: they have none */
	const char *records;	   /* the file that all of it was read from; NULL = it was simulated */
	bool foreign;		   /* and which our own core did not write */
	culprit_field_set unknown; /* what these records do not tell */
	uint32_t lacking;	   /* its fields */
	bool as_named;		   /* the machine is as its name says: what was scored of that name is this one's */
	uint64_t skipped, warmed;
	uint64_t parts, more; /* --jobs: how many; instructions that they have more than the region */
	uint64_t instructions;
	uint64_t cycles;
	double host_seconds;
	int exit_status; /* the guest's; -1 while it has not ended */
	struct report_killed killed;

	bool has_stack;
	uint32_t stack_count;
	struct report_stack_row stack[REPORT_ROWS_MAX];

	uint32_t cache_count;
	struct report_rate_row caches[REPORT_ROWS_MAX];
	uint32_t branch_count;
	struct report_rate_row branches[REPORT_ROWS_MAX];

	uint64_t fetched, fetched_wrong_path, decode_redirects, violations, forwarded, loads, stores, serialising;
	uint64_t memory_reads, memory_writes;
	uint64_t prefetches, prefetches_used, prefetches_late;

	uint32_t width;				       /* instructions that can commit in a cycle */
	uint64_t before_main;			       /* cycles until main was called; 0 = not known */
	uint32_t cause_count;			       /* 0 = not known */
	struct report_cause causes[REPORT_CAUSES_MAX]; /* the first is committing */
	uint32_t function_worth, spot_worth; /* functions, branches and loads that are worth a row, listed or not */
	uint32_t branch_spots, load_spots;
	struct report_spot worst_branches[REPORT_WORST_MAX]; /* by the cycles of the refills behind them */
	struct report_spot worst_loads[REPORT_WORST_MAX];    /* by the cycles that commit waited for them */
	struct report_costs costs;
	bool has_critical;	   /* the critical path was asked for */
	struct report_site *sites; /* those with most cycles */
	size_t site_count, all_sites;
	const struct code *code; /* NULL = not asked for */
	const char *result;	 /* the file that it is written to; NULL = none */
	const char *words;	 /* program and arguments; NULL = not known */
	const char *command;	 /* its options that are no report's, a blank after each; NULL = not known */

	uint32_t function_count;
	struct report_function_row functions[REPORT_FUNCTIONS_MAX];
	uint64_t function_cycles;

	struct report_program *programs; /* all of them, those with most cycles first; together they are the run */
	size_t program_count;		 /* 0: there was one process */
};

/* How much of it, and for what kind of screen. */
struct report_view {
	unsigned width;	      /* columns */
	bool colour, verbose; /* verbose: every section behind the first screen */
	bool brief;	      /* only the verdict */
	const char *show;     /* only these sections, a list; NULL = the first screen */
};

/* Is the section wanted behind the first screen? */
bool report_shows(const struct report_view *view, const char *section);
/* Sections that a run itself has, NULL-terminated; analyses have theirs. */
const char *const *run_report_sections(void);

/* The programs and their shares in a line or two; nothing where there was one only. Returns the lines. */
unsigned run_report_programs(const struct run_report *r, const struct report_view *view, FILE *out);
void run_report_program_table(const struct run_report *r, FILE *out);
json_t *run_report_programs_json(const struct run_report *r);

/* Program, machine, totals, and what the figures must not be read without. Returns the lines. */
unsigned run_report_head(const struct run_report *r, const struct report_view *view, FILE *out);
/* The verdict: sentences; nothing without causes. Returns the lines. */
unsigned run_report_verdict(const struct run_report *r, const struct report_view *view, FILE *out);
/* The first screen behind its head: verdict, bar, tables, next commands. */
void run_report_behind(const struct run_report *r, const struct report_view *view, FILE *out);
/* Head, verdict, and the first screen: 24 lines, but for what not every run has (warnings, long commands). */
void run_report_screen(const struct run_report *r, const struct report_view *view, FILE *out);
void run_report_text(const struct run_report *r, const struct report_view *view, FILE *out);
/* A new JSON object with the keys of the plan's section 4; NULL when out of memory. Analyses add their own. */
json_t *run_report_json(const struct run_report *r);
/* What the names in it mean. */
json_t *run_report_legend(const struct run_report *r);

#endif
