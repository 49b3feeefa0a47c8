/* Whose terminal it is, and ioctl. What changes the slave's settings may be asked for at either end. */
#include "guest/jobs.h"
#include "guest/terminal.h"

enum {
	TCGETS = 0x5401,
	TCSETS,
	TCSETSW,
	TCSETSF,
	TCSBRK = 0x5409,
	TCXONC,
	TCFLSH,
	TIOCEXCL,
	TIOCNXCL,
	TIOCSCTTY,
	TIOCGPGRP,
	TIOCSPGRP,
	TIOCOUTQ,
	TIOCSTI,
	TIOCGWINSZ = 0x5413,
	TIOCSWINSZ,
	TIOCNOTTY = 0x5422,
	TIOCSETD,
	TIOCGETD,
	TCSBRKP,
	TIOCGSID = 0x5429,
	TIOCGPTPEER = 0x5441,
	TIOCSPTLCK = 0x40045431,
	TIOCSIG = 0x40045436,
};
#define TCGETS2 0x802c542au
#define TCSETS2 0x402c542bu
#define TCSETSF2 0x402c542du
#define TIOCGPTN 0x80045430u
#define TIOCGDEV 0x80045432u
#define TIOCGPTLCK 0x80045439u

/* --- sessions --- */

void terminal_control(struct terminal *t, struct process *p)
{
	t->session = p->session;
	t->group = p->group;
	p->terminal = t;
}

/* Nobody of its session has it any more; `forget`: nor is it a session's. */
void terminal_release_session(struct guest *g, struct terminal *t, bool forget)
{
	for (struct process *p = g->processes; p; p = p->next)
		if (p->terminal == t)
			p->terminal = NULL;
	if (forget)
		t->session = t->group = 0;
}

void terminal_leave(struct guest *g, struct process *p)
{
	struct terminal *t = p->terminal;

	if (t && p->pid == p->session) {
		group_send(g, t->group, GUEST_SIGHUP);
		terminal_release_session(g, t, true);
	}
	p->terminal = NULL;
}

int64_t terminal_background(struct guest *g, const struct terminal *t, int number)
{
	enum { SIG_IGNORE = 1 };
	const struct process *p = g->process;

	if (p->terminal != t || !t->group || t->group == p->group)
		return 0;
	if ((g->current->mask >> (number - 1) & 1) || p->actions[number].handler == SIG_IGNORE)
		return number == GUEST_SIGTTIN ? -GUEST_EIO : 0;
	if (group_orphaned(g, p->group, NULL))
		return -GUEST_EIO;
	group_send(g, p->group, number);
	return call_again(g);
}

static int64_t take_control(struct guest *g, struct terminal *t)
{
	struct process *p = g->process;

	if (p->pid == p->session && t->session == p->session)
		return 0;
	if (p->pid != p->session || p->terminal || t->session)
		return -GUEST_EPERM;
	terminal_control(t, p);
	return 0;
}

static int64_t give_up_control(struct guest *g, struct terminal *t)
{
	struct process *p = g->process;

	if (p->terminal != t)
		return -GUEST_ENOTTY;
	if (p->pid == p->session) {
		int group = t->group;

		terminal_release_session(g, t, true);
		group_send(g, group, GUEST_SIGHUP);
		group_send(g, group, GUEST_SIGCONT);
	}
	p->terminal = NULL;
	return 0;
}

static int session_of_group(const struct guest *g, int group)
{
	for (const struct process *p = g->processes; p; p = p->next)
		if (p->group == group)
			return p->session;
	return 0;
}

static int64_t set_group(struct guest *g, struct terminal *t, uint64_t address)
{
	const struct process *p = g->process;
	int64_t result = terminal_background(g, t, GUEST_SIGTTOU);
	uint32_t group;

	if (result)
		return result == -GUEST_EIO ? -GUEST_ENOTTY : result;
	if (p->terminal != t || t->session != p->session)
		return -GUEST_ENOTTY;
	if (!user_get32(g, address, &group))
		return -GUEST_EFAULT;
	if ((int)group < 0)
		return -GUEST_EINVAL;
	if (!session_of_group(g, (int)group))
		return -GUEST_ESRCH;
	if (session_of_group(g, (int)group) != p->session)
		return -GUEST_EPERM;
	t->group = (int)group;
	return 0;
}

static int64_t put(struct guest *g, uint64_t address, uint64_t value)
{
	return user_put32(g, address, (uint32_t)value) ? 0 : -GUEST_EFAULT;
}

static int64_t session_call(struct guest *g, struct terminal *t, bool slave, uint32_t request, uint64_t address)
{
	const bool other = slave && g->process->terminal != t; /* the master may always ask */

	switch (request) {
	case TIOCSCTTY:
		return take_control(g, t);
	case TIOCNOTTY:
		return give_up_control(g, t);
	case TIOCGPGRP:
		return other ? -GUEST_ENOTTY : put(g, address, (uint32_t)t->group);
	case TIOCSPGRP:
		return set_group(g, t, address);
	case TIOCGSID:
		return other || !t->session ? -GUEST_ENOTTY : put(g, address, (uint32_t)t->session);
	case TIOCSIG:
		if (slave)
			return -GUEST_ENOTTY;
		if (address != GUEST_SIGINT && address != GUEST_SIGQUIT && address != GUEST_SIGTSTP)
			return -GUEST_EINVAL;
		group_send(g, t->group, (int)address);
		return 0;
	default:
		return -GUEST_ENOTTY;
	}
}

/* --- settings --- */

static const uint32_t speeds[] = {0, 50, 75, 110, 134, 150, 200, 300, 600, 1200, 1800, 2400, 4800, 9600, 19200, 38400};
static const uint32_t more_speeds[] = {57600,	115200,	 230400,  460800,  500000,  576000,  921600, 1000000,
				       1152000, 1500000, 2000000, 2500000, 3000000, 3500000, 4000000};

static uint32_t speed_of(uint32_t control)
{
	enum { FURTHER = 010000 };

	if (!(control & FURTHER))
		return speeds[control & 15];
	return control & 15 ? more_speeds[(control & 15) - 1] : 0;
}

static int64_t set_settings(struct guest *g, struct terminal *t, uint64_t address, bool with_speeds)
{
	enum { OTHER_SPEED = 010000 };
	struct {
		struct terminal_settings settings;
		uint32_t speeds[2];
	} raw;
	int64_t result = terminal_background(g, t, GUEST_SIGTTOU);

	_Static_assert(sizeof(raw) == 44 && sizeof(raw.settings) == 36, "as Linux has it");
	if (result)
		return result;
	if (!user_read(g, &raw, address, with_speeds ? sizeof(raw) : sizeof(raw.settings)))
		return -GUEST_EFAULT;
	line_set(t, &raw.settings);
	t->speeds[0] = t->speeds[1] = speed_of(raw.settings.control);
	if (with_speeds && (raw.settings.control & 010017) == OTHER_SPEED)
		memcpy(t->speeds, raw.speeds, sizeof(t->speeds));
	line_feed(g, t);
	return 0;
}

static int64_t set_window(struct guest *g, struct terminal *t, uint64_t address)
{
	uint16_t window[4];

	if (!user_read(g, window, address, sizeof(window)))
		return -GUEST_EFAULT;
	if (!memcmp(window, t->window, sizeof(window)))
		return 0;
	memcpy(t->window, window, sizeof(window));
	group_send(g, t->group, GUEST_SIGWINCH);
	return 0;
}

static int64_t settings_call(struct guest *g, struct terminal *t, uint32_t request, uint64_t address)
{
	switch (request) {
	case TCGETS:
	case TCGETS2:
		if (!user_write(g, address, &t->settings, sizeof(t->settings)) ||
		    (request == TCGETS2 && !user_write(g, address + sizeof(t->settings), t->speeds, sizeof(t->speeds))))
			return -GUEST_EFAULT;
		return 0;
	case TCSETS:
	case TCSETSW:
	case TCSETSF:
	case TCSETS2:
	case TCSETS2 + 1:
	case TCSETSF2: {
		int64_t result = set_settings(g, t, address, request >= TCSETS2);

		if (!result && (request == TCSETSF || request == TCSETSF2))
			line_flush(t);
		return result;
	}
	case TIOCGWINSZ:
		return user_write(g, address, t->window, sizeof(t->window)) ? 0 : -GUEST_EFAULT;
	case TIOCSWINSZ:
		return set_window(g, t, address);
	case TIOCGETD:
		return put(g, address, 0);
	case TIOCSETD: {
		uint32_t discipline;

		if (!user_get32(g, address, &discipline))
			return -GUEST_EFAULT;
		return discipline ? -GUEST_EINVAL : 0;
	}
	default:
		return -GUEST_ENOTTY;
	}
}

/* --- the flow of bytes --- */

static int64_t hold(struct guest *g, struct terminal *t, bool slave, uint64_t what)
{
	enum { STOP_OUTPUT, START_OUTPUT, SEND_STOP, SEND_START };
	uint8_t byte;

	if (what > SEND_START)
		return -GUEST_EINVAL;
	if (what <= START_OUTPUT) {
		if (slave)
			t->held = what == STOP_OUTPUT;
		return 0;
	}
	byte = t->settings.characters[what == SEND_STOP ? TERMINAL_STOP : TERMINAL_START];
	if (byte && slave && line_show_room(t) >= 8)
		line_show(t, byte);
	else if (byte && !slave)
		line_type(g, t, byte);
	return 0;
}

/* What has been written at an end is at the other one already: only what has arrived can be thrown away. */
static int64_t flush(struct terminal *t, bool slave, uint64_t what)
{
	enum { INPUT, OUTPUT, BOTH };

	if (what > BOTH)
		return -GUEST_EINVAL;
	if (what == OUTPUT)
		return 0;
	if (slave)
		line_flush(t);
	else
		t->shown_count = 0;
	return 0;
}

static int64_t flow_call(struct guest *g, struct terminal *t, bool slave, uint32_t request, uint64_t address)
{
	int64_t result;

	switch (request) {
	case TCSBRK:
	case TCSBRKP:
	case TCXONC:
	case TCFLSH:
		result = terminal_background(g, t, GUEST_SIGTTOU);
		if (result || request == TCSBRK || request == TCSBRKP)
			return result;
		return request == TCXONC ? hold(g, t, slave, address) : flush(t, slave, address);
	case TIOCSTI: /* as kernels are configured today */
		return -GUEST_EIO;
	case TIOCOUTQ:
		return put(g, address, 0);
	case TIOCEXCL:
	case TIOCNXCL:
		t->exclusive = request == TIOCEXCL;
		return 0;
	default:
		return -GUEST_ENOTTY;
	}
}

/* --- the master's own --- */

static int64_t open_peer(struct guest *g, struct terminal *t, uint64_t flags)
{
	struct open_file *f;
	char path[24];
	int64_t result;

	snprintf(path, sizeof(path), "/dev/pts/%u", t->number);
	result = terminal_open_slave(g, t, path, (unsigned)flags, &f);
	if (result)
		return result;
	result = descriptor_add(g, f, 0, flags & GUEST_O_CLOEXEC);
	if (result < 0)
		file_release(g, f);
	return result;
}

static int64_t master_call(struct guest *g, struct terminal *t, uint32_t request, uint64_t address)
{
	uint32_t value;

	switch (request) {
	case TIOCGPTN:
		return put(g, address, t->number);
	case TIOCGPTLCK:
		return put(g, address, t->locked);
	case TIOCSPTLCK:
		if (!user_get32(g, address, &value))
			return -GUEST_EFAULT;
		t->locked = value;
		return 0;
	case TIOCGPTPEER:
		return open_peer(g, t, address);
	default:
		return -GUEST_ENOTTY;
	}
}

int64_t terminal_ioctl(struct guest *g, struct open_file *f, uint32_t request, uint64_t address)
{
	struct terminal *t = f->state;
	const bool slave = terminal_is_slave(f);
	int64_t result;

	if (slave && !t->master)
		return request == TIOCSPGRP ? -GUEST_ENOTTY : -GUEST_EIO;
	result = settings_call(g, t, request, address);
	if (result == -GUEST_ENOTTY)
		result = session_call(g, t, slave, request, address);
	if (result == -GUEST_ENOTTY)
		result = flow_call(g, t, slave, request, address);
	if (result == -GUEST_ENOTTY && !slave)
		result = master_call(g, t, request, address);
	if (request == TIOCGDEV)
		return put(g, address, slave ? 0x8800 | t->number : 0x502);
	if (!result && request != TCGETS && request != TIOCGWINSZ && request != TIOCGPGRP) {
		t->changes++;
		threads_retry(g);
	}
	return result;
}
