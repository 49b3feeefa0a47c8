/* What machine and system the guest is told it runs on. */
#include "guest/calls.h"
#include "guest/process.h"

int64_t sys_uname(struct guest *g, const uint64_t *args)
{
	static const char *const fields[6] = {"Linux", "culprit", GUEST_RELEASE, "#1 SMP", "riscv64", "(none)"};
	char raw[6][65] = {{0}};

	for (int i = 0; i < 6; i++)
		strcpy(raw[i], fields[i]);
	return user_write(g, args[0], raw, sizeof(raw)) ? 0 : -GUEST_EFAULT;
}

int64_t sys_sysinfo(struct guest *g, const uint64_t *args)
{
	uint8_t raw[112] = {0};

	put64(raw, 1000 + clock_now(g) / 1000000000);
	put64(raw + 32, g->memory_limit);
	put64(raw + 40, g->memory_limit - g->memory_used);
	put16(raw + 80, (uint16_t)g->thread_count);
	put32(raw + 104, 1);
	return user_write(g, args[0], raw, sizeof(raw)) ? 0 : -GUEST_EFAULT;
}

/* What riscv_hwprobe says of our core: one row for each key it knows. */
static bool hwprobe_value(const struct guest *g, int64_t key, uint64_t *value)
{
	enum {
		KEY_VENDOR,
		KEY_ARCH,
		KEY_IMPLEMENTATION,
		KEY_BASE,
		KEY_EXTENSIONS,
		KEY_MISALIGNED,
		KEY_ZICBOZ_SIZE,
		KEY_HIGHEST_ADDRESS,
		KEY_TIME_FREQUENCY,
		KEY_MISALIGNED_SCALAR,
		KEY_MISALIGNED_VECTOR
	};
	enum { BASE_IMA = 1, EXTENSION_FD = 1, EXTENSION_C = 2, MISALIGNED_FAST = 3, VECTOR_UNSUPPORTED = 4 };

	switch (key) {
	case KEY_VENDOR:
	case KEY_ARCH:
	case KEY_IMPLEMENTATION:
		*value = 0;
		return true;
	case KEY_ZICBOZ_SIZE:
		*value = g->isa.extensions & RISCV_EXT_ZICBO ? 64 : 0; /* CACHE_BLOCK_BYTES */
		return true;
	case KEY_BASE:
		*value = BASE_IMA;
		return true;
	case KEY_EXTENSIONS:
		*value = EXTENSION_FD | EXTENSION_C | riscv_isa_hwprobe(&g->isa);
		return true;
	case KEY_MISALIGNED:
	case KEY_MISALIGNED_SCALAR:
		*value = MISALIGNED_FAST;
		return true;
	case KEY_HIGHEST_ADDRESS:
		*value = ADDRESS_SPACE_LIMIT - 1;
		return true;
	case KEY_TIME_FREQUENCY:
		*value = 10000000; /* of the time CSR: riscv/csr.c */
		return true;
	case KEY_MISALIGNED_VECTOR:
		*value = g->isa.extensions & RISCV_EXT_V ? MISALIGNED_FAST : VECTOR_UNSUPPORTED;
		return true;
	default:
		*value = 0;
		return false;
	}
}

int64_t sys_riscv_hwprobe(struct guest *g, const uint64_t *args)
{
	if (args[4]) /* WHICH_CPUS and later: not offered */
		return -GUEST_EINVAL;
	for (uint64_t i = 0; i < args[1]; i++) {
		uint64_t pair[2];

		if (guest_stopping(g))
			return -GUEST_EINTR;
		if (!user_read(g, pair, args[0] + 16 * i, sizeof(pair)))
			return -GUEST_EFAULT;
		if (!hwprobe_value(g, (int64_t)pair[0], &pair[1]))
			pair[0] = UINT64_MAX;
		if (!user_write(g, args[0] + 16 * i, pair, sizeof(pair)))
			return -GUEST_EFAULT;
	}
	return 0;
}

int64_t sys_membarrier(struct guest *g, const uint64_t *args)
{
	enum { QUERY = 0, PRIVATE_EXPEDITED = 8, REGISTER_PRIVATE_EXPEDITED = 16 };

	if (args[0] == QUERY)
		return PRIVATE_EXPEDITED | REGISTER_PRIVATE_EXPEDITED;
	return args[0] == PRIVATE_EXPEDITED || args[0] == REGISTER_PRIVATE_EXPEDITED ? 0 : -GUEST_EINVAL;
}

/* One node of memory, and no policy. */
int64_t sys_get_mempolicy(struct guest *g, const uint64_t *args)
{
	enum { NODE = 1, ADDRESS = 2, ALLOWED = 4, NODES_MAX = 8 * GUEST_PAGE_SIZE };
	uint64_t flags = args[4], bytes = args[2] ? (args[2] + 62) / 64 * 8 : 0;

	if ((flags & ~7ull) || ((flags & ALLOWED) && (flags & (NODE | ADDRESS))) || (!(flags & ADDRESS) && args[3]) ||
	    (flags & (NODE | ADDRESS)) == NODE)
		return -GUEST_EINVAL;
	if (args[1] && (!args[2] || args[2] > NODES_MAX))
		return -GUEST_EINVAL;
	if (args[0] && !user_put32(g, args[0], 0))
		return -GUEST_EFAULT;
	for (uint64_t at = 0; args[1] && at < bytes; at += 8)
		if (!user_put64(g, args[1] + at, !at && (flags & ALLOWED)))
			return -GUEST_EFAULT;
	return 0;
}
