/* A ChampSim trace tells neither code nor sizes, so each address gets RISC-V code that does alike: a load for each
 * address that it reads, an addition, a store for each that it writes, a branch of its kind. The code lies in the
 * order of the addresses, so that a branch that is not taken falls through. Sources and destinations become
 * registers: what waited for whom does so again. Flags live in the register that the instruction which set them wrote
 * besides. */
#include "import/champsim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 6, FLAGS = 25, POINTER = 26 }; /* of x86, as ChampSim numbers them */
enum { RA = 1, SP = 2, TEMPORARY = 31, WORDS = 2 * CHAMPSIM_SLOTS + 4 };
#define CODE 0x10000ull
#define DATA (ADDRESS_SPACE_LIMIT / 2)

/* What stands at an address. */
struct shape {
	uint64_t ip, target; /* target: of a direct branch, once it was taken */
	uint32_t at;	     /* first word */
	uint8_t branch;	     /* enum culprit_branch */
	uint8_t loads, stores, dest, source[2];
	bool far;
};

struct code {
	struct shape *shapes; /* by ip */
	size_t count;
	uint8_t registers[256]; /* 0 = not met */
	uint8_t next_register;
	uint8_t flags; /* where they are */
};

/* --- what a record is --- */

static bool among(const uint8_t *list, uint8_t which)
{
	return memchr(list, which, CHAMPSIM_SLOTS) != NULL;
}

static bool reads_other(const struct champsim_record *r)
{
	for (int i = 0; i < CHAMPSIM_SLOTS; i++)
		if (r->source[i] && r->source[i] != STACK && r->source[i] != FLAGS && r->source[i] != POINTER)
			return true;
	return false;
}

/* ChampSim's own rules. */
static uint8_t branch_of(const struct champsim_record *r)
{
	const bool sp = among(r->source, STACK), flags = among(r->source, FLAGS), ip = among(r->source, POINTER);
	const bool other = reads_other(r), pushes = among(r->dest, STACK);
	if (!among(r->dest, POINTER))
		return CULPRIT_BRANCH_NONE;
	if (!sp && !flags && !other)
		return CULPRIT_BRANCH_JUMP;
	if (!sp && !flags && !ip)
		return CULPRIT_BRANCH_INDIRECT_JUMP;
	if (!sp && ip)
		return CULPRIT_BRANCH_CONDITIONAL;
	if (sp && ip && pushes && !flags)
		return other ? CULPRIT_BRANCH_INDIRECT_CALL : CULPRIT_BRANCH_CALL;
	return sp && !ip && pushes ? CULPRIT_BRANCH_RETURN : CULPRIT_BRANCH_INDIRECT_JUMP;
}

/* x3, x4 and x6 to x30, in the order in which they are met; then some are shared. x1 and x5 are link registers. */
static uint8_t register_of(struct code *c, uint8_t which)
{
	if (which == STACK)
		return SP;
	if (!c->registers[which]) {
		c->next_register = c->next_register == TEMPORARY - 1 ? 3
				   : c->next_register == 4	     ? 6
								     : c->next_register + 1;
		c->registers[which] = c->next_register;
	}
	return c->registers[which];
}

static uint8_t count_slots(const uint64_t *slots)
{
	uint8_t n = 0;
	for (int i = 0; i < CHAMPSIM_SLOTS; i++)
		n += slots[i] != 0;
	return n;
}

static void look(struct code *c, const struct champsim_record *r, struct shape *s)
{
	unsigned sources = 0;
	s->branch = branch_of(r);
	for (int i = 0; i < CHAMPSIM_SLOTS && sources < 2; i++)
		if (r->source[i] && r->source[i] != POINTER)
			s->source[sources++] = r->source[i] == FLAGS ? c->flags : register_of(c, r->source[i]);
	for (int i = 0; i < CHAMPSIM_SLOTS && !s->dest; i++)
		if (r->dest[i] && r->dest[i] != POINTER && r->dest[i] != FLAGS)
			s->dest = register_of(c, r->dest[i]);
	if (!s->dest && among(r->dest, FLAGS))
		s->dest = register_of(c, FLAGS);
}

static int by_ip(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = ((const struct shape *)b)->ip;
	return x < y ? -1 : x > y;
}

static int in_order(const void *a, const void *b)
{
	uint64_t x = ((const struct shape *)a)->ip, y = ((const struct shape *)b)->ip;
	return x < y ? -1 : x > y;
}

static struct shape *find(const struct code *c, uint64_t ip)
{
	return bsearch(&ip, c->shapes, c->count, sizeof *c->shapes, by_ip);
}

static bool find_shapes(struct code *c, const struct champsim_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		c->shapes[i].ip = records[i].ip;
	qsort(c->shapes, count, sizeof *c->shapes, in_order);
	for (size_t i = 0; i < count; i++)
		if (!c->count || c->shapes[c->count - 1].ip != c->shapes[i].ip)
			c->shapes[c->count++].ip = c->shapes[i].ip;
	bool *met = calloc(c->count + 1, sizeof *met);
	if (!met)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct shape *s = find(c, records[i].ip);
		const uint8_t loads = count_slots(records[i].loads), stores = count_slots(records[i].stores);
		if (!met[s - c->shapes])
			look(c, &records[i], s);
		met[s - c->shapes] = true;
		s->loads = loads > s->loads ? loads : s->loads;
		s->stores = stores > s->stores ? stores : s->stores;
		if (i + 1 < count && (records[i].taken || s->branch != CULPRIT_BRANCH_CONDITIONAL))
			s->target = records[i + 1].ip;
		if (among(records[i].dest, FLAGS) && s->dest)
			c->flags = s->dest;
	}
	free(met);
	return true;
}

/* --- its code --- */

static uint32_t type_i(uint32_t opcode, uint32_t funct, uint8_t rd, uint8_t rs1, int32_t imm)
{
	return opcode | (uint32_t)rd << 7 | funct << 12 | (uint32_t)rs1 << 15 | (uint32_t)imm << 20;
}

static uint32_t jump(uint8_t rd, int32_t offset)
{
	const uint32_t o = (uint32_t)offset;
	return 0x6f | (uint32_t)rd << 7 | (o & 0xff000) | (o >> 11 & 1) << 20 | (o >> 1 & 0x3ff) << 21 |
	       (o >> 20 & 1) << 31;
}

static uint32_t condition(uint32_t funct, uint8_t rs1, int32_t offset)
{
	const uint32_t o = (uint32_t)offset;
	return 0x63 | (o >> 11 & 1) << 7 | (o >> 1 & 15) << 8 | funct << 12 | (uint32_t)rs1 << 15 |
	       (o >> 5 & 0x3f) << 25 | (o >> 12 & 1) << 31;
}

static uint32_t add(uint8_t rd, uint8_t rs1, uint8_t rs2)
{
	return 0x33 | (uint32_t)rd << 7 | (uint32_t)rs1 << 15 | (uint32_t)rs2 << 20;
}

static uint32_t store(uint8_t rs1, uint8_t rs2)
{
	return 0x23 | 3u << 12 | (uint32_t)rs1 << 15 | (uint32_t)rs2 << 20;
}

static uint8_t or_stack(uint8_t which)
{
	return which ? which : SP;
}

/* A branch that was never taken leads behind the instruction that follows. */
static int64_t distance(const struct code *c, const struct shape *s, unsigned word)
{
	const struct shape *to = s->target ? find(c, s->target) : NULL;
	const int64_t at = to ? to->at : (int64_t)s->at + word + 2;
	return 4 * (at - (int64_t)(s->at + word));
}

static unsigned put_branch(const struct code *c, const struct shape *s, unsigned n, uint32_t *words)
{
	const uint8_t base = s->loads && s->branch != CULPRIT_BRANCH_RETURN ? TEMPORARY : or_stack(s->source[0]);
	switch (s->branch) {
	case CULPRIT_BRANCH_CONDITIONAL:
		if (s->far) /* around a jump */
			words[n++] = condition(0, s->source[0], 8);
		words[n] = s->far ? jump(0, (int32_t)distance(c, s, n))
				  : condition(1, s->source[0], (int32_t)distance(c, s, n));
		return n + 1;
	case CULPRIT_BRANCH_JUMP:
	case CULPRIT_BRANCH_CALL: {
		const uint8_t link = s->branch == CULPRIT_BRANCH_CALL ? RA : 0;
		words[n] = s->far ? type_i(0x67, 0, link, TEMPORARY, 0) : jump(link, (int32_t)distance(c, s, n));
		return n + 1;
	}
	case CULPRIT_BRANCH_NONE:
		return n;
	default:
		words[n] = type_i(0x67, 0, s->branch == CULPRIT_BRANCH_INDIRECT_CALL ? RA : 0,
				  s->branch == CULPRIT_BRANCH_RETURN ? RA : base, 0);
		return n + 1;
	}
}

/* The words of an address, in the order of their accesses: loads, the addition, stores, the branch. */
static unsigned put_words(const struct code *c, const struct shape *s, uint32_t words[WORDS])
{
	unsigned n = 0;
	const uint8_t result = s->branch == CULPRIT_BRANCH_RETURN ? RA : s->branch ? TEMPORARY : s->dest;
	const bool adds = !s->branch && (s->loads ? s->source[1] || s->loads > 1 : !s->stores);
	for (uint8_t i = 0; i < s->loads; i++)
		words[n++] = type_i(0x03, 3, adds ? TEMPORARY : result, or_stack(s->source[s->source[1] ? 1 : 0]), 0);
	if (adds)
		words[n++] = add(s->dest, s->source[0], s->loads ? TEMPORARY : s->source[1]);
	for (uint8_t i = 0; i < s->stores; i++)
		words[n++] = store(or_stack(s->source[0]), s->loads ? TEMPORARY : s->source[1]);
	return put_branch(c, s, n, words);
}

/* Words left out in front of it: code that never ran lies there. Its distance is kept, up to a page: what shares a line
 * of the cache is as it was. Behind the longest instruction of x86 nothing can fall through. */
static uint32_t gap(const struct code *c, size_t i)
{
	enum { LONGEST = 15, MOST = 4096 };
	const uint64_t bytes = i ? c->shapes[i].ip - c->shapes[i - 1].ip : 0;
	return bytes <= LONGEST ? 0 : bytes > MOST ? MOST / 4 : (uint32_t)bytes / 4;
}

/* More of them are far when others have grown, until none is new. */
static void lay_out(struct code *c)
{
	bool changed = true;
	while (changed) {
		uint32_t words[WORDS], at = 0;
		changed = false;
		for (size_t i = 0; i < c->count; i++) {
			at += gap(c, i);
			c->shapes[i].at = at;
			at += put_words(c, &c->shapes[i], words);
		}
		for (size_t i = 0; i < c->count; i++) {
			struct shape *s = &c->shapes[i];
			const int64_t reach = s->branch == CULPRIT_BRANCH_CONDITIONAL ? 4000 : 1000000,
				      d = distance(c, s, 0);
			const bool far = s->branch && s->branch <= CULPRIT_BRANCH_CALL && (d > reach || d < -reach);
			changed |= far && !s->far;
			s->far |= far;
		}
	}
}

/* --- steps --- */

/* Below 2^38, and not where the code is. */
static uint64_t fold(uint64_t address)
{
	return DATA | (address & (DATA / 2 - 1) & ~7ull);
}

/* The n-th that there is, or the first: an address may read less at times. */
static uint64_t nth(const uint64_t *slots, unsigned n)
{
	uint64_t first = 0;
	for (int i = 0; i < CHAMPSIM_SLOTS; i++) {
		if (slots[i] && !first)
			first = slots[i];
		if (slots[i] && !n--)
			return slots[i];
	}
	return first;
}

static bool add_steps(struct import_steps *to, const struct code *c, const struct champsim_record *r, struct error *err)
{
	const struct shape *s = find(c, r->ip);
	uint32_t words[WORDS];
	unsigned count = put_words(c, s, words), loads = 0, stores = 0;
	const bool skips = s->far && s->branch == CULPRIT_BRANCH_CONDITIONAL && !r->taken;
	for (unsigned i = 0; i < count - skips; i++) {
		struct riscv_follow_step *step = import_steps_add(to, err);
		TRY(step);
		const bool is_load = (words[i] & 0x7f) == 0x03, is_store = (words[i] & 0x7f) == 0x23;
		const uint64_t address = is_load ? nth(r->loads, loads++) : is_store ? nth(r->stores, stores++) : 0;
		*step = (struct riscv_follow_step){.pc = CODE + 4ull * (s->at + i), .bits = words[i]};
		if (address) {
			step->address = fold(address);
			step->flags = RISCV_FOLLOW_ADDRESS;
		}
	}
	return true;
}

bool champsim_steps(struct import_steps *s, const struct champsim_record *records, size_t count, struct error *err)
{
	struct code c = {.next_register = 2, .flags = TEMPORARY - 1};
	c.shapes = calloc(count + 1, sizeof *c.shapes);
	if (!c.shapes || !find_shapes(&c, records, count)) {
		free(c.shapes);
		return error_set(err, ERROR_SYSTEM, "%s: out of memory", s->place);
	}
	lay_out(&c);
	bool good = true;
	s->has_code = s->is_made = true;
	s->format = "ChampSim";
	s->left_what = "records";
	/* A string instruction repeats its address: once will do. */
	for (size_t i = 0; i < count && good; i++)
		if (!i || records[i].ip != records[i - 1].ip || branch_of(&records[i]))
			good = add_steps(s, &c, &records[i], err);
		else
			s->left_out++;
	free(c.shapes);
	return good;
}
