/* write_trace FORMAT FILE.crec [SEED]: the records of a file as another simulator would have written them. Written from the
 * descriptions of the formats, apart from the readers. Formats: o3pipeview (seven lines each, as they leave; with a seed
 * shuffled), kanata, onikiri (Kanata with other stages), gem5 and rtl (SQL that makes a database of PerfCCT); plain: what
 * all of these can tell, for comparing; full: with what some can. */
#include "record/record_file.h"
#include "riscv/riscv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct op {
	struct culprit_record r;
	uint64_t end, number;
	uint32_t bits;
	bool squashed;
};

static struct op *ops;
static size_t count, committed;
static uint64_t zero; /* the first cycle */

static int in_fetch_order(const void *a, const void *b)
{
	const struct op *x = a, *y = b;
	if (x->r.fetch != y->r.fetch)
		return x->r.fetch < y->r.fetch ? -1 : 1;
	return x->r.seq < y->r.seq ? -1 : x->r.seq > y->r.seq;
}

static int in_order_of_end(const void *a, const void *b)
{
	const struct op *x = a, *y = b;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Room for one more element. Twice the size each time: the sanitizers' realloc copies on every call. */
static void *room_for_one(void *elements, size_t n, size_t size)
{
	const bool full = !(n & (n - 1)); /* no element, or a power of two */
	elements = full ? realloc(elements, (n ? 2 * n : 1) * size) : elements;
	if (!elements)
		abort();
	return elements;
}

static void add(const struct culprit_record *r, uint64_t end, bool squashed)
{
	ops = room_for_one(ops, count, sizeof *ops);
	ops[count++] = (struct op){.r = *r, .end = end, .squashed = squashed};
	committed += !squashed;
}

/* Records have no wrong paths: two instructions stand for each. */
static void add_wrong_paths(void)
{
	for (size_t i = 0, n = count; i < n; i++)
		for (uint64_t k = 1; k <= 2 && (ops[i].r.flags & CULPRIT_MISPREDICTED) && !ops[i].squashed; k++) {
			struct culprit_record r = ops[i].r;
			r.pc += 4 * k;
			add(&r, r.complete + 1, true);
			ops[count - 1].r.seq += k;
		}
}

static uint32_t code_at(const struct record_about *a, uint64_t pc)
{
	for (uint32_t low = 0, high = a->code_count; low < high;) {
		uint32_t middle = (low + high) / 2;
		if (a->code[middle].pc == pc)
			return a->code[middle].bits;
		if (a->code[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

static void read_file(const char *path, struct record_about *about)
{
	struct error err = {0};
	struct record_part part = {.is_end = false};
	struct record_reader *r = record_reader_open(path, about, &err);
	while (r && record_reader_next(r, &part, &err) && !part.is_end) {
		for (size_t i = 0; !part.is_log && i < part.record_count; i++)
			add(&part.records[i], part.records[i].commit, false);
		for (size_t i = 0; part.is_log && i < part.log.squashed_count; i++)
			add(&part.log.squashed[i].record, part.log.squashed[i].until, true);
	}
	record_reader_destroy(r);
	if (!part.is_end) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	add_wrong_paths();
	qsort(ops, count, sizeof *ops, in_fetch_order);
	zero = count ? ops[0].r.fetch : 0;
	for (size_t i = 0; i < count; i++) {
		ops[i].number = i + 1;
		ops[i].bits = code_at(about, ops[i].r.pc);
	}
}

/* --- the formats --- */

/* As objdump writes it; gem5 has '_' for '.'. Where the file has no code it may be anything. */
static const char *words(const struct op *o, bool gem5)
{
	static char text[160];
	riscv_disassemble(o->bits ? o->bits : 0x00150513, o->r.pc, text, sizeof text);
	for (char *c = text; *c; c++)
		*c = *c == '\t' ? ' ' : gem5 && *c == '.' ? '_' : *c;
	return text;
}

enum { TICKS = 500 };

static uint64_t tick(bool reached, uint64_t cycle)
{
	return reached ? (cycle - zero + 2) * TICKS : 0;
}

static void o3pipeview(const struct op *o)
{
	const bool in = !o->squashed;
	printf("O3PipeView:fetch:%" PRIu64 ":0x%08" PRIx64 ":0:%" PRIu64 ":  %s : a: b\n", tick(true, o->r.fetch),
	       o->r.pc, o->number, words(o, true));
	printf("O3PipeView:decode:%" PRIu64 "\nO3PipeView:rename:%" PRIu64 "\nO3PipeView:dispatch:%" PRIu64 "\n",
	       tick(in, o->r.dispatch), tick(in, o->r.dispatch), tick(in, o->r.dispatch));
	printf("O3PipeView:issue:%" PRIu64 "\nO3PipeView:complete:%" PRIu64 "\nO3PipeView:retire:%" PRIu64 ":store:0\n",
	       tick(in, o->r.issue), tick(in, o->r.complete), tick(in, o->r.commit));
}

struct line {
	uint64_t cycle, order;
	char text[240];
};
static struct line *lines;
static size_t line_count;

static void line(uint64_t cycle, const char *text)
{
	lines = room_for_one(lines, line_count, sizeof *lines);
	lines[line_count] = (struct line){.cycle = cycle, .order = line_count};
	snprintf(lines[line_count++].text, sizeof lines->text, "%s", text);
}

static int by_cycle(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void stage(const struct op *o, uint64_t cycle, const char *name)
{
	char text[80];
	snprintf(text, sizeof text, "S\t%" PRIu64 "\t0\t%s", o->number, name);
	line(cycle, text);
}

/* Stages begin one behind the other; Culprit leaves out those that take no time. */
static void kanata_op(const struct op *o, bool onikiri)
{
	char text[240];
	snprintf(text, sizeof text, "I\t%" PRIu64 "\t%" PRIu64 "\t0\nL\t%" PRIu64 "\t0\t%s%" PRIx64 ": %s", o->number,
		 o->number, o->number, onikiri ? "0x" : "", o->r.pc, words(o, false));
	line(o->r.fetch, text);
	stage(o, o->r.fetch, "F");
	if (!o->squashed && onikiri) {
		stage(o, o->r.dispatch, "Ds");
		stage(o, o->r.issue, "Is");
		stage(o, o->r.complete, "Wb");
		stage(o, o->r.commit, "Cm");
	} else if (!o->squashed) {
		if (o->r.ready > o->r.dispatch)
			stage(o, o->r.dispatch, "Q");
		if (o->r.issue > o->r.ready)
			stage(o, o->r.ready, "W");
		if (o->r.complete > o->r.issue)
			stage(o, o->r.issue, "X");
		if (o->r.commit > o->r.complete)
			stage(o, o->r.complete, "C");
	}
	snprintf(text, sizeof text, "R\t%" PRIu64 "\t0\t%d", o->number, o->squashed);
	line(o->end, text);
}

static void kanata(bool onikiri)
{
	uint64_t now = 0;
	for (size_t i = 0; i < count; i++)
		kanata_op(&ops[i], onikiri);
	qsort(lines, line_count, sizeof *lines, by_cycle);
	printf("Kanata\t0004\nC=\t%" PRIu64 "\n", now = lines[0].cycle);
	for (size_t i = 0; i < line_count; i++) {
		if (lines[i].cycle != now)
			printf("C\t%" PRIu64 "\n", lines[i].cycle - now);
		now = lines[i].cycle;
		puts(lines[i].text);
	}
}

static void perfcct(bool rtl)
{
	const uint64_t cycle = rtl ? 1 : 333;
	printf("BEGIN;\nCREATE TABLE LifeTimeCommitTrace(ID INTEGER PRIMARY KEY, AtFetch INT, AtDecode INT, AtRename "
	       "INT, "
	       "AtDispQue INT, AtIssueQue INT, AtIssueArb INT, AtIssueReadReg INT, AtFU INT, AtBypassVal INT, "
	       "AtWriteVal INT, "
	       "AtCommit INT, DisAsm %s, PC INT%s);\n",
	       rtl ? "INT" : "TEXT", rtl ? ", SN INT, UopIdx INT" : "");
	for (size_t i = 0; i < count; i++) {
		const struct culprit_record *r = &ops[i].r;
		if (ops[i].squashed)
			continue;
		printf("INSERT INTO LifeTimeCommitTrace VALUES(%" PRIu64, ops[i].number);
		const uint64_t times[] = {r->fetch, r->dispatch, r->dispatch, r->dispatch, r->dispatch, r->issue,
					  r->issue, r->issue,	 r->complete, r->complete, r->commit};
		for (size_t n = 0; n < sizeof times / sizeof *times; n++)
			printf(", %" PRIu64, (times[n] - zero + 3) * cycle);
		if (rtl)
			printf(", %" PRIu32 ", %" PRId64 ", 1, 0);\n", ops[i].bits, (int64_t)r->pc);
		else
			printf(", '%s', %" PRId64 ");\n", words(&ops[i], true), (int64_t)r->pc);
	}
	puts("COMMIT;");
}

/* Seven lines each; no order but that of each seven. */
static void shuffled(uint64_t seed)
{
	for (size_t i = count; seed && i > 1; i--) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		size_t other = (size_t)((seed >> 33) % i);
		struct op swap = ops[i - 1];
		ops[i - 1] = ops[other];
		ops[other] = swap;
	}
	for (size_t i = 0; i < count; i++)
		o3pipeview(&ops[i]);
}

static void plain(bool full)
{
	for (size_t i = 0; i < count; i++) {
		const struct culprit_record *r = &ops[i].r;
		if (ops[i].squashed)
			continue;
		if (full)
			printf("%u %u %u %u %u %u ", (r->flags & CULPRIT_MISPREDICTED) != 0,
			       (r->flags & CULPRIT_TAKEN) != 0, r->producer[0], r->producer[1], r->producer[2],
			       r->dest);
		printf("%" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %u %u %u\n", r->pc,
		       r->fetch - zero, r->dispatch - zero, r->issue - zero, r->complete - zero, r->commit - zero,
		       r->length, r->op_class, r->branch,
		       (unsigned)(r->flags & (CULPRIT_LOAD | CULPRIT_STORE | CULPRIT_SERIALISING)));
	}
}

int main(int argc, char **argv)
{
	struct record_about about = {.program = NULL};
	const char *format = argc > 2 ? argv[1] : "";
	if (argc < 3)
		return 2;
	read_file(argv[2], &about);
	if (!strcmp(format, "o3pipeview")) {
		qsort(ops, count, sizeof *ops, in_order_of_end);
		shuffled(argc > 3 ? strtoull(argv[3], NULL, 10) : 0);
	} else if (!strcmp(format, "kanata") || !strcmp(format, "onikiri")) {
		kanata(*format == 'o');
	} else if (!strcmp(format, "gem5") || !strcmp(format, "rtl")) {
		perfcct(*format == 'r');
	} else if (!strcmp(format, "plain") || !strcmp(format, "full")) {
		plain(*format == 'f');
	} else {
		return 2;
	}
	record_about_destroy(&about);
	free(ops);
	free(lines);
	return 0;
}
