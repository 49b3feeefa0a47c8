/* Any bytes as perf script's text: an error in one line, or samples that are made into paths through made-up code and go
 * through the reconstruction. */
#include "import/perf_script.h"

#include <stdlib.h>
#include <string.h>

static void must(bool truth)
{
	if (!truth)
		abort();
}

/* An instruction for every address but some, of every kind. */
static bool decode(void *context, uint64_t pc, struct culprit_static_insn *insn)
{
	unsigned kind = (unsigned)(pc >> 1) % 11;
	*insn = (struct culprit_static_insn){.length = 2, .dest = 1 + pc % 64, .source = {pc % 31, pc % 63, 0}};
	if (kind < 4) {
		insn->op_class = kind < 2 ? CULPRIT_OP_load : CULPRIT_OP_store;
		insn->flags = kind < 2 ? CULPRIT_LOAD : CULPRIT_STORE;
		insn->mem_size = 8;
	} else if (kind > 7) {
		insn->op_class = CULPRIT_OP_branch;
		insn->branch = kind == 8 ? CULPRIT_BRANCH_CONDITIONAL : CULPRIT_BRANCH_INDIRECT_JUMP;
		insn->dest = 64;
		insn->target = pc ^ 0x40;
	}
	return pc % 97 != 0;
}

static void reconstruct(const struct perf_script *script)
{
	static const struct culprit_code code = {NULL, decode};
	struct culprit_shotgun_machine m = {.wakeup = 1, .redirect = 1};
	m.graph = (struct culprit_graph_params){.rob = 32, .window_factor = 2, .dispatch_to_issue = 1};
	culprit_graph_base_classes(&m.graph);
	struct culprit_precise precise = {script->samples, script->count, script->branches};
	struct culprit_samples samples;
	struct culprit_precise_made made;
	must(culprit_samples_from_branches(&samples, &precise, &code, &m, &made));
	must(made.used <= made.stacks && made.details + made.strange <= script->count);
	struct culprit_shotgun_params p = {
		.fragments = 4, .context = samples.context, .signature_bits = 2, .warmup = 50};
	struct culprit_shotgun *s = culprit_shotgun_create(&m, &p, &samples, &code, NULL);
	must(s);
	struct culprit_shotgun_results results;
	if (culprit_shotgun_run(s, &results))
		must(results.built <= made.used);
	else
		must(culprit_shotgun_error(s)[0] != '\0');
	culprit_shotgun_destroy(s);
	culprit_branch_samples_free(&samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_script s;
	struct error err = {ERROR_NONE, ""};
	FILE *in = size ? fmemopen((void *)data, size, "r") : NULL;
	if (!in)
		return 0;
	bool good = perf_script_parse(&s, in, "fuzz", &err);
	fclose(in);
	must(good || (err.code != ERROR_NONE && !strncmp(err.text, "fuzz:", 5) && !strchr(err.text, '\n')));
	if (good && s.count < 1000)
		reconstruct(&s);
	perf_script_destroy(&s);
	return 0;
}
