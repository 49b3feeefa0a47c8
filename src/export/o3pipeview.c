/* gem5's O3PipeView: seven lines an instruction, times in ticks, 1000 a cycle, the first cycle at 1000 (0 means
 * "never"). A front end is one stage here: decode and rename are told at dispatch. */
#include "export/export.h"

#include <inttypes.h>

static uint64_t tick(bool reached, uint64_t cycle)
{
	return reached ? (cycle + 1) * 1000 : 0;
}

static void print_op(const struct export_op *op, size_t number, FILE *out)
{
	uint64_t in = tick(op->dispatched, op->dispatch);
	bool done = !op->squashed;
	fprintf(out, "O3PipeView:fetch:%" PRIu64 ":0x%08" PRIx64 ":0:%zu:%s\n", tick(true, op->fetch),
		op->code ? op->code->pc : 0, number, op->code ? op->code->text : "(not known)");
	fprintf(out, "O3PipeView:decode:%" PRIu64 "\nO3PipeView:rename:%" PRIu64 "\nO3PipeView:dispatch:%" PRIu64 "\n",
		in, in, in);
	fprintf(out, "O3PipeView:issue:%" PRIu64 "\nO3PipeView:complete:%" PRIu64 "\n", tick(done, op->issue),
		tick(done, op->complete));
	fprintf(out, "O3PipeView:retire:%" PRIu64 ":store:%" PRIu64 "\n", tick(done, op->end),
		tick(done && op->store, op->end));
}

bool export_o3pipeview(const struct export_input *in, FILE *out, struct error *err)
{
	(void)err;
	for (size_t i = 0; i < in->window.count; i++)
		print_op(&in->window.ops[i], i + 1, out);
	return true;
}
