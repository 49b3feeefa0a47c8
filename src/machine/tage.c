/* TAGE-SC-L put together: TAGE predicts, the corrector may revert that, a trusted loop predictor has the last word.
 * (The championship's code lets the corrector revert the loop predictor too. Tried here: a loop of 300 trips with a
 * noisy body then lost 98 of 100 exits that the loop predictor knew, as the corrector sees 299 of 300 taken.) */
#include "machine/tage.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_BITS_MAX = 16, RANDOM_SEED = 0x2545f491, BASE_START = 2 };

static const struct tage_geometry geometries[] = {
#define TAGE_GEOMETRY(kib_, base, entries, tag, corrector, ...) \
	{.kib = kib_,                                           \
	 .log2_base = base,                                     \
	 .log2_entries = entries,                               \
	 .tag_bits = tag,                                       \
	 .log2_corrector = corrector,                           \
	 .history = {__VA_ARGS__}},
#include "machine/tage_geometry.def"
};

static const struct tage_geometry *geometry_of(uint32_t kib)
{
	for (size_t i = 0; i < sizeof geometries / sizeof geometries[0]; i++)
		if (geometries[i].kib == kib)
			return &geometries[i];
	return NULL;
}

static uint32_t tag_bits(const struct tage_geometry *g, uint32_t table)
{
	return g->tag_bits + table / 2;
}

static bool tables_create(struct tage *t)
{
	const struct tage_geometry *g = t->geometry;
	size_t base = (size_t)1 << g->log2_base;
	t->base.mask = (uint32_t)base - 1;
	t->base.counter = malloc(base);
	t->entries = calloc((size_t)TAGE_TABLES << g->log2_entries, sizeof *t->entries);
	if (!t->base.counter || !t->entries || !corrector_create(&t->corrector, g->log2_corrector))
		return false;
	memset(t->base.counter, BASE_START, base);
	for (uint32_t i = 0; i < TAGE_TABLES; i++) {
		uint32_t path = g->history[i] < PATH_BITS_MAX ? g->history[i] : PATH_BITS_MAX;
		t->tag_mask[i] = (1u << tag_bits(g, i)) - 1;
		t->path_mask[i] = (1ull << path) - 1;
	}
	history_create(&t->history, g->history, TAGE_TABLES);
	return true;
}

struct tage *tage_create(uint32_t kib, struct error *err)
{
	const struct tage_geometry *g = geometry_of(kib);
	if (!g) {
		error_set(err, ERROR_INPUT, "branch.tage_kib: %u is not a power of two from 8 to 256", kib);
		return NULL;
	}
	struct tage *t = calloc(1, sizeof *t);
	if (t) {
		t->geometry = g;
		tage_restrict(t, 0, true);
		t->random = RANDOM_SEED;
		if (tables_create(t))
			return t;
	}
	tage_destroy(t);
	error_set(err, ERROR_SYSTEM, "branch.tage_kib: out of memory for %u KiB of tables", kib);
	return NULL;
}

void tage_restrict(struct tage *t, uint32_t longest, bool corrects)
{
	t->corrects = corrects;
	for (t->tables = TAGE_TABLES; longest && t->tables && t->geometry->history[t->tables - 1] > longest;)
		t->tables--;
}

void tage_destroy(struct tage *t)
{
	if (!t)
		return;
	free(t->base.counter);
	free(t->entries);
	corrector_destroy(&t->corrector);
	free(t);
}

/* History bits count, their folds do not: they repeat them. */
uint64_t tage_storage_bits(const struct tage *t)
{
	const struct tage_geometry *g = t->geometry;
	uint64_t bits = 2ull << g->log2_base;
	for (uint32_t i = 0; i < t->tables; i++)
		bits += (3 + 2 + (uint64_t)tag_bits(g, i)) << g->log2_entries;
	bits += 16 * 4 + 10 + 64; /* use_alternate, pressure, random */
	bits += (t->tables ? g->history[t->tables - 1] : 0) + PATH_BITS_MAX;
	return bits + (t->corrects ? corrector_storage_bits(&t->corrector) : 0) + loop_storage_bits();
}

static struct corrector_input corrector_input(const struct tage *t, uint64_t pc, const struct tage_note *note)
{
	return (struct corrector_input){
		.pc = pc,
		.path = t->history.now.path,
		.tage_taken = note->tage_taken,
		.confidence = tage_confidence(t, pc, note),
		.provider = (uint8_t)(note->provider + 1),
	};
}

bool tage_predict(const struct tage *t, const struct branch_query *q, struct tage_note *note, uint8_t *component)
{
	tage_tables_predict(t, q->pc, note);
	note->loop = loop_predict(&t->loop, &t->loop_spec, q->pc);
	struct corrector_input in = corrector_input(t, q->pc, note);
	note->corrected_taken = t->corrects
					? corrector_predict(&t->corrector, &t->corrector_spec, &in, &note->corrector)
					: note->tage_taken;
	if (note->loop.confident && t->loop.trust >= 0) {
		*component = PREDICTOR_LOOP;
		return note->loop.taken;
	}
	*component = note->corrected_taken != note->tage_taken ? PREDICTOR_CORRECTOR : PREDICTOR_TAGE;
	return note->corrected_taken;
}

/* Conditional branches enter the history with their outcome, others with bits of where they go: one for direct ones
 * and returns, two for indirect ones. */
void tage_speculate(struct tage *t, const struct branch_query *q, bool taken, uint64_t next_pc)
{
	uint64_t target = next_pc >> 1 ^ next_pc >> 5;
	if (q->kind == CULPRIT_BRANCH_CONDITIONAL) {
		history_push(&t->history, taken, TAGE_TABLES);
		corrector_speculate(&t->corrector_spec, q->pc, q->direct_target < q->pc, taken);
		loop_speculate(&t->loop, &t->loop_spec, q->pc, taken);
	} else {
		history_push(&t->history, target & 1, TAGE_TABLES);
		if (q->kind == CULPRIT_BRANCH_INDIRECT_JUMP || q->kind == CULPRIT_BRANCH_INDIRECT_CALL)
			history_push(&t->history, target >> 1 & 1, TAGE_TABLES);
	}
	history_push_path(&t->history, q->pc);
}

void tage_update(struct tage *t, const struct branch_query *q, const struct tage_note *note, bool taken)
{
	loop_update(&t->loop, q->pc, note->loop, note->corrected_taken, taken, &t->random);
	if (t->corrects)
		corrector_update(&t->corrector, q->pc, &note->corrector, taken);
	tage_tables_update(t, q->pc, note, taken);
}

void tage_save(const struct tage *t, void *save)
{
	struct tage_save s = {.history = t->history.now, .corrector = t->corrector_spec, .loop = t->loop_spec};
	memcpy(save, &s, sizeof s);
}

void tage_restore(struct tage *t, const void *save)
{
	struct tage_save s;
	memcpy(&s, save, sizeof s);
	t->history.now = s.history;
	t->corrector_spec = s.corrector;
	t->loop_spec = s.loop;
}
