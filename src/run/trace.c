/* --trace: a core that follows a trace. The process is that of the program, which is never run: its code, its data
 * and its first stack are what is known at the start. Without a program it is empty, and the trace brings its code. */
#include "run/trace.h"

#include "guest/guest.h"

#include <stdlib.h>
#include <string.h>

const char *trace_program(const struct options *o)
{
	if (o->binary || !o->trace)
		return o->binary ? o->binary : o->arguments[0];
	return o->arguments[0] && strcmp(o->arguments[0], o->trace) != 0 ? o->arguments[0] : NULL;
}

bool trace_check(const struct options *o, struct error *err)
{
	if (!o->trace)
		return !o->binary || error_set(err, ERROR_USAGE, "--binary is for --trace");
	if (o->functional || o->warmup || o->start_at || o->strace)
		return error_set(
			err, ERROR_USAGE,
			"--trace: nothing is run but the trace: no --functional, --warmup, --start-at or --strace");
	return true;
}

struct run_trace *trace_open(struct guest *guest, const struct options *o, struct error *err)
{
	struct run_trace *t = calloc(1, sizeof *t);
	if (!t) {
		error_set(err, ERROR_SYSTEM, "out of memory");
		return NULL;
	}
	if (!import_steps_read(&t->steps, o->trace, err) ||
	    !import_steps_place(&t->steps, guest_memory(guest), trace_program(o), err)) {
		trace_destroy(t);
		return NULL;
	}
	t->follow = (struct riscv_follow){.steps = t->steps.steps, .count = t->steps.count};
	riscv_follow_memory(&t->follow, guest_memory(guest));
	struct riscv_hart *hart = guest_hart(guest);
	hart->pc = t->steps.steps[0].pc;
	for (int i = 0; i < 64; i++)
		if (t->steps.has_first >> i & 1)
			hart->r[i] = t->steps.first[i];
	return t;
}

/* --skip: what these instructions teach stays. */
bool trace_skip(struct run_trace *t, struct guest *guest, uint64_t count, struct error *err)
{
	struct riscv_follow *f = &t->follow;
	struct riscv_hart *hart = guest_hart(guest);
	if (count >= f->count)
		return error_set(err, ERROR_USAGE, "--skip %llu: the trace has %zu instructions",
				 (unsigned long long)count, f->count);
	while (f->next < count) {
		struct riscv_outcome out;
		bool jumps;
		const struct riscv_block *block = riscv_code_block(guest_code(guest), hart->pc);
		if (!block)
			return error_set(err, ERROR_SYSTEM, "out of memory for code");
		riscv_follow(f, hart, &block->insns[0], guest_memory(guest), &out, &jumps);
	}
	f->gaps = (struct riscv_follow_gaps){.jumps = 0}; /* of the region alone */
	return true;
}

void trace_report(const struct run_trace *t, const struct options *o, struct report_trace *to)
{
	if (!t)
		return;
	const struct riscv_follow_gaps *g = &t->follow.gaps;
	*to = (struct report_trace){
		.format = t->steps.format,
		.left_what = t->steps.left_what,
		.left_out = t->steps.left_out,
		.accesses = g->accesses,
		.addresses = g->addresses,
		.results = g->results,
		.values = g->values,
		.jumps = g->jumps,
		.code = t->steps.is_made   ? "made"
			: trace_program(o) ? "program"
					   : "trace",
	};
}

void trace_destroy(struct run_trace *t)
{
	if (t)
		import_steps_destroy(&t->steps);
	free(t);
}
