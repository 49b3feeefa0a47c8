/* From the table of a trace to records: kinds, producers and redirects. */
#include "import/build.h"

#include "base/map.h"
#include "riscv/riscv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- kinds --- */

/* One for each address and encoding: an address may hold other code later. */
struct kind {
	struct import_kind is;
	bool contradicts; /* the binary has another instruction there */
};
struct kinds {
	struct map by_pc; /* to index + 1 */
	struct kind *kinds;
	uint32_t *bits;
	size_t count, room;
};

static bool add_kind(struct kinds *k, const struct import_code *code, const struct import_insn *i, struct error *err)
{
	const uint32_t in_file = code ? import_code_at(code, i->pc) : 0, bits = i->bits ? i->bits : in_file;
	if (k->count == k->room) {
		k->room = k->room ? 2 * k->room : 1024;
		struct kind *kinds = realloc(k->kinds, k->room * sizeof *kinds);
		k->kinds = kinds ? kinds : k->kinds;
		uint32_t *all = realloc(k->bits, k->room * sizeof *all);
		k->bits = all ? all : k->bits;
		if (!kinds || !all)
			return error_set(err, ERROR_SYSTEM, "out of memory for code");
	}
	import_kind_of(bits, i->pc, i->text, &k->kinds[k->count].is);
	k->kinds[k->count].contradicts = in_file && import_contradicts(in_file, i->pc, i->bits, i->text);
	k->bits[k->count++] = bits;
	return map_put(&k->by_pc, i->pc, (uint32_t)k->count) || error_set(err, ERROR_SYSTEM, "out of memory for code");
}

static const struct kind *kind_of(struct kinds *k, const struct import_code *code, const struct import_insn *i,
				  struct error *err)
{
	uint32_t at = map_get(&k->by_pc, i->pc);
	if (at && (!i->bits || i->bits == k->bits[at - 1]))
		return &k->kinds[at - 1];
	return add_kind(k, code, i, err) ? &k->kinds[k->count - 1] : NULL;
}

/* --- records --- */

struct build {
	struct import_trace *t;
	const struct import_code *code;
	struct import_counts counts;
	struct kinds kinds;
	struct map by_number; /* to index + 1, when the trace tells producers */
	uint64_t writer[65];  /* of each register: index + 1; 0 = none yet */
	struct import_result *result;
};

static void from_registers(struct build *b, const struct import_kind *k, size_t n, struct culprit_record *r)
{
	for (int s = 0; s < 3; s++) {
		uint64_t writer = k->source[s] ? b->writer[k->source[s]] : 0;
		if (writer)
			r->producer[s] = (uint32_t)(n + 1 - writer);
	}
	r->dest = k->dest;
	if (k->dest < 64)
		b->writer[k->dest] = n + 1;
}

/* Producers that did not commit, or stand behind, are left out. */
static void from_trace(struct build *b, const struct import_insn *i, size_t n, struct culprit_record *r)
{
	for (int s = 0; s < IMPORT_PRODUCERS; s++) {
		uint32_t at = i->producer[s] == IMPORT_NEVER ? 0 : map_get(&b->by_number, i->producer[s]);
		if (at && at <= n)
			r->producer[s] = (uint32_t)(n + 1 - at);
	}
}

/* Has the program gone on where this instruction leads? */
static bool follows(const struct culprit_record *r, const struct import_kind *k, uint64_t next)
{
	if (next == r->pc + r->length || next == r->pc)
		return true;
	if (k->branch && k->target)
		return next == k->target;
	return k->branch || (k->flags & CULPRIT_SERIALISING);
}

static uint16_t clip(uint64_t v)
{
	return v > UINT16_MAX ? UINT16_MAX : (uint16_t)v;
}

/* A conditional branch whose wrong path, where its address is told, began on its other side; else the target was
 * wrong. */
static bool wrong_direction(const struct culprit_record *branch, const struct import_insn *behind)
{
	return branch->branch == CULPRIT_BRANCH_CONDITIONAL && (!(branch->flags & CULPRIT_TAKEN) || !behind->wrong_pc ||
								behind->wrong_pc == branch->pc + branch->length);
}

/* What the instruction behind says of the one in front. */
static void look_back(struct build *b, struct culprit_record *last, const struct import_kind *k,
		      struct culprit_record *r, const struct import_insn *i)
{
	if (b->t->insns[r->seq - 1].bits && last->length == 4 && r->pc == last->pc + 2) {
		last->length = 2;
		b->counts.expanded++;
	}
	if (k->decoded)
		b->counts.gaps += !follows(last, k, r->pc);
	if (last->branch && r->pc != last->pc + last->length)
		last->flags |= CULPRIT_TAKEN;
	if (!i->squashed)
		return;
	if (last->branch && r->fetch >= last->complete) {
		last->flags |= CULPRIT_MISPREDICTED;
		last->flags |= wrong_direction(last, i) ? CULPRIT_DIRECTION_WRONG : 0;
		r->redirect = clip(r->fetch - last->complete);
		b->counts.mispredicted++;
	} else if (last->branch && r->fetch > last->fetch) {
		last->flags |= CULPRIT_BTB_MISS;
		r->redirect = clip(r->fetch - last->fetch - 1);
		b->counts.early++;
	} else {
		b->counts.other_squashes++;
	}
}

/* The time that a load took beyond the shortest, when the trace says that it missed. The parts of a load's latency are
 * its latency, to the cycle: what a field has no room for is a miss, too. */
static void split_latency(const struct build *b, const struct import_insn *i, struct culprit_record *r,
			  uint64_t shortest)
{
	const uint64_t all = r->complete - r->issue;
	const bool load = r->flags & CULPRIT_LOAD;
	const bool missed = load && b->t->tells_replays && (i->replayed & IMPORT_REPLAY_MISS) && all > shortest;
	r->exec_latency = clip(missed ? shortest : all);
	r->wakeup = clip(all);
	if (!load || all == r->exec_latency)
		return;
	r->dmiss = (uint32_t)(all - r->exec_latency);
	r->dlevel = CULPRIT_LEVEL_L2;
}

static bool make_record(struct build *b, size_t n, const struct import_kind *k, struct culprit_record *r)
{
	const struct import_insn *i = &b->t->insns[n];
	*r = (struct culprit_record){
		.seq = n,
		.pc = i->pc,
		.fetch = i->time[IMPORT_FETCH],
		.dispatch = i->time[IMPORT_DISPATCH],
		.ready = i->time[IMPORT_ISSUE],
		.issue = i->time[IMPORT_ISSUE],
		.complete = i->time[IMPORT_COMPLETE],
		.commit = i->time[IMPORT_COMMIT],
		.flags = k->flags,
		.branch = k->branch,
		.length = k->length,
		.op_class = k->op_class,
		.mem_size = k->mem_size,
		.dest = 64,
	};
	b->counts.parts += i->part;
	b->counts.guessed += k->guessed;
	b->counts.decoded += k->decoded;
	if (b->t->tells_producers)
		from_trace(b, i, n, r);
	else if (k->decoded)
		from_registers(b, k, n, r);
	return true;
}

/* Code of RISC-V is at even addresses; a trace that comes without any may be of another machine. */
static bool check_address(const struct build *b, const struct import_insn *i, struct error *err)
{
	return !(i->pc & 1) || !(b->code || i->bits) ||
	       import_wrong(b->t, i->line, err,
			    "instruction %" PRIu64 " at 0x%" PRIx64 ": an odd address, where no RISC-V instruction is",
			    i->number, i->pc);
}

static bool make_records(struct build *b, struct error *err)
{
	struct import_trace *t = b->t;
	struct culprit_record *all = b->result->records = calloc(t->count, sizeof *all);
	if (!all)
		return error_set(err, ERROR_SYSTEM, "%s: out of memory for %zu records", t->place, t->count);
	for (size_t n = 0; t->tells_producers && n < t->count; n++)
		if (!map_put(&b->by_number, t->insns[n].number, (uint32_t)n + 1))
			return error_set(err, ERROR_SYSTEM, "%s: out of memory", t->place);
	struct import_kind last = {0};
	uint64_t shortest = UINT64_MAX;
	for (size_t n = 0; n < t->count; n++) {
		TRY(check_address(b, &t->insns[n], err));
		const struct kind *kind = kind_of(&b->kinds, b->code, &t->insns[n], err);
		TRY(kind);
		const struct import_kind *k = &kind->is;
		if (kind->contradicts && !b->counts.contradicted++)
			b->counts.first_contradicted = n;
		make_record(b, n, k, &all[n]);
		if (n)
			look_back(b, &all[n - 1], &last, &all[n], &t->insns[n]);
		if ((k->flags & CULPRIT_LOAD) && all[n].complete - all[n].issue < shortest)
			shortest = all[n].complete - all[n].issue;
		last = *k;
	}
	for (size_t n = 0; n < t->count; n++)
		split_latency(b, &t->insns[n], &all[n], shortest);
	if (t->tells_replays && shortest != UINT64_MAX)
		fprintf(t->said,
			"a load that was issued again for a miss missed for what it took beyond %" PRIu64
			" cycles, the shortest load\n",
			shortest);
	return true;
}

/* --- what is known, and what is said --- */

/* Self-modifying code is another's here and there; another build of the program is so nearly everywhere. */
enum { MOST_CONTRADICTED = 10 }; /* one in so many */

static void say_contradicted(const struct build *b, char *text, size_t size)
{
	const struct import_insn *i = &b->t->insns[b->counts.first_contradicted];
	char told[120], in_file[120];
	snprintf(told, sizeof told, "%s", i->text);
	if (i->bits)
		riscv_disassemble(i->bits, i->pc, told, sizeof told);
	riscv_disassemble(import_code_at(b->code, i->pc), i->pc, in_file, sizeof in_file);
	snprintf(text, size, "at 0x%" PRIx64 " the trace has '%s', and the binary '%s'", i->pc, told, in_file);
	import_clean(text);
}

static bool check_build(const struct build *b, struct error *err)
{
	const struct import_counts *c = &b->counts;
	const struct import_trace *t = b->t;
	char first[400];
	if (!c->contradicted)
		return true;
	say_contradicted(b, first, sizeof first);
	if (c->contradicted > t->count / MOST_CONTRADICTED)
		return import_wrong(t, t->insns[c->first_contradicted].line, err,
				    "%s; so with %" PRIu64 " of %zu instructions: it is not the program of the trace",
				    first, c->contradicted, t->count);
	import_say(t, c->contradicted,
		   "{instruction is|instructions are} not what the binary has there, whose code counts");
	fprintf(t->said, "the first of these: %s\n", first);
	return true;
}

static bool check_code(const struct build *b, struct error *err)
{
	const struct import_trace *t = b->t;
	if (!b->code || b->counts.decoded)
		return true;
	uint64_t low = UINT64_MAX, high = 0;
	for (size_t n = 0; n < t->count; n++) {
		low = t->insns[n].pc < low ? t->insns[n].pc : low;
		high = t->insns[n].pc > high ? t->insns[n].pc : high;
	}
	return error_set(err, ERROR_INPUT,
			 "%s: no instruction lies in the binary: its code is from 0x%" PRIx64 " to 0x%" PRIx64
			 ", the trace from 0x%" PRIx64 " to 0x%" PRIx64,
			 t->place, b->code->low, b->code->high, low, high);
}

static culprit_field_set unknown_fields(const struct build *b)
{
	const bool decoded = b->counts.decoded == b->t->count;
	culprit_field_set known = CULPRIT_FIELD_BIT(times) | CULPRIT_FIELD_BIT(kind) | CULPRIT_FIELD_BIT(taken);
	if (decoded)
		known |= CULPRIT_FIELD_BIT(serialising);
	if (decoded && !b->t->tells_producers)
		known |= CULPRIT_FIELD_BIT(registers);
	if (b->t->tells_producers || decoded)
		known |= CULPRIT_FIELD_BIT(operands);
	/* A source with wrong paths in it: not one that has squashes of loads alone. */
	if (b->counts.mispredicted + b->counts.early > b->counts.other_squashes)
		known |= CULPRIT_FIELD_BIT(redirect);
	if (b->counts.early) /* a trace has none either where nothing was fetched before such a redirect */
		known |= CULPRIT_FIELD_BIT(decode_redirect);
	if (b->t->tells_replays)
		known |= CULPRIT_FIELD_BIT(miss);
	return ((1u << CULPRIT_FIELD_COUNT) - 1) & ~known;
}

static void say_all(const struct build *b)
{
	const struct import_trace *t = b->t;
	const struct import_counts *c = &b->counts;
	const uint64_t undecoded = t->count - c->decoded;
	import_say(t, c->squashed, "{instruction that was|instructions that were} squashed {is|are} left out");
	import_say(t, c->mispredicted,
		   "{branch with squashed instructions behind it counts|branches with squashed instructions behind "
		   "them count} as mispredicted");
	import_say(t, c->early,
		   "{branch was put right before it completed: it counts|branches were put right before they "
		   "completed: they count} as found late, at decode");
	import_say(t, c->other_squashes,
		   "{squash|squashes} behind no branch (memory order, traps): nothing is said of {its|their} cause");
	import_say(t, c->filled,
		   "{instruction has|instructions have} no time of some step: it is that of the step before");
	import_say(t, c->replayed,
		   "{instruction was issued again after it had completed: it issues|instructions were issued again "
		   "after they had completed: they issue} a cycle before that");
	import_say(
		t, c->parts,
		"{record is a later micro-operation|records are later micro-operations} of the instruction in front");
	import_say(t, c->expanded,
		   "{instruction is followed by one 2 bytes behind: it is a compressed one|instructions are followed "
		   "by one 2 bytes behind: they are compressed ones}, which the trace has expanded");
	import_say(t, c->gaps,
		   "{time|times} the next instruction does not follow: rows are missing, or a trap was taken");
	if (b->code || c->decoded)
		import_say(t, undecoded,
			   "{instruction has no code: its|instructions have no code: their} class is guessed from the "
			   "disassembly");
	else
		import_say(t, undecoded,
			   "{instruction, all there is, has|instructions, all of them, have} a class guessed from the "
			   "disassembly: --binary gives code");
	import_say(t, c->guessed,
		   "of these {has a mnemonic that is not known: it counts as an addition|have a mnemonic that is not "
		   "known: they count as additions}");
	if (t->tells_producers && c->decoded)
		fprintf(t->said, "who waits for whom is as the trace has it\n");
}

bool import_build(struct import_trace *t, const struct import_code *code, struct machine *machine, bool observe,
		  struct import_result *result, struct error *err)
{
	struct build b = {.t = t, .code = code, .result = result};
	*result = (struct import_result){.instructions = 0};
	if (!t->count)
		return error_set(err, ERROR_INPUT, "%s: no instruction in it", t->place);
	bool good = import_order(t, &b.counts, err) && make_records(&b, err) && check_code(&b, err) &&
		    check_build(&b, err);
	if (good) {
		result->instructions = t->count;
		result->cycles = result->records[t->count - 1].commit + 1;
		result->unknown = unknown_fields(&b);
		say_all(&b);
		good = !observe || import_observe(t, result, machine, err);
	}
	free(b.kinds.kinds);
	free(b.kinds.bits);
	map_destroy(&b.kinds.by_pc);
	map_destroy(&b.by_number);
	return good;
}
