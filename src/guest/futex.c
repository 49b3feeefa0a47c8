/* Futexes: waiting on a word of memory, which is known by its frame, so that processes that share it meet. Waiters wake
 * in the order in which they came. */
#include "guest/calls.h"
#include "guest/process.h"

enum {
	OP_WAIT = 0,
	OP_WAKE = 1,
	OP_REQUEUE = 3,
	OP_CMP_REQUEUE = 4,
	OP_WAKE_OP = 5,
	OP_LOCK_PI = 6,
	OP_UNLOCK_PI = 7,
	OP_TRYLOCK_PI = 8,
	OP_WAIT_BITSET = 9,
	OP_WAKE_BITSET = 10,
	OP_LOCK_PI2 = 13,
	OP_MASK = 127,
	OP_CLOCK_REALTIME = 256
};
#define TID_MASK 0x3fffffffu
#define OWNER_DIED 0x40000000u
#define WAITERS 0x80000000u
#define ROBUST_MAX 2048

static struct thread *first_waiter(struct guest *g, uint64_t address, uint32_t bitset)
{
	uint64_t frame = guest_frame(g, address);
	struct thread *first = NULL;

	for (struct thread *t = g->threads; t; t = t->next)
		if (t->wait.kind == WAIT_FUTEX && t->wait.address == frame && (t->wait.bitset & bitset) &&
		    (!first || t->wait.order < first->wait.order))
			first = t;
	return first;
}

unsigned futex_wake(struct guest *g, uint64_t address, unsigned count, uint32_t bitset)
{
	unsigned woken = 0;
	struct thread *t;

	while (woken < count && (t = first_waiter(g, address, bitset))) {
		thread_wake(g, t, 0);
		woken++;
	}
	threads_retry(g); /* PI waiters try again */
	return woken;
}

static unsigned futex_move(struct guest *g, uint64_t from, uint64_t to, unsigned count)
{
	unsigned moved = 0;
	struct thread *t;

	while (moved < count && from != to && (t = first_waiter(g, from, ~0u))) {
		t->wait.address = guest_frame(g, to);
		t->wait.order = g->wait_order++;
		moved++;
	}
	return moved;
}

static int64_t futex_wait(struct guest *g, const uint64_t *args, unsigned op, uint32_t bitset)
{
	uint64_t deadline = NO_DEADLINE, time;
	uint32_t value;

	if (!bitset)
		return -GUEST_EINVAL;
	if (!user_get32(g, args[0], &value))
		return -GUEST_EFAULT;
	if (value != (uint32_t)args[2])
		return -GUEST_EAGAIN;
	if (args[3]) {
		if (!user_get_time(g, args[3], &time))
			return -GUEST_EFAULT;
		if (time == NO_DEADLINE)
			return -GUEST_EINVAL;
		deadline = (op & OP_MASK) == OP_WAIT ? deadline_after(g, time)
						     : deadline_absolute(g, op & OP_CLOCK_REALTIME ? 0 : 1, time);
	}
	thread_block(g, WAIT_FUTEX, deadline, deadline == NO_DEADLINE);
	g->current->wait.address = guest_frame(g, args[0]);
	g->current->wait.bitset = bitset;
	g->current->wait.order = g->wait_order++;
	return CALL_BLOCKED;
}

static int64_t futex_requeue(struct guest *g, const uint64_t *args, bool compare)
{
	uint32_t value;
	unsigned woken;

	if ((int)args[2] < 0 || (int)args[3] < 0)
		return -GUEST_EINVAL;
	if (compare) {
		if (!user_get32(g, args[0], &value))
			return -GUEST_EFAULT;
		if (value != (uint32_t)args[5])
			return -GUEST_EAGAIN;
	}
	woken = futex_wake(g, args[0], (unsigned)args[2], ~0u);
	return woken + futex_move(g, args[0], args[4], (unsigned)args[3]);
}

static uint32_t wake_op_value(unsigned op, uint32_t old, uint32_t operand)
{
	switch (op) {
	case 0:
		return operand;
	case 1:
		return old + operand;
	case 2:
		return old | operand;
	case 3:
		return old & ~operand;
	default:
		return old ^ operand;
	}
}

static bool wake_op_holds(unsigned comparison, int32_t old, int32_t operand)
{
	switch (comparison) {
	case 0:
		return old == operand;
	case 1:
		return old != operand;
	case 2:
		return old < operand;
	case 3:
		return old <= operand;
	case 4:
		return old > operand;
	default:
		return old >= operand;
	}
}

static int32_t sign_extend_12(uint32_t value)
{
	return (int32_t)(value << 20) >> 20;
}

static int64_t futex_wake_op(struct guest *g, const uint64_t *args)
{
	uint32_t code = (uint32_t)args[5], old;
	unsigned op = code >> 28 & 15, comparison = code >> 24 & 15, woken;
	int32_t operand = sign_extend_12(code >> 12 & 0xfff);

	if ((op & 7) > 4 || comparison > 5)
		return -GUEST_ENOSYS;
	if (op & 8)
		operand = (int32_t)(1u << (operand & 31));
	if (!user_get32(g, args[4], &old) || !user_put32(g, args[4], wake_op_value(op & 7, old, (uint32_t)operand)))
		return -GUEST_EFAULT;
	woken = futex_wake(g, args[0], (unsigned)args[2], ~0u);
	if (wake_op_holds(comparison, (int32_t)old, sign_extend_12(code & 0xfff)))
		woken += futex_wake(g, args[4], (unsigned)args[3], ~0u);
	return woken;
}

static int64_t futex_lock_pi(struct guest *g, const uint64_t *args, unsigned op)
{
	uint32_t word, tid = (uint32_t)g->current->tid;
	uint64_t deadline = NO_DEADLINE;

	if (!user_get32(g, args[0], &word))
		return -GUEST_EFAULT;
	if (!(word & TID_MASK))
		return user_put32(g, args[0], tid | (word & (OWNER_DIED | WAITERS))) ? 0 : -GUEST_EFAULT;
	if ((word & TID_MASK) == tid)
		return -GUEST_EDEADLK;
	if ((op & OP_MASK) == OP_TRYLOCK_PI)
		return -GUEST_EAGAIN;
	if (g->current->wait.timed_out)
		return -GUEST_ETIMEDOUT;
	if (g->current->wait.retrying) {
		deadline = g->current->wait.deadline;
	} else if (args[3]) {
		if (!user_get_time(g, args[3], &deadline))
			return -GUEST_EFAULT;
		deadline = deadline_absolute(g, (op & OP_MASK) == OP_LOCK_PI || (op & OP_CLOCK_REALTIME) ? 0 : 1,
					     deadline);
	}
	user_put32(g, args[0], word | WAITERS);
	return thread_block(g, WAIT_RETRY, deadline, true);
}

static int64_t futex_unlock_pi(struct guest *g, const uint64_t *args)
{
	uint32_t word;

	if (!user_get32(g, args[0], &word))
		return -GUEST_EFAULT;
	if ((word & TID_MASK) != (uint32_t)g->current->tid)
		return -GUEST_EPERM;
	user_put32(g, args[0], 0);
	threads_retry(g);
	return 0;
}

int64_t sys_futex(struct guest *g, const uint64_t *args)
{
	unsigned op = (unsigned)args[1];

	if (args[0] & 3)
		return -GUEST_EINVAL;
	switch (op & OP_MASK) {
	case OP_WAIT:
		return futex_wait(g, args, op, ~0u);
	case OP_WAIT_BITSET:
		return futex_wait(g, args, op, (uint32_t)args[5]);
	case OP_WAKE:
		return futex_wake(g, args[0], (unsigned)args[2], ~0u);
	case OP_WAKE_BITSET:
		return args[5] ? (int64_t)futex_wake(g, args[0], (unsigned)args[2], (uint32_t)args[5]) : -GUEST_EINVAL;
	case OP_REQUEUE:
	case OP_CMP_REQUEUE:
		return futex_requeue(g, args, (op & OP_MASK) == OP_CMP_REQUEUE);
	case OP_WAKE_OP:
		return futex_wake_op(g, args);
	case OP_LOCK_PI:
	case OP_LOCK_PI2:
	case OP_TRYLOCK_PI:
		return futex_lock_pi(g, args, op);
	case OP_UNLOCK_PI:
		return futex_unlock_pi(g, args);
	default:
		return -GUEST_ENOSYS;
	}
}

static void release_one(struct guest *g, struct thread *t, uint64_t address)
{
	uint32_t word;

	if ((address & 3) || !user_get32(g, address, &word) || (word & TID_MASK) != (uint32_t)t->tid)
		return;
	user_put32(g, address, (word & WAITERS) | OWNER_DIED);
	if (word & WAITERS)
		futex_wake(g, address, 1, ~0u);
}

/* The list of locks a thread holds when it exits: {next, offset of the word, pending}. */
void futex_release_robust(struct guest *g, struct thread *t)
{
	uint64_t head[3], entry;

	if (!t->robust_list || !user_read(g, head, t->robust_list, sizeof(head)))
		return;
	entry = head[0];
	for (int i = 0; i < ROBUST_MAX && (entry & ~1ull) != t->robust_list; i++) {
		uint64_t address = entry & ~1ull;

		if (!user_get64(g, address, &entry))
			break;
		release_one(g, t, address + head[1]);
	}
	if (head[2])
		release_one(g, t, (head[2] & ~1ull) + head[1]);
}
