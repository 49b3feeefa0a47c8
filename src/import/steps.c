/* See the header. */
#include "import/steps.h"

#include "import/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 4096 };

struct riscv_follow_step *import_steps_add(struct import_steps *s, struct error *err)
{
	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 4096;
		struct riscv_follow_step *grown = realloc(s->steps, room * sizeof *grown);
		if (!grown) {
			error_set(err, ERROR_SYSTEM, "%s: out of memory for more than %zu instructions", s->place,
				  s->count);
			return NULL;
		}
		s->steps = grown;
		s->room = room;
	}
	struct riscv_follow_step *step = &s->steps[s->count++];
	*step = (struct riscv_follow_step){.pc = 0};
	return step;
}

bool import_steps_wrong(const struct import_steps *s, uint64_t line, struct error *err, const char *why)
{
	return error_set(err, ERROR_INPUT, "%s:%" PRIu64 ": %s", s->place, line, why);
}

void import_steps_destroy(struct import_steps *s)
{
	free(s->steps);
	s->steps = NULL;
	s->count = s->room = 0;
}

/* --- which format --- */

static bool is_text(const char *head, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)head[i] < '\t' || (unsigned char)head[i] > '~')
			return false;
	return true;
}

bool import_steps_parse(struct import_steps *s, FILE *in, const char *head, size_t size, struct error *err)
{
	bool good;
	s->left_what = "lines";
	if (is_text(head, size))
		good = import_spike_is(head, size) ? import_spike(s, in, err) : import_plain(s, in, err);
	else if (import_stf_is(head, size))
		good = import_stf(s, in, err);
	else
		good = import_rvfi_is(head, size) ? import_rvfi(s, in, err) : import_champsim(s, in, err);
	TRY(good);
	if (ferror(in))
		return error_set(err, ERROR_INPUT, "%s: %s", s->place, import_unreadable(in));
	return s->count || error_set(err, ERROR_INPUT, "%s: no instruction in it", s->place);
}

bool import_steps_read(struct import_steps *s, const char *path, struct error *err)
{
	char head[HEAD];
	FILE *in = import_open(path, err);
	TRY(in);
	size_t size = fread(head, 1, sizeof head, in);
	fclose(in);
	TRY(in = import_open(path, err));
	s->place = path;
	bool good = import_steps_parse(s, in, head, size, err);
	fclose(in);
	return good;
}

/* --- the code --- */

static bool is_mapped(const struct address_space *as, uint64_t pc, uint32_t size)
{
	return address_space_allows(as, pc, size, PAGE_EXEC);
}

static bool map_page(struct address_space *as, uint64_t pc, struct error *err)
{
	const uint64_t page = pc & ~(GUEST_PAGE_SIZE - 1);
	return is_mapped(as, pc, 1) ||
	       address_space_map(as, page, GUEST_PAGE_SIZE, PAGE_MAPPED | PAGE_READ | PAGE_EXEC, true, err);
}

/* Pages of the trace's own are writable by nobody but us. */
static bool put_code(struct address_space *as, const struct riscv_follow_step *step, uint32_t size, struct error *err)
{
	TRY(map_page(as, step->pc, err) && map_page(as, step->pc + size - 1, err));
	memcpy(address_space_host(as, step->pc), &step->bits, size);
	return true;
}

bool import_steps_place(const struct import_steps *s, struct address_space *as, const char *program, struct error *err)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct riscv_follow_step *step = &s->steps[i];
		const uint32_t size = !step->bits ? 2 : (step->bits & 3) == 3 ? 4 : 2;
		uint32_t there = 0;
		if ((step->pc & 1) || step->pc >= ADDRESS_SPACE_LIMIT - GUEST_PAGE_SIZE)
			return error_set(err, ERROR_INPUT,
					 "%s: instruction %zu at 0x%" PRIx64
					 ": no address that a program can have here (even, "
					 "below 2^%d)",
					 s->place, i + 1, step->pc, ADDRESS_SPACE_BITS);
		if (!address_space_read(as, &there, step->pc, size) || (step->bits && !there)) {
			if (!step->bits)
				return error_set(err, ERROR_INPUT,
						 "%s: instruction %zu at 0x%" PRIx64 ": %s has no code there", s->place,
						 i + 1, step->pc, program ? program : "the trace alone");
			TRY(put_code(as, step, size, err));
			continue;
		}
		if (step->bits && there != step->bits)
			return error_set(err, ERROR_INPUT,
					 "%s: instruction %zu at 0x%" PRIx64 " is 0x%" PRIx32 ", and %s has 0x%" PRIx32
					 " there: another build, or code that changes",
					 s->place, i + 1, step->pc, step->bits, program ? program : "the trace before",
					 there);
	}
	return true;
}
