/* A precise event that counts instructions (as PEBS: no skid), with the last taken branches and the cycles between
 * their commits (as LBR and CTR, which can record those not taken too), and of loads and stores what Intel's samples
 * tell: the level, and a load's cycles from issue to its data. A store's sample is over before its write, so it only
 * says whether the L1 had the line. */
#include "with/perf_writer.h"

#include "analysis/shotgun/random.h"
#include "culprit/shotgun.h"
#include "guest/elf.h"
#include "riscv/address_space.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PID = 1,
	CYCLES_MOST = UINT16_MAX, /* in a branch record */
	PAGE = 4096,
	NS = 1000000000, /* a cycle is a nanosecond */
};

/* Forms of a data source, one row each: SOURCE(name, bits of struct perf_mem_data_src, text). */
#define SOURCES(SOURCE)                                                                                \
	SOURCE(none, 0x5080021, "|OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A")                             \
	SOURCE(load_l1, 0x68100142, "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No")            \
	SOURCE(load_l1_walk, 0x50100142, "|OP LOAD|LVL L1 hit|SNP None|TLB L2 miss|LCK No")            \
	SOURCE(load_lfb, 0x68100242, "|OP LOAD|LVL LFB hit|SNP None|TLB L1 or L2 hit|LCK No")          \
	SOURCE(load_l2, 0x68100442, "|OP LOAD|LVL L2 hit|SNP None|TLB L1 or L2 hit|LCK No")            \
	SOURCE(load_l3, 0x68100842, "|OP LOAD|LVL L3 hit|SNP None|TLB L1 or L2 hit|LCK No")            \
	SOURCE(load_memory, 0x68101042, "|OP LOAD|LVL Local RAM hit|SNP None|TLB L1 or L2 hit|LCK No") \
	SOURCE(store_l1, 0x68100144, "|OP STORE|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No")          \
	SOURCE(store_miss, 0x68100184, "|OP STORE|LVL L1 miss|SNP None|TLB L1 or L2 hit|LCK No")

enum source {
#define SOURCE(name, bits, text) SOURCE_##name,
	SOURCES(SOURCE)
#undef SOURCE
};

struct seen {
	uint64_t time, period, pc, address;
	size_t first_branch;
	uint32_t branch_count, latency, from_dispatch;
	uint8_t source;
};

/* A branch record, and what kind of branch it was. */
struct taken {
	struct culprit_branch_record record;
	uint8_t branch;
};

struct perf_writer {
	uint64_t interval, random, count, next, last;
	uint32_t depth;
	bool not_taken; /* conditional branches that were not taken are recorded too */
	struct taken ring[PERF_DEPTH_MAX];
	uint32_t newest, held;
	uint64_t from; /* a taken branch whose target is the next instruction; 0 = none */
	struct taken pending;
	uint64_t branch_commit; /* of the last in the ring */
	uint64_t expected;	/* pc of the next instruction; 0 = a branch was taken */
	struct seen *samples;
	size_t sample_count, sample_room;
	struct taken *branches;
	size_t branch_count, branch_room;
	bool failed;
};

struct perf_writer *perf_writer_create(uint64_t interval, uint32_t depth, bool not_taken, uint64_t seed)
{
	struct perf_writer *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	w->interval = interval;
	w->depth = depth;
	w->not_taken = not_taken;
	w->random = seed;
	w->next = interval - interval / 2 + shotgun_random_below(&w->random, interval + 1);
	return w;
}

void perf_writer_destroy(struct perf_writer *w)
{
	if (!w)
		return;
	free(w->samples);
	free(w->branches);
	free(w);
}

bool perf_writer_good(const struct perf_writer *w)
{
	return !w->failed;
}

/* --- sampling --- */

static bool room(struct perf_writer *w)
{
	if (w->sample_count == w->sample_room) {
		size_t more = w->sample_room ? 2 * w->sample_room : 1024;
		struct seen *grown = realloc(w->samples, more * sizeof *grown);
		w->samples = grown ? grown : w->samples;
		w->sample_room = grown ? more : w->sample_room;
	}
	if (w->branch_count + w->depth > w->branch_room) {
		size_t more = 2 * (w->branch_room + w->depth);
		struct taken *grown = realloc(w->branches, more * sizeof *grown);
		w->branches = grown ? grown : w->branches;
		w->branch_room = grown ? more : w->branch_room;
	}
	w->failed = w->sample_count == w->sample_room || w->branch_count + w->depth > w->branch_room;
	return !w->failed;
}

static enum source source_of(const struct culprit_record *r)
{
	if (!(r->flags & (CULPRIT_LOAD | CULPRIT_STORE)))
		return SOURCE_none;
	if (!(r->flags & CULPRIT_LOAD))
		return r->write_miss ? SOURCE_store_miss : SOURCE_store_l1;
	if (r->flags & CULPRIT_MERGED)
		return SOURCE_load_lfb;
	switch (r->dlevel) {
	case CULPRIT_LEVEL_L2:
		return SOURCE_load_l2;
	case CULPRIT_LEVEL_L3:
		return SOURCE_load_l3;
	case CULPRIT_LEVEL_MEMORY:
		return SOURCE_load_memory;
	default:
		return r->dtlb ? SOURCE_load_l1_walk : SOURCE_load_l1;
	}
}

static void take_sample(struct perf_writer *w, const struct culprit_record *r)
{
	if (!room(w))
		return;
	bool load = r->flags & CULPRIT_LOAD;
	struct seen *s = &w->samples[w->sample_count++];
	*s = (struct seen){.time = r->commit,
			   .period = w->count - w->last,
			   .pc = r->pc,
			   .address = r->mem_addr,
			   .first_branch = w->branch_count,
			   .branch_count = w->held,
			   .latency = load ? (uint32_t)(r->complete - r->issue) : 0,
			   .from_dispatch = (uint32_t)(r->commit - r->dispatch),
			   .source = (uint8_t)source_of(r)};
	for (uint32_t i = 0; i < w->held; i++)
		w->branches[w->branch_count++] = w->ring[(w->newest - i) % PERF_DEPTH_MAX];
	w->last = w->count;
	w->next = w->count + w->interval - w->interval / 2 + shotgun_random_below(&w->random, w->interval + 1);
}

/* --- branch records --- */

static void end_branch(struct perf_writer *w, uint64_t to)
{
	w->pending.record.to = to;
	w->ring[++w->newest % PERF_DEPTH_MAX] = w->pending;
	w->held += w->held < w->depth;
	w->from = 0;
}

static void begin_branch(struct perf_writer *w, const struct culprit_record *r)
{
	uint64_t cycles = w->branch_commit ? r->commit - w->branch_commit : 0;
	w->branch_commit = r->commit;
	w->from = r->pc;
	uint8_t predicted = r->flags & CULPRIT_MISPREDICTED ? CULPRIT_BRANCH_WAS_MISPREDICTED
							    : CULPRIT_BRANCH_WAS_PREDICTED;
	w->pending = (struct taken){
		.record = {.from = r->pc,
			   .cycles = (uint32_t)(cycles < CYCLES_MOST ? cycles : CYCLES_MOST),
			   .flags = (uint8_t)(predicted | (r->flags & CULPRIT_TAKEN ? 0 : CULPRIT_BRANCH_NOT_TAKEN))},
		.branch = r->branch,
	};
}

static void push_one(struct perf_writer *w, const struct culprit_record *r)
{
	if (w->expected && r->pc != w->expected) { /* a signal, another thread: the kernel empties the records */
		w->held = 0;
		w->branch_commit = 0;
	}
	if (w->from)
		end_branch(w, r->pc);
	bool taken = r->branch && (r->flags & CULPRIT_TAKEN);
	w->expected = taken ? 0 : r->pc + r->length;
	if (++w->count == w->next)
		take_sample(w, r);
	if (taken || (r->branch && w->not_taken))
		begin_branch(w, r);
}

void perf_writer_push(struct perf_writer *w, const struct culprit_record *records, size_t count)
{
	for (size_t i = 0; i < count && !w->failed; i++)
		push_one(w, &records[i]);
}

/* --- printing --- */

bool perf_writer_mappings(FILE *out, const char *file, const char *path, uint64_t bias, struct error *err)
{
	struct elf_image *image = malloc(sizeof *image);
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool good = image && fd >= 0;
	if (!good)
		error_set(err, ERROR_SYSTEM, "%s: %s", file, strerror(errno));
	else if (!elf_read(fd, image, err))
		good = error_context(err, "%s", file);
	for (size_t i = 0; good && i < image->segment_count; i++) {
		const struct elf_segment *s = &image->segments[i];
		uint64_t into = s->address % PAGE, size = (into + s->file_size + PAGE - 1) / PAGE * PAGE;
		if (s->perm & PAGE_EXEC)
			fprintf(out,
				"PERF_RECORD_MMAP2 %d/%d: [0x%" PRIx64 "(0x%" PRIx64 ") @ 0x%" PRIx64
				" 00:00 0 0]: r-xp %s\n",
				PID, PID, bias + s->address - into, size, s->offset - into, path);
	}
	if (fd >= 0)
		close(fd);
	free(image);
	return good;
}

static const char *kind_of(uint8_t branch)
{
	static const char *const kinds[CULPRIT_BRANCH_COUNT] = {
		[CULPRIT_BRANCH_CONDITIONAL] = "COND",	[CULPRIT_BRANCH_JUMP] = "UNCOND",
		[CULPRIT_BRANCH_CALL] = "CALL",		[CULPRIT_BRANCH_RETURN] = "RET",
		[CULPRIT_BRANCH_INDIRECT_JUMP] = "IND", [CULPRIT_BRANCH_INDIRECT_CALL] = "IND_CALL"};
	return branch < CULPRIT_BRANCH_COUNT && kinds[branch] ? kinds[branch] : "N/A";
}

static void print_branch(const struct taken *t, FILE *out)
{
	const struct culprit_branch_record *b = &t->record;
	fprintf(out, " 0x%" PRIx64 "/0x%" PRIx64 "/%c%s/-/-/%" PRIu32 "/%s/- ", b->from, b->to,
		b->flags & CULPRIT_BRANCH_WAS_MISPREDICTED ? 'M' : 'P', b->flags & CULPRIT_BRANCH_NOT_TAKEN ? "N" : "",
		b->cycles, kind_of(t->branch));
}

void perf_writer_print(const struct perf_writer *w, const char *command, FILE *out)
{
	static const struct {
		uint64_t bits;
		const char *text;
	} sources[] = {
#define SOURCE(name, bits, text) {bits, text},
		SOURCES(SOURCE)
#undef SOURCE
	};
	const char *slash = strrchr(command, '/');
	for (size_t i = 0; i < w->sample_count; i++) {
		const struct seen *s = &w->samples[i];
		fprintf(out, "%15.15s %5d %5" PRIu64 ".%09" PRIu64 ": %10" PRIu64 " instructions:ppp: ",
			slash ? slash + 1 : command, PID, s->time / NS, s->time % NS, s->period);
		fprintf(out, "%16" PRIx64 " %16" PRIx64 " %s %16" PRIu32 "%16" PRIu32 " %16" PRIx64 " ", s->address,
			sources[s->source].bits, sources[s->source].text, s->latency, s->from_dispatch, s->pc);
		for (uint32_t k = 0; k < s->branch_count; k++)
			print_branch(&w->branches[s->first_branch + k], out);
		fputc('\n', out);
	}
}
