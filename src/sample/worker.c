#include "sample/worker.h"

#include "analysis/pipe.h"
#include "base/archive.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* QUEUE: a worker simulates one sample while the next one's warm state lies ready. AHEAD: instructions, at least as
 * many as a core fetches before the last one of a sample commits. */
enum { FAILED = 1, QUEUE = 2, AHEAD = 20000 };

struct sample_worker {
	pid_t pid;
	int orders, answers; /* pipes: to it, from it */
	int state;	     /* file in memory: the warm state of the order that was given last, */
	bool taken;	     /* which it has read */
	int files[2];	     /* in memory: snapshots before and after, appended, */
	uint64_t read[2];    /* read so far */
	uint64_t reached;    /* of the region: where it is at the most when it has done its orders */
	long queue[QUEUE];   /* samples ordered and not done, the oldest first */
	unsigned queued;
};

struct order {
	uint64_t place, warmup, length, size; /* size: of the state */
};

enum answer_kind { STATE_TAKEN, SAMPLE_DONE, SAMPLE_FAILED };
struct answer {
	enum answer_kind kind;
	uint64_t end[2]; /* of the files, then */
	struct error why;
};

bool worker_possible(const struct sample *s)
{
	const char *ideal = s->options.ideal;
	return !s->session.analyses.count && !s->session.machine.plugins && !(ideal && strchr(ideal, '@'));
}

/* --- in the worker --- */

static bool transfer(int fd, void *at, size_t size, bool writes)
{
	for (char *next = at; size;) {
		const ssize_t moved = writes ? write(fd, next, size) : read(fd, next, size);
		if (moved < 0 && errno == EINTR)
			continue;
		if (moved <= 0)
			return false;
		next += moved;
		size -= (size_t)moved;
	}
	return true;
}

static bool tell(int fd, const struct answer *a)
{
	struct answer copy = *a;
	return transfer(fd, &copy, sizeof copy, true);
}

static bool go_to(struct sample *s, uint64_t place, struct error *err)
{
	struct guest *g = s->session.guest;
	uint64_t executed;
	const uint64_t here = guest_hart(g)->instret - s->first_instret;
	if (here > place)
		return error_set(err, ERROR_INTERNAL, "a worker is beyond the sample");
	if (here < place)
		guest_run(g, place - here, &executed);
	return guest_check(g, err);
}

static bool take_state(struct core *core, const struct bytes *state, struct error *err)
{
	struct archive a = {.loading = true, .from = {.at = state->at, .left = state->size}};
	core_archive_warm(core, &a);
	return archive_good(&a, err) && (!a.from.left || error_set(err, ERROR_INTERNAL, "warm state is left over"));
}

/* A core as the parent's is there. */
static bool make_core(struct sample *s, const struct sample_worker *w, uint64_t size, struct bytes *state,
		      struct error *err)
{
	state->size = 0;
	if (!bytes_reserve(state, size))
		return error_set(err, ERROR_SYSTEM, "out of memory for the warm state");
	state->size = size;
	if (pread(w->state, state->at, size, 0) != (ssize_t)size)
		return error_set(err, ERROR_SYSTEM, "the warm state cannot be read");
	TRY(s->session.core = core_create(&s->session.machine, s->session.guest, err));
	core_keep_lessons(s->session.core);
	return take_state(s->session.core, state, err);
}

static void forget(struct sample *s)
{
	pipe_destroy(s->session.pipe);
	s->session.pipe = NULL;
	core_destroy(s->session.core);
	s->session.core = NULL;
	insn_cycles_destroy(&s->insn_cycles);
	s->session.insn_cycles = NULL;
}

static bool obey(struct sample *s, const struct sample_worker *w, const struct order *o, struct bytes *state,
		 struct error *err)
{
	TRY(go_to(s, o->place, err));
	TRY(make_core(s, w, o->size, state, err));
	if (!tell(w->answers, &(struct answer){.kind = STATE_TAKEN}))
		return error_set(err, ERROR_SYSTEM, "nobody waits for the sample");
	TRY(sample_load_symbols(s, err));
	TRY(sample_unit_simulate(s, w->files, o->warmup, o->length, err));
	core_leave_guest(s->session.core);
	forget(s);
	return guest_check(s->session.guest, err);
}

static bool serve(struct sample *s, const struct sample_worker *w, struct error *err)
{
	struct order o;
	struct bytes state = {0};
	TRY(guest_isolate(s->session.guest, err));
	s->session.core = NULL; /* the parent's */
	session_without_core(&s->session);
	while (transfer(w->orders, &o, sizeof o, false)) {
		TRY(obey(s, w, &o, &state, err));
		struct answer done = {.kind = SAMPLE_DONE};
		for (unsigned i = 0; i < 2; i++)
			done.end[i] = (uint64_t)lseek(w->files[i], 0, SEEK_END);
		if (!tell(w->answers, &done))
			break;
	}
	return true;
}

static _Noreturn void be_worker(struct sample *s, const struct sample_worker *w, pid_t parent)
{
	struct answer failed = {.kind = SAMPLE_FAILED};
	/* both go to the whole group at times: the parent decides */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(FAILED);
	if (serve(s, w, &failed.why))
		_exit(0);
	tell(w->answers, &failed);
	_exit(FAILED);
}

/* --- in the parent --- */

static void end_worker(struct sample_worker *w)
{
	const int files[] = {w->orders, w->answers, w->state, w->files[0], w->files[1]};
	if (w->pid > 0) {
		kill(w->pid, SIGKILL);
		while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (files[i] >= 0)
			close(files[i]);
}

static bool make_files(struct sample_worker *w, int orders[2], int answers[2])
{
	*w = (struct sample_worker){.orders = -1, .answers = -1, .taken = true};
	w->state = memfd_create("state", MFD_CLOEXEC);
	w->files[0] = memfd_create("before", MFD_CLOEXEC);
	w->files[1] = memfd_create("after", MFD_CLOEXEC);
	return w->state >= 0 && w->files[0] >= 0 && w->files[1] >= 0 && !pipe(orders) && !pipe(answers);
}

/* Its program goes on from where the parent's is. */
static bool start_worker(struct sample *s, struct sample_worker *w, struct error *err)
{
	int orders[2] = {-1, -1}, answers[2] = {-1, -1};
	const pid_t parent = getpid();
	w->pid = make_files(w, orders, answers) ? fork() : -1;
	if (w->pid == 0) {
		w->orders = orders[0];
		w->answers = answers[1];
		be_worker(s, w, parent);
	}
	close(orders[0]);
	close(answers[1]);
	w->orders = orders[1];
	w->answers = answers[0];
	w->reached = s->position;
	if (w->pid > 0)
		return true;
	error_set(err, ERROR_SYSTEM, "cannot start a process for samples: %s", strerror(errno));
	end_worker(w);
	return false;
}

/* One that has nothing to do, or has little: of those that are not beyond this place. */
static struct sample_worker *find_worker(struct sample *s)
{
	for (unsigned queued = 0; queued < QUEUE; queued++)
		for (size_t i = 0; i < s->worker_count; i++) {
			struct sample_worker *w = &s->workers[i];
			if (w->queued == queued && w->taken && w->reached <= s->position)
				return w;
		}
	return NULL;
}

/* A new one; or in the place of one that has nothing to do and is beyond this place. */
static bool add_worker(struct sample *s, struct sample_worker **added, struct error *err)
{
	*added = NULL;
	if (!s->workers && !(s->workers = calloc(s->jobs, sizeof *s->workers)))
		return error_set(err, ERROR_SYSTEM, "out of memory for %zu processes", s->jobs);
	struct sample_worker *w = s->worker_count < s->jobs ? &s->workers[s->worker_count] : NULL;
	for (size_t i = 0; i < s->worker_count && !w; i++)
		if (!s->workers[i].queued) {
			w = &s->workers[i];
			end_worker(w);
			*w = s->workers[--s->worker_count];
			w = &s->workers[s->worker_count];
		}
	if (!w)
		return true;
	TRY(start_worker(s, w, err));
	s->worker_count++;
	*added = w;
	return true;
}

static bool hand_over(struct sample *s, struct sample_worker *w, struct order *o, struct error *err)
{
	struct archive a = {.to = &s->state};
	s->state.size = 0;
	core_archive_warm(s->session.core, &a);
	TRY(archive_good(&a, err));
	o->size = s->state.size;
	if (pwrite(w->state, s->state.at, o->size, 0) != (ssize_t)o->size || !transfer(w->orders, o, sizeof *o, true))
		return error_set(err, ERROR_SYSTEM, "a sample cannot be handed over: %s", strerror(errno));
	return true;
}

enum worker_answer worker_give(struct sample *s, long number, uint64_t warmup, uint64_t length, struct error *err)
{
	struct sample_worker *w = find_worker(s);
	struct order o = {.place = s->position, .warmup = warmup, .length = length};
	if (!w && !add_worker(s, &w, err))
		return WORKER_ERROR;
	if (!w)
		return WORKER_BUSY;
	if (!hand_over(s, w, &o, err))
		return WORKER_ERROR;
	w->taken = false;
	w->queue[w->queued++] = number;
	w->reached = s->position + warmup + length + AHEAD;
	return WORKER_GIVEN;
}

static bool sample_done(struct sample *s, struct sample_worker *w, const struct answer *a, struct error *err)
{
	struct sample_unit *u = w->queue[0] == WORKER_START ? &s->first : &s->units[w->queue[0]];
	for (unsigned i = 0; i < 2; i++) {
		TRY(sample_unit_read(u, i, w->files[i], (struct file_part){w->read[i], a->end[i]}, err));
		w->read[i] = a->end[i];
	}
	u->due = false;
	s->alive--;
	w->queued--;
	memmove(w->queue, w->queue + 1, w->queued * sizeof *w->queue);
	return true;
}

static bool hear(struct sample *s, struct sample_worker *w, struct error *err)
{
	struct answer a;
	int status;
	if (!transfer(w->answers, &a, sizeof a, false)) {
		while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
			;
		w->pid = 0;
		return sample_child_lost(status, err);
	}
	if (a.kind == SAMPLE_FAILED)
		return error_set(err, ERROR_SYSTEM, "a sample failed: %s", a.why.text);
	if (a.kind == SAMPLE_DONE)
		return sample_done(s, w, &a, err);
	w->taken = true;
	return true;
}

bool worker_wait(struct sample *s, struct error *err)
{
	struct pollfd *files = calloc(s->worker_count, sizeof *files);
	if (!files)
		return error_set(err, ERROR_SYSTEM, "out of memory for %zu processes", s->worker_count);
	for (size_t i = 0; i < s->worker_count; i++)
		files[i] = (struct pollfd){.fd = s->workers[i].answers, .events = POLLIN};
	const int ready = poll(files, s->worker_count, -1);
	bool good = ready >= 0 || errno == EINTR || error_set(err, ERROR_SYSTEM, "a sample's process is lost");
	for (size_t i = 0; i < s->worker_count && ready > 0 && good; i++)
		if (files[i].revents)
			good = hear(s, &s->workers[i], err);
	free(files);
	return good;
}

void workers_destroy(struct sample *s)
{
	for (size_t i = 0; i < s->worker_count; i++)
		end_worker(&s->workers[i]);
	free(s->workers);
	free(s->state.at);
}
