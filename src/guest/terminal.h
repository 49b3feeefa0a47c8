/* Pseudo-terminals, inside the simulated kernel: /dev/ptmx makes one, whose other end is /dev/pts/N. None of it is the
 * host's terminal.
 *
 *   master write -> typed -> the line (edited, echoed, signals) -> slave read
 *   slave write -> output processing -> shown -> master read
 *
 * A terminal is there as long as either end is open; its name as long as the master is. Each has buffers of fixed
 * sizes, and there are at most GUEST_TERMINALS. */
#ifndef CULPRIT_GUEST_TERMINAL_H
#define CULPRIT_GUEST_TERMINAL_H

#include "guest/files.h"

#define GUEST_TERMINALS 256
#define LINE_ROOM 4096 /* as n_tty has it */
#define TYPED_ROOM 8192
#define SHOWN_ROOM 12288

enum terminal_input_flag {
	TERMINAL_ISTRIP = 040,
	TERMINAL_INLCR = 0100,
	TERMINAL_IGNCR = 0200,
	TERMINAL_ICRNL = 0400,
	TERMINAL_IUCLC = 01000,
	TERMINAL_IXON = 02000,
	TERMINAL_IXANY = 04000,
	TERMINAL_IUTF8 = 040000,
};
enum terminal_output_flag {
	TERMINAL_OPOST = 1,
	TERMINAL_OLCUC = 2,
	TERMINAL_ONLCR = 4,
	TERMINAL_OCRNL = 010,
	TERMINAL_ONOCR = 020,
	TERMINAL_ONLRET = 040,
	TERMINAL_XTABS = 014000,
};
enum terminal_local_flag {
	TERMINAL_ISIG = 1,
	TERMINAL_ICANON = 2,
	TERMINAL_ECHO = 010,
	TERMINAL_ECHOE = 020,
	TERMINAL_ECHOK = 040,
	TERMINAL_ECHONL = 0100,
	TERMINAL_NOFLSH = 0200,
	TERMINAL_TOSTOP = 0400,
	TERMINAL_ECHOCTL = 01000,
	TERMINAL_ECHOKE = 04000,
	TERMINAL_IEXTEN = 0100000,
};
enum terminal_character {
	TERMINAL_INTR,
	TERMINAL_QUIT,
	TERMINAL_ERASE,
	TERMINAL_KILL,
	TERMINAL_EOF,
	TERMINAL_TIME,
	TERMINAL_MIN,
	TERMINAL_START = 8,
	TERMINAL_STOP,
	TERMINAL_SUSP,
	TERMINAL_EOL,
	TERMINAL_REPRINT,
	TERMINAL_WERASE = 14,
	TERMINAL_LNEXT,
	TERMINAL_EOL2,
	TERMINAL_CHARACTERS = 19,
};

/* As struct termios of riscv64. */
struct terminal_settings {
	uint32_t input, output, control, local;
	uint8_t line, characters[TERMINAL_CHARACTERS];
};

struct terminal {
	struct terminal *next;	 /* by number */
	unsigned number, slaves; /* slaves: open files of that end */
	bool master;		 /* is open */
	bool locked, exclusive;
	bool deserted; /* the last slave was closed, and no other opened since */
	bool held;     /* output, by Ctrl-S */
	struct terminal_settings settings;
	uint32_t speeds[2];
	uint16_t window[4];
	int session, group; /* that it controls, and the group in the foreground; 0 = none */
	uint64_t changes;
	uint64_t arrived; /* simulated time of the last byte of input */

	/* tail <= edge <= head, each at most LINE_ROOM before head: up to `edge` lines are complete, the rest can
	 * still be edited. Without ICANON, all of it can be read. */
	uint32_t tail, edge, head;
	bool literal;		       /* the next byte is no command (Ctrl-V) */
	unsigned column, first_column; /* of the cursor; of the line being edited */
	uint32_t shown_before;	       /* bytes shown, and the cursor, before what is typed at the moment */
	unsigned column_before;
	bool ends[LINE_ROOM]; /* this byte ends a line; 0: it is an end of file, and is not read */
	uint8_t bytes[LINE_ROOM];

	uint32_t typed_at, typed_count, shown_at, shown_count;
	uint8_t typed[TYPED_ROOM];
	uint8_t shown[SHOWN_ROOM];
};

/* terminal.c */
extern const struct file_ops ptmx_ops, pts_ops, tty_ops;		  /* /dev/ptmx, /dev/pts/N, /dev/tty */
struct terminal *terminal_named(const struct guest *g, const char *path); /* by "/dev/pts/N" that is there, or NULL */
int64_t terminal_open_slave(struct guest *g, struct terminal *t, const char *path, unsigned flags,
			    struct open_file **file);
bool terminal_is_slave(const struct open_file *f);
uint64_t terminal_device(const struct process *p); /* the number of its controlling terminal's device; 0 = none */

/* terminal_control.c */
int64_t terminal_ioctl(struct guest *g, struct open_file *f, uint32_t request, uint64_t address);
/* A process in the background wants to read, or to change something: 0 = it may; or the call's result. */
int64_t terminal_background(struct guest *g, const struct terminal *t, int number);
void terminal_control(struct terminal *t, struct process *p); /* is its controlling one */
void terminal_release_session(struct guest *g, struct terminal *t, bool forget);
void terminal_leave(struct guest *g, struct process *p); /* the process ends */

/* line.c */
void line_feed(struct guest *g, struct terminal *t);		   /* what is typed goes on, as far as there is room */
void line_type(struct guest *g, struct terminal *t, uint8_t byte); /* at once, before what is typed */
unsigned line_readable(const struct terminal *t);		   /* bytes; of complete lines if they count */
int64_t line_read(struct terminal *t, uint8_t *to, uint64_t size);
void line_flush(struct terminal *t);
void line_set(struct terminal *t, const struct terminal_settings *settings);
void line_show(struct terminal *t, uint8_t byte); /* with output processing; there is room for eight bytes */
unsigned line_show_room(const struct terminal *t);

#endif
