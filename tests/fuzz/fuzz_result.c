/* Any text as a result file of `culprit annotate` and `culprit diff`: refused with a text, or its code can be shown in every form. */
#include "report/code/annotate.h"
#include "report/code/diff.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(const struct code_result *r, FILE *out)
{
	const struct code_function *f;
	struct error err = {0};
	size_t alike;
	for (unsigned form = 0; form < 8; form++) {
		const struct code_view view = {.width = form & 1 ? 60 : 140,
					       .colour = form & 1,
					       .verbose = form & 2,
					       .addresses = form & 4,
					       .sites = form & 1 ? "loads" : "branches"};
		code_sites(r, &view, out);
		for (size_t i = 0; i < r->code.function_count && i < 4; i++)
			if (code_choose(&r->code, r->code.functions[i].name, &f, &alike, &err))
				code_listing(r, f, alike, &view, out);
			else if (!err.text[0])
				abort();
	}
}

/* A result compared with itself: nothing changed. */
static void compare(json_t *root, FILE *out)
{
	struct code_diff d = {.path = {"a.json", "b.json"}, .root = {json_incref(root), json_incref(root)}};
	const struct diff_view view = {80, true};
	struct error err = {0};
	if (!code_diff_make(&d, &err))
		abort();
	for (size_t i = 0; i < d.functions.count; i++)
		if (diff_change(d.functions.rows[i].n))
			abort();
	for (size_t i = 0; i < d.lines.count; i++)
		if (diff_change(d.lines.rows[i].n))
			abort();
	code_diff_text(&d, &view, out);
	json_decref(code_diff_json(&d));
	code_diff_destroy(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_result r;
	struct error err = {0};
	json_t *root = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	FILE *out = fopen("/dev/null", "w");
	if (code_result_take(&r, root, "result.json", &err)) {
		show(&r, out);
		compare(root, out);
	} else if (!err.text[0]) {
		abort();
	}
	code_result_destroy(&r);
	json_decref(root);
	fclose(out);
	return 0;
}
