/* Signal calls. Every process may send to every other: they have one user. */
#include "guest/calls.h"
#include "guest/process.h"

enum { SIG_BLOCK_SET, SIG_UNBLOCK_SET, SIG_SET_MASK };
enum { SI_FROM_USER = 0, SI_FROM_TKILL = -6 };
#define UNMASKABLE (1ull << (GUEST_SIGKILL - 1) | 1ull << (GUEST_SIGSTOP - 1))

static bool valid_signal(uint64_t number)
{
	return number >= 1 && number <= GUEST_SIGNALS;
}

int64_t sys_rt_sigaction(struct guest *g, const uint64_t *args)
{
	uint64_t raw[3];
	struct signal_action *action;
	struct signal_action old;

	if (!valid_signal(args[0]) || args[3] != 8)
		return -GUEST_EINVAL;
	action = &g->process->actions[args[0]];
	old = *action;
	if (args[1]) {
		if (args[0] == GUEST_SIGKILL || args[0] == GUEST_SIGSTOP)
			return -GUEST_EINVAL;
		if (!user_read(g, raw, args[1], sizeof(raw)))
			return -GUEST_EFAULT;
		*action = (struct signal_action){.handler = raw[0], .flags = raw[1], .mask = raw[2] & ~UNMASKABLE};
	}
	if (args[2]) {
		raw[0] = old.handler;
		raw[1] = old.flags;
		raw[2] = old.mask;
		if (!user_write(g, args[2], raw, sizeof(raw)))
			return -GUEST_EFAULT;
	}
	return 0;
}

int64_t sys_rt_sigprocmask(struct guest *g, const uint64_t *args)
{
	struct thread *t = g->current;
	uint64_t old = t->mask, set;

	if (args[3] != 8)
		return -GUEST_EINVAL;
	if (args[1]) {
		if (!user_get64(g, args[1], &set))
			return -GUEST_EFAULT;
		if (args[0] == SIG_BLOCK_SET)
			t->mask |= set;
		else if (args[0] == SIG_UNBLOCK_SET)
			t->mask &= ~set;
		else if (args[0] == SIG_SET_MASK)
			t->mask = set;
		else
			return -GUEST_EINVAL;
		t->mask &= ~UNMASKABLE;
	}
	return !args[2] || user_put64(g, args[2], old) ? 0 : -GUEST_EFAULT;
}

int64_t sys_rt_sigpending(struct guest *g, const uint64_t *args)
{
	uint64_t set = (g->current->pending.set | g->process->pending.set) & g->current->mask;

	return user_put64(g, args[0], set) ? 0 : -GUEST_EFAULT;
}

int64_t sys_rt_sigsuspend(struct guest *g, const uint64_t *args)
{
	struct thread *t = g->current;
	uint64_t set;

	if (!user_get64(g, args[0], &set))
		return -GUEST_EFAULT;
	t->mask_after = t->mask;
	t->mask_replaced = true;
	t->mask = set & ~UNMASKABLE;
	thread_block(g, WAIT_SLEEP, NO_DEADLINE, false);
	if (signal_pending(g, t)) { /* sent before: ends the wait at once */
		t->wait.kind = WAIT_NONE;
		t->wait.interrupted = true;
	}
	return CALL_BLOCKED;
}

int64_t sys_rt_sigtimedwait(struct guest *g, const uint64_t *args)
{
	uint64_t set, length, deadline = NO_DEADLINE;
	struct signal_info info;
	int number;

	if (!user_get64(g, args[0], &set))
		return -GUEST_EFAULT;
	number = signal_take(g, g->current, set, &info);
	if (number)
		return !args[1] || signal_write_info(g, args[1], &info) ? number : -GUEST_EFAULT;
	if (g->current->wait.retrying)
		deadline = g->current->wait.deadline;
	else if (args[2] && !user_get_time(g, args[2], &length))
		return -GUEST_EFAULT;
	else if (args[2])
		deadline = deadline_after(g, length);
	if (g->current->wait.timed_out || deadline <= clock_now(g))
		return -GUEST_EAGAIN;
	return thread_block(g, WAIT_RETRY, deadline, false);
}

int64_t sys_sigaltstack(struct guest *g, const uint64_t *args)
{
	enum { ONSTACK = 1, DISABLE = 2 };
	struct thread *t = g->current;
	uint64_t sp = g->hart.r[2], old[3], new[3];
	bool on = t->alt_size && sp > t->alt_stack && sp - t->alt_stack <= t->alt_size;

	old[0] = t->alt_stack;
	old[1] = !t->alt_size ? DISABLE : on ? ONSTACK : 0;
	old[2] = t->alt_size;
	if (args[0]) {
		if (!user_read(g, new, args[0], sizeof(new)))
			return -GUEST_EFAULT;
		if (on)
			return -GUEST_EPERM;
		if ((uint32_t) new[1] & ~(DISABLE | ONSTACK | 0x80000000u))
			return -GUEST_EINVAL;
		if (!(new[1] & DISABLE) && new[2] < 2048)
			return -GUEST_ENOMEM;
		t->alt_stack = new[1] & DISABLE ? 0 : new[0];
		t->alt_size = new[1] & DISABLE ? 0 : new[2];
	}
	return !args[1] || user_write(g, args[1], old, sizeof(old)) ? 0 : -GUEST_EFAULT;
}

static int64_t send_to(struct guest *g, struct thread *t, uint64_t number, int code)
{
	struct signal_info info = {.number = (int)number, .code = code, .pid = g->process->pid, .uid = GUEST_UID};

	if (number > GUEST_SIGNALS)
		return -GUEST_EINVAL;
	if (number)
		signal_send(g, t, &info);
	return 0;
}

/* kill's meaning of its first argument: one, its own group, all others, or a group. */
static bool meant(const struct guest *g, const struct process *p, int64_t which)
{
	if (process_ended(p) && which <= 0)
		return false;
	return which > 0     ? p->pid == which
	       : which == 0  ? p->group == g->process->group
	       : which == -1 ? p != g->process
			     : p->group == -which;
}

int64_t sys_kill(struct guest *g, const uint64_t *args)
{
	struct signal_info info = {
		.number = (int)args[1], .code = SI_FROM_USER, .pid = g->process->pid, .uid = GUEST_UID};
	bool any = false;

	if (args[1] > GUEST_SIGNALS)
		return -GUEST_EINVAL;
	for (struct process *p = g->processes; p; p = p->next) {
		if (!meant(g, p, (int)args[0]))
			continue;
		any = true;
		if (info.number)
			signal_send_process(g, p, &info);
	}
	return any ? 0 : -GUEST_ESRCH;
}

int64_t sys_tkill(struct guest *g, const uint64_t *args)
{
	struct thread *t = thread_find(g, (int)args[0]);

	return t ? send_to(g, t, args[1], SI_FROM_TKILL) : -GUEST_ESRCH;
}

int64_t sys_tgkill(struct guest *g, const uint64_t *args)
{
	struct thread *t = thread_find(g, (int)args[1]);

	return t && t->process->pid == (int)args[0] ? send_to(g, t, args[2], SI_FROM_TKILL) : -GUEST_ESRCH;
}

static int64_t queue_info(struct guest *g, struct process *p, struct thread *t, uint64_t number, uint64_t address)
{
	uint8_t raw[128];
	struct signal_info info;

	if (!user_read(g, raw, address, sizeof(raw)))
		return -GUEST_EFAULT;
	if (number > GUEST_SIGNALS)
		return -GUEST_EINVAL;
	info = (struct signal_info){.number = (int)number,
				    .code = (int)get32(raw + 8),
				    .pid = (int)get32(raw + 16),
				    .uid = (int)get32(raw + 20),
				    .value = get64(raw + 24)};
	if (number && t)
		signal_send(g, t, &info);
	else if (number)
		signal_send_process(g, p, &info);
	return 0;
}

int64_t sys_rt_sigqueueinfo(struct guest *g, const uint64_t *args)
{
	struct process *p = process_find(g, (int)args[0]);

	return p ? queue_info(g, p, NULL, args[1], args[2]) : -GUEST_ESRCH;
}

int64_t sys_rt_tgsigqueueinfo(struct guest *g, const uint64_t *args)
{
	struct thread *t = thread_find(g, (int)args[1]);

	return t && (int)args[0] == t->process->pid ? queue_info(g, t->process, t, args[2], args[3]) : -GUEST_ESRCH;
}
