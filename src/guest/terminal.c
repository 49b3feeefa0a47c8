/* The two ends of a pseudo-terminal as open files, and its life. */
#include "guest/terminal.h"

#include "guest/jobs.h"

#include <stdlib.h>

#define TENTH_OF_SECOND 100000000ull

static const struct file_ops master_ops, slave_ops;

static const struct terminal_settings usual = {
	.input = TERMINAL_ICRNL | TERMINAL_IXON,
	.output = TERMINAL_OPOST | TERMINAL_ONLCR,
	.control = 0xbf, /* 38400 baud, eight bits, CREAD */
	.local = TERMINAL_ISIG | TERMINAL_ICANON | TERMINAL_ECHO | TERMINAL_ECHOE | TERMINAL_ECHOK | TERMINAL_ECHOCTL |
		 TERMINAL_ECHOKE | TERMINAL_IEXTEN,
	.characters = {3, 28, 127, 21, 4, 0, 1, 0, 17, 19, 26, 0, 18, 15, 23, 22},
};

bool terminal_is_slave(const struct open_file *f)
{
	return f->ops == &slave_ops;
}

static void changed(struct guest *g, struct terminal *t)
{
	t->changes++;
	threads_retry(g);
}

/* --- its life --- */

struct terminal *terminal_named(const struct guest *g, const char *path)
{
	char name[24];

	for (struct terminal *t = g->terminals; t; t = t->next) {
		snprintf(name, sizeof(name), "/dev/pts/%u", t->number);
		if (t->master && !strcmp(name, path))
			return t;
	}
	return NULL;
}

/* Where the one with the lowest number goes that is free. */
static struct terminal **free_place(struct guest *g, unsigned *number)
{
	struct terminal **link = &g->terminals;

	for (*number = 0; *link && (*link)->number == *number; ++*number)
		link = &(*link)->next;
	return link;
}

static int64_t terminal_new(struct guest *g, struct terminal **made)
{
	unsigned number;
	struct terminal **link = free_place(g, &number), *t;

	if (number >= GUEST_TERMINALS)
		return -GUEST_ENOSPC;
	if (!guest_charge(g, sizeof(*t)))
		return -GUEST_ENOMEM;
	t = calloc(1, sizeof(*t));
	if (!t) {
		guest_uncharge(g, sizeof(*t));
		return -GUEST_ENOMEM;
	}
	t->number = number;
	t->master = t->locked = true;
	t->settings = usual;
	t->speeds[0] = t->speeds[1] = 38400;
	t->next = *link;
	*link = *made = t;
	return 0;
}

static void free_unused(struct guest *g, struct terminal *t)
{
	struct terminal **link = &g->terminals;

	if (t->master || t->slaves)
		return;
	for (struct process *p = g->processes; p; p = p->next)
		if (p->terminal == t)
			p->terminal = NULL;
	while (*link != t)
		link = &(*link)->next;
	*link = t->next;
	free(t);
	guest_uncharge(g, sizeof(*t));
}

static int64_t open_master(struct guest *g, const char *path, unsigned flags, struct open_file **file)
{
	struct terminal *t;
	int64_t result = terminal_new(g, &t);

	if (result)
		return result;
	*file = file_new(&master_ops, flags & (GUEST_O_ACCMODE | GUEST_O_NONBLOCK), -1, path);
	if (!*file) {
		t->master = false;
		free_unused(g, t);
		return -GUEST_ENOMEM;
	}
	(*file)->state = t;
	(*file)->changes = &t->changes;
	return 0;
}

int64_t terminal_open_slave(struct guest *g, struct terminal *t, const char *path, unsigned flags,
			    struct open_file **file)
{
	struct process *p = g->process;

	if (!t->master || t->locked)
		return -GUEST_EIO;
	if (t->exclusive)
		return -GUEST_EBUSY;
	*file = file_new(&slave_ops, flags & (GUEST_O_ACCMODE | GUEST_O_NONBLOCK), -1, path);
	if (!*file)
		return -GUEST_ENOMEM;
	(*file)->state = t;
	(*file)->changes = &t->changes;
	t->slaves++;
	t->deserted = false;
	if (!(flags & GUEST_O_NOCTTY) && file_readable(*file) && p->pid == p->session && !p->terminal && !t->session)
		terminal_control(t, p);
	changed(g, t);
	return 0;
}

static int64_t open_slave(struct guest *g, const char *path, unsigned flags, struct open_file **file)
{
	struct terminal *t = terminal_named(g, path);

	return t ? terminal_open_slave(g, t, path, flags, file) : -GUEST_ENOENT;
}

static int64_t open_own(struct guest *g, const char *path, unsigned flags, struct open_file **file)
{
	struct terminal *t = g->process->terminal;

	return t ? terminal_open_slave(g, t, path, flags | GUEST_O_NOCTTY, file) : -GUEST_ENXIO;
}

/* The line is cut: who has the other end open finds its end, and the session's leader is told. */
static void master_release(struct guest *g, struct open_file *f)
{
	struct terminal *t = f->state;
	int session = t->session;

	t->master = false;
	terminal_release_session(g, t, true);
	if (session) {
		struct process *leader = process_find(g, session);
		const struct signal_info hang_up = {.number = GUEST_SIGHUP, .code = 0x80, .cause = SIGNAL_SENT};
		struct signal_info go_on = hang_up;

		go_on.number = GUEST_SIGCONT;
		if (leader) {
			signal_send_process(g, leader, &hang_up);
			signal_send_process(g, leader, &go_on);
		}
	}
	changed(g, t);
	free_unused(g, t);
}

static void slave_release(struct guest *g, struct open_file *f)
{
	struct terminal *t = f->state;

	if (!--t->slaves) {
		t->deserted = true;
		terminal_release_session(g, t, false);
	}
	changed(g, t);
	free_unused(g, t);
}

/* --- what it is --- */

static uint64_t device_number(const struct terminal *t)
{
	return 0x8800 | t->number;
}

uint64_t terminal_device(const struct process *p)
{
	return p->terminal ? device_number(p->terminal) : 0;
}

static int64_t terminal_status(struct guest *g, const struct terminal *t, struct file_status *status)
{
	if (!t)
		return -GUEST_ENOENT;
	*status = (struct file_status){.device = 5,
				       .inode = t->number + 3,
				       .mode = S_IFCHR | 0620,
				       .links = 1,
				       .uid = GUEST_UID,
				       .gid = GUEST_UID,
				       .rdev = device_number(t),
				       .modified = clock_realtime(g)};
	return 0;
}

static int64_t pts_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	return terminal_status(g, terminal_named(g, f->path ? f->path : ""), status);
}

static int64_t device_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	const bool own = f->ops == &tty_ops || f->ops == &slave_ops;

	*status = (struct file_status){.device = 2,
				       .inode = own ? 2 : 3,
				       .mode = S_IFCHR | 0666,
				       .links = 1,
				       .rdev = own ? 0x500 : 0x502,
				       .modified = clock_realtime(g)};
	return 0;
}

static int64_t slave_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	const bool own = f->path && !strcmp(f->path, "/dev/tty");

	return own ? device_status(g, f, status) : terminal_status(g, f->state, status);
}

/* --- reading and writing --- */

/* Without lines: what VMIN and VTIME want. -EAGAIN: it waits for ever; CALL_BLOCKED: until a deadline. */
static int64_t wait_for_bytes(struct guest *g, const struct open_file *f, uint64_t size)
{
	const struct terminal *t = f->state;
	const uint8_t least = t->settings.characters[TERMINAL_MIN];
	const uint64_t time = t->settings.characters[TERMINAL_TIME] * TENTH_OF_SECOND, there = line_readable(t);
	const struct wait *wait = &g->current->wait;
	uint64_t deadline;

	if (there >= (!least ? 1 : least < size ? least : size) || (!least && !time))
		return 0;
	if (f->flags & GUEST_O_NONBLOCK)
		return there ? 0 : -GUEST_EAGAIN;
	if (!time || (least && !there))
		return -GUEST_EAGAIN;
	if (least)
		deadline = t->arrived + time;
	else
		deadline = wait->retrying ? wait->deadline : deadline_after(g, time);
	return deadline <= clock_now(g) ? 0 : thread_block(g, WAIT_RETRY, deadline, true);
}

static int64_t slave_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	struct terminal *t = f->state;
	int64_t result = t->master ? terminal_background(g, t, GUEST_SIGTTIN) : 0;

	if (result || !t->master)
		return result;
	if (!(t->settings.local & TERMINAL_ICANON))
		result = wait_for_bytes(g, f, size);
	else if (t->edge == t->tail)
		result = -GUEST_EAGAIN;
	if (result)
		return result;
	result = line_read(t, to, size);
	line_feed(g, t);
	changed(g, t);
	return result;
}

static uint64_t write_piece(struct terminal *t, const uint8_t *from, uint64_t size)
{
	uint64_t done = 0;

	while (done < size && line_show_room(t) >= 8)
		line_show(t, from[done++]);
	return done;
}

static int64_t slave_write(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset)
{
	struct terminal *t = f->state;
	int64_t result = 0;

	if (!t->master)
		return -GUEST_EIO;
	if ((t->settings.local & TERMINAL_TOSTOP) && !g->current->wait.progress)
		result = terminal_background(g, t, GUEST_SIGTTOU);
	if (result || !size)
		return result;
	if (t->held || line_show_room(t) < 8)
		return -GUEST_EAGAIN;
	result = (int64_t)write_piece(t, from, size);
	changed(g, t);
	return result;
}

static uint64_t slave_available(const struct open_file *f)
{
	const struct terminal *t = f->state;

	return t->master ? line_readable(t) : 0;
}

static unsigned slave_poll(struct guest *g, struct open_file *f)
{
	const struct terminal *t = f->state;
	const uint8_t *characters = t->settings.characters;
	unsigned least = characters[TERMINAL_TIME] || !characters[TERMINAL_MIN] ? 1 : characters[TERMINAL_MIN];

	if (!t->master)
		return READY_IN | READY_OUT | READY_ERR | READY_HUP;
	bool in = t->settings.local & TERMINAL_ICANON ? t->edge != t->tail : line_readable(t) >= least;
	return (in ? READY_IN : 0) | (t->held || line_show_room(t) < 8 ? 0 : READY_OUT);
}

static int64_t master_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	struct terminal *t = f->state;
	uint8_t *bytes = to;

	if (!t->shown_count)
		return t->deserted ? -GUEST_EIO : -GUEST_EAGAIN;
	if (size > t->shown_count)
		size = t->shown_count;
	for (uint64_t i = 0; i < size; i++)
		bytes[i] = t->shown[(t->shown_at + i) % SHOWN_ROOM];
	t->shown_at = (t->shown_at + (uint32_t)size) % SHOWN_ROOM;
	t->shown_count -= (uint32_t)size;
	changed(g, t);
	return (int64_t)size;
}

static int64_t master_write(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset)
{
	struct terminal *t = f->state;
	const uint8_t *bytes = from;
	uint64_t done = 0;

	while (done < size && t->typed_count < TYPED_ROOM && !guest_stopping(g)) {
		while (done < size && t->typed_count < TYPED_ROOM)
			t->typed[(t->typed_at + t->typed_count++) % TYPED_ROOM] = bytes[done++];
		line_feed(g, t);
	}
	changed(g, t);
	return done || !size ? (int64_t)done : -GUEST_EAGAIN;
}

static uint64_t master_available(const struct open_file *f)
{
	return ((const struct terminal *)f->state)->shown_count;
}

static unsigned master_poll(struct guest *g, struct open_file *f)
{
	const struct terminal *t = f->state;

	return (t->shown_count ? READY_IN : 0) | (t->typed_count < TYPED_ROOM ? READY_OUT : 0) |
	       (t->deserted ? READY_HUP : 0);
}

const struct file_ops ptmx_ops = {.open = open_master, .status = device_status};
const struct file_ops pts_ops = {.open = open_slave, .status = pts_status};
const struct file_ops tty_ops = {.open = open_own, .status = device_status};

static const struct file_ops master_ops = {
	.read = master_read,
	.write = master_write,
	.available = master_available,
	.poll = master_poll,
	.ioctl = terminal_ioctl,
	.status = device_status,
	.release = master_release,
};

static const struct file_ops slave_ops = {
	.read = slave_read,
	.write = slave_write,
	.available = slave_available,
	.poll = slave_poll,
	.ioctl = terminal_ioctl,
	.status = slave_status,
	.release = slave_release,
};
