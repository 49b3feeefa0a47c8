/* culprit fit: which values of machine keys explain the cycles that kernels took on hardware?
 *
 *   table.c   the kernels and their measured cycles, from a CSV file
 *   keys.c    the keys of a machine that are searched, and the values to try next to a key's own
 *   trials.c  a trial is a machine; its kernels are simulated in child processes
 *   search.c  one key after the other: to the value with the least error, as long as that helps
 *   progress.c  how far that is, on a terminal
 *   report.c  what was found, in words
 *
 * An error is |simulated / measured - 1|; the sum over all kernels is made smaller. The family of a key is the kernels
 * that take more or fewer cycles with another value of it: only they can show what it is. */
#ifndef CULPRIT_FIT_FIT_H
#define CULPRIT_FIT_FIT_H

#include "machine/machine_rows.h"
#include "options/options.h"
#include "truth/pool.h"

enum {
	FIT_KERNELS_MAX = 4096,
	FIT_NAME_MAX = 64,
	FIT_VALUES_MAX = 16, /* tried around one value */
	FIT_KEYS_MAX = 512,
};

struct fit_kernel {
	char name[FIT_NAME_MAX];
	char *program;	 /* path */
	char *less;	 /* path of a program whose cycles are taken off; NULL = none */
	double measured; /* cycles */

	uint64_t first, last;	   /* simulated cycles: before the search, and with what has been accepted so far */
	double nearest;		   /* least error of all values tried, one key at a time, */
	char by[2 * FIT_NAME_MAX]; /* and which: KEY=VALUE; "" = the machine as it was */
};

struct fit_table {
	struct fit_kernel *kernels;
	size_t count;
};

/* CSV with a header: kernel, cycles, and as one likes program and less; other columns are left alone. Paths start at
 * the directory of the table. The program of a kernel has its name if no other is given. */
bool fit_table_read(struct fit_table *t, const char *path, struct error *err);
void fit_table_destroy(struct fit_table *t);

struct fit_key {
	char name[FIT_NAME_MAX];       /* as --set takes it */
	const struct machine_row *row; /* NULL: latency.OP, interval.OP, queues.NAME.entries, units.NAME.count */
	uint32_t min, max;
	bool *family; /* per kernel */
	size_t family_size;
	uint32_t value, proposed;
};

struct fit_keys {
	struct fit_key *keys;
	size_t count;
};

/* The keys that `list` names (keys and sections, with commas), or all where it is NULL. */
bool fit_keys_create(struct fit_keys *k, const struct machine *m, const char *list, size_t kernels, struct error *err);
void fit_keys_destroy(struct fit_keys *k);
uint32_t fit_key_get(const struct fit_key *key, const struct machine *m);
/* False: the machine cannot have this value. */
bool fit_key_put(const struct fit_key *key, struct machine *m, uint32_t value);
/* "KEY=VALUE" */
void fit_key_text(const struct fit_key *key, uint32_t value, char *text, size_t size);
/* Values near `value`, and far ones: as many as there are, at most FIT_VALUES_MAX. */
size_t fit_key_values(const struct fit_key *key, uint32_t value, bool probe, uint32_t values[FIT_VALUES_MAX]);

struct fit_trial {
	struct machine machine;
	const bool *kernels; /* which to simulate; NULL = all */
	uint64_t *cycles;    /* per kernel; 0 = none, or the simulation failed */
};

struct fit {
	struct options options; /* first */
	struct machine machine; /* with what has been accepted */
	char machine_name[64];
	struct fit_table table;
	struct fit_keys keys;
	size_t simulations;
	bool all_must; /* a kernel that cannot be simulated ends the fit */

	/* progress: what is being done, and for which key */
	bool shown, drawn;
	double drawn_at;
	const char *doing, *key;
	size_t key_number; /* from 1 on; 0 = for none */
	struct pool pool;  /* of the trials under way */
	const struct fit_trial *trials;
	struct fit_job *jobs;
	size_t job_count;
};

bool fit_simulate(struct fit *f, struct fit_trial *trials, size_t count, struct error *err);
bool fit_search(struct fit *f, struct error *err);
void fit_progress_begin(struct fit *f);
void fit_progress(const struct pool *p); /* its `watch` */
void fit_progress_end(struct fit *f);
double fit_error(const struct fit_kernel *k, uint64_t cycles);
void fit_text(const struct fit *f, FILE *out);

#endif
