/* Sockets of the simulated kernel: UNIX ones, and TCP and UDP of the loopback interface. Nothing of them reaches the
 * host. */
#ifndef CULPRIT_GUEST_SOCKET_H
#define CULPRIT_GUEST_SOCKET_H

#include "guest/files.h"

enum socket_family { FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_INET6 = 10 };
enum socket_type { TYPE_STREAM = 1, TYPE_DATAGRAM = 2, TYPE_PACKETS = 5 };
enum message_flag {
	MESSAGE_PEEK = 2,
	MESSAGE_CONTROL_CUT = 8,
	MESSAGE_TRUNC = 0x20,
	MESSAGE_DONTWAIT = 0x40,
	MESSAGE_WAITALL = 0x100,
	MESSAGE_NOSIGNAL = 0x4000,
	MESSAGE_WAIT_FOR_ONE = 0x10000,
	MESSAGE_CLOSE_ON_EXEC = 0x40000000,
};

#define NAME_MAX_BYTES 108

/* A UNIX name (abstract ones begin with a zero byte), or an address as IPv6 has it and a port. */
struct socket_name {
	unsigned size; /* UNIX: of the name, 0 = none; else 18, or 0 */
	uint8_t bytes[NAME_MAX_BYTES];
};

/* Open files on their way from one process to another. They lie in a queue: their senders may be gone. */
struct parcel {
	struct parcel **link, *next; /* of all on their way; no link: emptied at the end of the run */
	unsigned count;
	struct open_file *files[];
};

struct packet {
	struct packet *next;
	struct socket_name from;
	int pid; /* who sent it */
	struct parcel *parcel;
	size_t size, taken;
	uint8_t bytes[];
};

struct socket {
	struct socket *next; /* of those with a name */
	enum socket_family family;
	enum socket_type type;
	struct socket_name name, peer_name;
	bool named, only6;
	uint64_t inode;	     /* of the file in memory that stands for it; 0: none */
	struct socket *peer; /* connected; NULL when it is gone */
	bool connected;
	int owner, peer_owner;	      /* processes that made it, and the other end, what it is; 0: not known */
	bool wants_owners;	      /* SO_PASSCRED */
	bool no_more_in, no_more_out; /* shut down */
	struct packet *first, **end;  /* received */
	size_t queued;
	bool listening;
	unsigned backlog, waiting;
	struct socket *accept_first, **accept_end; /* by `next`: not named by themselves */
	uint64_t changes;
};

extern const struct file_ops socket_ops;

struct socket *socket_new(struct guest *g, enum socket_family family, enum socket_type type);
void socket_destroy(struct guest *g, struct socket *s);
void socket_join(struct socket *a, struct socket *b);
/* Put into the peer's queue, or that of who is called `to`: bytes put, or a negated errno. A parcel that goes with them
 * is gone from *parcel. */
int64_t socket_put(struct guest *g, struct socket *s, const uint8_t *from, uint64_t size, const struct socket_name *to,
		   struct parcel **parcel);
struct taken {
	struct socket_name from;
	int pid;
	uint64_t whole;	       /* what a packet had */
	struct parcel *parcel; /* the receiver's now; still in the queue after MESSAGE_PEEK */
};
int64_t socket_take(struct guest *g, struct socket *s, uint8_t *to, uint64_t size, unsigned flags, struct taken *t);
struct socket *socket_find(struct guest *g, const struct socket *like, const struct socket_name *name);

/* sys_socket.c */
struct socket *socket_of(struct guest *g, uint64_t fd, int64_t *result); /* NULL: *result is the errno */
void socket_name_yourself(struct guest *g, struct socket *s); /* before it sends, an internet socket gets a name */

/* parcel.c: from and to a message's control bytes. `room`: of these; *used receives those written. The result is of
 * enum message_flag, or a negated errno. */
int64_t parcel_read(struct guest *g, const struct socket *s, uint64_t address, uint64_t size, struct parcel **parcel);
int64_t parcel_write(struct guest *g, const struct socket *s, const struct taken *t, uint64_t address, uint64_t room,
		     unsigned flags, uint64_t *used);
void parcel_drop(struct guest *g, struct parcel *p); /* NULL: nothing */

/* socket_name.c */
int64_t name_read(struct guest *g, const struct socket *s, uint64_t address, uint64_t size, struct socket_name *name);
int64_t name_write(struct guest *g, const struct socket *s, const struct socket_name *name, uint64_t address,
		   uint64_t size_at);
bool name_is_any(const struct socket_name *name);   /* 0.0.0.0 or :: */
bool name_is_local(const struct socket_name *name); /* any, or of the loopback interface */
uint16_t name_port(const struct socket_name *name);
void name_set_port(struct socket_name *name, uint16_t port);
void name_set_loopback(struct socket_name *name, enum socket_family family);

#endif
