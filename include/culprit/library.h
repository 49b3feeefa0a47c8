/* The library in one header: a machine by its file, an analysis by its name, records in, JSON out. The other headers
 * have each analysis by itself, with its parameters and results as structs.
 *
 *     m = culprit_machine_load("my-core.yaml", &err);
 *     a = culprit_analysis_create("graph", m, 0, &err);
 *     culprit_analysis_push(a, records, count);           as often as there are records
 *     culprit_analysis_finish(a, cycles, &err);
 *     text = culprit_analysis_json(a);                    and culprit_free(text)
 *
 * Threads: the library keeps no state of its own. Different objects may be used by different threads at the same time,
 * one object by one thread at a time; a machine may be shared as long as nobody sets its keys. No function prints,
 * exits or catches signals. */
#ifndef CULPRIT_LIBRARY_H
#define CULPRIT_LIBRARY_H

#include "culprit/critical.h"
#include "culprit/field.h"
#include "culprit/log.h"
#include "culprit/shotgun.h"
#include "culprit/stalls.h"

CULPRIT_C_BEGIN

/* One line that says what is wrong and where. Wherever a function takes one, NULL will do. */
struct culprit_error {
	char text[512];
};

/* --- is it the library that the program was compiled for? --- */

/* CULPRIT_VERSION_NUMBER and "MAJOR.MINOR.PATCH" of the library that is running. */
uint32_t culprit_version(void);
const char *culprit_version_text(void);

/* What a program was compiled with. */
struct culprit_abi {
	uint32_t size; /* of this struct */
	uint32_t version, record_version;
#define ABI_STRUCT(name) uint32_t name;
#include "culprit/abi.def"
};

/* NULL: they fit. Else what does not, in a few words. */
const char *culprit_abi_check(const struct culprit_abi *compiled);
/* sizeof(struct NAME) in the library; 0 = abi.def has no such row. For languages that have no headers. */
uint32_t culprit_abi_size(const char *name);

/* A member of struct culprit_record, an unsigned integer: "fetch", "producer[0]". Every member is a row, in no order.
 */
struct culprit_member {
	const char *name;
	uint32_t offset, size; /* bytes */
};
/* False past the end. */
bool culprit_record_member(size_t index, struct culprit_member *member);

static inline const char *culprit_abi_mismatch(void)
{
	const struct culprit_abi compiled = {
		(uint32_t)sizeof(struct culprit_abi),
		CULPRIT_VERSION_NUMBER,
		CULPRIT_RECORD_VERSION,
#define ABI_STRUCT(name) (uint32_t)sizeof(struct name),
#include "culprit/abi.def"
	};
	return culprit_abi_check(&compiled);
}

/* What the functions here give as `char *`. */
void culprit_free(void *text);

/* --- machines: docs/reference/machines.md --- */

struct culprit_machine;

/* By name, as in `culprit machines`, or by path (with a slash, or ending in .yaml). NULL: *err says why. Names are looked
 * for where `culprit` does: the folders of the environment's CULPRIT_MACHINES, ./machines, then share/culprit/machines of
 * the prefix that libculprit.so lies in. A program that is linked with libculprit.a has its own prefix instead. */
struct culprit_machine *culprit_machine_load(const char *name_or_path, struct culprit_error *err);
/* From the text of a machine file. */
struct culprit_machine *culprit_machine_parse(const char *yaml, size_t length, struct culprit_error *err);
void culprit_machine_destroy(struct culprit_machine *m);
/* "window.rob=192", "latency.fp_fma=4", "units.alu.count=2". On failure the machine is as it was. */
bool culprit_machine_set(struct culprit_machine *m, const char *assignment, struct culprit_error *err);
/* The whole machine as the text of a machine file that needs no other. NULL: out of memory. */
char *culprit_machine_text(const struct culprit_machine *m);
/* The same as parameters of the graph and the critical path, and of shotgun's reconstruction, to be changed further. */
void culprit_machine_graph(const struct culprit_machine *m, struct culprit_graph_params *params);
void culprit_machine_shotgun(const struct culprit_machine *m, struct culprit_shotgun_machine *params);

/* --- analyses by name --- */

/* "graph", "critical", "stalls", "stacks", "check"; NULL past the end. */
const char *culprit_analysis_name(size_t index);

struct culprit_analysis;

/* `unknown`: what the source of the records does not tell (culprit/field.h); 0 = it tells everything. NULL: *err says
 * why. The machine is copied. */
struct culprit_analysis *culprit_analysis_create(const char *name, const struct culprit_machine *machine,
						 culprit_field_set unknown, struct culprit_error *err);
/* The same with the graph's parameters as they are here in place of the machine's own: for what a machine file cannot
 * say. "graph", "critical" and "check" use them. */
struct culprit_analysis *culprit_analysis_create_graph(const char *name, const struct culprit_machine *machine,
						       const struct culprit_graph_params *graph,
						       culprit_field_set unknown, struct culprit_error *err);
void culprit_analysis_destroy(struct culprit_analysis *a);

/* Records in commit order, `seq` rising by one. False: something is wrong, nothing more is taken, and
 * culprit_analysis_error says which record and what. */
bool culprit_analysis_push(struct culprit_analysis *a, const struct culprit_record *records, size_t count);
/* The next part of the pipeline log (culprit/log.h), which "stacks" needs and the others pass over. It comes before the
 * records of what committed in its cycles. */
bool culprit_analysis_log(struct culprit_analysis *a, const struct culprit_log_part *part);
/* "" = nothing is wrong. */
const char *culprit_analysis_error(const struct culprit_analysis *a);

/* Nothing more will come. `cycles`: how many the simulation took. The first one is cycle 0, so they are at least the
 * cycle of the last commit + 1, and fewer are refused; 0 = just these. */
bool culprit_analysis_finish(struct culprit_analysis *a, uint64_t cycles, struct culprit_error *err);
/* After a good finish: the object that `culprit run --json` has for the analysis (docs/reference/json.md), of
 * "critical" without what needs the program's names. With "not_known": what the records do not tell, and what is
 * withheld for it. NULL: out of memory. */
char *culprit_analysis_json(const struct culprit_analysis *a);
/* After a good finish of "graph": its results. NULL: another analysis. Valid as long as `a`. */
const struct culprit_graph_results *culprit_analysis_graph(const struct culprit_analysis *a);

/* --- record files: for `culprit check` and `culprit analyse` --- */

struct culprit_recording;

/* The file is written whole or not at all: it is there after a good finish. `program`: what reports call it; NULL =
 * "program". `unknown` as above. The machine is copied. NULL: *err says why. */
struct culprit_recording *culprit_recording_create(const char *path, const char *program,
						   const struct culprit_machine *machine, culprit_field_set unknown,
						   struct culprit_error *err);
/* The same of a core that has more than a machine file can say: the file keeps `cracked`, `decode_stages`,
 * `decode_insns`, `regs`, `late_rename`, `select`, `completion_ports`, `fetch_asked`,
 * `rename_to_issue`, `posted_writes` and `write_buffer` of the graph's parameters, and `culprit analyse` and `check`
 * use them. */
struct culprit_recording *culprit_recording_create_graph(const char *path, const char *program,
							 const struct culprit_machine *machine,
							 const struct culprit_graph_params *graph,
							 culprit_field_set unknown, struct culprit_error *err);
/* One that has not been finished leaves no file. */
void culprit_recording_destroy(struct culprit_recording *r);
/* As culprit_analysis_push, _error and _finish, with the same `cycles`. Written files have no pipeline log. */
bool culprit_recording_push(struct culprit_recording *r, const struct culprit_record *records, size_t count);
const char *culprit_recording_error(const struct culprit_recording *r);
bool culprit_recording_finish(struct culprit_recording *r, uint64_t cycles, struct culprit_error *err);

CULPRIT_C_END

#endif
