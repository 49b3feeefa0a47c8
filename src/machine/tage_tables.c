/* TAGE proper: base table, tagged tables, choice of provider, training, allocation, ageing of the useful bits. */
#include "machine/tage.h"

enum {
	COUNTER_BITS = 3,
	COUNTER_STRONG = 7, /* |2c + 1| of a saturated counter */
	USEFUL_MAX = 3,
	ALTERNATE_BITS = 4,
	PRESSURE_MAX = 1023,
	ALLOCATE_EXTRA = 1, /* entries allocated on a misprediction beyond the first */
};

static struct tage_entry *entry_of(const struct tage *t, uint32_t table, const struct tage_note *note)
{
	uint32_t bits = t->geometry->log2_entries;
	return &t->entries[((size_t)table << bits) + (note->hash[table] & ((1u << bits) - 1))];
}

static uint16_t tag_of(const struct tage *t, uint32_t table, const struct tage_note *note)
{
	return (uint16_t)(note->hash[table] >> 16 & t->tag_mask[table]);
}

static uint8_t *base_of(const struct tage *t, uint64_t pc)
{
	return &t->base.counter[pc >> 1 & t->base.mask];
}

static int strength(int8_t counter)
{
	int doubled = 2 * counter + 1;
	return doubled < 0 ? -doubled : doubled;
}

/* Bit i set: table i holds the branch. (Everything in locals: a store to the note would make the compiler reload.) */
static uint32_t matches(const struct tage *t, uint64_t pc, struct tage_note *note)
{
	const struct tage_entry *table = t->entries;
	const uint32_t bits = t->geometry->log2_entries, index_mask = (1u << bits) - 1;
	const uint64_t pc_part = (pc >> 1) * 0xd6e8feb86659fd93u, path = t->history.now.path;
	uint32_t found = 0;
	for (uint32_t i = 0; i < TAGE_TABLES; i++, table += 1u << bits) {
		uint64_t mixed = t->history.now.fold[i] ^ (path & t->path_mask[i]) << 44;
		uint32_t hash = history_hash(mixed + pc_part);
		note->hash[i] = hash;
		found |= (uint32_t)(table[hash & index_mask].tag == (hash >> 16 & t->tag_mask[i])) << i;
	}
	return found;
}

/* The longest table of the set, or the base table; its prediction into *taken. */
static uint8_t longest(const struct tage *t, uint64_t pc, uint32_t found, const struct tage_note *note, bool *taken)
{
	if (!found) {
		*taken = *base_of(t, pc) >> 1;
		return TAGE_BASE;
	}
	uint32_t table = 31 - (uint32_t)__builtin_clz(found);
	*taken = entry_of(t, table, note)->counter >= 0;
	return (uint8_t)table;
}

static unsigned alternate_slot(uint64_t pc)
{
	return (unsigned)(pc >> 1 ^ pc >> 5) & 15;
}

void tage_tables_predict(const struct tage *t, uint64_t pc, struct tage_note *note)
{
	uint32_t found = matches(t, pc, note) & ((1u << t->tables) - 1);
	note->provider = longest(t, pc, found, note, &note->provider_taken);
	if (note->provider == TAGE_BASE) {
		note->alternate = TAGE_BASE;
		note->alternate_taken = note->tage_taken = note->provider_taken;
		note->weak = false;
		return;
	}
	found &= (1u << note->provider) - 1;
	note->alternate = longest(t, pc, found, note, &note->alternate_taken);
	note->weak = strength(entry_of(t, note->provider, note)->counter) == 1;
	bool trust_alternate = note->weak && t->use_alternate[alternate_slot(pc)] >= 0;
	note->tage_taken = trust_alternate ? note->alternate_taken : note->provider_taken;
}

uint8_t tage_confidence(const struct tage *t, uint64_t pc, const struct tage_note *note)
{
	if (note->provider == TAGE_BASE) {
		uint8_t base = *base_of(t, pc);
		return base == 0 || base == 3 ? TAGE_HIGH : TAGE_LOW;
	}
	int s = strength(entry_of(t, note->provider, note)->counter);
	return s == COUNTER_STRONG ? TAGE_HIGH : s == COUNTER_STRONG - 2 ? TAGE_MEDIUM : TAGE_LOW;
}

static void base_train(struct tage *t, uint64_t pc, bool taken)
{
	uint8_t *c = base_of(t, pc);
	if (taken)
		*c += *c < 3;
	else
		*c -= *c > 0;
}

static void counter_train(struct tage *t, uint8_t table, uint64_t pc, const struct tage_note *note, bool taken)
{
	if (table == TAGE_BASE) {
		base_train(t, pc, taken);
		return;
	}
	struct tage_entry *e = entry_of(t, table, note);
	if (e->tag == tag_of(t, table, note)) /* not given away since the prediction */
		counter_step(&e->counter, taken, COUNTER_BITS);
}

/* Halve every useful counter: entries that are not proved useful again become free. */
static void age(struct tage *t)
{
	size_t count = (size_t)TAGE_TABLES << t->geometry->log2_entries;
	for (size_t i = 0; i < count; i++)
		t->entries[i].useful >>= 1;
	t->pressure = 0;
}

/* Failures against successes; two successes outweigh a failure. */
static void press(struct tage *t, int failed, int done)
{
	int pressure = t->pressure + failed - 2 * done;
	t->pressure = (uint16_t)(pressure < 0 ? 0 : pressure);
	if (pressure >= PRESSURE_MAX)
		age(t);
}

/* New entries, weak, in tables longer than the provider: from the next one on, or (one time in four) the one after;
 * where an entry is useful, try the next table. Allocated tables are not neighbours. */
static void allocate(struct tage *t, const struct tage_note *note, bool taken)
{
	uint32_t first = note->provider == TAGE_BASE ? 0 : note->provider + 1u;
	first += (history_random(&t->random) & 3) == 0;
	int failed = 0, done = 0;
	for (uint32_t i = first; i < t->tables; i++) {
		struct tage_entry *e = entry_of(t, i, note);
		if (e->useful) {
			failed++;
			continue;
		}
		*e = (struct tage_entry){.tag = tag_of(t, i, note), .counter = taken ? 0 : -1};
		if (done++ == ALLOCATE_EXTRA)
			break;
		i++;
	}
	press(t, failed, done);
}

static void usefulness_train(struct tage_entry *e, const struct tage_note *note, bool taken)
{
	if (note->provider_taken == note->alternate_taken)
		return;
	if (note->provider_taken == taken)
		e->useful += e->useful < USEFUL_MAX;
	else
		e->useful -= e->useful > 0;
}

static void provider_train(struct tage *t, uint64_t pc, const struct tage_note *note, bool taken)
{
	struct tage_entry *e = entry_of(t, note->provider, note);
	if (e->tag != tag_of(t, note->provider, note))
		return;
	if (note->weak && note->provider_taken != taken) /* whoever takes over should know better */
		counter_train(t, note->alternate, pc, note, taken);
	bool was = e->counter >= 0;
	counter_step(&e->counter, taken, COUNTER_BITS);
	if (was != (e->counter >= 0))
		e->useful = 0; /* a counter that changes sides has not been useful */
	else
		usefulness_train(e, note, taken);
}

void tage_tables_update(struct tage *t, uint64_t pc, const struct tage_note *note, bool taken)
{
	bool missed = note->tage_taken != taken;
	if (note->provider == TAGE_BASE) {
		base_train(t, pc, taken);
	} else {
		if (note->weak && note->provider_taken != note->alternate_taken)
			counter_step(&t->use_alternate[alternate_slot(pc)], note->alternate_taken == taken,
				     ALTERNATE_BITS);
		/* A new entry that was right needs time, not a rival. */
		missed = missed && !(note->weak && note->provider_taken == taken);
		provider_train(t, pc, note, taken);
	}
	if (missed)
		allocate(t, note, taken);
}
