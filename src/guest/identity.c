/* Who a process is and what it may use: a machine with one core and one user. */
#include "guest/calls.h"
#include "guest/files.h"
#include "guest/process.h"

int64_t sys_getpid(struct guest *g, const uint64_t *args)
{
	return g->process->pid;
}

int64_t sys_getppid(struct guest *g, const uint64_t *args)
{
	return g->process->parent;
}

int64_t sys_gettid(struct guest *g, const uint64_t *args)
{
	return g->current->tid;
}

int64_t sys_getuid(struct guest *g, const uint64_t *args)
{
	return GUEST_UID;
}

int64_t sys_getresuid(struct guest *g, const uint64_t *args)
{
	for (int i = 0; i < 3; i++)
		if (!user_put32(g, args[i], GUEST_UID))
			return -GUEST_EFAULT;
	return 0;
}

/* Becoming oneself is allowed, -1 keeps. */
int64_t sys_setuid(struct guest *g, const uint64_t *args)
{
	return (uint32_t)args[0] == GUEST_UID || (int)args[0] == -1 ? 0 : -GUEST_EPERM;
}

int64_t sys_getgroups(struct guest *g, const uint64_t *args)
{
	return 0;
}

int64_t sys_getpgid(struct guest *g, const uint64_t *args)
{
	struct process *p = args[0] ? process_find(g, (int)args[0]) : g->process;

	return p ? p->group : -GUEST_ESRCH;
}

int64_t sys_getsid(struct guest *g, const uint64_t *args)
{
	struct process *p = args[0] ? process_find(g, (int)args[0]) : g->process;

	return p ? p->session : -GUEST_ESRCH;
}

static bool group_exists(const struct guest *g, int group, int session)
{
	for (const struct process *p = g->processes; p; p = p->next)
		if (p->group == group && p->session == session)
			return true;
	return false;
}

int64_t sys_setpgid(struct guest *g, const uint64_t *args)
{
	struct process *p = args[0] ? process_find(g, (int)args[0]) : g->process;
	int group = args[1] ? (int)args[1] : p ? p->pid : 0;

	if (group < 0)
		return -GUEST_EINVAL;
	if (!p || (p != g->process && p->parent != g->process->pid))
		return -GUEST_ESRCH;
	if (p != g->process && p->executed)
		return -GUEST_EACCES;
	if (p->session != g->process->session || p->session == p->pid ||
	    (group != p->pid && !group_exists(g, group, p->session)))
		return group == p->group ? 0 : -GUEST_EPERM;
	p->group = group;
	return 0;
}

int64_t sys_setsid(struct guest *g, const uint64_t *args)
{
	struct process *p = g->process;

	if (p->group == p->pid)
		return -GUEST_EPERM; /* already a group leader */
	p->group = p->session = p->pid;
	p->terminal = NULL;
	return p->pid;
}

/* Vectors are always on; a program may ask for that, and for no less. */
enum { VECTOR_DEFAULT = 0, VECTOR_OFF = 1, VECTOR_ON = 2 };

static int64_t vector_control(const struct guest *g, uint64_t control)
{
	uint64_t now = control & 3, next = control >> 2 & 3;

	if (!(g->isa.extensions & RISCV_EXT_V) || control >> 5 || now > VECTOR_ON || next > VECTOR_ON)
		return -GUEST_EINVAL;
	return now == VECTOR_OFF || next == VECTOR_OFF ? -GUEST_EPERM : 0;
}

/* Of the ambient capabilities there are none: they can be asked for, lowered and cleared. */
static int64_t ambient(uint64_t what, uint64_t capability)
{
	enum { IS_SET = 1, RAISE, LOWER, CLEAR_ALL, LAST = 40 };

	if (what < IS_SET || what > CLEAR_ALL || capability > (what == CLEAR_ALL ? 0 : LAST))
		return -GUEST_EINVAL;
	return what == RAISE ? -GUEST_EPERM : 0;
}

/* The header: version and process. *words: of data for each of effective, permitted and inheritable. */
static int64_t capability_header(struct guest *g, uint64_t address, int *pid, unsigned *words)
{
	enum { FIRST = 0x19980330, SECOND = 0x20071026, THIRD = 0x20080522 };
	uint32_t raw[2];

	if (!user_read(g, raw, address, sizeof(raw)))
		return -GUEST_EFAULT;
	*pid = (int)raw[1];
	*words = raw[0] == FIRST ? 1 : 2;
	if (raw[0] == FIRST || raw[0] == SECOND || raw[0] == THIRD)
		return 0;
	return user_put32(g, address, THIRD) ? -GUEST_EINVAL : -GUEST_EFAULT;
}

int64_t sys_capget(struct guest *g, const uint64_t *args)
{
	static const uint32_t none[6];
	unsigned words;
	int pid;
	int64_t result = capability_header(g, args[0], &pid, &words);

	if (result || !args[1])
		return result == -GUEST_EINVAL && !args[1] ? 0 : result;
	if (pid < 0)
		return -GUEST_EINVAL;
	if (pid && !thread_find(g, pid))
		return -GUEST_ESRCH;
	return user_write(g, args[1], none, 12 * words) ? 0 : -GUEST_EFAULT;
}

int64_t sys_capset(struct guest *g, const uint64_t *args)
{
	uint32_t wanted[6] = {0};
	unsigned words;
	int pid;
	int64_t result = capability_header(g, args[0], &pid, &words);

	if (result)
		return result;
	if (pid && pid != g->current->tid)
		return -GUEST_EPERM;
	if (!user_read(g, wanted, args[1], 12 * words))
		return -GUEST_EFAULT;
	for (unsigned i = 0; i < 3 * words; i++)
		if (wanted[i])
			return -GUEST_EPERM;
	return 0;
}

int64_t sys_prctl(struct guest *g, const uint64_t *args)
{
	enum {
		SET_PDEATHSIG = 1,
		GET_DUMPABLE = 3,
		SET_DUMPABLE = 4,
		GET_KEEPCAPS = 7,
		SET_KEEPCAPS = 8,
		SET_NAME = 15,
		GET_NAME = 16,
		GET_SECCOMP = 21,
		CAPBSET_READ = 23,
		CAPBSET_DROP = 24,
		SET_TIMERSLACK = 29,
		GET_TIMERSLACK = 30,
		SET_NO_NEW_PRIVS = 38,
		GET_NO_NEW_PRIVS = 39,
		SET_THP_DISABLE = 41,
		GET_THP_DISABLE = 42,
		CAP_AMBIENT = 47,
		LAST_CAPABILITY = 40,
		RISCV_V_SET_CONTROL = 69,
		RISCV_V_GET_CONTROL = 70,
		SET_VMA = 0x53564d41
	};
	struct thread *t = g->current;
	char name[16] = {0};

	switch (args[0]) {
	case SET_NAME:
		if (user_string(g, args[1], name, sizeof(name)) == -GUEST_EFAULT)
			return -GUEST_EFAULT;
		name[15] = 0;
		memcpy(t->name, name, sizeof(name));
		return 0;
	case GET_NAME:
		return user_write(g, args[1], t->name, sizeof(t->name)) ? 0 : -GUEST_EFAULT;
	case RISCV_V_SET_CONTROL:
		return vector_control(g, args[1]);
	case RISCV_V_GET_CONTROL:
		return g->isa.extensions & RISCV_EXT_V ? VECTOR_ON : -GUEST_EINVAL;
	case GET_DUMPABLE:
	case GET_NO_NEW_PRIVS:
		return 1;
	case GET_TIMERSLACK:
		return 50000;
	case CAPBSET_READ:
		return args[1] <= LAST_CAPABILITY ? 1 : -GUEST_EINVAL;
	case CAPBSET_DROP:
		return -GUEST_EPERM;
	case CAP_AMBIENT:
		return ambient(args[1], args[2]);
	case GET_KEEPCAPS:
	case GET_SECCOMP:
	case GET_THP_DISABLE:
		return 0;
	case SET_KEEPCAPS:
	case SET_PDEATHSIG:
	case SET_DUMPABLE:
	case SET_TIMERSLACK:
	case SET_NO_NEW_PRIVS:
	case SET_THP_DISABLE:
		return 0;
	default:
		return -GUEST_EINVAL;
	}
}

int64_t sys_accept_quietly(struct guest *g, const uint64_t *args)
{
	return 0;
}

int64_t sys_personality(struct guest *g, const uint64_t *args)
{
	return 0;
}

int64_t sys_not_supported(struct guest *g, const uint64_t *args)
{
	return -GUEST_ENOSYS;
}

/* As a kernel answers that has it switched off: programs go on without, and nothing need be said. */
int64_t sys_unavailable(struct guest *g, const uint64_t *args)
{
	return -GUEST_EOPNOTSUPP;
}

int64_t sys_not_permitted(struct guest *g, const uint64_t *args)
{
	return -GUEST_EPERM;
}
