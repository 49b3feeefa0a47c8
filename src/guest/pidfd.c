/* Descriptors that stand for processes. */
#include "guest/calls.h"
#include "guest/files.h"

#include <stdlib.h>

static void process_release(struct guest *g, struct open_file *f)
{
	free(f->state);
}

static unsigned process_poll(struct guest *g, struct open_file *f)
{
	const struct process *p = process_find(g, *(int *)f->state);

	return !p || process_ended(p) ? READY_IN : 0;
}

static const struct file_ops process_ops = {
	.poll = process_poll, .status = nameless_status, .release = process_release, .name = "anon_inode:[pidfd]"};

int64_t pidfd_new(struct guest *g, int pid, unsigned flags)
{
	int *state = malloc(sizeof(*state));
	int64_t fd;

	if (!state)
		return -GUEST_ENOMEM;
	*state = pid;
	fd = descriptor_new(g, &process_ops, GUEST_O_RDWR | (flags & GUEST_O_NONBLOCK), state, true);
	if (fd < 0)
		free(state);
	return fd;
}

int64_t pidfd_process(struct guest *g, uint64_t fd)
{
	struct open_file *f = descriptor_file(g, fd);

	return f && f->ops == &process_ops ? *(int *)f->state : 0;
}

int64_t sys_pidfd_open(struct guest *g, const uint64_t *args)
{
	if ((int)args[0] <= 0 || (args[1] & ~(uint64_t)GUEST_O_NONBLOCK))
		return -GUEST_EINVAL;
	return process_find(g, (int)args[0]) ? pidfd_new(g, (int)args[0], (unsigned)args[1]) : -GUEST_ESRCH;
}

int64_t sys_pidfd_send_signal(struct guest *g, const uint64_t *args)
{
	struct process *p = process_find(g, (int)pidfd_process(g, args[0]));
	struct signal_info info = {
		.number = (int)args[1], .pid = g->process->pid, .uid = GUEST_UID, .cause = SIGNAL_SENT};

	if (!pidfd_process(g, args[0]))
		return -GUEST_EBADF;
	if (info.number < 0 || info.number > GUEST_SIGNALS || args[3])
		return -GUEST_EINVAL;
	if (!p || process_ended(p))
		return -GUEST_ESRCH;
	if (info.number)
		signal_send_process(g, p, &info);
	return 0;
}
