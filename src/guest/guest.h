/* The program being run: Linux processes made of address spaces, one hart that they share in turns, and what the kernel
 * would keep. The first process is the program; when it ends, the run does.
 *
 * The guest is untrusted. It reaches the host only through guest_syscall, which reads files under the sysroot and
 * the allowed paths, writes only where allowed, and gives time and randomness from the seed and the instruction
 * count: the same program, input and options give the same run on every host and on every simulated machine. */
#ifndef CULPRIT_GUEST_GUEST_H
#define CULPRIT_GUEST_GUEST_H

#include "base/error.h"
#include "riscv/isa.h"
#include "riscv/riscv.h"

#include <stdio.h>

#define GUEST_MEMORY_DEFAULT (4ull << 30)

struct guest_options {
	/* as typed: searched like execvp when it has no slash (in the sysroot's PATH first); NULL = an empty process */
	const char *program;
	char *const *argv;	     /* argv[0] onwards, NULL-terminated */
	char *const *envp;	     /* the guest's environment, NULL-terminated; NULL = a small fixed one */
	const char *sysroot;	     /* NULL or "" = none: the host's /usr and /lib in its place */
	const char *const *writable; /* directories the guest may write below, NULL-terminated; NULL = none */
	const char *const *readable; /* further host paths it may read, beside the current directory tree */
	uint64_t seed;		     /* of getrandom, AT_RANDOM */
	uint64_t stack_size;	     /* bytes; 0 = 8 MiB */
	uint64_t memory;	     /* bytes that it may use; 0 = GUEST_MEMORY_DEFAULT */
	struct riscv_isa isa;	     /* what the core executes beyond RV64GC */
	bool one_process;	     /* fork and execve are refused */
	bool strace;		     /* print each system call to stderr */
	bool (*interrupted)(void);   /* the user wants to stop: waiting input ends; NULL = never */
};

struct guest;

/* Load the program. On failure NULL and *err (NOT_FOUND, NOT_RUNNABLE, SYSTEM). */
struct guest *guest_create(const struct guest_options *options, struct error *err);
void guest_destroy(struct guest *guest);

struct riscv_hart *guest_hart(struct guest *guest);	 /* of the running thread; the pointer never changes */
struct address_space *guest_memory(struct guest *guest); /* likewise, of the running process */
struct riscv_code *guest_code(struct guest *guest);	 /* likewise */

/* Several address spaces have the same addresses. What a byte of the running one lies in is named by its frame address:
 * its own pages' are the address, with the number of the space from bit GUEST_SPACE_SHIFT on (0 for the first); pages
 * that it shares with others have the address and the number of the one that had them first. Frame addresses name code
 * in records, and data to caches. */
#define GUEST_SPACE_SHIFT 40
uint64_t guest_frame(const struct guest *guest, uint64_t address);
uint64_t guest_space(const struct guest *guest);  /* the running one's number << GUEST_SPACE_SHIFT */
bool guest_has_spaces(const struct guest *guest); /* there was ever more than one */
/* Two bytes of code by frame address: of the running space, or as the object's file has it. */
bool guest_read_code(struct guest *guest, uint64_t frame, uint16_t *parcel);

enum guest_state { GUEST_RUNNING, GUEST_EXITED, GUEST_KILLED, GUEST_FAILED /* the host cannot go on: guest_check */ };

/* Handle what riscv_run or riscv_step stopped for (ecall, ebreak, faults, illegal): do the system call or deliver
 * the signal. Afterwards the hart holds the next thread's or handler's state; hart->pc says where to go on.
 * An ecall counts as one executed instruction. */
enum guest_state guest_handle(struct guest *guest, enum riscv_stop stop, const struct riscv_outcome *outcome);

/* With more than one runnable thread or an armed timer: give the turn to the next one, deliver what is due. True if
 * the hart now holds another state. Due whenever instret reaches a multiple of GUEST_TURN, wherever running began, so
 * that functional and timed runs interleave threads alike: guest_turn_left says how far that is. */
#define GUEST_TURN 100000
bool guest_preempt(struct guest *guest);
bool guest_has_other_threads(const struct guest *guest);
uint64_t guest_turn_left(const struct guest *guest); /* 1 to GUEST_TURN instructions */

/* Run functionally up to `max_insns` more instructions (threads' turns, system calls and signals included).
 * *executed receives the number executed. */
enum guest_state guest_run(struct guest *guest, uint64_t max_insns, uint64_t *executed);
/* A point of the run: an instruction, or a program's beginning. */
struct guest_point {
	struct riscv_watch at;
	const char *program; /* of that name, or path; NULL: an instruction */
	uint64_t left;	     /* so many times more it will be reached; the last one counts */
};
/* The same, up to that point, before its instruction is executed: *reached tells. May be called again to go on. */
enum guest_state guest_run_until(struct guest *guest, struct guest_point *point, uint64_t max_insns, uint64_t *executed,
				 bool *reached);

/* False: the host ran out of memory for the guest, at some time. What ran since then, be it on a wrong path, is not
 * what it would have been. */
bool guest_check(const struct guest *guest, struct error *err);

bool guest_ended(const struct guest *guest);
/* The exit status a shell would show: the program's own, or 128 + signal. Valid after EXITED or KILLED. */
int guest_exit_status(const struct guest *guest);

/* What killed it, and why: as the guest was at that moment. */
struct guest_death {
	int signal;
	/* Of the instruction that faulted; else where the thread was (at its system call, if it made one). Where an
	 * object is mapped a frame address, else the address itself: as for the caller. */
	uint64_t pc;
	const char *program;  /* the path of what ran then; NULL: the program that the run began with */
	char instruction[80]; /* there, disassembled; "" where there is no code */
	bool has_address;     /* a fault about memory */
	uint64_t address;
	uint64_t caller;  /* of a jump to where no code is: the return address; 0 = none */
	char reason[240]; /* "it reads 4 bytes at 0x8: not mapped (a null pointer)" */
};
/* Valid after KILLED. */
const struct guest_death *guest_death(const struct guest *guest);
const char *guest_signal_name(int number); /* "SIGSEGV" */

/* Many simulations of one state, by fork(). Before: what the processes would share (a pipe on standard input, writable
 * directories) is taken into the guest or a snapshot. In a child that is not to be heard: standard output and error go
 * nowhere and the writable directories go on as private copies, so that it sees exactly what it would have seen alone.
 * guest_destroy removes the copies (in the child) and the snapshot (in the parent, after its children isolated). */
bool guest_prepare_fork(struct guest *guest, struct error *err);
bool guest_isolate(struct guest *guest, struct error *err);

/* A running guest as bytes: all but its pages' content, which is visited apart (pages that are not all zero). What
 * cannot be saved yet is an error that names it. Files of the host's are opened again when it is restored, standard
 * streams are those of then. Of `how` only sysroot (NULL: where it was), strace and interrupted count. */
struct bytes;
bool guest_save(struct guest *guest, struct bytes *to, struct error *err);
struct guest *guest_restore(const void *state, size_t size, const struct guest_options *how, struct error *err);
typedef void page_visitor(void *context, uint64_t page, const uint8_t *bytes);
void guest_visit_pages(const struct guest *guest, page_visitor *visit, void *context);
bool guest_put_page(struct guest *guest, uint64_t page, const uint8_t *bytes); /* false: nothing is mapped there */

/* ELF objects mapped so far (programs, interpreters, libraries), for symbols. Index from 0; false past the end. `path`
 * is the host path; load bias = frame address minus ELF virtual address. */
struct guest_object {
	const char *path;
	const char *guest_path;
	uint64_t start, end; /* frame addresses spanned by its mappings */
	uint64_t bias;
};
bool guest_object(const struct guest *guest, size_t index, struct guest_object *object);

/* Programs that processes have executed, the first one's first. Index from 0; false past the end. */
struct guest_program {
	const char *path;
	uint64_t processes; /* that ran it */
};
bool guest_program_at(const struct guest *guest, size_t index, struct guest_program *program);
size_t guest_program(const struct guest *guest); /* of the running process */
/* Where that program itself begins, behind the dynamic linker: by then its libraries are mapped. False: it has none. */
bool guest_program_entry(const struct guest *guest, uint64_t *pc);

/* Runtime address of a symbol of the program or an object mapped so far; false when unknown. */
bool guest_symbol_address(const struct guest *guest, const char *name, uint64_t *address);

#endif
