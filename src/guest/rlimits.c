/* Resource limits, as getrlimit and /proc/PID/limits tell them. They follow from what the guest may use and cannot be
 * changed; setting one is accepted. */
#include "guest/calls.h"
#include "guest/files.h"
#include "guest/path.h"

enum limit {
	LIMIT_CPU,
	LIMIT_FSIZE,
	LIMIT_DATA,
	LIMIT_STACK,
	LIMIT_CORE,
	LIMIT_RSS,
	LIMIT_NPROC,
	LIMIT_NOFILE,
	LIMIT_MEMLOCK,
	LIMIT_AS,
	LIMIT_LOCKS,
	LIMIT_SIGPENDING,
	LIMIT_MSGQUEUE,
	LIMIT_NICE,
	LIMIT_RTPRIO,
	LIMIT_RTTIME,
	LIMITS
};

static bool limit_of(const struct guest *g, uint64_t resource, uint64_t *limit)
{
	*limit = UINT64_MAX;
	switch (resource) {
	case LIMIT_STACK:
		*limit = g->space->map.stack_end - g->space->map.stack_start;
		break;
	case LIMIT_NOFILE:
		*limit = GUEST_FILES;
		break;
	case LIMIT_NPROC:
	case LIMIT_SIGPENDING:
		*limit = 4096;
		break;
	case LIMIT_MEMLOCK:
		*limit = 8 << 20;
		break;
	case LIMIT_CORE:
	case LIMIT_NICE:
	case LIMIT_RTPRIO:
	case LIMIT_MSGQUEUE:
		*limit = 0;
		break;
	default:
		break;
	}
	return resource < LIMITS;
}

/* Only the stack's could be raised. */
static uint64_t hard_limit(uint64_t resource, uint64_t soft)
{
	return resource == LIMIT_STACK ? UINT64_MAX : soft;
}

static int64_t put_limit(struct guest *g, uint64_t resource, uint64_t address)
{
	uint64_t limit[2];

	if (!limit_of(g, resource, &limit[0]))
		return -GUEST_EINVAL;
	limit[1] = hard_limit(resource, limit[0]);
	return !address || user_write(g, address, limit, sizeof(limit)) ? 0 : -GUEST_EFAULT;
}

int64_t sys_getrlimit(struct guest *g, const uint64_t *args)
{
	return put_limit(g, args[0], args[1]);
}

int64_t sys_setrlimit(struct guest *g, const uint64_t *args)
{
	uint64_t limit[2];

	return user_read(g, limit, args[1], sizeof(limit)) ? 0 : -GUEST_EFAULT;
}

int64_t sys_prlimit64(struct guest *g, const uint64_t *args)
{
	uint64_t limit[2];

	if (args[0] && !process_find(g, (int)args[0]))
		return -GUEST_ESRCH;
	if (args[2] && !user_read(g, limit, args[2], sizeof(limit)))
		return -GUEST_EFAULT;
	return put_limit(g, args[1], args[3]);
}

static void print_limit(FILE *out, uint64_t limit)
{
	if (limit == UINT64_MAX)
		fprintf(out, "%-20s ", "unlimited");
	else
		fprintf(out, "%-20lu ", (unsigned long)limit);
}

void text_limits(struct guest *g, FILE *out)
{
	static const struct {
		const char *name, *unit;
	} rows[LIMITS] = {
		[LIMIT_CPU] = {"Max cpu time", "seconds"},
		[LIMIT_FSIZE] = {"Max file size", "bytes"},
		[LIMIT_DATA] = {"Max data size", "bytes"},
		[LIMIT_STACK] = {"Max stack size", "bytes"},
		[LIMIT_CORE] = {"Max core file size", "bytes"},
		[LIMIT_RSS] = {"Max resident set", "bytes"},
		[LIMIT_NPROC] = {"Max processes", "processes"},
		[LIMIT_NOFILE] = {"Max open files", "files"},
		[LIMIT_MEMLOCK] = {"Max locked memory", "bytes"},
		[LIMIT_AS] = {"Max address space", "bytes"},
		[LIMIT_LOCKS] = {"Max file locks", "locks"},
		[LIMIT_SIGPENDING] = {"Max pending signals", "signals"},
		[LIMIT_MSGQUEUE] = {"Max msgqueue size", "bytes"},
		[LIMIT_NICE] = {"Max nice priority", ""},
		[LIMIT_RTPRIO] = {"Max realtime priority", ""},
		[LIMIT_RTTIME] = {"Max realtime timeout", "us"},
	};

	fprintf(out, "%-25s %-20s %-20s %-10s\n", "Limit", "Soft Limit", "Hard Limit", "Units");
	for (uint64_t i = 0; i < LIMITS; i++) {
		uint64_t limit;

		limit_of(g, i, &limit);
		fprintf(out, "%-25s ", rows[i].name);
		print_limit(out, limit);
		print_limit(out, hard_limit(i, limit));
		fprintf(out, *rows[i].unit ? "%-10s\n" : "%s\n", rows[i].unit);
	}
}
