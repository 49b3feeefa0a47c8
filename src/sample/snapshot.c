/* A snapshot is numbers of seven bits a byte: how many instructions; of each the distance of its address to the one
 * before, whether a call went there, cycles with commits, executions, how many counters are not 0; of these, index and
 * value. */
#include "sample/snapshot.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct insn_cycles_site) % sizeof(uint64_t) == 0, "nothing but counters");

static void put(struct bytes *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		bytes_put(to, (value & 0x7f) | 0x80, 1);
	bytes_put(to, value, 1);
}

static uint64_t get(struct cursor *from)
{
	uint64_t value = 0, byte = 0x80;
	for (unsigned at = 0; at < 64 && (byte & 0x80) && !from->failed; at += 7) {
		byte = cursor_get(from, 1);
		value |= (byte & 0x7f) << at;
	}
	return value;
}

static void put_site(struct bytes *to, const struct insn_cycles_site *site)
{
	uint64_t counters[SNAPSHOT_COUNTERS], n = 0;
	memcpy(counters, site, sizeof counters);
	for (size_t i = 0; i < SNAPSHOT_COUNTERS; i++)
		n += counters[i] != 0;
	put(to, n);
	for (size_t i = 0; i < SNAPSHOT_COUNTERS; i++)
		if (counters[i]) {
			put(to, i);
			put(to, counters[i]);
		}
}

void snapshot_write(const struct insn_cycles *p, struct bytes *to)
{
	uint64_t before = 0;
	put(to, p->entry_count);
	for (size_t i = 0; i < p->entry_count; i++) {
		const struct insn_cycles_entry *e = &p->entries[i];
		put(to, e->pc - before);
		put(to, e->entry);
		put(to, e->commit_cycles);
		put(to, e->count);
		put_site(to, e->site);
		before = e->pc;
	}
}

/* --- profiles --- */

static bool no_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for the samples' instructions");
}

struct insn_cycles_place *snapshot_place(struct insn_cycles *to, uint64_t pc, bool entry, bool counters)
{
	struct insn_cycles_page *page = insn_cycles_page(to, pc >> INSN_CYCLES_PAGE_BITS);
	const size_t at = pc >> 1 & (INSN_CYCLES_PLACES - 1);
	struct insn_cycles_place *place = page ? &page->places[at] : NULL;
	if (!place)
		return NULL;
	page->entries[at] |= entry;
	if (counters && !place->site && !(place->site = calloc(1, sizeof *place->site)))
		return NULL;
	return place;
}

/* A snapshot, `sign` times: 1, or -1 as an unsigned number, whose sums wrap to the difference. */
static bool add_snapshot(struct insn_cycles *to, struct cursor from, uint64_t sign, struct error *err)
{
	uint64_t pc = 0;
	for (uint64_t left = get(&from); left && !from.failed; left--) {
		pc += get(&from);
		const bool entry = get(&from) != 0;
		const uint64_t commit = get(&from), count = get(&from), counters = get(&from);
		struct insn_cycles_place *place = snapshot_place(to, pc, entry, counters != 0);
		if (!place)
			return no_memory(err);
		place->commit_cycles += sign * commit;
		place->count += sign * count;
		for (uint64_t i = 0; i < counters && !from.failed; i++) {
			const uint64_t index = get(&from), value = get(&from);
			if (index >= SNAPSHOT_COUNTERS)
				return error_set(err, ERROR_INTERNAL, "a sample's instructions are not whole");
			((uint64_t *)(void *)place->site)[index] += sign * value;
		}
	}
	return !from.failed || error_set(err, ERROR_INTERNAL, "a sample's instructions are not whole");
}

bool snapshot_unit(const struct sample_unit *u, struct insn_cycles *part, struct error *err)
{
	const struct commit_stack_params none = {0, 0, 0};
	size_t count;
	TRY(insn_cycles_create(part, &none, 0, err));
	if (u->places[1].size)
		TRY(add_snapshot(part, (struct cursor){.at = u->places[1].at, .left = u->places[1].size}, 1, err));
	if (u->places[0].size)
		TRY(add_snapshot(part, (struct cursor){.at = u->places[0].at, .left = u->places[0].size}, UINT64_MAX,
				 err));
	return insn_cycles_finish(part, &count, err);
}
