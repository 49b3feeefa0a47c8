/* What the kernel would keep about the processes we run. Everything hangs off struct guest; nothing is global. What
 * belongs to one process is in struct process, what belongs to its address space in struct space, and g->process and
 * g->space are those of the running thread.
 *
 * A system call is a function of the guest and six arguments that returns a value or a negated guest errno, or one of
 * the two results below. Time is simulated: one instruction is one nanosecond; sleeping moves `clock_skip` on. */
#ifndef CULPRIT_GUEST_PROCESS_H
#define CULPRIT_GUEST_PROCESS_H

#include "guest/abi.h"
#include "guest/guest.h"

#define GUEST_PID 1000	     /* of the first process */
#define GUEST_PPID 999	     /* nobody's */
#define GUEST_PROCESSES 4096 /* with those that ended and were not waited for */
#define GUEST_SPACES 256     /* each reserves 256 GiB of the host's addresses */
#define GUEST_UID 1000
#define GUEST_PATH_MAX 4096
#define GUEST_HZ 100
#define GUEST_EPOCH 1735689600ull /* 2025-01-01 00:00:00 UTC: the calendar at the start, in seconds since 1970 */
#define GUEST_RELEASE "6.12.0"

#define CALL_BLOCKED INT64_MIN	       /* the thread waits (its `wait` says for what) */
#define CALL_NO_RESULT (INT64_MIN + 1) /* a0 is not to be written (rt_sigreturn, exit) */

#define NO_DEADLINE UINT64_MAX

struct open_file;
struct mount;
struct region;
struct epoll;
struct socket;
struct parcel;
struct lock;
struct node;
struct memory_file;
struct terminal;
struct watches;

struct memory_map {
	struct region *regions; /* a tree: memory_map.h */
	size_t count;
	uint64_t top;		 /* mappings are placed below, going down */
	uint64_t brk_start, brk; /* the heap */
	uint64_t brk_limit;
	uint64_t stack_start, stack_end;
};

struct descriptor {
	struct open_file *file; /* NULL = free */
	bool close_on_exec;
};

struct names {
	struct mount *mounts; /* first match wins */
	size_t count;
};

/* Memory that several mappings may have: a range of the one file that all such memory is in (shared_memory.c). */
struct common {
	struct common **link, *next; /* what leads here */
	unsigned references;
	uint64_t offset, size;
	struct memory_file *file; /* in memory, whose bytes they are; or NULL */
	char *saved;		  /* isolate.c: what was there at guest_prepare_fork */
	uint64_t saved_size;
};

/* Host inodes in the order the guest met them: its inode numbers, the same on every host. */
struct inode {
	uint64_t device, number;
	uint64_t shown;	  /* to the guest */
	uint64_t written; /* simulated time of the guest's last write, or NO_DEADLINE */
};

enum signal_cause {
	SIGNAL_SENT, /* by the program itself: kill, tgkill, sigqueue */
	SIGNAL_FAULT,
	SIGNAL_TIMER,
	SIGNAL_BROKEN_PIPE,
	SIGNAL_DEADLOCK,
	SIGNAL_BAD_FRAME, /* no frame to return from a handler with */
};

struct signal_info {
	int number, code;
	uint64_t address; /* faults */
	int pid, uid;	  /* kill, tgkill, sigqueue */
	uint64_t value;
	enum signal_cause cause;
	enum riscv_stop stop; /* faults */
};

struct pending_signals {
	uint64_t set; /* bit n-1 = signal n */
	struct signal_info info[GUEST_SIGNALS + 1];
};

struct signal_action {
	uint64_t handler, flags, mask;
};

enum wait_kind {
	WAIT_NONE = 0,
	WAIT_FUTEX,
	WAIT_SLEEP, /* until the deadline or a signal */
	WAIT_RETRY, /* the call is made again when something it looks at has changed, or at the deadline */
	WAIT_CHILD, /* until the child that has this space leaves it (vfork) */
	WAIT_EXITED,
};

struct wait {
	enum wait_kind kind;
	bool again;    /* RETRY: something changed */
	bool retrying; /* the handler is being called again: keep `deadline` */
	bool timed_out;
	bool interrupted; /* a signal ended the wait: EINTR, or the call is restarted */
	bool restartable;
	uint64_t deadline; /* simulated nanoseconds */
	uint64_t address;  /* FUTEX: the word's frame address */
	uint32_t bitset;
	uint64_t order;		   /* FUTEX: first come, first woken */
	struct ipc_waiter *waiter; /* ipc.c: what a System V call that waits is known by */
	uint64_t progress;	   /* bytes a blocking write to a pipe has already put there */
	uint64_t number, args[6];
};

struct thread {
	struct thread *next; /* of all processes, in order of creation */
	struct process *process;
	struct riscv_hart saved;     /* registers while not running */
	struct riscv_vector *vector; /* its vector registers, running or not; NULL: the core has none */
	int tid;
	uint64_t mask;
	uint64_t mask_after; /* to restore when the call that replaced the mask returns */
	bool mask_replaced;
	struct pending_signals pending;
	uint64_t alt_stack, alt_size;
	uint32_t alt_flags;
	uint64_t clear_tid, robust_list;
	uint64_t rseq;
	struct wait wait;
	char name[16];
};

struct timer {
	bool used, armed;
	int signal;
	bool thread_directed;
	int tid;
	uint64_t value; /* sigev_value */
	uint64_t deadline, interval;
	bool is_itimer;
	int clock;
};
/* A timerfd. */
struct timer_file {
	struct timer_file *next;
	int clock;
	bool armed;
	uint64_t deadline, interval, expirations, changes;
};
#define GUEST_TIMERS 32 /* the first three are setitimer's */

/* An address space and the program in it. A child made by vfork has its parent's until it executes another. */
struct space {
	unsigned references;
	uint64_t tag; /* number of the space << SPACE_SHIFT: what its own frames' addresses are marked with */
	struct address_space memory;
	struct riscv_code_space *code;
	struct memory_map map;
	char *program_path; /* guest path, for /proc/self/exe */
	char **argv;	    /* after `#!` has been resolved */
	size_t argc;
	uint8_t *auxv;
	size_t auxv_size;
	uint64_t argument_start, argument_end, environment_end;
	uint64_t sigreturn_address;
};
#define SPACE_SHIFT GUEST_SPACE_SHIFT

struct process {
	struct process *next; /* in order of creation */
	int pid, parent, group, session;
	struct space *space; /* NULL: ended, and not waited for yet */
	struct descriptor *files;
	size_t file_room;
	char *cwd; /* guest path, resolved; "" is the root */
	unsigned umask;
	int nice; /* scheduling.c */
	struct signal_action actions[GUEST_SIGNALS + 1];
	struct pending_signals pending; /* for no thread in particular */
	struct timer timers[GUEST_TIMERS];
	size_t thread_count;
	struct thread *waiting;	   /* for it to leave its space: the thread that made it by vfork */
	bool executed;		   /* another program since fork */
	bool begins;		   /* to execute a program, and has not run since: program_awaited */
	size_t program;		   /* index in guest->programs */
	struct terminal *terminal; /* the controlling one; or NULL */
	int stopped;		   /* by this signal; 0 = it goes on */
	enum process_news { NEWS_NONE, NEWS_STOPPED, NEWS_CONTINUED } news; /* that the parent has not asked for */
	int exit_signal;						    /* to the parent; 0 = none */
	int wait_status;						    /* as wait tells it, once it has ended */
	uint64_t ran, children_ran; /* instructions: its own, and those of children waited for */
	char name[16];		    /* of the program, once it has ended */
};

struct guest {
	struct riscv_hart hart;
	struct address_space memory; /* where the running process's is: a copy of space->memory */
	struct riscv_code *code;
	struct process *processes, *process; /* all; the running thread's */
	struct space *space;		     /* likewise */
	size_t process_count, space_count;   /* that there are */
	uint64_t next_space;		     /* 1: there has been one only */
	uint64_t switched_at;		     /* instret: the running process's turn began */
	int load_failure;		     /* the guest's errno for what load_program says in words; 0 = none */
	bool one_process;		     /* others are refused: guest_options */
	uint64_t stack_size;
	struct program *programs; /* programs.c */
	size_t program_count;
	struct text_frame *text_frames; /* frames.c */
	size_t text_frame_count;
	int shared; /* shared_memory.c: host file, or -1 */
	uint64_t shared_end;
	struct common *commons;
	unsigned shared_regions;	    /* mappings that have a common, of all processes */
	struct ipc_table *ipc[3];	    /* ipc.c; NULL = never any of the kind */
	uint64_t memory_limit, memory_used; /* bytes that the host may have to hold: limits.c */
	struct names names;

	struct node *memory_tops[4]; /* memory_tree.c */
	uint64_t next_memory_inode;
	size_t host_files; /* of the host's, open for the guest */
	struct inode *inodes;
	size_t inode_count, inode_room, next_inode;
	uint32_t *inode_index; /* hash table of positions in `inodes`, plus one */
	size_t inode_slots;

	struct thread *threads, *current;
	size_t thread_count; /* of all processes */
	int next_tid;
	uint64_t wait_order;

	struct timer_file *timer_files;
	uint64_t armed_timers; /* of both */
	struct epoll *epolls;
	struct terminal *terminals; /* terminal.c */
	struct watches *watches;    /* inotify.c; NULL = there never was an instance */
	struct socket *sockets;	    /* those with a name */
	uint32_t next_port;
	struct lock *file_locks; /* locks.c */
	unsigned file_lock_count;
	struct parcel *parcels;	     /* descriptors that a socket's queue holds: parcel.c */
	unsigned files_on_their_way; /* in them */

	uint64_t clock_skip; /* nanoseconds slept */
	uint64_t random_state;

	struct guest_object *objects;
	size_t object_count;

	struct riscv_isa isa; /* what the core executes beyond RV64GC */
	bool strace;
	bool (*interrupted)(void); /* NULL = never */
	bool silent;		   /* isolated: nothing is printed */
	char *snapshot;		   /* folder of the writable directories' state at guest_prepare_fork, or NULL */
	struct stream_start {
		bool known;
		int64_t at; /* its position */
		uint64_t size;
	} starts[3]; /* the host's standard streams at guest_prepare_fork: a simulation beside this one moves them */
	int snapshot_maker;	/* process */
	char *scratch;		/* folder of the private copies, or NULL */
	int told;		/* virtual.c: the thread that a text is about; 0 = its process */
	uint8_t complained[64]; /* bit set: unknown call numbers already reported */
	bool complained_process;
	bool yielding;
	bool code_flushed; /* blocks of code await riscv_code_reclaim */

	enum guest_state state;
	int exit_status;
	struct guest_death death;
};

typedef int64_t call_handler(struct guest *g, const uint64_t *args);

/* syscalls.c */
int64_t syscall_dispatch(struct guest *g, uint64_t number, const uint64_t *args);
const char *syscall_name(uint64_t number); /* NULL = unknown; strace.c */
void guest_complain(struct guest *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* death.c: the signal takes effect; `note` is added to the reason, NULL = nothing */
void guest_kill(struct guest *g, const struct signal_info *info, const char *note);

/* guest.c: a process without threads, its address space and code; of a guest that has nothing yet */
bool guest_first_process(struct guest *g, struct error *err);

/* process.c */
struct process *process_create(struct guest *g, const struct process *parent);
struct process *process_find(const struct guest *g, int pid); /* ended ones, too; NULL: ESRCH */
void process_enter(struct guest *g, struct process *p);	      /* its memory is the running one */
/* The running process ends. The first one's end is the run's; the others wait to be waited for. */
void process_exit(struct guest *g, int wait_status);
void process_reap(struct guest *g, struct process *p);
void process_leave_space(struct guest *g, struct process *p, struct space *old); /* a parent by vfork goes on */
bool process_ended(const struct process *p);
uint64_t process_ran(const struct guest *g, const struct process *p);
void processes_destroy(struct guest *g);
void files_release(struct guest *g, struct process *p);

/* programs.c: the process runs this program now, or the one of the process that it is a copy of */
void program_note(struct guest *g, struct process *p, const char *path);
/* The point is the beginning of a program, and the running process is there, for the last time. */
bool program_awaited(struct guest *g, struct guest_point *point);
void program_note_copy(struct guest *g, struct process *p, const struct process *parent);
void programs_destroy(struct guest *g);

int wait_status_of_exit(int status);
int wait_status_of_signal(int number);

/* limits.c: what the guest makes the host hold, mappings and kernel objects alike. False: more than it may. */
bool guest_charge(struct guest *g, uint64_t bytes);
void guest_uncharge(struct guest *g, uint64_t bytes);
bool guest_stopping(const struct guest *g); /* the user wants to stop: long work ends early, whatever its result */

/* strace.c */
void strace_call(struct guest *g, uint64_t number, const uint64_t *args);
void strace_result(struct guest *g, uint64_t number, int64_t result);

/* user.c: the guest's pointers */
int64_t user_string(struct guest *g, uint64_t address, char *to, size_t size);	     /* 0, -EFAULT, -ENAMETOOLONG */
uint64_t user_span(struct guest *g, uint64_t address, uint64_t size, unsigned perm); /* accessible bytes */
bool user_read(struct guest *g, void *to, uint64_t address, uint64_t size);
bool user_write(struct guest *g, uint64_t address, const void *from, uint64_t size);
bool user_get32(struct guest *g, uint64_t address, uint32_t *value);
bool user_get64(struct guest *g, uint64_t address, uint64_t *value);
bool user_put32(struct guest *g, uint64_t address, uint32_t value);
bool user_put64(struct guest *g, uint64_t address, uint64_t value);

/* clock.c */
uint64_t clock_now(const struct guest *g);	/* simulated nanoseconds since the start */
uint64_t clock_realtime(const struct guest *g); /* the same since 1970 */
bool user_get_time(struct guest *g, uint64_t address, uint64_t *nanoseconds); /* struct timespec; false: EFAULT */
bool user_put_time(struct guest *g, uint64_t address, uint64_t nanoseconds);
uint64_t deadline_after(const struct guest *g, uint64_t nanoseconds);
/* A timespec of a clock as a deadline on clock_now's scale. */
uint64_t deadline_absolute(const struct guest *g, int clock, uint64_t nanoseconds);

/* timers.c */
void timers_fire(struct guest *g);
uint64_t timers_next(const struct guest *g);

/* sys_memory.c */
int64_t guest_mmap(struct guest *g, uint64_t hint, uint64_t length, uint64_t prot, uint64_t flags, struct open_file *f,
		   uint64_t offset);

/* isolate.c */
void isolate_clean_up(struct guest *g);

/* random.c */
void random_seed(struct guest *g, uint64_t seed);
void random_fill(struct guest *g, void *to, size_t size);

/* threads.c, schedule.c */
struct thread *thread_create(struct guest *g, struct process *p);
struct thread *thread_find(struct guest *g, int tid);
void threads_destroy(struct guest *g);
int64_t thread_block(struct guest *g, enum wait_kind kind, uint64_t deadline, bool restartable);
void thread_wake(struct guest *g, struct thread *t, int64_t result);
void thread_exit(struct guest *g, int status);
void thread_name(struct thread *t, const char *path);
void thread_forget(struct guest *g, struct thread *t); /* free it */
void threads_end_others(struct guest *g);	       /* of the running process */
void threads_retry(struct guest *g);		       /* something a waiting call may look at has changed */
struct riscv_hart *thread_registers(struct guest *g, struct thread *t);
void schedule(struct guest *g, bool yield);
void rseq_abort(struct guest *g, struct thread *t);
void rseq_publish(struct guest *g, struct thread *t);

/* futex.c */
unsigned futex_wake(struct guest *g, uint64_t address, unsigned count, uint32_t bitset);
void futex_release_robust(struct guest *g, struct thread *t);

/* signals.c */
unsigned signal_vector_size(const struct guest *g);
void signal_send(struct guest *g, struct thread *t, const struct signal_info *info); /* t NULL: the running process */
void signal_broken_pipe(struct guest *g);					     /* SIGPIPE to the running thread */
void signal_send_process(struct guest *g, struct process *p, const struct signal_info *info);
bool signal_ignored(const struct process *p, int number);
void signal_force(struct guest *g, const struct signal_info *info); /* a fault of the running thread */
void signals_deliver(struct guest *g);				    /* to the running thread */
bool signal_pending(const struct guest *g, const struct thread *t);
int signal_take(struct guest *g, struct thread *t, uint64_t set, struct signal_info *info);
bool signal_write_info(struct guest *g, uint64_t address, const struct signal_info *info);

#endif
