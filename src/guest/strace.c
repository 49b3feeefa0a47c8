/* --strace: each call on a line of stderr, with its arguments as the table describes them and its result. */
#include "guest/process.h"

#include <ctype.h>

struct call_description {
	const char *name, *arguments;
};

static const struct call_description *describe(uint64_t number)
{
	static const struct call_description descriptions[] = {
#define SYSCALL(nr, call, handler, kinds) [nr] = {#call, kinds},
#include "guest/syscalls.def"
#undef SYSCALL
	};

	if (number >= sizeof(descriptions) / sizeof(*descriptions) || !descriptions[number].name)
		return NULL;
	return &descriptions[number];
}

const char *syscall_name(uint64_t number)
{
	const struct call_description *d = describe(number);

	return d ? d->name : NULL;
}

static void print_text(const char *text, size_t length, bool cut)
{
	fputc('"', stderr);
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\n')
			fputs("\\n", stderr);
		else if (isprint(c) && c != '"' && c != '\\')
			fputc(c, stderr);
		else
			fprintf(stderr, "\\%03o", c);
	}
	fputs(cut ? "\"..." : "\"", stderr);
}

static void print_string(struct guest *g, uint64_t address)
{
	char text[GUEST_PATH_MAX];

	if (user_string(g, address, text, sizeof(text)))
		fprintf(stderr, "0x%lx", (unsigned long)address);
	else
		print_text(text, strlen(text), false);
}

static void print_bytes(struct guest *g, uint64_t address, uint64_t length)
{
	char text[32];
	size_t shown = length < sizeof(text) ? length : sizeof(text);

	if (!user_read(g, text, address, shown))
		fprintf(stderr, "0x%lx", (unsigned long)address);
	else
		print_text(text, shown, shown < length);
}

static void print_argument(struct guest *g, char kind, const uint64_t *arg)
{
	switch (kind) {
	case 's':
		print_string(g, *arg);
		break;
	case 'b':
		print_bytes(g, arg[0], arg[1]);
		break;
	case 'f':
		if ((int)*arg == GUEST_AT_FDCWD)
			fputs("AT_FDCWD", stderr);
		else
			fprintf(stderr, "%d", (int)*arg);
		break;
	case 'd':
		fprintf(stderr, "%ld", (long)*arg);
		break;
	case 'u':
		fprintf(stderr, "%lu", (unsigned long)*arg);
		break;
	case 'o':
		fprintf(stderr, "0%lo", (unsigned long)*arg);
		break;
	case 'p':
		fprintf(stderr, *arg ? "0x%lx" : "NULL", (unsigned long)*arg);
		break;
	default:
		fprintf(stderr, "0x%lx", (unsigned long)*arg);
	}
}

void strace_call(struct guest *g, uint64_t number, const uint64_t *args)
{
	const struct call_description *d = describe(number);

	if (g->thread_count > 1)
		fprintf(stderr, "[%d] ", g->current->tid);
	if (!d) {
		fprintf(stderr, "syscall_%lu(0x%lx, 0x%lx, 0x%lx)", (unsigned long)number, (unsigned long)args[0],
			(unsigned long)args[1], (unsigned long)args[2]);
		return;
	}
	fprintf(stderr, "%s(", d->name);
	for (size_t i = 0; d->arguments[i]; i++) {
		if (i)
			fputs(", ", stderr);
		print_argument(g, d->arguments[i], &args[i]);
	}
	fputc(')', stderr);
}

void strace_result(struct guest *g, uint64_t number, int64_t result)
{
	const char *name = result < 0 && result > -4096 ? guest_errno_name((int)-result) : NULL;

	if (result == CALL_BLOCKED)
		fputs(" waits\n", stderr);
	else if (result == CALL_NO_RESULT)
		fputc('\n', stderr);
	else if (name)
		fprintf(stderr, " = -1 %s\n", name);
	else if (result > 1 << 20 || result < -(1 << 20))
		fprintf(stderr, " = 0x%lx\n", (unsigned long)result);
	else
		fprintf(stderr, " = %ld\n", (long)result);
}
