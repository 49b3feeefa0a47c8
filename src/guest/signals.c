/* Signals: who gets one, what it does, and the frame a handler finds on its stack (struct rt_sigframe of riscv64:
 * siginfo, ucontext with general and floating-point registers). */
#include "guest/calls.h"
#include "guest/jobs.h"
#include "riscv/vector.h"

enum {
	SA_SIGINFO_FLAG = 4,
	SA_ONSTACK_FLAG = 0x08000000,
	SA_RESTART_FLAG = 0x10000000,
	SA_NODEFER_FLAG = 0x40000000,
	SA_RESETHAND_FLAG = 0x80000000u
};
enum { SIG_DEFAULT = 0, SIG_IGNORE = 1 };
enum { STACK_ONSTACK = 1, STACK_DISABLE = 2 };
/* Offsets in the frame. */
enum {
	FRAME_INFO = 0,
	FRAME_UC = 128,
	UC_STACK = 16,
	UC_MASK = 40,
	UC_REGS = 176,
	UC_FP = UC_REGS + 256,
	UC_FCSR = UC_FP + 256,
	UC_EXTRA = UC_FP + 520, /* headers of further state: magic, size; zeros end them */
	UC_VECTOR = UC_EXTRA + 8,
	UC_VECTOR_BYTES = UC_VECTOR + 48,
	FRAME_SIZE = 128 + 176 + 256 + 528,
	FRAME_SIZE_MOST = FRAME_SIZE + 56 + 4 * RISCV_VLEN_MOST
};
#define VECTOR_MAGIC 0x53465457u

/* What a frame with vector registers takes more: a header, the control registers, the bytes. */
unsigned signal_vector_size(const struct guest *g)
{
	return g->isa.extensions & RISCV_EXT_V ? 56 + 4 * g->isa.vlen : 0;
}

static void frame_fill_vector(const struct guest *g, uint8_t *frame, uint64_t sp)
{
	const struct riscv_vector *v = g->hart.vector;
	uint8_t *uc = frame + FRAME_UC;

	if (!v)
		return;
	put32(uc + UC_EXTRA, VECTOR_MAGIC);
	put32(uc + UC_EXTRA + 4, signal_vector_size(g));
	put64(uc + UC_VECTOR, v->vstart);
	put64(uc + UC_VECTOR + 8, v->vl);
	put64(uc + UC_VECTOR + 16, v->vtype);
	put64(uc + UC_VECTOR + 24, (uint64_t)v->vxrm << 1 | v->vxsat);
	put64(uc + UC_VECTOR + 32, v->vlenb);
	put64(uc + UC_VECTOR + 40, sp + FRAME_UC + UC_VECTOR_BYTES);
	memcpy(uc + UC_VECTOR_BYTES, v->bytes, 32 * (size_t)v->vlenb);
}

/* The registers lie where the frame's pointer says. False: they cannot be read. */
static bool frame_take_vector(struct guest *g, const uint8_t *uc)
{
	struct riscv_vector *v = g->hart.vector;

	if (!v || get32(uc + UC_EXTRA) != VECTOR_MAGIC)
		return true;
	if (get32(uc + UC_EXTRA + 4) != signal_vector_size(g) ||
	    !user_read(g, v->bytes, get64(uc + UC_VECTOR + 40), 32 * (uint64_t)v->vlenb))
		return false;
	riscv_vector_configure(v, get64(uc + UC_VECTOR + 8), get64(uc + UC_VECTOR + 16));
	v->vstart = get64(uc + UC_VECTOR) & (8ull * v->vlenb - 1);
	v->vxsat = get64(uc + UC_VECTOR + 24) & 1;
	v->vxrm = get64(uc + UC_VECTOR + 24) >> 1 & 3;
	return true;
}

static uint64_t signal_bit(int number)
{
	return 1ull << (number - 1);
}

static bool ignored_by_default(int number)
{
	return number == GUEST_SIGCHLD || number == GUEST_SIGCONT || number == GUEST_SIGURG || number == GUEST_SIGWINCH;
}

bool signal_ignored(const struct process *p, int number)
{
	uint64_t handler = p->actions[number].handler;

	return handler == SIG_IGNORE || (handler == SIG_DEFAULT && ignored_by_default(number));
}

bool signal_pending(const struct guest *g, const struct thread *t)
{
	return ((t->pending.set | t->process->pending.set) & ~t->mask) != 0;
}

int signal_take(struct guest *g, struct thread *t, uint64_t set, struct signal_info *info)
{
	struct pending_signals *from = t->pending.set & set ? &t->pending : &t->process->pending;
	int number;

	if (!(from->set & set))
		return 0;
	number = __builtin_ctzll(from->set & set) + 1;
	from->set &= ~signal_bit(number);
	*info = from->info[number];
	return number;
}

/* End a wait, if the signal gets through. */
static void interrupt_thread(struct guest *g, struct thread *t, int number)
{
	if (t->wait.kind == WAIT_RETRY)
		t->wait.again = true;
	if (t->wait.kind == WAIT_NONE || t->wait.kind >= WAIT_CHILD || (t->mask & signal_bit(number)))
		return;
	if (t->wait.kind != WAIT_RETRY)
		t->wait.kind = WAIT_NONE;
	t->wait.interrupted = true;
}

static struct thread *choose_thread(struct guest *g, const struct process *p, int number)
{
	for (struct thread *t = g->threads; t; t = t->next)
		if (t->process == p && !(t->mask & signal_bit(number)) && t->wait.kind != WAIT_EXITED)
			return t;
	return NULL;
}

static void forget_pending(struct guest *g, struct process *p, uint64_t set)
{
	p->pending.set &= ~set;
	for (struct thread *t = g->threads; t; t = t->next)
		if (t->process == p)
			t->pending.set &= ~set;
}

/* What a signal does to a process whoever it is for, and whether or not it is blocked or ignored. */
static void stop_or_go_on(struct guest *g, struct process *p, int number)
{
	const uint64_t stops = signal_bit(GUEST_SIGSTOP) | signal_bit(GUEST_SIGTSTP) | signal_bit(GUEST_SIGTTIN) |
			       signal_bit(GUEST_SIGTTOU);

	if (signal_stops(number)) {
		forget_pending(g, p, signal_bit(GUEST_SIGCONT));
	} else if (number == GUEST_SIGCONT) {
		forget_pending(g, p, stops);
		process_continue(g, p);
	} else if (number == GUEST_SIGKILL) {
		p->stopped = 0;
	}
}

static void send_to(struct guest *g, struct process *p, struct thread *target, const struct signal_info *info)
{
	int number = info->number;
	struct pending_signals *pending = target ? &target->pending : &p->pending;

	stop_or_go_on(g, p, number);
	if (signal_stops(number) && p->actions[number].handler == SIG_DEFAULT && target &&
	    !(target->mask & signal_bit(number))) {
		process_stop(g, p, number);
		return;
	}
	/* A blocked one stays pending even when ignored, for sigwait and signalfd. No target: all threads block it. */
	if (signal_ignored(p, number) && target && !(target->mask & signal_bit(number)))
		return;
	if (pending->set & signal_bit(number))
		return;
	pending->set |= signal_bit(number);
	pending->info[number] = *info;
	if (target)
		interrupt_thread(g, target, number);
	threads_retry(g);
}

void signal_send_process(struct guest *g, struct process *p, const struct signal_info *info)
{
	if (!process_ended(p))
		send_to(g, p, choose_thread(g, p, info->number), info);
}

void signal_send(struct guest *g, struct thread *t, const struct signal_info *info)
{
	if (t)
		send_to(g, t->process, t, info);
	else
		signal_send_process(g, g->process, info);
}

void signal_broken_pipe(struct guest *g)
{
	struct signal_info broken = {
		.number = GUEST_SIGPIPE, .pid = g->process->pid, .uid = GUEST_UID, .cause = SIGNAL_BROKEN_PIPE};

	signal_send(g, g->current, &broken);
}

bool signal_write_info(struct guest *g, uint64_t address, const struct signal_info *info)
{
	uint8_t raw[128] = {0};

	put32(raw, (uint32_t)info->number);
	put32(raw + 8, (uint32_t)info->code);
	if (info->cause == SIGNAL_FAULT) {
		put64(raw + 16, info->address);
	} else {
		put32(raw + 16, (uint32_t)info->pid);
		put32(raw + 20, (uint32_t)info->uid);
		put64(raw + 24, info->value);
	}
	return user_write(g, address, raw, sizeof(raw));
}

static bool on_alt_stack(const struct thread *t, uint64_t sp)
{
	return t->alt_size && sp - t->alt_stack <= t->alt_size && sp > t->alt_stack;
}

static uint32_t alt_stack_flags(const struct thread *t, uint64_t sp)
{
	return !t->alt_size ? STACK_DISABLE : on_alt_stack(t, sp) ? STACK_ONSTACK : 0;
}

static void frame_fill(struct guest *g, struct thread *t, uint8_t *frame, uint64_t mask)
{
	uint8_t *uc = frame + FRAME_UC;

	put64(uc + UC_STACK, t->alt_stack);
	put32(uc + UC_STACK + 8, alt_stack_flags(t, g->hart.r[2]));
	put64(uc + UC_STACK + 16, t->alt_size);
	put64(uc + UC_MASK, mask);
	put64(uc + UC_REGS, g->hart.pc);
	for (int i = 1; i < 32; i++)
		put64(uc + UC_REGS + 8 * i, g->hart.r[i]);
	for (int i = 0; i < 32; i++)
		put64(uc + UC_FP + 8 * i, g->hart.r[32 + i]);
	put32(uc + UC_FCSR, (uint32_t)(g->hart.frm << 5 | g->hart.fflags));
}

/* Enter the handler. False: the stack cannot hold the frame. */
static bool frame_push(struct guest *g, struct thread *t, const struct signal_info *info,
		       const struct signal_action *action, uint64_t mask)
{
	uint8_t frame[FRAME_SIZE_MOST] = {0};
	uint64_t sp = g->hart.r[2], size = FRAME_SIZE + signal_vector_size(g);

	if ((action->flags & SA_ONSTACK_FLAG) && t->alt_size && !on_alt_stack(t, sp))
		sp = t->alt_stack + t->alt_size;
	sp = (sp - size) & ~15ull;
	frame_fill(g, t, frame, mask);
	frame_fill_vector(g, frame, sp);
	if (!user_write(g, sp, frame, size) || !signal_write_info(g, sp + FRAME_INFO, info))
		return false;
	g->hart.r[1] = g->space->sigreturn_address;
	g->hart.r[2] = sp;
	g->hart.r[10] = (uint64_t)info->number;
	g->hart.r[11] = sp + FRAME_INFO;
	g->hart.r[12] = sp + FRAME_UC;
	g->hart.pc = action->handler;
	g->hart.reservation = ~0ull;
	return true;
}

/* What the interrupted call returns, or going back to make it again. */
static void finish_interrupted(struct guest *g, struct thread *t, bool restart)
{
	if (!t->wait.interrupted)
		return;
	t->wait.interrupted = false;
	if (t->wait.progress) {
		g->hart.r[10] = t->wait.progress;
	} else if (restart) {
		g->hart.pc -= 4;
		g->hart.r[10] = t->wait.args[0];
	} else {
		g->hart.r[10] = (uint64_t) - (int64_t)GUEST_EINTR;
	}
}

static void enter_handler(struct guest *g, struct thread *t, const struct signal_info *info)
{
	struct signal_action action = g->process->actions[info->number];
	uint64_t mask = t->mask_replaced ? t->mask_after : t->mask;

	finish_interrupted(g, t, t->wait.restartable && (action.flags & SA_RESTART_FLAG));
	t->mask_replaced = false;
	rseq_abort(g, t);
	if (!frame_push(g, t, info, &action, mask)) {
		struct signal_info fatal = *info;

		fatal.number = GUEST_SIGSEGV;
		guest_kill(g, &fatal, "no room on the stack for its handler");
		return;
	}
	t->mask |= action.mask;
	if (!(action.flags & SA_NODEFER_FLAG))
		t->mask |= signal_bit(info->number);
	t->mask &= ~(signal_bit(GUEST_SIGKILL) | signal_bit(GUEST_SIGSTOP));
	if (action.flags & SA_RESETHAND_FLAG)
		g->process->actions[info->number].handler = SIG_DEFAULT;
}

void signals_deliver(struct guest *g)
{
	struct thread *t = g->current;
	struct signal_info info;
	int number;

	while (g->state == GUEST_RUNNING && t->wait.kind != WAIT_EXITED &&
	       (number = signal_take(g, t, ~t->mask, &info))) {
		if (signal_ignored(t->process, number))
			continue;
		if (g->process->actions[number].handler == SIG_DEFAULT && signal_stops(number))
			process_stop(g, t->process, number);
		else if (g->process->actions[number].handler == SIG_DEFAULT)
			guest_kill(g, &info, NULL);
		else
			enter_handler(g, t, &info);
	}
	if (t->wait.kind == WAIT_EXITED)
		return;
	finish_interrupted(g, t, true);
	if (t->mask_replaced) {
		t->mask_replaced = false;
		t->mask = t->mask_after;
	}
}

/* A fault's signal cannot wait: blocked or ignored, it kills. */
void signal_force(struct guest *g, const struct signal_info *info)
{
	struct thread *t = g->current;

	if (t->mask & signal_bit(info->number))
		guest_kill(g, info, "the signal was blocked");
	else if (g->process->actions[info->number].handler <= SIG_IGNORE)
		guest_kill(g, info, NULL);
	else
		enter_handler(g, t, info);
}

int64_t sys_rt_sigreturn(struct guest *g, const uint64_t *args)
{
	uint8_t frame[FRAME_SIZE_MOST], *uc = frame + FRAME_UC;
	uint64_t size = FRAME_SIZE + signal_vector_size(g);
	struct thread *t = g->current;
	uint32_t fcsr;

	if (!user_read(g, frame, g->hart.r[2], size) || !frame_take_vector(g, uc)) {
		guest_kill(g, &(struct signal_info){.number = GUEST_SIGSEGV, .cause = SIGNAL_BAD_FRAME}, NULL);
		return CALL_NO_RESULT;
	}
	g->hart.pc = get64(uc + UC_REGS) & ~1ull;
	for (int i = 1; i < 32; i++)
		g->hart.r[i] = get64(uc + UC_REGS + 8 * i);
	for (int i = 0; i < 32; i++)
		g->hart.r[32 + i] = get64(uc + UC_FP + 8 * i);
	fcsr = get32(uc + UC_FCSR);
	g->hart.fflags = fcsr & 31;
	g->hart.frm = fcsr >> 5 & 7;
	g->hart.reservation = ~0ull;
	t->mask = get64(uc + UC_MASK) & ~(signal_bit(GUEST_SIGKILL) | signal_bit(GUEST_SIGSTOP));
	return CALL_NO_RESULT;
}
