/* A session that starts from a checkpoint. */
#include "run/session.h"

#include <stdlib.h>
#include <string.h>

/* What the checkpoint has already. */
static bool check_options(const struct options *o, struct error *err)
{
	const struct {
		const char *name;
		bool given;
	} others[] = {{"readable", o->readable.count > 0},
		      {"writable", o->writable.count > 0},
		      {"isa", o->isa},
		      {"memory", o->memory},
		      {"guest-seed", options_given(o, "guest-seed")},
		      {"env", o->env.count > 0}};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (others[i].given)
			return error_set(err, ERROR_USAGE,
					 "--%s cannot be combined with --checkpoint, which has its own",
					 others[i].name);
	return !o->arguments[0] ||
	       error_set(err, ERROR_USAGE, "--checkpoint has its program: none can be given beside it");
}

static bool take_command(struct options *o, char *const *argv, struct error *err)
{
	size_t count = 0;
	while (argv[count])
		count++;
	char **arguments = realloc(o->arguments, (count + 1) * sizeof *arguments);
	if (!arguments)
		return error_set(err, ERROR_SYSTEM, "out of memory for options");
	o->arguments = arguments;
	for (size_t i = 0; i <= count; i++)
		arguments[i] = argv[i];
	return true;
}

static bool same_words(char *const *a, char *const *b)
{
	while (*a && *b && !strcmp(*a, *b))
		a++, b++;
	return !*a && !*b;
}

/* Whoever set the variable sees to it that the rest of the command is the same, too. */
static bool go_ahead(struct session *s, const struct options *o, const char *path, struct error *err)
{
	TRY(checkpoint_file_read(&s->checkpoints, path, err));
	const struct checkpoint *p = s->checkpoints.points;
	if (s->checkpoints.count == 1 && p->executed == o->skip && !p->warmup && !o->start_at && !o->trace &&
	    same_words(s->checkpoints.argv, o->arguments))
		return true;
	return error_set(err, ERROR_USAGE, SESSION_AHEAD "=%s: not this command's checkpoint at --skip", path);
}

bool session_checkpoint(struct session *s, struct options *o, struct error *err)
{
	if (!o->checkpoint && o->skip && getenv(SESSION_AHEAD))
		return go_ahead(s, o, getenv(SESSION_AHEAD), err);
	if (!o->checkpoint)
		return !o->number || error_set(err, ERROR_USAGE, "--number needs --checkpoint FILE");
	TRY(check_options(o, err));
	TRY(checkpoint_file_read(&s->checkpoints, o->checkpoint, err));
	s->checkpoint = o->number ? o->number - 1 : 0;
	if (s->checkpoint >= s->checkpoints.count)
		return error_set(err, ERROR_USAGE, "--number %llu: %s has %zu checkpoint%s",
				 (unsigned long long)o->number, o->checkpoint, s->checkpoints.count,
				 s->checkpoints.count == 1 ? "" : "s");
	const struct checkpoint *p = &s->checkpoints.points[s->checkpoint];
	uint64_t warmup = o->functional ? 0 : options_given(o, "warmup") ? o->warmup : p->warmup;
	if (warmup > p->warmup)
		return error_set(err, ERROR_USAGE, "--warmup: the checkpoint was taken for %llu at most",
				 (unsigned long long)p->warmup);
	s->lead = p->warmup - warmup;
	s->warmup = warmup;
	return take_command(o, s->checkpoints.argv, err);
}

bool session_restore(struct session *s, const struct options *o, const struct guest_options *how, struct error *err)
{
	TRY(s->checkpoints.count || error_set(err, ERROR_INTERNAL, "the checkpoint was not read"));
	s->guest = checkpoint_restore(&s->checkpoints, s->checkpoint, how,
				      o->checkpoint ? o->checkpoint : getenv(SESSION_AHEAD), err);
	s->skipped = s->checkpoints.points[s->checkpoint].executed;
	return s->guest != NULL;
}
