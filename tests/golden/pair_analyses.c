/* One line for each pair: what each analysis made of its records and log, as a checksum of all that tests/core/machine_figures.h
 * tells of it; and profiles by the oracle, by profilers, and from shotgun's samples, as checksums of their own. */
#include "pairs.h"

#include "analysis/profilers/profilers.h"
#include "analysis/shotgun/machine.h"
#include "analysis/starts.h"
#include "bare_guest.h"
#include "core/core.h"
#include "machine_checks.h"
#include "riscv/static_insn.h"

#include <stdlib.h>
#include <string.h>

enum { RUN = 3000, LOG_ROOM = 1 << 16 };

static uint64_t mix(uint64_t sum, uint64_t value)
{
	const uint64_t x = (sum ^ value) * 0x9e3779b97f4a7c15;
	return x ^ x >> 29;
}

static void print_sum(FILE *out, uint64_t sum)
{
	fprintf(out, " %08x", (unsigned)(sum >> 32 ^ sum));
}

/* --- those that machine_checks.h has --- */

/* A column begins with the line that begins so. */
static const char *const columns[] = {
	"core:", "naive:", "record seq:", "commit stack:", "stall ", "graph:", "graph, waits", "critical:"};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void print_figures(FILE *out, const char *text)
{
	uint64_t sum[COLUMNS] = {0};
	unsigned column = 0;
	for (const char *line = text; *line; line++) {
		for (unsigned next = column + 1; next < COLUMNS; next++)
			if (!strncmp(line, columns[next], strlen(columns[next])))
				column = next;
		for (; *line && *line != '\n'; line++)
			sum[column] = mix(sum[column], (unsigned char)*line);
		if (!*line)
			break;
	}
	for (unsigned i = 0; i < COLUMNS; i++)
		print_sum(out, sum[i]);
}

static uint64_t print_checks(FILE *out, const struct machine *m, const uint8_t *code)
{
	struct machine_checks x;
	char *text = NULL;
	size_t size;
	FILE *figures = open_memstream(&text, &size);
	machine_checks_run(&x, m, code, figures);
	fclose(figures);
	fprintf(out, " %5llu %6llu", (unsigned long long)x.instructions, (unsigned long long)x.cycles);
	print_figures(out, text);
	for (unsigned i = 0; i < CHECK_COUNT; i++)
		if (x.broken[i])
			fprintf(out, " %s: %s", machine_check_what(i), x.broken[i]);
	free(text);
	return x.cycles;
}

/* --- profiles --- */

struct heard {
	struct culprit_record records[RUN];
	size_t count;
	struct culprit_log log;
	struct culprit_log_entry entries[LOG_ROOM];
	struct profilers *profilers;
};

static void take_records(void *context, const struct culprit_record *records, size_t count)
{
	struct heard *h = context;
	memcpy(h->records + h->count, records, count * sizeof *records);
	h->count += count;
}

static void take_log(void *context)
{
	struct heard *h = context;
	const struct culprit_log_part part = {.entries = h->entries, .count = (size_t)(h->log.next - h->entries)};
	profilers_log(h->profilers, &part);
	h->log.next = h->entries;
}

static void take_squashed(void *context, const struct culprit_record *record, uint64_t until)
{
	struct heard *h = context;
	const struct culprit_log_squashed squashed = {*record, until};
	const struct culprit_log_part part = {.squashed = &squashed, .squashed_count = 1};
	take_log(h);
	profilers_log(h->profilers, &part);
}

static bool listen(struct heard *h, const struct machine *m, const uint8_t *code)
{
	struct error err;
	struct guest *g = bare_guest_create(code, CHECKS_CODE_BYTES);
	struct core *c = core_create(m, g, &err);
	const struct culprit_record_sink sink = {.context = h, .records = take_records};
	h->count = 0;
	h->log = (struct culprit_log){h->entries, h->entries + LOG_ROOM, h, take_log, take_squashed};
	core_record(c, &sink, &h->log);
	core_limit(c, RUN);
	const bool good = core_run(c, UINT64_MAX, &err) == CORE_STOP_ENDED;
	core_flush_records(c);
	take_log(h);
	core_destroy(c);
	guest_destroy(g);
	return good;
}

static uint64_t sum_rows(const struct profilers *p)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < profilers_rows(p); i++) {
		const struct oracle_row *row = profilers_row(p, i);
		sum = mix(mix(sum, row->pc), row->executions << 18 | row->events << 2 | row->entry << 1 | row->leader);
		for (unsigned n = 0; n < ORACLE_CASES; n++)
			sum = mix(sum, row->parts[n]);
	}
	return sum;
}

/* Weights, and shares to six digits: the last ones are the host's. */
static uint64_t sum_profiles(const struct profilers *p)
{
	static bool starts[RUN];
	struct profilers_result r;
	struct error err;
	uint64_t sum = 0;
	for (size_t i = 0; i < profilers_rows(p); i++)
		starts[i] = !i || profilers_row(p, i)->entry;
	if (!profilers_judge(p, starts, &r, &err))
		return 0;
	for (unsigned which = 0; which < PROFILERS; which++)
		for (unsigned s = 0; s < PROFILER_SERIES; s++) {
			sum = mix(sum, r.samples[which][s] << 32 | r.lost[which][s]);
			for (unsigned level = 0; level < PROFILER_LEVELS; level++)
				sum = mix(sum, (uint64_t)(int64_t)(1e6 * r.error[which][level][s] + 0.5));
			for (size_t i = 0; i < profilers_rows(p); i++)
				sum = mix(sum, profilers_weight(p, i, which, s));
		}
	return sum;
}

static void print_profiles(FILE *out, struct heard *h, const struct machine *m, const uint8_t *code)
{
	struct error err;
	h->profilers = profilers_create(&(struct profilers_params){.period = 64, .seed = 1, .skid = 3}, &err);
	const bool good = h->profilers && listen(h, m, code);
	if (good)
		profilers_push(h->profilers, h->records, h->count);
	if (good && profilers_finish(h->profilers, &err)) {
		print_sum(out, sum_rows(h->profilers));
		print_sum(out, sum_profiles(h->profilers));
	} else {
		fprintf(out, " no profiles");
	}
	profilers_destroy(h->profilers);
}

/* --- shotgun --- */

static bool decode(void *context, uint64_t pc, struct culprit_static_insn *insn)
{
	const uint8_t *code = context;
	uint32_t raw;
	if (pc < BARE_CODE || pc - BARE_CODE + 4 > CHECKS_CODE_BYTES)
		return false;
	memcpy(&raw, code + (pc - BARE_CODE), 4);
	return riscv_static_insn((raw & 3) == 3 ? raw : raw & 0xffff, pc, insn);
}

static uint64_t sum_details(const struct culprit_samples *s)
{
	uint64_t sum = mix(s->instructions, s->cycles);
	for (const struct culprit_detail *d = s->details; d < s->details + s->detail_count; d++) {
		const uint64_t words[] = {d->pc,	   d->target, d->address,    d->bits[0],      d->bits[1],
					  d->imiss,	   d->dmiss,  d->contention, d->mem_producer, d->primary_miss,
					  d->order_waited, d->itlb,   d->dtlb,	     d->exec_latency, d->flags,
					  d->ilevel,	   d->dlevel, d->dtlb_level, d->itlb_level,   d->istray,
					  d->dstray};
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			sum = mix(sum, words[i]);
	}
	for (size_t i = 0; i < s->signature_count; i++)
		sum = mix(sum, s->pc[i]);
	for (size_t i = 0; i < 2 * s->signature_count * s->words; i++)
		sum = mix(sum, s->bits[i]);
	return sum;
}

static uint64_t sum_results(const struct culprit_shotgun_results *r)
{
	uint64_t sum = mix(r->built, r->aborted);
	for (unsigned i = 0; i < CULPRIT_GRAPH_SETS; i++)
		sum = mix(sum, r->graph.time[i]);
	for (unsigned i = 0; i < CULPRIT_ABORT_COUNT; i++)
		sum = mix(sum, r->aborts[i]);
	const uint64_t words[] = {r->shortened,
				  r->instructions,
				  r->borrowed,
				  r->missing,
				  r->compared,
				  r->agreed,
				  r->targets_sampled,
				  r->targets_stack,
				  r->targets_signature,
				  r->stores_missed,
				  r->primary_misses_missed,
				  r->stores_inferred,
				  r->accesses,
				  r->own_accesses,
				  (uint64_t)(1e6 * r->cpi),
				  (uint64_t)(1e6 * r->cpi_error)};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		sum = mix(sum, words[i]);
	return sum;
}

static void print_shotgun(FILE *out, const struct heard *h, const struct machine *m, uint8_t *code)
{
	const struct culprit_monitor_params params = {.length = 200,
						      .context = 10,
						      .stack = 8,
						      .targets = 4,
						      .signature_interval = 300,
						      .detail_interval = 5,
						      .seed = 3,
						      .wide = true};
	const struct culprit_shotgun_params rebuild = {.seed = 1, .warmup = 50, .context = 10, .signature_bits = 2};
	const struct culprit_code read = {code, decode};
	struct culprit_shotgun_machine machine;
	struct culprit_shotgun_results results;
	shotgun_machine_from_machine(&machine, m);
	struct culprit_monitor *monitor = culprit_monitor_create(&params, NULL);
	culprit_monitor_push(monitor, h->records, h->count);
	const struct culprit_samples *samples = culprit_monitor_samples(monitor);
	struct culprit_shotgun *s = culprit_shotgun_create(&machine, &rebuild, samples, &read, NULL);
	print_sum(out, sum_details(samples));
	if (s && culprit_shotgun_run(s, &results))
		print_sum(out, sum_results(&results));
	else
		fprintf(out, " %8s", "none");
	culprit_shotgun_destroy(s);
	culprit_monitor_destroy(monitor);
}

void pair_analyse(uint64_t number, FILE *out)
{
	static struct heard h;
	static uint8_t code[CHECKS_CODE_BYTES];
	struct random_source r = {~number};
	struct machine m;
	memset(code, 0, sizeof code);
	const char *around = varied_machine(&m, &r);
	varied_program(random_next(&r), false, code, sizeof code);
	fprintf(out, "%3llu %-22s", (unsigned long long)number, around);
	print_checks(out, &m, code);
	print_profiles(out, &h, &m, code);
	print_shotgun(out, &h, &m, code);
	fprintf(out, "\n");
}
