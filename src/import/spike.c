/* Commit logs of Spike (--log-commits), and of RTL that prints the same:
 *
 *     core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000
 *     core   0: 3 0x0000000080000004 (0x0002b303) x6  0x0000000000000001 mem 0x0000000080000100
 *     core   0: 3 0x0000000080000008 (0x0062b023) mem 0x0000000080000100 0x0000000000000001
 *
 * Privilege, address, encoding; then what was written: x and f registers, other registers (c768_mstatus), memory:
 * with a value it was stored, without it was loaded. Of vectors a width, a multiplier and a length come first, which
 * have no value (e32 m1 l4). Older ones print `x 5` for x5 and no core, others its number alone:
 *
 *     3 0x0000000080000000 (0x00000297) x 5 0x0000000080000000
 *     0 3 0x0000000080000000 (0x00000297) x 5 0x0000000080000000
 *
 * Lines without a privilege are Spike's -l. They tell what it began, the others what it completed. So they count only
 * in a log that has no others, and one that a trap is told of does not:
 *
 *     core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0
 *     core   0: exception trap_illegal_instruction, epc 0x0000000080000000
 *
 * All other lines are left out. */
#include "import/steps.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

/* 0x...; of a wider value the lowest 64 bits. */
static bool take_hex(const char **at, uint64_t *value)
{
	const char *text = skip_blanks(*at);
	if (strncmp(text, "0x", 2) != 0)
		return false;
	text += 2;
	const size_t digits = strspn(text, "0123456789abcdefABCDEF");
	if (!digits)
		return false;
	char low[17] = "";
	const size_t kept = digits > 16 ? 16 : digits;
	memcpy(low, text + digits - kept, kept);
	*value = strtoull(low, NULL, 16);
	*at = text + digits;
	return true;
}

static bool take_count(const char **at, uint64_t *value)
{
	char *end;
	if (!isdigit((unsigned char)**at))
		return false;
	*value = strtoull(*at, &end, 10);
	*at = end;
	return true;
}

/* "core   0: 3 0x...", "0 3 0x..." or "3 0x...": behind the privilege, or NULL. */
static const char *head(const char *text, uint64_t *hart)
{
	const bool named = !strncmp(text, "core", 4);
	uint64_t privilege;
	*hart = 0;
	if (named) {
		text = skip_blanks(text + 4);
		if (!take_count(&text, hart) || *text++ != ':')
			return NULL;
		text = skip_blanks(text);
	}
	if (!take_count(&text, &privilege) || *text != ' ')
		return NULL;
	if (!named && isdigit((unsigned char)text[1]) && text[2] == ' ') {
		*hart = privilege;
		text += 2;
	}
	return !strncmp(skip_blanks(text), "0x", 2) ? text : NULL;
}

/* Is there a line of a commit log? */
bool import_spike_is(const char *text, size_t size)
{
	for (const char *line = text, *end = text + size; line < end;) {
		char copy[64];
		const char *stop = memchr(line, '\n', (size_t)(end - line)), *at;
		const size_t length = stop ? (size_t)(stop - line) : (size_t)(end - line);
		uint64_t value;
		snprintf(copy, sizeof copy, "%.*s", (int)(length < sizeof copy ? length : sizeof copy - 1), line);
		if (!strncmp(copy, "core ", 5))
			return true;
		at = head(copy, &value);
		if (at && take_hex(&at, &value) && *skip_blanks(at) == '(')
			return true;
		line += length + 1;
	}
	return false;
}

/* "x5", "x 5", "f31": x0 to x31, f0 to f31, and no others. */
static bool is_register(const char *name)
{
	return strtoul(name + 1, NULL, 10) < 32;
}

struct spike {
	struct import_steps *s;
	uint64_t hart;
	bool completed; /* there was a line with a privilege */
};

static const char second_core[] = "a second core: the trace of one is needed";
static const char no_line[] = "not `core N: PRIVILEGE 0xPC (0xBITS) WRITES...`";

/* What was written; NULL, or what is wrong. Values of registers: into the step, if it is its destination's. The last
 * one counts. */
static const char *take_writes(struct riscv_follow_step *step, const char *at)
{
	uint64_t value = 0, address = 0;
	while (*(at = skip_blanks(at))) {
		size_t name = strcspn(at, " \t");
		const bool memory = name == 3 && !strncmp(at, "mem", 3);
		const bool plain = (*at == 'x' || *at == 'f') && strspn(at + 1, "0123456789") == name - 1;
		const bool vector = (*at == 'e' || *at == 'm' || *at == 'l') && isalnum((unsigned char)at[1]) &&
				    !memory;
		if (plain && name == 1 && at[1] == ' ' && isdigit((unsigned char)at[2]))
			name = 2 + strspn(at + 2, "0123456789");
		if (plain && !is_register(at))
			return "a register that there is not: they are x0 to x31 and f0 to f31";
		at += name;
		if (vector && strncmp(skip_blanks(at), "0x", 2) != 0)
			continue;
		if (!take_hex(&at, memory ? &address : &value))
			return no_line;
		if (plain) {
			step->value = value;
			step->flags = (step->flags & ~(uint32_t)RISCV_FOLLOW_STORED) | RISCV_FOLLOW_VALUE;
		}
		if (!memory)
			continue;
		step->address = address;
		step->flags |= RISCV_FOLLOW_ADDRESS;
		const char *more = at;
		if (!take_hex(&more, &value))
			continue;
		at = more;
		if (!(step->flags & RISCV_FOLLOW_VALUE)) { /* of an atomic one its register's is kept */
			step->value = value;
			step->flags |= RISCV_FOLLOW_STORED;
		}
	}
	return NULL;
}

/* "0xPC (0xBITS)"; *at moves behind it. */
static bool take_code(const char **at, struct riscv_follow_step *step)
{
	uint64_t bits = 0;
	if (!take_hex(at, &step->pc))
		return false;
	*at = skip_blanks(*at);
	if (*(*at)++ != '(' || !take_hex(at, &bits) || *(*at)++ != ')' || bits > UINT32_MAX || !bits)
		return false;
	step->bits = (bits & 3) == 3 ? (uint32_t)bits : (uint32_t)(bits & 0xffff);
	return true;
}

/* A line of -l, or of a trap. The last instruction of -l did not complete if a trap is told of its address. */
static bool read_listed(struct spike *k, const char *text, uint64_t line, struct error *err)
{
	struct import_steps *s = k->s;
	struct riscv_follow_step listed = {.pc = 0};
	uint64_t which, epc;
	if (strncmp(text, "core", 4) != 0)
		return true;
	text = skip_blanks(text + 4);
	if (!take_count(&text, &which) || *text++ != ':')
		return true;
	text = skip_blanks(text);
	const char *trap = !strncmp(text, "exception ", 10) ? strstr(text, "epc ") : NULL;
	if (trap && (trap += 4) && take_hex(&trap, &epc) && s->count && s->steps[s->count - 1].pc == epc)
		s->count--;
	if (!take_code(&text, &listed))
		return true;
	if (s->count && which != k->hart)
		return import_steps_wrong(s, line, err, second_core);
	k->hart = which;
	struct riscv_follow_step *step = import_steps_add(s, err);
	TRY(step);
	*step = listed;
	return true;
}

static bool read_line(struct spike *k, const char *text, uint64_t line, struct error *err)
{
	uint64_t which = 0;
	const char *at = head(text, &which);
	if (!at) {
		const size_t before = k->s->count;
		TRY(k->completed || read_listed(k, text, line, err));
		k->s->left_out += 1 + (before - k->s->count); /* not the line of an instruction; or it takes one back */
		return true;
	}
	if (!k->completed) { /* what was listed did not count */
		k->s->left_out += k->s->count;
		k->s->count = 0;
	}
	k->completed = true;
	if (k->s->count && which != k->hart)
		return import_steps_wrong(k->s, line, err, second_core);
	k->hart = which;
	struct riscv_follow_step *step = import_steps_add(k->s, err);
	TRY(step);
	const char *why = take_code(&at, step) ? take_writes(step, at) : no_line;
	return !why || import_steps_wrong(k->s, line, err, why);
}

bool import_spike(struct import_steps *s, FILE *in, struct error *err)
{
	char *text = NULL;
	size_t room = 0;
	uint64_t line = 0;
	struct spike k = {.s = s};
	bool good = true;
	s->has_code = true;
	s->format = "commit log";
	while (good && getline(&text, &room, in) > 0) {
		text[strcspn(text, "\r\n")] = 0;
		good = read_line(&k, text, ++line, err);
	}
	free(text);
	if (!k.completed)
		s->format = "Spike's -l";
	return good;
}
