/* The command line: one table of options for all subcommands. */
#ifndef CULPRIT_OPTIONS_OPTIONS_H
#define CULPRIT_OPTIONS_OPTIONS_H

#include "base/error.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

enum option_user {
	FOR_RUN = 1,
	FOR_TRUTH = 2,
	FOR_MACHINES = 4,
	FOR_PROFILE = 8,
	FOR_MODEL = 16,
	FOR_SHOTGUN = 32,
	FOR_RERUN = 64,
	FOR_HELP = 128,
	FOR_SAMPLE = 256,
	FOR_PROFILERS = 512,
	FOR_RECORD = 1024,
	FOR_ANALYSE = 2048,
	FOR_CHECK = 4096,
	FOR_ANNOTATE = 8192,
	FOR_DIFF = 16384,
	FOR_FIT = 32768,
	FOR_SWEEP = 65536,
	FOR_VECTORS = 1 << 18,
	FOR_SIMPOINT = 1 << 19,
	FOR_CHECKPOINT = 1 << 21,
	FOR_EXPORT = 1 << 20,
	FOR_IMPORT = 131072,
	FOR_FILES = FOR_ANALYSE | FOR_CHECK,
	FOR_TIMED = FOR_RUN | FOR_TRUTH | FOR_PROFILERS | FOR_RECORD | FOR_ANNOTATE,
	FOR_GUEST = FOR_RUN | FOR_TRUTH | FOR_PROFILE | FOR_PROFILERS | FOR_RECORD | FOR_ANNOTATE | FOR_VECTORS |
		    FOR_CHECKPOINT,
	FOR_ALL = ~0,
};

/* The machine of a command that is given none. */
#define OPTION_DEFAULT_MACHINE "eyerman2009-4w"

/* What a page has beside the stack and the functions, when --with does not say; functions with code, when --json-code
 * does not. */
#define OPTION_PAGE_ANALYSES "critical,graph,stacks,stalls,phases,pipeline"
enum { OPTION_PAGE_CODE = 40 };

/* What a count is where 0 would mean something. */
#define OPTION_NOT_GIVEN UINT64_MAX

enum { OPTION_ROWS_MAX = 192 };

struct text_list {
	const char **items; /* NULL-terminated */
	size_t count;
};

struct options {
	const char *machine, *ideal, *start_at, *stop_at, *sysroot, *with, *stacks_svg, *graph_svg, *json, *html,
		*output;
	const char *graph_slots, *graph_intervals, *graph_causes, *analysis_thread;
	const char *classes, *pairs, *score, *csv;
	const char *stacks_csv, *fmt_rule;
	const char *profile, *show, *sections, *unknown;
	const char *stalls_at, *stalls_threshold, *stalls_svg, *stalls_folded;
	const char *without, *explore, *svg, *scaling;
	const char *shotgun_file, *write_perf, *perf;
	const char *completion, *isa;
	const char *error, *confidence;
	const char *function, *sites, *results;
	const char *keys, *write_machine;
	const char *simpoints, *weights, *simpoints_to, *weights_to, *checkpoint;
	const char *to, *table;
	const char *predictor, *binary, *map, *trace;
	struct text_list sets, readable, writable, env, sweeps, graph_classes, source_dirs, debug_dirs, prefetchers;
	uint64_t skip, warmup, max_insns, sample, seed, guest_seed, memory, jobs, fmt_rows, stalls_depth, stalls_chain,
		stalls_interval;
	uint64_t graph_passes, critical_rows, critical_watch, oracle_rows, sample_period, skid;
	uint64_t signature_length, signature_interval, detail_interval, sample_buffer, fragment_length, thin;
	uint64_t ticks, perf_interval, perf_depth;
	uint64_t samples, sample_length, sample_interval, interval, max_k;
	uint64_t number, every, count, parts;
	uint64_t checkpoint_warmup, overlap, json_sites, json_code, sample_start, sample_warmup, sample_predictors,
		sample_context, return_stack, branch_targets, fragments, fragment_warmup, match_context,
		match_bits;	     /* OPTION_NOT_GIVEN */
	bool given[OPTION_ROWS_MAX]; /* by row of options.def */
	bool one_process;	     /* no option: set by commands that cannot tell processes apart */
	bool strace, unconfined, functional, quiet, help, full, reference, tage, plain, as_paper, wide_bit, man;
	bool perf_not_taken, brief, verbose, addresses, list, slurm;
	bool program;	    /* `arguments` is a guest's command */
	char **words;	    /* all of the command as it was given; words[0] is the subcommand */
	char **arguments;   /* what remains: the guest's command, or the subcommand's operands; NULL-terminated */
	const char *astray; /* the first argument of the guest that is an option of the command, and no -- was given */
};

/* argv[0] is the subcommand. Options stand before and after its operands, and behind `--` all is operands. But of a
 * command that runs a program all behind the program is the program's; annotate, which can do without, has its
 * program behind `--`. *o is to be destroyed in any case. */
bool options_parse(struct options *o, char **argv, enum option_user user, struct error *err);
/* Was the option of this name given? */
bool options_given(const struct options *o, const char *name);
/* An option whose help begins "with NAME:" belongs to that analysis: an error when --with does not name it. */
bool options_check_analyses(const struct options *o, struct error *err);
/* `run --seed` is an error when no analysis draws anything. */
bool options_check_seed(const struct options *o, struct error *err);
/* --html alone asks for all that a page can show: as if --with and --json-code had been given, also to those who ask
 * what was. */
void options_page(struct options *o);
/* --json-sites and --json-code: there are a result and cycles. */
bool options_check_lists(const struct options *o, struct error *err);
/* One part is all of the region: --jobs 1 is the run without it. */
void options_one_part(struct options *o);
/* The value of an option that is on or off; `otherwise` when it was not given. */
bool options_switch(const char *option, const char *text, bool otherwise, bool *on, struct error *err);
/* Every file that is to be written at the end can be, and no two are the same. Before a long run. */
bool options_check_outputs(const struct options *o, struct error *err);
/* Every option that the subcommand takes: what was given, else null (flags: true or false). */
json_t *options_json(const struct options *o, enum option_user user);
/* What was given of the options that all of `users` take, but for files to be written, as words of a command line.
 * Up to `room` of them; each is to be freed. False: out of memory, or too many. */
bool options_words(const struct options *o, int users, char **words, size_t room, size_t *count, struct error *err);
/* Does the subcommand have an option of exactly this name? *writes_file: its value names a file to be written. */
bool options_has(const char *name, enum option_user user, bool *writes_file);
void options_destroy(struct options *o);
void options_help(enum option_user user, FILE *out);

#endif
