/* culprit vectors: the basic-block vectors of a program, by functional execution, for SimPoint. */
#include "base/output.h"
#include "cli/commands.h"
#include "run/killed.h"
#include "run/progress.h"
#include "run/session.h"
#include "simpoint/collect.h"

enum { DEFAULT_INTERVAL = 10000000 };

struct vectors {
	struct options options; /* first */
	struct session session;
	struct bbv_collector *collector;
	struct bbv bbv;
};

static enum guest_state forward(void *context, uint64_t step, uint64_t *executed, bool *there)
{
	struct vectors *v = context;
	(void)there;
	return bbv_collector_run(v->collector, step, executed);
}

static bool collect(struct vectors *v, uint64_t interval, struct error *err)
{
	const struct options *o = &v->options;
	uint64_t done;
	bool there = false;
	TRY(v->collector = bbv_collector_create(v->session.guest, interval, &v->bbv, err));
	session_go_on(forward, v, o, "", o->max_insns ? o->max_insns : UINT64_MAX, &done, &there);
	v->bbv.cut = interrupt_seen();
	TRY(bbv_collector_check(v->collector, err) && guest_check(v->session.guest, err));
	return v->bbv.count || interrupt_seen() ||
	       error_set(err, ERROR_USAGE, "the region has %llu instructions: not one interval of %llu (--interval)",
			 (unsigned long long)done, (unsigned long long)interval);
}

static bool say(struct vectors *v, int *status, struct error *err)
{
	struct report_killed killed = {0};
	TRY(killed_find(&killed, v->session.guest, err));
	killed_say(&killed, v->options.arguments[0]);
	*status = interrupt_seen() ? interrupt_status() : guest_exit_status(v->session.guest);
	return true;
}

static bool run(void *state, int *status, struct error *err)
{
	struct vectors *v = state;
	struct options *o = &v->options;
	if (!o->output)
		return error_set(err, ERROR_USAGE, "vectors needs -o FILE");
	TRY(options_check_outputs(o, err));
	TRY(session_guest(&v->session, o, err));
	TRY(session_skip(&v->session, o, err));
	TRY(collect(v, o->interval ? o->interval : DEFAULT_INTERVAL, err));
	TRY(OUTPUT_WRITE(o->output, NULL, bbv_write, &v->bbv, err));
	return say(v, status, err);
}

static void destroy(void *state)
{
	struct vectors *v = state;
	bbv_collector_destroy(v->collector);
	bbv_destroy(&v->bbv);
	session_destroy(&v->session);
}

const struct command command_vectors = {
	.user = FOR_VECTORS,
	.interruptible = true,
	.size = sizeof(struct vectors),
	.run = run,
	.destroy = destroy,
};
