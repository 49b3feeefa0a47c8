/* culprit checkpoint: a program's state at one place or many, in a file. */
#include "base/output.h"
#include "checkpoint/checkpoint.h"
#include "cli/commands.h"
#include "report/format.h"
#include "run/progress.h"
#include "run/session.h"

enum { DEFAULT_WARMUP = 1000000 };

struct checkpoint_command {
	struct options options; /* first */
	struct session session;
	struct checkpoint_writer *writer;
	uint64_t executed, taken; /* instructions behind the start; checkpoints */
	bool ended;		  /* the program has */
};

static enum guest_state forward(void *context, uint64_t step, uint64_t *executed, bool *there)
{
	struct checkpoint_command *c = context;
	(void)there;
	return guest_run(c->session.guest, step, executed);
}

static bool go_to(struct checkpoint_command *c, uint64_t place, struct error *err)
{
	uint64_t done = 0;
	bool there = false;
	if (place > c->executed)
		c->ended = session_go_on(forward, c, &c->options, "", place - c->executed, &done, &there) !=
			   GUEST_RUNNING;
	c->executed += done;
	return guest_check(c->session.guest, err);
}

/* Of the i-th, from 0: instructions behind the start. */
static uint64_t place_of(const struct options *o, uint64_t i)
{
	return o->skip + i * o->every;
}

/* The checkpoint for the place `at` instructions behind the start holds the state before its warm-up. */
static bool take(struct checkpoint_command *c, uint64_t at, struct error *err)
{
	const struct options *o = &c->options;
	uint64_t warmup = o->checkpoint_warmup == OPTION_NOT_GIVEN ? DEFAULT_WARMUP : o->checkpoint_warmup;
	if (warmup > at)
		warmup = at;
	TRY(go_to(c, at - warmup, err));
	if (c->ended || interrupt_seen())
		return true;
	c->taken++;
	return checkpoint_writer_add(c->writer, c->session.guest, c->session.skipped + c->executed, warmup, err);
}

static bool take_all(struct checkpoint_command *c, struct error *err)
{
	const struct options *o = &c->options;
	uint64_t most = o->count ? o->count : o->every ? CHECKPOINTS_MOST : 1;
	for (uint64_t i = 0; i < most && !c->ended && !interrupt_seen(); i++)
		TRY(take(c, place_of(o, i), err));
	return true;
}

/* The program may end within the warm-up of the last ones: nothing can start there. It goes on to the last place
 * unheard, since the run from the checkpoint prints what it prints there. */
static bool drop_beyond_end(struct checkpoint_command *c, struct error *err)
{
	const struct options *o = &c->options;
	if (c->taken && !c->ended && !interrupt_seen() && place_of(o, c->taken - 1) > c->executed) {
		TRY(guest_isolate(c->session.guest, err));
		TRY(go_to(c, place_of(o, c->taken - 1), err));
	}
	const uint64_t reached = c->executed + !c->ended; /* places below can be started at */
	while (c->taken && place_of(o, c->taken - 1) >= reached)
		c->taken--;
	checkpoint_writer_keep(c->writer, c->taken);
	if (interrupt_seen() || c->taken >= o->count + !o->count)
		return true;
	if (!c->taken)
		return error_set(err, ERROR_USAGE, "--skip %llu: the program ended after %llu instructions",
				 (unsigned long long)o->skip, (unsigned long long)c->executed);
	return error_set(err, ERROR_USAGE,
			 "--count %llu: the program ended after %llu instructions, and checkpoint %llu is at %llu",
			 (unsigned long long)o->count, (unsigned long long)c->executed,
			 (unsigned long long)c->taken + 1, (unsigned long long)place_of(o, c->taken));
}

static void say(const struct checkpoint_command *c)
{
	char a[32], b[32];
	uint64_t pages, different;
	if (c->options.quiet)
		return;
	checkpoint_writer_size(c->writer, &pages, &different);
	fprintf(stderr, "culprit: %llu checkpoint%s of %s: %s pages, %s of them different\n",
		(unsigned long long)c->taken, c->taken == 1 ? "" : "s", c->options.arguments[0],
		format_grouped((int64_t)pages, a), format_grouped((int64_t)different, b));
}

static bool check_options(const struct options *o, struct error *err)
{
	if (!o->output)
		return error_set(err, ERROR_USAGE, "checkpoint needs -o FILE");
	if (o->writable.count)
		return error_set(err, ERROR_USAGE,
				 "--writable: what a program writes on the host is not in a checkpoint");
	if (o->count > 1 && !o->every)
		return error_set(err, ERROR_USAGE, "--count needs --every N");
	if (o->count > CHECKPOINTS_MOST)
		return error_set(err, ERROR_USAGE, "--count: at most %d", CHECKPOINTS_MOST);
	return options_check_outputs(o, err);
}

static bool run(void *state, int *status, struct error *err)
{
	struct checkpoint_command *c = state;
	const struct options *o = &c->options;
	struct options start = *o;
	struct output out;
	start.skip = 0; /* of the first checkpoint */
	TRY(check_options(o, err));
	TRY(session_refuse_terminal(err));
	TRY(session_guest(&c->session, o, err));
	TRY(session_skip(&c->session, &start, err));
	TRY(guest_prepare_fork(c->session.guest, err)); /* a pipe's content becomes the guest's own */
	TRY(c->writer = checkpoint_writer_create(o->arguments, err));
	TRY(take_all(c, err));
	TRY(drop_beyond_end(c, err));
	if (!c->taken) {
		fprintf(stderr, "culprit: no checkpoint: %s is not written\n", o->output);
		*status = interrupt_status();
		return true;
	}
	TRY(output_open(&out, o->output, err));
	TRY(output_finish(&out, checkpoint_writer_finish(c->writer, out.file, err), err));
	say(c);
	*status = interrupt_seen() ? interrupt_status() : 0;
	return true;
}

static void destroy(void *state)
{
	struct checkpoint_command *c = state;
	checkpoint_writer_destroy(c->writer);
	session_destroy(&c->session);
}

const struct command command_checkpoint = {
	.user = FOR_CHECKPOINT,
	.interruptible = true,
	.size = sizeof(struct checkpoint_command),
	.run = run,
	.destroy = destroy,
};
