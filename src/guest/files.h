/* Open files. A descriptor names an open file (shared by dup), whose operations depend on what it is.
 *
 * Operations return a count or a negated guest errno and never block: "not now" is -EAGAIN, and the system call decides
 * whether the thread waits. The guest's file offsets are kept here and regular files are accessed by pread and
 * pwrite, so that simulations continued from one state by fork do not disturb one another. */
#ifndef CULPRIT_GUEST_FILES_H
#define CULPRIT_GUEST_FILES_H

#include "guest/process.h"

#include <sys/stat.h>

#define GUEST_FILES 1024      /* RLIMIT_NOFILE */
#define RANDOM_MAX (1u << 25) /* random bytes of one call, as in Linux */

/* What stat tells, before it is laid out. Host inode numbers, owners, access times and the sizes of directories are
 * replaced: they differ from host to host. */
struct file_status {
	uint64_t device, inode, size, blocks, rdev;
	uint32_t mode, links, uid, gid;
	uint64_t modified; /* nanoseconds since 1970 */
};

enum readiness { READY_IN = 1, READY_PRI = 2, READY_OUT = 4, READY_ERR = 8, READY_HUP = 16, READY_NVAL = 32 };

struct file_ops {
	bool seekable;
	bool directory;
	bool terminal; /* the host's */
	/* a device that makes a file of its own; NULL: the device is the file */
	int64_t (*open)(struct guest *g, const char *path, unsigned flags, struct open_file **file);
	int64_t (*ioctl)(struct guest *g, struct open_file *f, uint32_t request, uint64_t address); /* or NULL */
	int64_t (*read)(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset);
	int64_t (*write)(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset);
	int64_t (*size)(struct open_file *f);
	int64_t (*seek)(struct guest *g, struct open_file *f, int64_t offset, int whence); /* NULL: from `size` */
	int64_t (*truncate)(struct guest *g, struct open_file *f, uint64_t size);
	int64_t (*status)(struct guest *g, struct open_file *f, struct file_status *status);
	uint64_t (*available)(const struct open_file *f); /* bytes to read, as FIONREAD tells; NULL: from `size` */
	unsigned (*poll)(struct guest *g, struct open_file *f); /* NULL: always ready */
	void (*release)(struct guest *g, struct open_file *f);
	/* the memory that it keeps its bytes in, for shared mappings; NULL: they are written back instead */
	struct common *(*common)(struct guest *g, struct open_file *f);
	const char *name; /* of a file without a path, as /proc/self/fd shows it; NULL = a pipe's */
};

struct open_file {
	const struct file_ops *ops;
	unsigned references;
	unsigned flags; /* enum guest_open_flag: access mode, APPEND, NONBLOCK, PATH */
	uint64_t offset;
	int host;	 /* host descriptor or -1 */
	char *path;	 /* guest path, for directories, /proc/self/fd and maps */
	bool may_change; /* lies below a writable directory */
	bool borrowed;	 /* the host descriptor is not ours to close */
	bool watched;	 /* by an epoll instance, at some time */
	bool replaced;	 /* isolate.c: another file is in its place, so its end is no close */
	bool silent;	 /* isolate.c: leave the host descriptor's position alone */
	char *snapshot;	 /* isolate.c: where in the snapshot */
	void *state;
	const uint64_t *changes; /* counts what edge-triggered watching reports anew; NULL = nothing ever */
};

/* files.c */
struct open_file *file_new(const struct file_ops *ops, unsigned flags, int host, const char *path);
/* The same for a file of the host's, whose descriptor it takes over; closed on failure. Mappings keep files open, too:
 * all together are as many as descriptors, so that enough are left for Culprit itself. 0, or a negated errno. */
int64_t file_new_host(struct guest *g, const struct file_ops *ops, unsigned flags, int host, const char *path,
		      struct open_file **file);
void file_retain(struct open_file *f);
void file_release(struct guest *g, struct open_file *f);
void descriptor_release(struct guest *g, const struct process *p, struct open_file *f); /* a descriptor's reference */
struct open_file *descriptor_file(struct guest *g, uint64_t fd);			/* NULL: EBADF */
int64_t descriptor_add(struct guest *g, struct open_file *f, uint64_t lowest, bool close_on_exec);
/* A new file without a path at the lowest free descriptor. On failure `state` is still the caller's. */
int64_t descriptor_new(struct guest *g, const struct file_ops *ops, unsigned flags, void *state, bool close_on_exec);
bool files_create(struct guest *g, struct error *err);
bool file_readable(const struct open_file *f);
bool file_writable(const struct open_file *f);

/* host_file.c */
extern const struct file_ops host_file_ops;
uint64_t inode_of_host(struct guest *g, uint64_t device, uint64_t number);
void inode_forget_written(struct guest *g, uint64_t device, uint64_t number);
/* The host has made a file under a number that was another's: it is a new one to the guest. */
void inode_forget(struct guest *g, uint64_t device, uint64_t number);
/* The copy is the same inode to the guest. */
bool inode_alias(struct guest *g, const struct stat *original, const struct stat *copy);
void status_of_host(struct guest *g, const struct stat *st, bool may_change, struct file_status *status);

/* stream.c */
struct open_file *stream_open(int host, unsigned flags);
void stream_note_starts(struct guest *g);			       /* where the standard streams are now */
struct open_file *stream_silent(struct guest *g, struct open_file *f); /* the same, writing nowhere */
struct open_file *input_file_open(char *bytes, size_t size);	       /* a pipe's content; takes `bytes` */

/* sys_descriptor.c: what calls that wait for files share. Ready for which of `wanted`? Then the deadline of this call
 * from its timeout (kept while it is retried); another signal mask while it lasts; the wait itself. */
unsigned file_ready(struct guest *g, struct open_file *f, unsigned wanted);
int64_t wait_deadline(struct guest *g, uint64_t timeout, uint64_t *deadline);
int64_t wait_mask(struct guest *g, uint64_t mask);
int64_t wait_ready(struct guest *g, int64_t ready, uint64_t deadline);

/* parcel.c: at the end, when no process has descriptors any more */
void parcels_destroy(struct guest *g);
struct open_file **parcel_file(struct guest *g, size_t number); /* of all on their way; NULL: as many there are not */

/* pidfd.c */
int64_t pidfd_new(struct guest *g, int pid, unsigned flags);
int64_t pidfd_process(struct guest *g, uint64_t fd); /* its number; 0 = the descriptor is none */

/* epoll.c */
void epoll_forget(struct guest *g, struct open_file *f);

/* event_files.c */
int64_t nameless_status(struct guest *g, struct open_file *f, struct file_status *status);

/* pipe.c: NULL where it is none. What is in it, without taking it, and taking so much of that; how much fits. The first
 * and the last are a count or a negated errno, as of a read and a write. */
const struct pipe *file_pipe(const struct open_file *f);
int64_t pipe_look(struct open_file *f, uint8_t *to, uint64_t size);
void pipe_skip(struct guest *g, struct open_file *f, uint64_t size);
int64_t pipe_space(struct open_file *f);

/* locks.c: flock; fcntl's, of the process or of the open file (`of_file`) */
enum lock_call { LOCK_GET, LOCK_SET, LOCK_WAIT };
int64_t lock_whole(struct guest *g, struct open_file *f, unsigned operation);
int64_t lock_record(struct guest *g, struct open_file *f, uint64_t address, enum lock_call call, bool of_file);
/* The process closes a descriptor of the file: its locks there go. The open file goes; another takes its place. */
void locks_close(struct guest *g, const struct process *p, struct open_file *f);
void locks_forget(struct guest *g, const struct open_file *f);
void locks_move(struct guest *g, const struct open_file *from, const struct open_file *to);
void locks_destroy(struct guest *g);

/* directory.c */
int64_t directory_open(struct guest *g, const char *guest_path, const char *host_path, int host,
		       struct open_file **file); /* takes over `host`; no host_path: a synthesised one */

/* memfd.c: seals, as fcntl has them; a result or a negated errno. No mapping that is made now may write the file. */
int64_t memfd_seals(const struct open_file *f);
int64_t memfd_seal(struct guest *g, struct open_file *f, uint64_t seals);
bool memfd_forbids_writing(const struct open_file *f);

/* memory_file.c */
struct open_file *memory_file_open(struct guest *g, const char *path, char *text, size_t size,
				   unsigned flags); /* takes `text` */
extern const struct file_ops null_ops, zero_ops, full_ops, random_ops;

/* mapping of shared, writable files */
void regions_write_back(struct guest *g, uint64_t start, uint64_t end);

#endif
