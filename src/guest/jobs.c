#include "guest/jobs.h"

bool signal_stops(int number)
{
	return number >= GUEST_SIGSTOP && number <= GUEST_SIGTTOU;
}

/* The parent may ask for it, and is sent SIGCHLD if it wants that. */
static void tell_parent(struct guest *g, struct process *p, enum process_news news, int number)
{
	enum { CLD_STOPPED = 5, CLD_CONTINUED = 6, SA_NOCLDSTOP = 1, SIG_IGNORE = 1 };
	struct process *parent = process_find(g, p->parent);
	struct signal_info info = {.number = GUEST_SIGCHLD,
				   .code = news == NEWS_STOPPED ? CLD_STOPPED : CLD_CONTINUED,
				   .pid = p->pid,
				   .uid = GUEST_UID,
				   .value = (uint64_t)number,
				   .cause = SIGNAL_SENT};

	p->news = news;
	threads_retry(g);
	if (parent && p->exit_signal && parent->actions[GUEST_SIGCHLD].handler != SIG_IGNORE &&
	    !(parent->actions[GUEST_SIGCHLD].flags & SA_NOCLDSTOP))
		signal_send_process(g, parent, &info);
}

void process_stop(struct guest *g, struct process *p, int number)
{
	if (p->stopped || process_ended(p) || (number != GUEST_SIGSTOP && group_orphaned(g, p->group, NULL)))
		return;
	p->stopped = number;
	tell_parent(g, p, NEWS_STOPPED, number);
}

void process_continue(struct guest *g, struct process *p)
{
	if (!p->stopped)
		return;
	p->stopped = 0;
	tell_parent(g, p, NEWS_CONTINUED, GUEST_SIGCONT);
}

/* A child of an ended process has the first one for a parent, which looks after nobody's jobs: no exit signal. */
static bool looked_after(const struct guest *g, const struct process *p, const struct process *except)
{
	const struct process *parent = p->exit_signal ? process_find(g, p->parent) : NULL;

	return parent && parent != except && !process_ended(parent) && parent->group != p->group &&
	       parent->session == p->session;
}

bool group_orphaned(const struct guest *g, int group, const struct process *except)
{
	for (const struct process *p = g->processes; p; p = p->next)
		if (p->group == group && p != except && !process_ended(p) && looked_after(g, p, except))
			return false;
	return true;
}

void group_send(struct guest *g, int group, int number)
{
	enum { SI_KERNEL = 0x80 };
	const struct signal_info info = {.number = number, .code = SI_KERNEL, .cause = SIGNAL_SENT};

	for (struct process *p = g->processes; p && group; p = p->next)
		if (p->group == group)
			signal_send_process(g, p, &info);
}

static bool has_stopped(const struct guest *g, int group)
{
	for (const struct process *p = g->processes; p; p = p->next)
		if (p->group == group && p->stopped)
			return true;
	return false;
}

static void leave_group(struct guest *g, int group, const struct process *p)
{
	if (!has_stopped(g, group) || !group_orphaned(g, group, p))
		return;
	group_send(g, group, GUEST_SIGHUP);
	group_send(g, group, GUEST_SIGCONT);
}

void jobs_leave(struct guest *g, const struct process *p)
{
	if (looked_after(g, p, NULL))
		leave_group(g, p->group, p);
	for (const struct process *child = g->processes; child; child = child->next)
		if (child->parent == p->pid && child->group != p->group && child->session == p->session)
			leave_group(g, child->group, p);
}

int64_t call_again(struct guest *g)
{
	thread_block(g, WAIT_NONE, NO_DEADLINE, true);
	g->current->wait.interrupted = true;
	return CALL_BLOCKED;
}
