/* The parent: it executes the region, keeps caches and predictors warm, and starts a sample wherever one is due. */
#include "sample/again.h"
#include "sample/learn.h"
#include "sample/training.h"
#include "sample/worker.h"

#include "run/killed.h"
#include "run/length.h"
#include "run/progress.h"
#include "with/places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* So many instructions are counted at the most to know how long the program is: three minutes' worth. */
#define COUNTED 100000000000ull

/* --error: how often it is asked whether fewer samples will do, and how many there are in the end at the least;
 * what they are to give CPI to, of the error, since what is to come may vary more than what was. */
enum { ASK = 128 };
static const double SAFE = 0.9;

/* --- events --- */

static void count_events(struct sample *s)
{
	struct core_warmed w;
	core_warmed(s->session.core, &w);
	sample_events_count(&s->met, &s->session.machine, &w);
	if (s->position <= s->start)
		s->started = s->met;
}

/* The oldest sample that the parent has not come to `which` bound of; NULL: there is none. Bounds rise from sample to
 * sample. */
static struct sample_unit *ahead(const struct sample *s, unsigned which)
{
	size_t i = s->schedule.taken;
	while (i > 0 && s->units[i - 1].passed <= which)
		i--;
	return i < s->schedule.taken ? &s->units[i] : NULL;
}

/* What samples meet is counted by the parent, which executes the same instructions. `ended`: no bound will be reached.
 */
static bool pass_bounds(struct sample *s, bool ended, struct error *err)
{
	struct sample_unit *u;
	count_events(s);
	for (unsigned which = 0; which < 2; which++)
		while ((u = ahead(s, which)) && (ended || u->bounds[which] == s->position)) {
			u->met[which] = s->met;
			u->passed = which + 1;
			TRY(ended || training_bound(s, which, err));
		}
	return true;
}

/* --- samples --- */

static struct sample_unit *unit_of(struct sample *s, pid_t pid)
{
	for (size_t i = 0; i < s->schedule.taken; i++)
		if (s->units[i].pid == pid)
			return &s->units[i];
	return s->first.pid == pid ? &s->first : NULL;
}

static bool wait_for_one(struct sample *s, struct error *err)
{
	int status;
	if (s->works)
		return worker_wait(s, err);
	pid_t pid = waitpid(-1, &status, 0);
	if (pid < 0)
		return errno == EINTR ||
		       error_set(err, ERROR_SYSTEM, "a sample's process is lost: %s", strerror(errno));
	struct sample_unit *u = unit_of(s, pid);
	if (!u)
		return true;
	s->alive--;
	return sample_unit_finish(u, status, err);
}

static bool learn_before(struct sample *s, struct error *err)
{
	struct sample_unit *u;
	while ((u = learn_next(s))) {
		while (u->due)
			TRY(wait_for_one(s, err));
		learn_from(s, u);
	}
	return true;
}

static bool wait_for_all(struct sample *s, struct error *err)
{
	while (s->alive)
		TRY(wait_for_one(s, err));
	return true;
}

/* Where the next sample's child starts, and what it simulates before it measures. Windows of SimPoint's are where they
 * are: there the warm-up lies before them, as far as there is anything before. */
static uint64_t next_sample(const struct sample *s, uint64_t *warmup)
{
	*warmup = s->warmup;
	if (!s->points.count)
		return schedule_next(&s->schedule);
	if (s->schedule.taken == s->points.count)
		return UINT64_MAX;
	uint64_t window = s->points.points[s->schedule.taken].interval * s->length;
	if (*warmup > window)
		*warmup = window;
	return window - *warmup;
}

/* Is it time to see whether fewer samples will do? */
static bool may_thin(const struct sample *s)
{
	const size_t taken = s->schedule.taken;
	if (s->points.count || s->second)
		return false;
	return s->asked ? taken >= ASK && taken % (ASK / 2) == 0 : taken >= 2 * s->wanted;
}

/* With --error: would as many samples as one step leaves, at the end of the region, give CPI well within it? */
static bool fewer_suffice(const struct sample *s)
{
	const uint64_t end = s->region > s->position ? s->region : s->position;
	struct sample_schedule thinner = s->schedule;
	schedule_thin(&thinner);
	const uint64_t count = (end - s->schedule.start) / schedule_distance(&thinner);
	const uint64_t least = s->options.samples ? s->options.samples : ASK;
	return count >= least && sample_cpi_error(s, count) <= SAFE * s->error;
}

static void drop_samples(struct sample *s)
{
	size_t kept = 0;
	schedule_thin(&s->schedule);
	for (size_t i = 0; i < s->schedule.taken; i++) {
		struct sample_unit *u = &s->units[i];
		if (!schedule_has(&s->schedule, u->bounds[0] - s->warmup)) {
			sample_unit_destroy(u);
		} else if (i != kept++) {
			s->units[kept - 1] = *u;
			*u = (struct sample_unit){.files = {-1, -1}};
		}
	}
	s->schedule.taken = s->taught = kept;
}

static bool thin(struct sample *s, struct error *err)
{
	if (!may_thin(s))
		return true;
	TRY(wait_for_all(s, err));
	while (s->learns && s->taught < s->schedule.taken)
		learn_from(s, &s->units[s->taught]);
	if (s->asked)
		while (s->schedule.taken > ASK / 2 && fewer_suffice(s))
			drop_samples(s);
	else
		do
			drop_samples(s);
		while (s->schedule.dropped); /* every second one */
	return true;
}

static bool make_room(struct sample *s, struct error *err)
{
	if (s->schedule.taken < s->room)
		return true;
	size_t room = s->room ? 2 * s->room : 64;
	struct sample_unit *units = realloc(s->units, room * sizeof *units);
	if (!units)
		return error_set(err, ERROR_SYSTEM, "out of memory for %zu samples", room);
	for (size_t i = s->room; i < room; i++)
		units[i] = (struct sample_unit){.files = {-1, -1}};
	s->units = units;
	s->room = room;
	return true;
}

/* Libraries come while the program runs. Children inherit what is loaded here. */
bool sample_load_symbols(struct sample *s, struct error *err)
{
	struct guest_object o;
	size_t count = 0;
	while (guest_object(s->session.guest, count, &o))
		count++;
	if (s->symbols && count == s->objects)
		return true;
	symbols_destroy(s->symbols);
	lines_destroy(s->lines);
	s->symbols = NULL;
	s->lines = NULL;
	TRY(s->symbols = places_symbols(s->session.guest, &s->options, err));
	TRY(s->lines = places_lines(s->session.guest, &s->options, err));
	s->objects = count;
	return true;
}

static bool have_worker(struct sample *s, struct sample_unit *u, uint64_t warmup, uint64_t length, struct error *err)
{
	const long number = u == &s->first ? WORKER_START : u - s->units;
	enum worker_answer given;
	while ((given = worker_give(s, number, warmup, length, err)) == WORKER_BUSY)
		TRY(worker_wait(s, err));
	*u = (struct sample_unit){.due = given == WORKER_GIVEN, .files = {-1, -1}};
	return u->due;
}

static bool start_unit(struct sample *s, struct sample_unit *u, uint64_t warmup, uint64_t length, struct error *err)
{
	TRY(sample_load_symbols(s, err));
	TRY(learn_before(s, err));
	if (s->works) {
		TRY(have_worker(s, u, warmup, length, err));
	} else {
		while (s->alive >= s->jobs)
			TRY(wait_for_one(s, err));
		TRY(sample_unit_start(s, u, warmup, length, err));
	}
	s->alive++;
	return true;
}

static bool take_one(struct sample *s, uint64_t warmup, struct error *err)
{
	TRY(make_room(s, err));
	struct sample_unit *u = &s->units[s->schedule.taken];
	TRY(start_unit(s, u, warmup, s->length, err));
	learn_started(s, warmup + s->length);
	u->bounds[0] = s->position + warmup;
	u->bounds[1] = u->bounds[0] + s->length;
	schedule_took(&s->schedule);
	TRY(warmup || pass_bounds(s, false, err));
	return thin(s, err);
}

/* All of it, or all of the region. */
static bool take_start(struct sample *s, struct error *err)
{
	uint64_t region = s->options.max_insns;
	return !s->start || start_unit(s, &s->first, 0, region && region < s->start ? region : s->start, err);
}

/* --- the program --- */

/* Where the next stop is: a sample, a sample's bound, the start's end, the region's end, or a look. */
static uint64_t next_stop(const struct sample *s, uint64_t next)
{
	uint64_t end = s->options.max_insns;
	if (next > s->position + PROGRESS_STEP)
		next = s->position + PROGRESS_STEP;
	if (s->position < s->start && next > s->start)
		next = s->start;
	for (unsigned which = 0; which < 2; which++) {
		const struct sample_unit *u = ahead(s, which);
		next = u && u->bounds[which] < next ? u->bounds[which] : next;
	}
	return end && next > end ? end : next;
}

static bool go(struct sample *s, struct progress *progress, struct error *err)
{
	enum guest_state state = GUEST_RUNNING;
	uint64_t end = s->options.max_insns ? s->options.max_insns : UINT64_MAX;
	while (state == GUEST_RUNNING && s->position < end && !interrupt_seen()) {
		uint64_t warmup, next = next_sample(s, &warmup), stop = next_stop(s, next), executed = 0;
		const uint64_t learnt = training_choose(s, next);
		stop = learnt < stop ? learnt : stop;
		if (stop > s->position)
			state = core_warm(s->session.core, stop - s->position, &executed);
		s->position += executed;
		TRY(pass_bounds(s, state != GUEST_RUNNING, err));
		progress_update(progress, s->position);
		if (state == GUEST_RUNNING && s->position == next && s->position < end)
			TRY(take_one(s, warmup, err));
	}
	s->report.exit_status = state == GUEST_RUNNING ? -1 : guest_exit_status(s->session.guest);
	return guest_check(s->session.guest, err);
}

/* Intervals of SimPoint are whole: the last of a program, which is not full, has no vector to be chosen by. Points are
 * in order of intervals, so the first that ends behind the region is the one to name. */
static bool points_within(const struct sample *s, struct error *err)
{
	const bool ended = s->report.exit_status >= 0;
	size_t i = 0;
	while (i < s->points.count && s->points.points[i].interval + 1 <= s->position / s->length)
		i++;
	if (i == s->points.count)
		return true;
	const uint64_t interval = s->points.points[i].interval;
	const bool begun = interval * s->length < s->position;
	return error_set(err, ERROR_INPUT, "%s: interval %llu of %llu instructions (--interval) %s %s: it has %llu",
			 s->options.simpoints, (unsigned long long)interval, (unsigned long long)s->length,
			 begun ? "is cut off by" : "lies beyond",
			 ended ? "the program's end" : "the region's end (--max-insns)",
			 (unsigned long long)s->position);
}

/* With the program's length known, no sample is taken that would be dropped. */
static bool choose_interval(struct sample *s, struct error *err)
{
	const uint64_t most = s->options.max_insns && s->options.max_insns < COUNTED ? s->options.max_insns : COUNTED;
	uint64_t length = most;
	if (s->points.count || s->wanted == UINT32_MAX)
		return true;
	if (!s->options.max_insns || s->options.max_insns > COUNTED)
		TRY(length_measure(&s->session, most, s->options.quiet, &length, err));
	if (interrupt_seen())
		return error_set(err, ERROR_SYSTEM,
				 "interrupted while the program was counted, before any sample: --max-insns or "
				 "--sample-interval make do without the count");
	s->region = length;
	if (!s->asked)
		schedule_fit(&s->schedule, length, 2 * s->wanted);
	return !again_possible(s) || again_prepare(s, err);
}

bool sample_take(struct sample *s, struct error *err)
{
	struct progress progress;
	TRY(choose_interval(s, err));
	TRY(core_warm_strays(s->session.core) || error_set(err, ERROR_SYSTEM, "out of memory for wrong paths"));
	progress_begin(&progress, "sampling: ", s->options.max_insns, s->options.quiet);
	s->learns = core_keep_lessons(s->session.core);
	s->works = worker_possible(s);
	s->first_instret = guest_hart(s->session.guest)->instret;
	count_events(s);
	s->began = s->met;
	bool good = take_start(s, err) && go(s, &progress, err) && wait_for_all(s, err);
	progress_end(&progress);
	if (!good)
		return false;
	if (interrupt_seen())
		s->report.cut = "interrupted";
	return s->report.cut || points_within(s, err);
}
