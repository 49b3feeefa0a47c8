/* Processes: made, ended, waited for. An ended one keeps its number and status until its parent asks for them, or until
 * nobody can: children of an ended process go to the first one, which need not ask. */
#include "guest/calls.h"
#include "guest/files.h"
#include "guest/ipc.h"
#include "guest/jobs.h"
#include "guest/memory_map.h"
#include "guest/terminal.h"

#include <stdlib.h>

#define PROCESS_BYTES (sizeof(struct process) + GUEST_FILES * sizeof(struct descriptor))

struct process *process_create(struct guest *g, const struct process *parent)
{
	struct process *p = g->process_count < GUEST_PROCESSES && guest_charge(g, PROCESS_BYTES) ? calloc(1, sizeof(*p))
												 : NULL;
	struct process **end = &g->processes;

	if (!p)
		return NULL;
	p->file_room = GUEST_FILES;
	p->files = calloc(p->file_room, sizeof(*p->files));
	p->cwd = strdup(parent ? parent->cwd : "");
	if (!p->files || !p->cwd) {
		guest_uncharge(g, PROCESS_BYTES);
		free(p->files);
		free(p->cwd);
		free(p);
		return NULL;
	}
	while (*end)
		end = &(*end)->next;
	*end = p;
	g->process_count++;
	p->umask = 022;
	p->pid = p->group = p->session = g->next_tid;
	p->parent = GUEST_PPID;
	return p;
}

struct process *process_find(const struct guest *g, int pid)
{
	for (struct process *p = g->processes; p; p = p->next)
		if (p->pid == pid)
			return p;
	return NULL;
}

bool process_ended(const struct process *p)
{
	return !p->space;
}

uint64_t process_ran(const struct guest *g, const struct process *p)
{
	return p->ran + (p == g->process ? g->hart.instret - g->switched_at : 0);
}

void process_enter(struct guest *g, struct process *p)
{
	if (g->process)
		g->process->ran += g->hart.instret - g->switched_at;
	g->switched_at = g->hart.instret;
	g->process = p;
	if (g->space != p->space)
		space_enter(g, p->space);
}

void files_release(struct guest *g, struct process *p)
{
	for (size_t fd = 0; fd < p->file_room; fd++) {
		struct open_file *f = p->files[fd].file;

		p->files[fd].file = NULL;
		if (f)
			descriptor_release(g, p, f);
	}
}

static void process_free(struct guest *g, struct process *p)
{
	struct process **link = &g->processes;

	while (*link && *link != p)
		link = &(*link)->next;
	*link = p->next;
	g->process_count--;
	guest_uncharge(g, PROCESS_BYTES);
	free(p->files);
	free(p->cwd);
	free(p);
}

void process_reap(struct guest *g, struct process *p)
{
	struct process *parent = process_find(g, p->parent);

	if (parent)
		parent->children_ran += p->ran + p->children_ran;
	process_free(g, p);
}

void processes_destroy(struct guest *g)
{
	for (struct process *p = g->processes; p; p = p->next)
		files_release(g, p);
	g->space = NULL;
	while (g->processes) {
		struct process *p = g->processes;

		if (p->space)
			space_release(g, p->space);
		p->space = NULL;
		process_free(g, p);
	}
}

/* --- the end --- */

/* Its children are the first process's now, which is not told of those that have ended or will. */
static void give_children_away(struct guest *g, const struct process *p)
{
	struct process *next;

	for (struct process *child = g->processes; child; child = next) {
		next = child->next;
		if (child->parent != p->pid)
			continue;
		child->parent = GUEST_PID;
		child->exit_signal = 0;
		if (process_ended(child))
			process_reap(g, child);
	}
}

static void tell_parent(struct guest *g, struct process *p)
{
	enum { CLD_EXITED = 1, CLD_KILLED = 2, SA_NOCLDWAIT = 2 };
	struct process *parent = process_find(g, p->parent);
	bool killed = p->wait_status & 127;
	struct signal_info info = {.number = p->exit_signal,
				   .code = killed ? CLD_KILLED : CLD_EXITED,
				   .pid = p->pid,
				   .uid = GUEST_UID,
				   .value = (uint64_t)(killed ? p->wait_status & 127 : p->wait_status >> 8),
				   .cause = SIGNAL_SENT};
	const struct signal_action *child_action = parent ? &parent->actions[GUEST_SIGCHLD] : NULL;

	if (!parent || !p->exit_signal) {
		process_reap(g, p);
		return;
	}
	signal_send_process(g, parent, &info);
	if (p->exit_signal == GUEST_SIGCHLD && (child_action->handler == 1 || (child_action->flags & SA_NOCLDWAIT)))
		process_reap(g, p);
}

void process_leave_space(struct guest *g, struct process *p, struct space *old)
{
	struct thread *waiting = p->waiting;

	p->waiting = NULL;
	if (waiting)
		thread_wake(g, waiting, p->pid);
	space_release(g, old);
}

/* What its memory is told of a thread's end. */
static void let_go(struct guest *g, struct thread *t)
{
	futex_release_robust(g, t);
	if (t->clear_tid && user_put32(g, t->clear_tid, 0))
		futex_wake(g, t->clear_tid, 1, ~0u);
}

static void disarm_timers(struct guest *g, struct process *p)
{
	for (size_t i = 0; i < GUEST_TIMERS; i++)
		g->armed_timers -= p->timers[i].armed;
	memset(p->timers, 0, sizeof(p->timers));
}

/* The run is over: everything stays as it is, for the report. */
static void end_run(struct guest *g, int wait_status)
{
	g->state = wait_status & 127 ? GUEST_KILLED : GUEST_EXITED;
	g->exit_status = wait_status & 127 ? 128 + (wait_status & 127) : wait_status >> 8;
}

void process_exit(struct guest *g, int wait_status)
{
	struct process *p = g->process;
	struct space *old = p->space;

	if (p->pid == GUEST_PID) {
		end_run(g, wait_status);
		return;
	}
	threads_end_others(g);
	let_go(g, g->current);
	g->current->wait.kind = WAIT_EXITED;
	g->thread_count--;
	p->thread_count = 0;
	disarm_timers(g, p);
	files_release(g, p);
	semaphores_undo(g, p);
	terminal_leave(g, p);
	jobs_leave(g, p);
	p->stopped = 0;
	snprintf(p->name, sizeof(p->name), "%s", g->current->name);
	p->wait_status = wait_status;
	p->ran += g->hart.instret - g->switched_at;
	p->space = NULL;
	g->process = g->processes; /* nobody's turn: the first one's memory, until the scheduler chooses */
	g->switched_at = g->hart.instret;
	if (g->process->space != old)
		space_enter(g, g->process->space);
	process_leave_space(g, p, old);
	give_children_away(g, p);
	g->current->process = NULL;
	tell_parent(g, p);
	threads_retry(g);
}

int wait_status_of_exit(int status)
{
	return (status & 255) << 8;
}

int wait_status_of_signal(int number)
{
	return number;
}

/* --- waiting --- */

enum { WAIT_NO_HANG = 1, WAIT_STOPPED = 2, WAIT_EXITS = 4, WAIT_CONTINUED = 8, WAIT_LEAVE = 0x1000000 };

/* Which children: a number, -1 all, 0 of its own group, below that of another group. */
static bool wanted(const struct guest *g, const struct process *child, int64_t which)
{
	if (child->parent != g->process->pid)
		return false;
	return which > 0    ? child->pid == which
	       : which == 0 ? child->group == g->process->group
	       : which < -1 ? child->group == -which
			    : true;
}

static bool has_news(const struct process *p, uint64_t options)
{
	if (process_ended(p))
		return options & WAIT_EXITS;
	return (p->news == NEWS_STOPPED && (options & WAIT_STOPPED)) ||
	       (p->news == NEWS_CONTINUED && (options & WAIT_CONTINUED));
}

/* One that has ended, stopped or gone on, as the options say; NULL and *any: there are some, none has. */
static struct process *find_news(struct guest *g, int64_t which, uint64_t options, bool *any)
{
	*any = false;
	for (struct process *p = g->processes; p; p = p->next) {
		if (!wanted(g, p, which))
			continue;
		*any = true;
		if (has_news(p, options))
			return p;
	}
	return NULL;
}

static bool put_usage(struct guest *g, uint64_t address, uint64_t ran)
{
	uint64_t raw[18] = {ran / 1000000000, ran % 1000000000 / 1000};

	return !address || user_write(g, address, raw, sizeof(raw));
}

static uint32_t status_of(const struct process *p)
{
	return (uint32_t)(process_ended(p)	    ? p->wait_status
			  : p->news == NEWS_STOPPED ? p->stopped << 8 | 0x7f
						    : 0xffff);
}

/* The parent has been told. */
static void take_news(struct guest *g, struct process *p)
{
	if (process_ended(p))
		process_reap(g, p);
	else
		p->news = NEWS_NONE;
}

int64_t sys_wait4(struct guest *g, const uint64_t *args)
{
	struct process *p;
	bool any;
	int pid;

	if ((uint32_t)args[2] & ~0xe000000bu)
		return -GUEST_EINVAL;
	p = find_news(g, (int)args[0], args[2] | WAIT_EXITS, &any);
	if (!any)
		return -GUEST_ECHILD;
	if (!p)
		return args[2] & WAIT_NO_HANG ? 0 : thread_block(g, WAIT_RETRY, NO_DEADLINE, true);
	if ((args[1] && !user_put32(g, args[1], status_of(p))) || !put_usage(g, args[3], p->ran + p->children_ran))
		return -GUEST_EFAULT;
	pid = p->pid;
	take_news(g, p);
	return pid;
}

static bool put_child(struct guest *g, uint64_t address, const struct process *p)
{
	enum { EXITED = 1, KILLED, STOPPED = 5, CONTINUED };
	uint8_t raw[128] = {0};

	if (p) {
		uint32_t status = status_of(p);
		bool killed = process_ended(p) && (status & 127), continued = status == 0xffff;

		put32(raw, GUEST_SIGCHLD);
		put32(raw + 8, process_ended(p) ? (killed ? KILLED : EXITED) : continued ? CONTINUED : STOPPED);
		put32(raw + 16, (uint32_t)p->pid);
		put32(raw + 20, GUEST_UID);
		put32(raw + 24, killed ? status & 127 : continued ? GUEST_SIGCONT : status >> 8);
	}
	return !address || user_write(g, address, raw, sizeof(raw));
}

/* P_ALL, P_PID, P_PGID, P_PIDFD as wait4 has it. */
static int64_t which_of(struct guest *g, const uint64_t *args, int64_t *which)
{
	switch (args[0]) {
	case 0:
		*which = -1;
		return 0;
	case 1:
		*which = (int)args[1];
		return *which > 0 ? 0 : -GUEST_EINVAL;
	case 2:
		*which = -(int64_t)(int)args[1];
		return *which <= 0 ? 0 : -GUEST_EINVAL;
	case 3:
		*which = pidfd_process(g, args[1]);
		return *which > 0 ? 0 : -GUEST_EBADF;
	default:
		return -GUEST_EINVAL;
	}
}

int64_t sys_waitid(struct guest *g, const uint64_t *args)
{
	struct process *p;
	int64_t which, result = which_of(g, args, &which);
	bool any;

	if (result)
		return result;
	if (!(args[3] & (WAIT_EXITS | WAIT_STOPPED | WAIT_CONTINUED)))
		return -GUEST_EINVAL;
	p = find_news(g, which, args[3], &any);
	if (!any)
		return -GUEST_ECHILD;
	if (!p) {
		if (!(args[3] & WAIT_NO_HANG))
			return thread_block(g, WAIT_RETRY, NO_DEADLINE, true);
		return put_child(g, args[2], NULL) ? 0 : -GUEST_EFAULT;
	}
	if (!put_child(g, args[2], p) || !put_usage(g, args[4], p->ran + p->children_ran))
		return -GUEST_EFAULT;
	if (!(args[3] & WAIT_LEAVE))
		take_news(g, p);
	return 0;
}
