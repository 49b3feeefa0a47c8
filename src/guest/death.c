/* A signal that kills: what is known of it is written down at once, as registers and mappings are then. */
#include "guest/memory_map.h"

#include <stdarg.h>

#define STACK_GUARD (1 << 20) /* kept free below the stack */

const char *guest_signal_name(int number)
{
	static const char *const names[] = {
		"no signal", "SIGHUP",	"SIGINT",    "SIGQUIT", "SIGILL",   "SIGTRAP", "SIGABRT", "SIGBUS",
		"SIGFPE",    "SIGKILL", "SIGUSR1",   "SIGSEGV", "SIGUSR2",  "SIGPIPE", "SIGALRM", "SIGTERM",
		"SIGSTKFLT", "SIGCHLD", "SIGCONT",   "SIGSTOP", "SIGTSTP",  "SIGTTIN", "SIGTTOU", "SIGURG",
		"SIGXCPU",   "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",   "SIGPWR",  "SIGSYS",
	};

	return number > 0 && number < (int)(sizeof(names) / sizeof(*names)) ? names[number] : "a real-time signal";
}

__attribute__((format(printf, 2, 3))) static void say(struct guest_death *d, const char *format, ...)
{
	size_t used = strlen(d->reason);
	va_list args;

	va_start(args, format);
	vsnprintf(d->reason + used, sizeof(d->reason) - used, format, args);
	va_end(args);
}

/* --- faults --- */

/* The encoding at the pc; false: no code is there. */
static bool encoding_at(const struct guest *g, uint64_t pc, uint32_t *raw)
{
	uint16_t halves[2] = {0};

	if (!address_space_allows(&g->memory, pc, 2, PAGE_EXEC))
		return false;
	memcpy(&halves[0], address_space_host(&g->memory, pc), 2);
	if ((halves[0] & 3) == 3) {
		if (!address_space_allows(&g->memory, pc + 2, 2, PAGE_EXEC))
			return false;
		memcpy(&halves[1], address_space_host(&g->memory, pc + 2), 2);
	}
	*raw = halves[0] | (uint32_t)halves[1] << 16;
	return true;
}

static void say_unmapped(const struct guest *g, struct guest_death *d, uint64_t address)
{
	const struct memory_map *map = &g->space->map;

	say(d, "not mapped");
	if (address < GUEST_PAGE_SIZE)
		say(d, " (a null pointer)");
	else if (address >= ADDRESS_SPACE_LIMIT)
		say(d, " (beyond the end of the address space)");
	else if (address < map->stack_start && map->stack_start - address <= STACK_GUARD)
		say(d, " (the stack of %lu KiB is full)", (unsigned long)(map->stack_end - map->stack_start) >> 10);
}

/* Why the page does not let it. */
static void say_place(struct guest *g, struct guest_death *d, uint64_t address, unsigned wanted)
{
	static const char *const permissions[] = {
		[PAGE_READ] = "mapped without read permission",
		[PAGE_WRITE] = "mapped read-only",
		[PAGE_EXEC] = "mapped without execute permission",
	};
	const struct region *r = region_at(g, address);

	if (!r) {
		say_unmapped(g, d, address);
		return;
	}
	say(d, "%s", r->perm & PAGE_READ ? permissions[wanted] : "mapped without any permission");
	if (r->path)
		say(d, " (%.80s)", r->path);
}

/* The first byte of an access that faults: it may begin in the page before. */
static uint64_t first_bad(const struct guest *g, uint64_t address, unsigned size, unsigned wanted)
{
	uint64_t bad = address;

	while (bad < address + size - 1 && address_space_allows(&g->memory, bad, 1, wanted))
		bad++;
	return bad;
}

static void say_access(struct guest *g, struct guest_death *d, uint32_t raw, const char *does, unsigned wanted)
{
	struct riscv_insn insn;
	uint64_t bad;

	riscv_decode(raw, d->pc, &insn);
	bad = first_bad(g, d->address, insn.mem_size ? insn.mem_size : 1, wanted);
	say(d, "it %s %u byte%s at 0x%lx", does, insn.mem_size, insn.mem_size == 1 ? "" : "s",
	    (unsigned long)d->address);
	say(d, bad == d->address ? ": " : ", from 0x%lx on ", (unsigned long)bad);
	say_place(g, d, bad, wanted);
}

static void say_illegal(struct guest_death *d, uint32_t raw)
{
	bool is_short = (raw & 3) != 3;
	char what[120];

	if (riscv_missing(raw, what, sizeof(what)) >= 0)
		say(d, "0x%0*x is not implemented: %s", is_short ? 4 : 8, is_short ? raw & 0xffff : raw, what);
}

static void say_fault(struct guest *g, struct guest_death *d, const struct signal_info *info)
{
	uint32_t raw = 0;

	d->address = info->address;
	d->has_address = info->stop >= RISCV_STOP_FETCH_FAULT;
	if (encoding_at(g, d->pc, &raw))
		riscv_disassemble(raw, d->pc, d->instruction, sizeof(d->instruction));
	switch (info->stop) {
	case RISCV_STOP_BREAK:
		say(d, "a breakpoint that nobody set up to handle");
		break;
	case RISCV_STOP_ILLEGAL:
		say_illegal(d, raw);
		break;
	case RISCV_STOP_FETCH_FAULT:
		d->caller = g->hart.r[1];
		say(d, "no code at 0x%lx: ", (unsigned long)d->address);
		say_place(g, d, d->address, PAGE_EXEC);
		break;
	case RISCV_STOP_MISALIGNED:
		say(d, "an atomic at 0x%lx, which is not aligned", (unsigned long)d->address);
		break;
	default:
		say_access(g, d, raw, info->stop == RISCV_STOP_STORE_FAULT ? "writes" : "reads",
			   info->stop == RISCV_STOP_STORE_FAULT ? PAGE_WRITE : PAGE_READ);
	}
}

/* --- where --- */

/* What makes an address one of an object's frames: programs that replace each other have the same addresses. */
static uint64_t tag_of_object(const struct guest *g, uint64_t address)
{
	uint64_t tag = address < ADDRESS_SPACE_LIMIT ? frame_tag(g, address) : 0;
	struct guest_object o;

	for (size_t i = 0; guest_object(g, i, &o); i++)
		if (address + tag - o.start < o.end - o.start)
			return tag;
	return 0;
}

static void note_place(const struct guest *g, struct guest_death *d)
{
	d->pc += tag_of_object(g, d->pc);
	if (d->caller)
		d->caller += tag_of_object(g, d->caller - 1);
	d->program = g->process->program ? g->space->program_path : NULL;
}

/* --- what is no fault --- */

static void say_sent(struct guest_death *d, const struct signal_info *info)
{
	enum { SI_FROM_USER = 0, SI_FROM_TKILL = -6 };

	if (info->pid != GUEST_PID) {
		say(d, "the program's process %d sent it", info->pid);
		return;
	}
	say(d, "the program sent it to itself by %s",
	    info->code == SI_FROM_TKILL	 ? info->number == GUEST_SIGABRT ? "abort or raise" : "raise or pthread_kill"
	    : info->code == SI_FROM_USER ? "kill"
					 : "sigqueue");
}

static void say_cause(struct guest *g, struct guest_death *d, const struct signal_info *info)
{
	uint32_t before;

	/* a signal that a system call brought finds the thread behind it */
	if (encoding_at(g, d->pc - 4, &before) && before == 0x73)
		d->pc -= 4;
	switch (info->cause) {
	case SIGNAL_TIMER:
		say(d, "a timer of the program ran out, and it has no handler");
		break;
	case SIGNAL_BROKEN_PIPE:
		say(d, "it wrote to a pipe that nobody reads");
		break;
	case SIGNAL_DEADLOCK:
		say(d, "%zu thread%s for ever", g->thread_count, g->thread_count == 1 ? " waits" : "s wait");
		break;
	case SIGNAL_BAD_FRAME:
		say(d, "at the end of a signal handler its frame is not where sp points");
		break;
	default:
		say_sent(d, info);
	}
}

void guest_kill(struct guest *g, const struct signal_info *info, const char *note)
{
	struct guest_death *d = &g->death;

	if (info->cause == SIGNAL_DEADLOCK) { /* of all processes */
		g->state = GUEST_KILLED;
		g->exit_status = 128 + info->number;
	} else {
		process_exit(g, wait_status_of_signal(info->number));
	}
	if (g->state != GUEST_KILLED)
		return;
	*d = (struct guest_death){.signal = info->number, .pc = g->hart.pc};
	if (info->cause == SIGNAL_FAULT)
		say_fault(g, d, info);
	else
		say_cause(g, d, info);
	if (note)
		say(d, "; %s", note);
	note_place(g, d);
}

const struct guest_death *guest_death(const struct guest *g)
{
	return &g->death;
}
