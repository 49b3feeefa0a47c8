/* Any bytes as a sample file, packed or (behind the byte 'R') as what a file unpacks to: an error in one line, or samples
 * that are written back, read again alike, and taken through the reconstruction with made-up code. */
#include "record/sample_file.h"

#include <stdlib.h>
#include <string.h>

static void must(bool truth)
{
	if (!truth)
		abort();
}

/* An instruction for every address, of every kind. */
static bool decode(void *context, uint64_t pc, struct culprit_static_insn *insn)
{
	unsigned kind = (unsigned)(pc >> 1) % 13;
	*insn = (struct culprit_static_insn){.length = 2, .dest = 1 + pc % 64, .source = {pc % 31, pc % 63, 0}};
	if (kind < 4) {
		insn->op_class = kind < 2 ? CULPRIT_OP_load : CULPRIT_OP_store;
		insn->flags = kind < 2 ? CULPRIT_LOAD : CULPRIT_STORE;
		insn->mem_size = 8;
		insn->offset = (int64_t)(pc % 64);
	} else if (kind < 10) {
		insn->op_class = CULPRIT_OP_branch;
		insn->branch = 1 + kind % 6;
		insn->dest = 64;
		insn->target = pc ^ 0x40;
	} else {
		insn->adds_offset = kind == 10;
		insn->is_constant = kind == 11;
		insn->constant = pc;
	}
	return pc % 97 != 0;
}

static void reconstruct(const struct sample_file *f)
{
	static const struct culprit_code code = {NULL, decode};
	struct culprit_shotgun_machine m = {.wakeup = 1, .redirect = 1};
	m.graph = (struct culprit_graph_params){.rob = 32, .window_factor = 2, .dispatch_to_issue = 1};
	culprit_graph_base_classes(&m.graph);
	struct culprit_shotgun_params p = {.fragments = 4, .context = f->samples.context, .signature_bits = 2};
	struct culprit_shotgun *s = culprit_shotgun_create(&m, &p, &f->samples, &code, NULL);
	if (!s)
		return;
	struct culprit_shotgun_results results;
	if (!culprit_shotgun_run(s, &results))
		must(culprit_shotgun_error(s)[0] != '\0');
	culprit_shotgun_destroy(s);
}

static void check(const struct sample_file *f)
{
	struct sample_file again;
	struct error err;
	char *bytes = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&bytes, &size);
	must(out && sample_file_write(f, out, &err));
	fclose(out);
	must(sample_file_parse(&again, bytes, size, "fuzz", &err));
	must(again.samples.detail_count == f->samples.detail_count && again.mapping_count == f->mapping_count);
	sample_file_destroy(&again);
	free(bytes);
	if (f->samples.signature_count < 1000 && f->samples.length < 5000)
		reconstruct(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sample_file f;
	struct error err = {ERROR_NONE, ""};
	bool raw = size && data[0] == 'R';
	bool good = raw ? sample_file_parse_raw(&f, data + 1, size - 1, "fuzz", &err)
			: sample_file_parse(&f, data, size, "fuzz", &err);
	if (good)
		check(&f);
	else
		must(err.code != ERROR_NONE && !strncmp(err.text, "fuzz: ", 6) && !strchr(err.text, '\n'));
	sample_file_destroy(&f);
	return 0;
}
