/* The library as another simulator sees it: compiled out of the tree against the installed files, as C11 and as C++17. */
#include <culprit/library.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(const char *what, bool good)
{
	if (good)
		return;
	fprintf(stderr, "FAILED: %s\n", what);
	failures++;
}

/* A loop of three: two loads that miss side by side, and a branch on both, mispredicted each time. From fetch to fetch it
 * takes 5 + 1 cycles to issue, 82 for the loads, 1 for the branch, 2 for the redirect: 91, of which 80 are the miss. */
static struct culprit_record insn(const struct culprit_record *before, const struct culprit_record *earlier)
{
	struct culprit_record r;
	uint64_t seq = before ? before->seq + 1 : 0;
	memset(&r, 0, sizeof r);
	r.seq = seq;
	r.pc = 0x1000 + 4 * (seq % 3);
	r.length = 4;
	r.dest = 10;
	r.fetch = seq % 3 ? before->fetch : before ? before->complete + 2 : 10;
	r.dispatch = r.fetch + 5;
	r.ready = r.issue = r.dispatch + 1;
	if (seq % 3 < 2) {
		r.op_class = CULPRIT_OP_load;
		r.flags = CULPRIT_LOAD;
		r.dmiss = 80;
		r.exec_latency = 2;
		r.dlevel = CULPRIT_LEVEL_MEMORY;
		r.mem_addr = 64 * seq;
		r.mem_size = 8;
	} else {
		r.op_class = CULPRIT_OP_branch;
		r.branch = CULPRIT_BRANCH_CONDITIONAL;
		r.flags = CULPRIT_MISPREDICTED | CULPRIT_DIRECTION_WRONG;
		r.dest = 64;
		r.exec_latency = 1;
		r.producer[0] = 1;
		r.producer[1] = 2;
		r.ready = r.issue = before->complete > earlier->complete ? before->complete : earlier->complete;
	}
	r.redirect = seq && seq % 3 == 0 ? 2 : 0;
	r.wakeup = (uint16_t)(r.exec_latency + r.dmiss);
	r.complete = r.issue + r.wakeup;
	r.commit = before && before->commit > r.complete + 1 ? before->commit : r.complete + 1;
	return r;
}

enum { COUNT = 3000 };

static struct culprit_record *stream(void)
{
	struct culprit_record *r = (struct culprit_record *)calloc(COUNT, sizeof *r);
	for (int i = 0; r && i < COUNT; i++)
		r[i] = insn(i ? &r[i - 1] : NULL, i > 1 ? &r[i - 2] : NULL);
	return r;
}

static char *analyse(const char *name, const struct culprit_machine *m, culprit_field_set unknown,
		     const struct culprit_record *r, struct culprit_error *err)
{
	struct culprit_analysis *a = culprit_analysis_create(name, m, unknown, err);
	char *json = NULL;
	if (!a)
		return NULL;
	for (int i = 0; i < COUNT; i += 700) /* in batches of any size */
		culprit_analysis_push(a, r + i, (size_t)(COUNT - i < 700 ? COUNT - i : 700));
	if (culprit_analysis_finish(a, 0, err))
		json = culprit_analysis_json(a);
	const struct culprit_graph_results *x = culprit_analysis_graph(a);
	check("graph results are the graph's alone", (x != NULL) == (json && !strcmp(name, "graph")));
	if (x && !unknown)
		check("dmiss costs 80 of 100 cycles",
		      x->cost[1 << CULPRIT_EVENT_dmiss] > 0 && x->instructions == COUNT);
	culprit_analysis_destroy(a);
	return json;
}

static void check_version(void)
{
	struct culprit_abi other;
	memset(&other, 0, sizeof other);
	check("the library fits", culprit_abi_mismatch() == NULL);
	check("version", culprit_version() == CULPRIT_VERSION_NUMBER);
	other.size = sizeof other;
	check("another version does not fit", culprit_abi_check(&other) != NULL);
	other.size = 1;
	check("another size does not fit", culprit_abi_check(&other) != NULL);
	check("sizes by name", culprit_abi_size("culprit_record") == sizeof(struct culprit_record));
	check("no such struct", culprit_abi_size("culprit_nothing") == 0);
}

static const char yaml[] =
	"window: { rob: 64 }\nfrontend: { stages: 5 }\n"
	"queues: [ { name: all, entries: 0, width: 4 } ]\n"
	"units: [ { name: all, count: 4, queue: all, ops: [int_alu, int_mul, int_div, branch, load, "
	"store, amo, fp_add, fp_mul, fp_fma, fp_div, fp_sqrt, fp_cvt, fp_move, csr, fence, system] } "
	"]\n";

static void check_machine(struct culprit_machine *m)
{
	struct culprit_error err;
	struct culprit_graph_params graph;
	check("set", culprit_machine_set(m, "window.rob=128", &err));
	culprit_machine_graph(m, &graph);
	check("it is set", graph.rob == 128 && graph.frontend_stages == 5);
	check("no such key", !culprit_machine_set(m, "window.robb=1", &err) && strstr(err.text, "window.rob"));
	check("impossible value", !culprit_machine_set(m, "window.rob=0", &err));
	culprit_machine_graph(m, &graph);
	check("a machine stays as it was", graph.rob == 128);
	char *text = culprit_machine_text(m);
	struct culprit_machine *again = text ? culprit_machine_parse(text, strlen(text), &err) : NULL;
	check("a machine's text gives the machine", again != NULL);
	culprit_machine_destroy(again);
	culprit_free(text);
	check("bad YAML", !culprit_machine_parse("{", 1, &err) && *err.text);
	check("no such machine", !culprit_machine_load("./nothing.yaml", NULL));
	struct culprit_machine *named = culprit_machine_load("eyerman2009-4w", &err);
	check("a machine by its name", named != NULL);
	culprit_machine_destroy(named);
	struct culprit_shotgun_machine shotgun;
	culprit_machine_shotgun(m, &shotgun);
	check("shotgun's machine", shotgun.graph.rob == 128);
}

static void check_analyses(const struct culprit_machine *m, const struct culprit_record *r)
{
	struct culprit_error err;
	for (size_t i = 0; culprit_analysis_name(i); i++) {
		const char *name = culprit_analysis_name(i);
		char *json = analyse(name, m, 0, r, &err);
		if (!strcmp(name, "stacks"))
			check("stacks without a log", !json && strstr(err.text, "log"));
		else
			check(name, json && strstr(json, "\"not_known\": null"));
		if (json && !strcmp(name, "check"))
			printf("%s\n", json);
		culprit_free(json);
	}
	check("no such analysis", !analyse("grahp", m, 0, r, &err) && strstr(err.text, "graph"));
	struct culprit_record bad[2] = {r[0], r[1]};
	bad[1].issue = 0;
	struct culprit_analysis *a = culprit_analysis_create("graph", m, 0, NULL);
	check("a record that contradicts itself",
	      !culprit_analysis_push(a, bad, 2) && strstr(culprit_analysis_error(a), "record 1"));
	check("no results of it", !culprit_analysis_finish(a, 0, &err) && !culprit_analysis_json(a));
	culprit_analysis_destroy(a);
}

static void check_unknown(const struct culprit_machine *m, const struct culprit_record *r)
{
	struct culprit_error err;
	culprit_field_set set;
	const char *at;
	check("fields by name", culprit_field_set_parse("address,level", &set, &at) &&
					set == (CULPRIT_FIELD_BIT(address) | CULPRIT_FIELD_BIT(level)));
	check("no such field", !culprit_field_set_parse("address,levle", &set, &at) && !strcmp(at, "levle"));
	check("what is required", !analyse("graph", m, CULPRIT_FIELD_BIT(times), r, &err) && strstr(err.text, "times"));
	char *json = analyse("graph", m, CULPRIT_FIELD_BIT(miss), r, &err);
	check("a class that cannot be told is withheld",
	      json && strstr(json, "\"dmiss\": null") && strstr(json, "\"withheld\""));
	culprit_free(json);
}

/* A file of the records, and one of which a part is not known. */
static void check_recording(const struct culprit_machine *m, const struct culprit_record *r, const char *path,
			    culprit_field_set unknown)
{
	struct culprit_error err;
	struct culprit_recording *f = culprit_recording_create(path, "api", m, unknown, &err);
	check("a record file", f != NULL);
	if (!f)
		return;
	for (int i = 0; i < COUNT; i += 700)
		check("records", culprit_recording_push(f, r + i, (size_t)(COUNT - i < 700 ? COUNT - i : 700)));
	check("its end", culprit_recording_finish(f, 0, &err));
	check("nothing after the end", !culprit_recording_push(f, r, 1) && *culprit_recording_error(f));
	culprit_recording_destroy(f);
}

static void check_recordings(const struct culprit_machine *m, const struct culprit_record *r)
{
	struct culprit_error err;
	struct culprit_record bad[2] = {r[0], r[1]};
	check_recording(m, r, "all.crec", 0);
	check_recording(m, r, "some.crec",
			CULPRIT_FIELD_BIT(ready) | CULPRIT_FIELD_BIT(latency) | CULPRIT_FIELD_BIT(miss));
	check("a folder that there is not",
	      !culprit_recording_create("./nothing/x.crec", NULL, m, 0, &err) && *err.text);
	check("times are required", !culprit_recording_create("no.crec", NULL, m, CULPRIT_FIELD_BIT(times), NULL));
	bad[1].issue = 0;
	struct culprit_recording *f = culprit_recording_create("bad.crec", NULL, m, 0, &err);
	check("a record that contradicts itself is not written",
	      !culprit_recording_push(f, bad, 2) && strstr(culprit_recording_error(f), "record 1"));
	check("no end of it", !culprit_recording_finish(f, 0, &err));
	culprit_recording_destroy(f);
	f = culprit_recording_create("short.crec", NULL, m, 0, &err);
	check("too few cycles", culprit_recording_push(f, r, COUNT) &&
					!culprit_recording_finish(f, r[COUNT - 1].commit, &err) &&
					strstr(err.text, "cycles are too few"));
	culprit_recording_destroy(f);
	struct culprit_graph_params cracked;
	culprit_machine_graph(m, &cracked);
	cracked.cracked = 17;
	check("cracked in too many", !culprit_recording_create_graph("no.crec", NULL, m, &cracked, 0, &err) &&
					     strstr(err.text, "cracked: at most 16"));
	f = culprit_recording_create("left.crec", NULL, m, 0, &err);
	check("one that is given up", culprit_recording_push(f, r, 10));
	culprit_recording_destroy(f);
}

/* Records are held against the graph while it takes them: what does not fit is in its own result. */
static void check_fit(const struct culprit_machine *m, const struct culprit_record *r)
{
	const char *names[] = {"graph", "critical"};
	struct culprit_error err;
	struct culprit_record *early = (struct culprit_record *)malloc(COUNT * sizeof *r);
	struct culprit_record *told = (struct culprit_record *)malloc(COUNT * sizeof *r);
	for (int i = 0; early && told && i < COUNT; i++) {
		told[i] = r[i];
		if (told[i].flags & CULPRIT_LOAD)
			told[i].dlevel = CULPRIT_LEVEL_L2;
		early[i] = told[i];
		early[i].dispatch -= 4;
	}
	for (int n = 0; early && told && n < 2; n++) {
		char *good = analyse(names[n], m, 0, told, &err), *bad = analyse(names[n], m, 0, early, &err);
		check("good records fit",
		      good && strstr(good, "\"contradicted\": 0,") && strstr(good, "\"rules\": []"));
		check("they are trusted", good && !strstr(good, "\"trusted\": false"));
		check("all that dispatch too early contradict",
		      bad && strstr(bad, "\"contradicted\": 3000,") && strstr(bad, "\"step\": \"dispatch\""));
		check("and are not trusted", bad && strstr(bad, "\"trusted\": false"));
		culprit_free(good);
		culprit_free(bad);
	}
	free(early);
	free(told);
}

static bool analysis_takes(const struct culprit_machine *m, const struct culprit_record *r, const char *name,
			   uint64_t cycles, struct culprit_error *err)
{
	struct culprit_analysis *a = culprit_analysis_create(name, m, 0, err);
	culprit_analysis_push(a, r, COUNT);
	const bool good = culprit_analysis_finish(a, cycles, err);
	check("results after a good finish only", (culprit_analysis_error(a)[0] == 0) == good);
	culprit_analysis_destroy(a);
	return good;
}

static bool recording_takes(const struct culprit_machine *m, const struct culprit_record *r, uint64_t cycles,
			    struct culprit_error *err)
{
	struct culprit_recording *f = culprit_recording_create("cycles.crec", NULL, m, 0, err);
	culprit_recording_push(f, r, COUNT);
	const bool good = culprit_recording_finish(f, cycles, err);
	culprit_recording_destroy(f);
	return good;
}

/* Analyses and files take the same cycles: none, or all up to the last commit and more. */
static void check_cycles(const struct culprit_machine *m, const struct culprit_record *r)
{
	const uint64_t last = r[COUNT - 1].commit, good[] = {0, last + 1, last + 1000}, bad[] = {1, last - 1, last};
	struct culprit_error err, other;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		check("cycles that an analysis and a file take",
		      analysis_takes(m, r, "graph", good[i], &err) && recording_takes(m, r, good[i], &err));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		check("too few for a file", !recording_takes(m, r, bad[i], &err) && strstr(err.text, "are too few"));
		for (size_t n = 0; culprit_analysis_name(n); n++)
			if (strcmp(culprit_analysis_name(n), "stacks")) /* needs a log */
				check("too few for an analysis, in the same words",
				      !analysis_takes(m, r, culprit_analysis_name(n), bad[i], &other) &&
					      !strcmp(err.text, other.text));
	}
	struct culprit_analysis *a = culprit_analysis_create("graph", m, 0, &err);
	check("no record, no cycle", culprit_analysis_finish(a, 0, &err));
	culprit_analysis_destroy(a);
}

/* With an argument: what the library says of the graph, of all fields or without three. */
int main(int argc, char **argv)
{
	struct culprit_error err;
	struct culprit_record *r = stream();
	struct culprit_machine *m = culprit_machine_parse(yaml, sizeof yaml - 1, &err);
	check_version();
	if (!m || !r)
		return fprintf(stderr, "%s\n", err.text), 1;
	check_machine(m);
	check_analyses(m, r);
	check_unknown(m, r);
	check_recordings(m, r);
	check_cycles(m, r);
	check_fit(m, r);
	if (argc > 1) {
		culprit_field_set unknown;
		const char *at;
		check("fields", culprit_field_set_parse(argv[1], &unknown, &at));
		char *json = analyse("graph", m, unknown, r, &err);
		puts(json ? json : err.text);
		culprit_free(json);
	}
	culprit_machine_destroy(m);
	free(r);
	return failures != 0;
}
