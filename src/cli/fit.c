/* culprit fit: which values of machine keys explain what kernels took on hardware? */
#include "fit/fit.h"

#include "base/output.h"
#include "cli/commands.h"
#include "run/session.h"

#include <string.h>

static void write_machine(const struct machine *m, FILE *out)
{
	machine_print(m, out);
}

static bool fit(void *state, int *status, struct error *err)
{
	struct fit *f = state;
	const char *const *operands = (const char *const *)f->options.arguments;
	if (!operands[0] || operands[1])
		return error_set(err, ERROR_USAGE, "fit: one table of measured kernels, please: culprit fit TABLE.csv");
	TRY(session_machine(&f->machine, &f->options, err));
	memcpy(f->machine_name, f->machine.name, sizeof f->machine_name);
	TRY(fit_table_read(&f->table, operands[0], err));
	TRY(fit_keys_create(&f->keys, &f->machine, f->options.keys, f->table.count, err));
	TRY(options_check_outputs(&f->options, err));
	TRY(fit_search(f, err));
	TRY(OUTPUT_WRITE(f->options.write_machine, NULL, write_machine, &f->machine, err));
	*status = 0;
	return OUTPUT_WRITE(f->options.output, stdout, fit_text, f, err);
}

static void destroy(void *state)
{
	struct fit *f = state;
	fit_keys_destroy(&f->keys);
	fit_table_destroy(&f->table);
}

const struct command command_fit = {
	.user = FOR_FIT,
	.interruptible = true,
	.size = sizeof(struct fit),
	.run = fit,
	.destroy = destroy,
};
