#include "run/parts.h"

#include "analysis/pipe.h"
#include "run/length.h"
#include "run/progress.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Warm-up of an instruction, of its simulation with records: 12 to 20 ns of 150 to 220, measured. */
#define WARMING_COST 0.085
enum { FAILED = 1, DEFAULT_OVERLAP = 100000, PARTS_MOST = 4096 };

struct part {
	pid_t pid;
	int file; /* in memory, shared with the child; -1: none */
	uint64_t begin, overlap, length;
};

struct work {
	struct session *session;
	const struct options *options;
	struct part *parts;
	size_t count;
	uint64_t position; /* of the region */
	enum guest_state state;
};

bool parts_check(struct options *o, struct error *err)
{
	if (!o->parts)
		return o->overlap == OPTION_NOT_GIVEN || error_set(err, ERROR_USAGE, "--overlap needs --jobs N");
	if (o->parts > PARTS_MOST)
		return error_set(err, ERROR_USAGE, "--jobs: at most %d", PARTS_MOST);
	const struct {
		const char *name;
		bool given;
	} others[] = {{"html", o->html},
		      {"with", o->with},
		      {"stop-at", o->stop_at},
		      {"functional", o->functional},
		      {"trace", o->trace}};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (others[i].given)
			return error_set(err, ERROR_USAGE, "--%s cannot be combined with --jobs", others[i].name);
	TRY(session_refuse_terminal(err));
	options_one_part(o);
	return true;
}

/* --- in a child --- */

static bool write_all(int fd, const void *from, size_t size)
{
	for (const uint8_t *at = from; size;) {
		ssize_t put = write(fd, at, size);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		at += put;
		size -= (size_t)put;
	}
	return true;
}

_Static_assert(sizeof(struct core_statistics) % 8 == 0 && sizeof(struct hierarchy_statistics) % 8 == 0,
	       "counters only");

/* Both are nothing but 64-bit counters: to += sign * more. */
static void add_counters(void *to, const void *more, size_t size, bool subtract)
{
	for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
		uint64_t sum, term;
		memcpy(&sum, (char *)to + at, sizeof sum);
		memcpy(&term, (const char *)more + at, sizeof term);
		sum = subtract ? sum - term : sum + term;
		memcpy((char *)to + at, &sum, sizeof sum);
	}
}

/* How far records have come is where the part begins and ends: the cycles by instruction sum to that. */
static struct core_statistics statistics_now(struct session *s)
{
	core_flush_records(s->core);
	struct core_statistics now = *core_statistics(s->core);
	if (core_guest_state(s->core) == GUEST_RUNNING)
		now.cycles = s->insn_cycles->next_cycle;
	return now;
}

static bool hand_over(struct session *s, int file, const struct parts *p, uint64_t counted, struct error *err)
{
	struct bytes to = {.at = NULL};
	bytes_put_raw(&to, p, sizeof *p);
	bytes_put(&to, counted, 8);
	bytes_put(&to, s->insn_cycles->watched_from, 8);
	insn_cycles_write(s->insn_cycles, &to);
	bool good = !s->insn_cycles->out_of_memory && !to.failed && write_all(file, to.at, to.size);
	free(to.at);
	return good || error_set(err, ERROR_SYSTEM, "a part cannot be handed over");
}

static bool simulate(struct work *w, const struct part *part, struct error *err)
{
	struct session *s = w->session;
	struct parts p = {.exit_status = -1};
	TRY(guest_isolate(s->guest, err));
	TRY(session_listen(s, false, err));
	if (part->overlap) {
		if (core_run(s->core, part->overlap, err) == CORE_STOP_ERROR)
			return false;
		p.core = statistics_now(s);
		p.hierarchy = *core_hierarchy_statistics(s->core);
		insn_cycles_restart(s->insn_cycles);
		s->insn_cycles->watched_from = 0;
	}
	struct parts before = p;
	if (core_run(s->core, before.core.committed + part->length, err) == CORE_STOP_ERROR)
		return false;
	TRY(guest_check(s->guest, err));
	p.core = statistics_now(s);
	p.hierarchy = *core_hierarchy_statistics(s->core);
	add_counters(&p.core, &before.core, sizeof p.core, true);
	add_counters(&p.hierarchy, &before.hierarchy, sizeof p.hierarchy, true);
	return hand_over(s, part->file, &p, s->insn_cycles->next_cycle - before.core.cycles, err);
}

static _Noreturn void be_child(struct work *w, const struct part *part, pid_t parent)
{
	struct error err = {0};
	signal(SIGINT, SIG_IGN); /* the parent decides */
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent && simulate(w, part, &err))
		_exit(0);
	if (ftruncate(part->file, 0) || lseek(part->file, 0, SEEK_SET) ||
	    !write_all(part->file, err.text, strlen(err.text)))
		_exit(FAILED);
	_exit(FAILED);
}

/* --- in the parent --- */

static bool start_part(struct work *w, struct part *part, struct error *err)
{
	pid_t parent = getpid();
	part->file = memfd_create("part", MFD_CLOEXEC);
	part->pid = part->file < 0 ? -1 : fork();
	if (part->pid == 0)
		be_child(w, part, parent);
	if (part->pid > 0)
		return true;
	part->pid = 0;
	return error_set(err, ERROR_SYSTEM, "cannot start a part: %s", strerror(errno));
}

/* Where each part begins: b[0] = 0, ... b[count] = length. Part i is begun when warm-up has come to b[i], and all are
 * to be done at the same time T: r b[i] + b[i + 1] - b[i] = T, with warm-up r times as dear as simulation. So b[i] is
 * in proportion to 1 - (1 - r)^i. */
static uint64_t begin_of(const struct work *w, size_t part, uint64_t length)
{
	const double kept = 1 - WARMING_COST;
	return part == w->count
		       ? length
		       : (uint64_t)((double)length * (1 - pow(kept, (double)part)) / (1 - pow(kept, (double)w->count)));
}

static void plan(struct work *w, uint64_t length)
{
	uint64_t overlap = w->options->overlap == OPTION_NOT_GIVEN ? DEFAULT_OVERLAP : w->options->overlap;
	for (size_t i = 0; i < w->count; i++) {
		struct part *p = &w->parts[i];
		uint64_t begin = begin_of(w, i, length), end = begin_of(w, i + 1, length);
		p->overlap = overlap < begin ? overlap : begin;
		p->begin = begin - p->overlap;
		p->length = end - begin;
		p->file = -1;
	}
}

static void go_to(struct work *w, uint64_t place, bool warm)
{
	while (w->position < place && w->state == GUEST_RUNNING && !interrupt_seen()) {
		uint64_t executed, step = place - w->position < PROGRESS_STEP ? place - w->position : PROGRESS_STEP;
		w->state = warm ? core_warm(w->session->core, step, &executed)
				: guest_run(w->session->guest, step, &executed);
		w->position += executed;
	}
}

/* What the program still has to print: nobody needs warm caches any more. */
static void finish_program(struct work *w)
{
	session_without_core(w->session);
	go_to(w, w->options->max_insns ? w->options->max_insns : UINT64_MAX, false);
}

static bool add_part(struct part *part, struct session *s, struct parts *to, struct error *err)
{
	off_t size = lseek(part->file, 0, SEEK_END);
	uint8_t *bytes = size > 0 ? malloc((size_t)size) : NULL;
	struct cursor c = {.at = bytes, .left = (size_t)size};
	struct parts more;
	bool good = bytes && pread(part->file, bytes, (size_t)size, 0) == size && cursor_copy(&c, &more, sizeof more);
	if (!good) {
		error_set(err, ERROR_SYSTEM, "a part handed nothing over");
	} else {
		s->insn_cycles->next_cycle += cursor_get(&c, 8);
		uint64_t watched = cursor_get(&c, 8);
		if (!s->insn_cycles->watched_from && !part->begin)
			s->insn_cycles->watched_from = watched;
		add_counters(&to->core, &more.core, sizeof more.core, false);
		add_counters(&to->hierarchy, &more.hierarchy, sizeof more.hierarchy, false);
		good = insn_cycles_add(s->insn_cycles, &c, err);
	}
	free(bytes);
	return good;
}

static bool failed_part(const struct part *part, int status, struct error *err)
{
	char why[sizeof err->text] = "";
	if (WIFSIGNALED(status))
		return error_set(err, ERROR_SYSTEM, "a part's process was ended by signal %d", WTERMSIG(status));
	if (pread(part->file, why, sizeof why - 1, 0) <= 0)
		snprintf(why, sizeof why, "without a word");
	return error_set(err, ERROR_SYSTEM, "a part failed: %s", why);
}

static bool collect(struct work *w, struct parts *to, struct error *err)
{
	for (size_t i = 0; i < w->count; i++) {
		struct part *p = &w->parts[i];
		int status;
		if (!p->pid)
			continue;
		while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR && !interrupt_seen())
			;
		if (interrupt_seen())
			return true;
		p->pid = 0;
		TRY(status ? failed_part(p, status, err) : add_part(p, w->session, to, err));
	}
	return true;
}

static bool work(struct work *w, struct parts *to, struct error *err)
{
	uint64_t length = w->options->max_insns;
	TRY(guest_prepare_fork(w->session->guest, err));
	if (!length)
		TRY(length_measure(w->session, UINT64_MAX, w->options->quiet, &length, err));
	plan(w, length);
	for (size_t i = 0; i < w->count && w->state == GUEST_RUNNING && !interrupt_seen(); i++) {
		go_to(w, w->parts[i].begin, true);
		if (w->state == GUEST_RUNNING && !interrupt_seen())
			TRY(start_part(w, &w->parts[i], err));
	}
	finish_program(w);
	if (w->state != GUEST_RUNNING)
		to->exit_status = guest_exit_status(w->session->guest);
	TRY(guest_check(w->session->guest, err) && collect(w, to, err));
	to->more = to->core.committed > length ? to->core.committed - length : 0;
	return true;
}

bool parts_run(struct session *s, const struct options *o, struct parts *to, struct error *err)
{
	struct work w = {.session = s, .options = o, .count = o->parts, .state = GUEST_RUNNING};
	*to = (struct parts){.exit_status = -1};
	if (!(w.parts = calloc(w.count, sizeof *w.parts)))
		return error_set(err, ERROR_SYSTEM, "out of memory for parts");
	for (size_t i = 0; i < w.count; i++)
		w.parts[i].file = -1;
	bool good = work(&w, to, err);
	for (size_t i = 0; i < w.count; i++) {
		if (w.parts[i].pid) {
			kill(w.parts[i].pid, SIGKILL);
			while (waitpid(w.parts[i].pid, NULL, 0) < 0 && errno == EINTR)
				;
		}
		if (w.parts[i].file >= 0)
			close(w.parts[i].file);
	}
	free(w.parts);
	return good;
}
