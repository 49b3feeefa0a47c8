/* culprit diff: two results of culprit run, and what became of the cycles. */
#include "base/output.h"
#include "cli/commands.h"
#include "page/page.h"
#include "provenance/provenance.h"
#include "report/code/diff.h"
#include "report/terminal.h"

struct diff {
	struct options options; /* first */
	struct code_diff diff;
	struct provenance provenance;
};

static void print_text(const struct diff *c, FILE *out)
{
	enum { NARROWEST = 80 };
	const unsigned width = terminal_width(out);
	const struct diff_view view = {width < NARROWEST ? NARROWEST : width, c->options.verbose};
	code_diff_text(&c->diff, &view, out);
}

static bool write_json(struct diff *c, struct error *err)
{
	char **files = c->options.arguments;
	if (!c->options.json && !c->options.html)
		return true;
	for (size_t i = 0; i < DIFF_SIDES; i++)
		TRY(provenance_add_file(&c->provenance, "input", files[i], err));
	json_t *root = code_diff_json(&c->diff), *all = json_pack("{s:s}", "culprit", CULPRIT_VERSION);
	json_object_update(all, root);
	json_decref(root);
	all = provenance_result(&c->provenance, NULL, all, err);
	return page_write_result(all, code_diff_legend(&c->diff), c->options.html, c->options.json, err);
}

/* Status 1: their cycles differ, in all or in a function. */
static bool is_same(const struct code_diff *d)
{
	for (size_t i = 0; i < d->functions.count; i++)
		if (diff_change(d->functions.rows[i].n))
			return false;
	return d->r[DIFF_A].cycles == d->r[DIFF_B].cycles;
}

static bool diff(void *state, int *status, struct error *err)
{
	struct diff *c = state;
	char **files = c->options.arguments;
	if (!files[0] || !files[1] || files[2])
		return error_set(err, ERROR_USAGE, "diff: two result files: culprit diff [OPTION...] A.json B.json");
	provenance_begin(&c->provenance, &c->options, FOR_DIFF);
	TRY(provenance_check(&c->provenance, err));
	TRY(options_check_outputs(&c->options, err));
	TRY(code_diff_read(&c->diff, files[0], files[1], err));
	TRY(OUTPUT_WRITE(c->options.output, stdout, print_text, c, err));
	*status = !is_same(&c->diff);
	return write_json(c, err);
}

static void destroy(void *state)
{
	struct diff *c = state;
	code_diff_destroy(&c->diff);
	provenance_destroy(&c->provenance);
}

const struct command command_diff = {
	.user = FOR_DIFF,
	.size = sizeof(struct diff),
	.run = diff,
	.destroy = destroy,
};
