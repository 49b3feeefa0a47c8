/* From call number to handler, by the table. */
#include "guest/calls.h"
#include "guest/process.h"

#include <errno.h>
#include <stdarg.h>

#define CALLS 512

static call_handler *const handlers[CALLS] = {
#define SYSCALL(number, name, handler, arguments) [number] = sys_##handler,
#include "guest/syscalls.def"
#undef SYSCALL
};

/* A line of our own about the guest, unless it runs for a comparison that must not be heard. */
void guest_complain(struct guest *g, const char *format, ...)
{
	va_list args;

	if (g->silent)
		return;
	fprintf(stderr, "culprit: %s: ", g->space->program_path);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static int64_t unknown_call(struct guest *g, uint64_t number)
{
	unsigned slot = number < CALLS ? (unsigned)number : 0;

	if (!(g->complained[slot / 8] >> slot % 8 & 1))
		guest_complain(g, "unknown system call %lu, answered with ENOSYS", (unsigned long)number);
	g->complained[slot / 8] |= (uint8_t)(1 << slot % 8);
	return -GUEST_ENOSYS;
}

/* Known, but offered by no row's own handler: said once by name, as a program may then behave unlike elsewhere. */
static void note_unsupported(struct guest *g, uint64_t number)
{
	if (g->complained[number / 8] >> number % 8 & 1)
		return;
	g->complained[number / 8] |= (uint8_t)(1 << number % 8);
	guest_complain(g, "system call %s is not offered, answered with ENOSYS", syscall_name(number));
}

int64_t syscall_dispatch(struct guest *g, uint64_t number, const uint64_t *args)
{
	if (number >= CALLS || !handlers[number])
		return unknown_call(g, number);
	if (handlers[number] == sys_not_supported)
		note_unsupported(g, number);
	errno = 0;
	int64_t result = handlers[number](g, args);
	if (errno == ENOMEM) /* the host's lack is none of the guest's business: it would see another system */
		g->state = GUEST_FAILED;
	return result;
}
