/* The guest's pointers: every one is checked against the page permissions before it is followed, so that a bad one is
 * EFAULT and never a host fault. */
#include "guest/process.h"

uint64_t user_span(struct guest *g, uint64_t address, uint64_t size, unsigned perm)
{
	uint64_t done = 0;

	while (done < size) {
		uint64_t at = address + done;
		uint64_t step = GUEST_PAGE_SIZE - (at & (GUEST_PAGE_SIZE - 1));

		if (step > size - done)
			step = size - done;
		if (at < address || !address_space_allows(&g->memory, at, step, perm))
			break;
		done += step;
	}
	return done;
}

bool user_read(struct guest *g, void *to, uint64_t address, uint64_t size)
{
	return !size || address_space_read(&g->memory, to, address, size);
}

bool user_write(struct guest *g, uint64_t address, const void *from, uint64_t size)
{
	return !size || address_space_write(&g->memory, address, from, size);
}

int64_t user_string(struct guest *g, uint64_t address, char *to, size_t size)
{
	for (size_t done = 0; done < size;) {
		uint64_t at = address + done;
		uint64_t step = GUEST_PAGE_SIZE - (at & (GUEST_PAGE_SIZE - 1));
		const char *from, *end;

		if (step > size - done)
			step = size - done;
		if (user_span(g, at, step, PAGE_READ) != step)
			return -GUEST_EFAULT;
		from = (const char *)address_space_host(&g->memory, at);
		end = memchr(from, 0, step);
		memcpy(to + done, from, end ? (size_t)(end - from) + 1 : step);
		if (end)
			return 0;
		done += step;
	}
	return -GUEST_ENAMETOOLONG;
}

bool user_get32(struct guest *g, uint64_t address, uint32_t *value)
{
	return user_read(g, value, address, sizeof(*value));
}

bool user_get64(struct guest *g, uint64_t address, uint64_t *value)
{
	return user_read(g, value, address, sizeof(*value));
}

bool user_put32(struct guest *g, uint64_t address, uint32_t value)
{
	return user_write(g, address, &value, sizeof(value));
}

bool user_put64(struct guest *g, uint64_t address, uint64_t value)
{
	return user_write(g, address, &value, sizeof(value));
}
