/* ITTAGE; the model is described in ittage.h. */
#include "machine/ittage.h"

#include <stdlib.h>

enum {
	ENTRIES_PER_KIB = 16, /* of each table */
	TAG_BITS = 12,
	TARGET_BITS = 39, /* Sv39 */
	CONFIDENCE_MAX = 3,
	ALTERNATE_BITS = 4,
	PRESSURE_MAX = 255,
	RANDOM_SEED = 0x5bd1e995,
	TARGET_HISTORY = 3,
};

static const uint16_t history_length[ITTAGE_TABLES] = {4, 8, 15, 28, 55, 105, 203, 390};

struct ittage *ittage_create(uint32_t kib, struct error *err)
{
	if (kib < 4 || kib > 256 || (kib & (kib - 1))) {
		error_set(err, ERROR_INPUT, "branch.ittage_kib: %u is not a power of two from 4 to 256", kib);
		return NULL;
	}
	struct ittage *t = calloc(1, sizeof *t);
	size_t entries = (size_t)ENTRIES_PER_KIB * kib;
	if (t) {
		t->index_mask = (uint32_t)entries - 1;
		t->log2_entries = (uint32_t)__builtin_ctzll(entries);
		t->random = RANDOM_SEED;
		history_create(&t->history, history_length, ITTAGE_TABLES);
		t->entries = calloc(ITTAGE_TABLES * entries, sizeof *t->entries);
		if (t->entries)
			return t;
	}
	free(t);
	error_set(err, ERROR_SYSTEM, "branch.ittage_kib: out of memory for %u KiB of tables", kib);
	return NULL;
}

void ittage_destroy(struct ittage *t)
{
	if (!t)
		return;
	free(t->entries);
	free(t);
}

uint64_t ittage_storage_bits(const struct ittage *t)
{
	uint64_t bits = ITTAGE_TABLES * ((uint64_t)t->index_mask + 1) * (TAG_BITS + TARGET_BITS + 2 + 1);
	return bits + ALTERNATE_BITS + 8 + 64 + history_length[ITTAGE_TABLES - 1];
}

static struct ittage_entry *entry_of(const struct ittage *t, uint32_t table, const struct ittage_note *note)
{
	return &t->entries[((size_t)table << t->log2_entries) + (note->hash[table] & t->index_mask)];
}

/* Never 0, which marks an empty entry. */
static uint16_t tag_of(const struct ittage_note *note, uint32_t table)
{
	uint16_t tag = (uint16_t)(note->hash[table] >> (32 - TAG_BITS));
	return tag ? tag : 1;
}

static uint32_t matches(const struct ittage *t, uint64_t pc, struct ittage_note *note)
{
	uint64_t pc_part = (pc >> 1) * 0xd6e8feb86659fd93u;
	uint32_t found = 0;
	for (uint32_t i = 0; i < ITTAGE_TABLES; i++) {
		note->hash[i] = history_hash(t->history.now.fold[i] + pc_part);
		found |= (uint32_t)(entry_of(t, i, note)->tag == tag_of(note, i)) << i;
	}
	return found;
}

static uint8_t longest(uint32_t found)
{
	return found ? (uint8_t)(31 - __builtin_clz(found)) : ITTAGE_BASE;
}

static void find_alternate(const struct ittage *t, uint32_t found, bool base_known, uint64_t base,
			   struct ittage_note *note)
{
	note->alternate = longest(found);
	note->alternate_known = note->alternate != ITTAGE_BASE || base_known;
	note->alternate_target = note->alternate == ITTAGE_BASE ? base : entry_of(t, note->alternate, note)->target;
}

bool ittage_predict(const struct ittage *t, uint64_t pc, bool base_known, uint64_t *target, struct ittage_note *note,
		    uint8_t *component)
{
	uint32_t found = matches(t, pc, note);
	note->provider = longest(found);
	note->used_alternate = note->provider == ITTAGE_BASE;
	note->right_known = !note->used_alternate || base_known;
	if (note->provider == ITTAGE_BASE) {
		find_alternate(t, 0, base_known, *target, note);
		return base_known;
	}
	const struct ittage_entry *e = entry_of(t, note->provider, note);
	find_alternate(t, found & ((1u << note->provider) - 1), base_known, *target, note);
	note->provider_target = e->target;
	note->weak = e->confidence == 0;
	note->used_alternate = note->weak && note->alternate_known && t->use_alternate >= 0;
	*target = note->used_alternate ? note->alternate_target : note->provider_target;
	if (!note->used_alternate || note->alternate != ITTAGE_BASE)
		*component = PREDICTOR_ITTAGE;
	return true;
}

void ittage_speculate(struct ittage *t, const struct branch_query *q, bool taken, uint64_t next_pc)
{
	switch (q->kind) {
	case CULPRIT_BRANCH_CONDITIONAL:
		history_push(&t->history, taken, ITTAGE_TABLES);
		break;
	case CULPRIT_BRANCH_INDIRECT_JUMP:
	case CULPRIT_BRANCH_INDIRECT_CALL:
	case CULPRIT_BRANCH_RETURN:
		for (int i = 0; i < TARGET_HISTORY; i++)
			history_push(&t->history, (next_pc >> (1 + i) ^ next_pc >> (4 + i) ^ next_pc >> (7 + i)) & 1,
				     ITTAGE_TABLES);
		break;
	default:
		break;
	}
}

static void entry_train(struct ittage_entry *e, uint64_t target)
{
	if (e->target == target)
		e->confidence += e->confidence < CONFIDENCE_MAX;
	else if (e->confidence)
		e->confidence--;
	else
		e->target = target;
}

static void age(struct ittage *t)
{
	size_t count = ITTAGE_TABLES * ((size_t)t->index_mask + 1);
	for (size_t i = 0; i < count; i++)
		t->entries[i].useful = 0;
	t->pressure = 0;
}

/* One new entry without confidence, in a longer table: the next one, or (one time in four) the one after, or the
 * first from there on whose entry is not useful. */
static void allocate(struct ittage *t, const struct ittage_note *note, uint64_t target)
{
	uint32_t first = note->provider == ITTAGE_BASE ? 0 : note->provider + 1u;
	first += (history_random(&t->random) & 3) == 0;
	for (uint32_t i = first; i < ITTAGE_TABLES; i++) {
		struct ittage_entry *e = entry_of(t, i, note);
		if (e->useful) {
			if (++t->pressure >= PRESSURE_MAX)
				age(t);
			continue;
		}
		*e = (struct ittage_entry){.target = target, .tag = tag_of(note, i)};
		t->pressure -= t->pressure > 0;
		return;
	}
}

static void provider_train(struct ittage *t, const struct ittage_note *note, uint64_t target)
{
	bool right = note->provider_target == target;
	bool alternate_right = note->alternate_known && note->alternate_target == target;
	if (note->weak && note->alternate_known && right != alternate_right)
		counter_step(&t->use_alternate, alternate_right, ALTERNATE_BITS);
	struct ittage_entry *e = entry_of(t, note->provider, note);
	if (e->tag != tag_of(note, note->provider))
		return; /* given away since the prediction */
	entry_train(e, target);
	if (right != alternate_right)
		e->useful = right;
	if (note->weak && !right && note->alternate != ITTAGE_BASE &&
	    entry_of(t, note->alternate, note)->tag == tag_of(note, note->alternate))
		entry_train(entry_of(t, note->alternate, note), target);
}

void ittage_update(struct ittage *t, const struct ittage_note *note, uint64_t target)
{
	uint64_t predicted = note->used_alternate ? note->alternate_target : note->provider_target;
	bool right = note->right_known && predicted == target;
	if (note->provider != ITTAGE_BASE) {
		provider_train(t, note, target);
		right = right || (note->weak && note->provider_target == target);
	}
	if (!right)
		allocate(t, note, target);
}
