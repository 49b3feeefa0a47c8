/* Descriptors themselves: dup, close, fcntl, ioctl, and waiting for several. */
#include "guest/calls.h"
#include "guest/files.h"

int64_t sys_close(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);

	if (!f)
		return -GUEST_EBADF;
	g->process->files[(uint32_t)args[0]].file = NULL;
	descriptor_release(g, g->process, f);
	return 0;
}

int64_t sys_close_range(struct guest *g, const uint64_t *args)
{
	enum { CLOEXEC = 4 };
	uint64_t last = (uint32_t)args[1] < g->process->file_room ? (uint32_t)args[1] : g->process->file_room - 1;

	if ((uint32_t)args[0] > (uint32_t)args[1])
		return -GUEST_EINVAL;
	for (uint64_t fd = (uint32_t)args[0]; fd <= last; fd++) {
		if (args[2] & CLOEXEC)
			g->process->files[fd].close_on_exec = true;
		else
			sys_close(g, &fd);
	}
	return 0;
}

static int64_t duplicate(struct guest *g, struct open_file *f, uint64_t lowest, bool close_on_exec)
{
	int64_t fd = descriptor_add(g, f, lowest, close_on_exec);

	if (fd >= 0)
		file_retain(f);
	return fd;
}

int64_t sys_dup(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);

	return f ? duplicate(g, f, 0, false) : -GUEST_EBADF;
}

int64_t sys_dup3(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]), *old;
	uint32_t to = (uint32_t)args[1];

	if (!f || to >= g->process->file_room)
		return -GUEST_EBADF;
	if (to == (uint32_t)args[0] || (args[2] & ~(uint64_t)GUEST_O_CLOEXEC))
		return -GUEST_EINVAL;
	old = g->process->files[to].file;
	g->process->files[to] = (struct descriptor){.file = f, .close_on_exec = args[2] & GUEST_O_CLOEXEC};
	file_retain(f);
	if (old)
		descriptor_release(g, g->process, old);
	return to;
}

int64_t sys_fcntl(struct guest *g, const uint64_t *args)
{
	enum {
		DUPFD = 0,
		GETFD,
		SETFD,
		GETFL,
		SETFL,
		GETLK,
		SETLK,
		SETLKW,
		SETOWN,
		GETOWN,
		OFD_GETLK = 36,
		OFD_SETLK,
		OFD_SETLKW,
		DUPFD_CLOEXEC = 1030,
		SETPIPE_SZ,
		GETPIPE_SZ,
		ADD_SEALS,
		GET_SEALS
	};
	struct open_file *f = descriptor_file(g, args[0]);
	const unsigned settable = GUEST_O_APPEND | GUEST_O_NONBLOCK;

	if (!f)
		return -GUEST_EBADF;
	switch (args[1]) {
	case DUPFD:
	case DUPFD_CLOEXEC:
		return args[2] >= g->process->file_room ? -GUEST_EINVAL
							: duplicate(g, f, args[2], args[1] == DUPFD_CLOEXEC);
	case GETFD:
		return g->process->files[(uint32_t)args[0]].close_on_exec;
	case SETFD:
		g->process->files[(uint32_t)args[0]].close_on_exec = args[2] & 1;
		return 0;
	case GETFL:
		return f->flags | 0100000; /* O_LARGEFILE */
	case SETFL:
		f->flags = (f->flags & ~settable) | ((unsigned)args[2] & settable);
		return 0;
	case GETLK:
	case SETLK:
	case SETLKW:
		return lock_record(g, f, args[2], LOCK_GET + (args[1] - GETLK), false);
	case OFD_GETLK:
	case OFD_SETLK:
	case OFD_SETLKW:
		return lock_record(g, f, args[2], LOCK_GET + (args[1] - OFD_GETLK), true);
	case SETOWN:
	case GETOWN:
		return 0;
	case SETPIPE_SZ:
	case GETPIPE_SZ:
		return 65536;
	case ADD_SEALS:
		return memfd_seal(g, f, args[2]);
	case GET_SEALS:
		return memfd_seals(f);
	default:
		return -GUEST_EINVAL;
	}
}

static int64_t ioctl_terminal(struct guest *g, uint64_t request, uint64_t address)
{
	enum { TCGETS = 0x5401, TCSETS = 0x5402, TCSETSF = 0x5404, TIOCGPGRP = 0x540f, TIOCGWINSZ = 0x5413 };
	/* A terminal in its usual state, whatever the host's is: the guest's run must not depend on it. */
	static const uint8_t termios[36] = {
		0x00, 0x05, 0, 0, 0x05, 0,   0,	 0, 0xbf, 0, 0, 0,  0x3b, 0x8a,
		0,    0,    0, 3, 28,	127, 21, 4, 0,	  1, 0, 17, 19,	  26,
	};
	static const uint16_t window[4] = {24, 80, 0, 0};

	switch (request) {
	case TCGETS:
		return user_write(g, address, termios, sizeof(termios)) ? 0 : -GUEST_EFAULT;
	case TIOCGWINSZ:
		return user_write(g, address, window, sizeof(window)) ? 0 : -GUEST_EFAULT;
	case TIOCGPGRP:
		return user_put32(g, address, (uint32_t)g->process->group) ? 0 : -GUEST_EFAULT;
	default:
		return request >= TCSETS && request <= TCSETSF ? 0 : -GUEST_ENOTTY;
	}
}

static int64_t ioctl_available(struct guest *g, struct open_file *f, uint64_t address)
{
	int64_t size;

	if (!f->ops->seekable && !f->ops->available)
		return -GUEST_ENOTTY;
	size = f->ops->available ? (int64_t)f->ops->available(f) : f->ops->size(f) - (int64_t)f->offset;
	return user_put32(g, address, size < 0 ? 0 : (uint32_t)size) ? 0 : -GUEST_EFAULT;
}

int64_t sys_ioctl(struct guest *g, const uint64_t *args)
{
	enum { FIONREAD = 0x541b, FIONBIO = 0x5421, FIONCLEX = 0x5450, FIOCLEX = 0x5451, FIOASYNC = 0x5452 };
	struct open_file *f = descriptor_file(g, args[0]);
	uint32_t on;

	if (!f)
		return -GUEST_EBADF;
	switch ((uint32_t)args[1]) {
	case FIONREAD:
		return ioctl_available(g, f, args[2]);
	case FIONBIO:
		if (!user_get32(g, args[2], &on))
			return -GUEST_EFAULT;
		f->flags = on ? f->flags | GUEST_O_NONBLOCK : f->flags & ~(unsigned)GUEST_O_NONBLOCK;
		return 0;
	case FIONCLEX:
	case FIOCLEX:
		g->process->files[(uint32_t)args[0]].close_on_exec = (uint32_t)args[1] == FIOCLEX;
		return 0;
	case FIOASYNC: /* SIGIO to F_SETOWN's process: taken, and never sent */
		return f->ops->seekable ? -GUEST_ENOTTY : 0;
	default:
		if (f->ops->ioctl)
			return f->ops->ioctl(g, f, (uint32_t)args[1], args[2]);
		return f->ops->terminal ? ioctl_terminal(g, (uint32_t)args[1], args[2]) : -GUEST_ENOTTY;
	}
}

int64_t sys_flock(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);

	return f && !(f->flags & GUEST_O_PATH) ? lock_whole(g, f, (unsigned)args[1]) : -GUEST_EBADF;
}

/* Streams of the host are always ready: the read then waits there, and what the guest sees does not depend on when
 * input arrives. */
unsigned file_ready(struct guest *g, struct open_file *f, unsigned wanted)
{
	enum { NORMAL_IN = 0x40, NORMAL_OUT = 0x100 };
	unsigned ready = f->ops->poll ? f->ops->poll(g, f) : READY_IN | READY_OUT;

	ready |= (ready & READY_IN ? NORMAL_IN : 0) | (ready & READY_OUT ? NORMAL_OUT : 0);
	return ready & (wanted | READY_ERR | READY_HUP);
}

static unsigned poll_one(struct guest *g, uint64_t fd, unsigned wanted)
{
	struct open_file *f = descriptor_file(g, fd);

	return f ? file_ready(g, f, wanted) : READY_NVAL;
}

int64_t wait_deadline(struct guest *g, uint64_t timeout, uint64_t *deadline)
{
	uint64_t length;

	*deadline = NO_DEADLINE;
	if (g->current->wait.retrying) {
		*deadline = g->current->wait.deadline;
	} else if (timeout) {
		if (!user_get_time(g, timeout, &length))
			return -GUEST_EFAULT;
		if (length == NO_DEADLINE)
			return -GUEST_EINVAL;
		*deadline = deadline_after(g, length);
	}
	return 0;
}

/* It ends with the call (signals_deliver restores it). */
int64_t wait_mask(struct guest *g, uint64_t mask)
{
	struct thread *t = g->current;
	uint64_t set;

	if (!mask || t->mask_replaced)
		return 0;
	if (!user_get64(g, mask, &set))
		return -GUEST_EFAULT;
	t->mask_after = t->mask;
	t->mask_replaced = true;
	t->mask = set & ~(1ull << (GUEST_SIGKILL - 1) | 1ull << (GUEST_SIGSTOP - 1));
	return 0;
}

int64_t wait_ready(struct guest *g, int64_t ready, uint64_t deadline)
{
	if (ready || g->current->wait.timed_out || deadline <= clock_now(g))
		return ready;
	return thread_block(g, WAIT_RETRY, deadline, false);
}

int64_t sys_ppoll(struct guest *g, const uint64_t *args)
{
	uint64_t deadline;
	int64_t ready = 0, result;

	if (args[1] > GUEST_FILES)
		return -GUEST_EINVAL;
	result = wait_deadline(g, args[2], &deadline);
	if (result)
		return result;
	for (uint64_t i = 0; i < args[1]; i++) {
		uint8_t entry[8];

		if (!user_read(g, entry, args[0] + 8 * i, sizeof(entry)))
			return -GUEST_EFAULT;
		put16(entry + 6, (int32_t)get32(entry) < 0 ? 0 : poll_one(g, get32(entry), get16(entry + 4)));
		ready += get16(entry + 6) != 0;
		if (!user_write(g, args[0] + 8 * i, entry, sizeof(entry)))
			return -GUEST_EFAULT;
	}
	result = wait_mask(g, args[3]);
	return result ? result : wait_ready(g, ready, deadline);
}

#define SET_WORDS (GUEST_FILES / 64)

static int64_t select_set(struct guest *g, uint64_t address, uint64_t count, unsigned wanted, uint64_t *found)
{
	uint64_t set[SET_WORDS] = {0};
	int64_t ready = 0;

	memset(found, 0, SET_WORDS * sizeof(*found));
	if (!address)
		return 0;
	if (!user_read(g, set, address, (count + 63) / 64 * 8))
		return -GUEST_EFAULT;
	for (uint64_t fd = 0; fd < count; fd++) {
		if (!(set[fd / 64] >> fd % 64 & 1))
			continue;
		if (!descriptor_file(g, fd))
			return -GUEST_EBADF;
		if (wanted != READY_PRI && poll_one(g, fd, wanted)) {
			found[fd / 64] |= 1ull << fd % 64;
			ready++;
		}
	}
	return ready;
}

int64_t sys_pselect6(struct guest *g, const uint64_t *args)
{
	static const unsigned wanted[3] = {READY_IN, READY_OUT, READY_PRI};
	uint64_t found[3][SET_WORDS], deadline, mask = 0, count = args[0];
	int64_t ready = 0, result;

	if (count > GUEST_FILES)
		return -GUEST_EINVAL;
	result = wait_deadline(g, args[4], &deadline);
	if (result)
		return result;
	if (args[5] && !user_get64(g, args[5], &mask))
		return -GUEST_EFAULT;
	for (int i = 0; i < 3; i++) {
		result = select_set(g, args[1 + i], count, wanted[i], found[i]);
		if (result < 0)
			return result;
		ready += result;
	}
	result = wait_mask(g, mask);
	if (!result)
		result = wait_ready(g, ready, deadline);
	for (int i = 0; i < 3 && result >= 0; i++)
		if (args[1 + i] && !user_write(g, args[1 + i], found[i], (count + 63) / 64 * 8))
			return -GUEST_EFAULT;
	return result;
}
