/* predictions profile FILE: every list of counts of a profile, and its samples.
 * predictions model FILE MACHINES SEED: what the model predicts from it for machines drawn at random, term by term.
 * predictions streams STREAMS SEED: streams.c
 *
 * Lists too long to read are told by their sum and a checksum that knows the order. tests/golden/check compares the output. */
#include "any_machine.h"
#include "interval/model/model.h"
#include "streams.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void open_profile(struct interval_profile *p, const char *file)
{
	struct error err;
	if (interval_read(p, file, &err))
		return;
	fprintf(stderr, "%s\n", err.text);
	exit(2);
}

/* --- the profile --- */

static const struct {
	const char *name;
	size_t offset, size;
} lists[] = {
#define LIST(name)                                                                                              \
	{                                                                                                       \
#name, offsetof(struct interval_profile, name), sizeof(((struct interval_profile *)NULL)->name) \
	}
	LIST(program),	    LIST(instructions),
	LIST(skipped),	    LIST(warmed),
	LIST(ended),	    LIST(reference),
	LIST(mix),	    LIST(fetch),
	LIST(paths),	    LIST(predictor[0]),
	LIST(predictor[1]), LIST(predictor[2]),
	LIST(predictor[3]), LIST(predictor[4]),
	LIST(predictor[5]), LIST(predictor[6]),
	LIST(predictor[7]), LIST(predictor[8]),
	LIST(depth),	    LIST(btb),
	LIST(returns),	    LIST(l1i),
	LIST(l1d),	    LIST(l2),
	LIST(l3),	    LIST(itlb),
	LIST(dtlb),	    LIST(tlb2),
	LIST(level),	    LIST(instruction_pages),
	LIST(data_pages),   LIST(overlap),
	LIST(data_level),   LIST(data_translation),
	LIST(fetch_level),  LIST(fetch_translation),
	LIST(sampling),
};

struct digest {
	uint64_t sum, mixed;
};

static void add(struct digest *d, uint64_t value)
{
	d->sum += value;
	d->mixed = (d->mixed ^ value) * 0x100000001b3;
}

static void print_digest(const char *name, uint64_t count, const struct digest *d)
{
	printf("%s: %" PRIu64 " in %" PRIu64 ", %016" PRIx64 "\n", name, d->sum, count, d->mixed);
}

static void print_samples(const char *name, const struct interval_sample *list, uint64_t count)
{
	struct digest where = {0}, address = {0}, producers = {0}, memory = {0}, levels = {0}, rest = {0};
	for (const struct interval_sample *s = list; s < list + count; s++) {
		add(&where, s->pc);
		add(&address, s->address);
		for (size_t i = 0; i < 3; i++)
			add(&producers, s->producer[i]);
		add(&memory, s->mem_producer);
		add(&memory, s->covers);
		add(&levels, s->dlevel | (uint64_t)s->dtlb << 8 | (uint64_t)s->ilevel << 16 | (uint64_t)s->itlb << 24);
		add(&rest, s->op | (uint64_t)s->dest << 8 | (uint64_t)s->flags << 16);
	}
	printf("%s\n", name);
	print_digest("  pc", count, &where);
	print_digest("  address", count, &address);
	print_digest("  producers", count, &producers);
	print_digest("  stores loaded from", count, &memory);
	print_digest("  levels", count, &levels);
	print_digest("  operation, destination, flags", count, &rest);
}

static void print_profile(const struct interval_profile *p)
{
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		struct digest d = {0};
		for (size_t at = 0; at < lists[i].size; at += sizeof(uint64_t)) {
			uint64_t word;
			memcpy(&word, (const char *)p + lists[i].offset + at, sizeof word);
			add(&d, word);
		}
		print_digest(lists[i].name, lists[i].size / sizeof(uint64_t), &d);
	}
	const struct interval_samples *s = &p->samples;
	struct digest paths = {0};
	for (uint64_t i = 0; i < s->wrong_count; i++) {
		add(&paths, s->wrong[i].branch);
		add(&paths, s->wrong[i].first);
		add(&paths, s->wrong[i].count);
	}
	printf("stretches of %" PRIu64 ", one in %" PRIu64 "\n", s->stretch, s->every);
	print_samples("samples", s->list, s->count);
	print_digest("wrong paths", s->wrong_count, &paths);
	print_samples("their instructions", s->strays, s->stray_count);
}

/* --- predictions --- */

static void print_machine(const struct machine *m)
{
	struct machine base;
	kernel_machine(&base, m->name);
	printf("%s", m->name);
	for (unsigned k = 0; k < any_machine_keys(); k++)
		if (any_machine_differs(m, &base, k)) {
			printf(" ");
			any_machine_print(m, k, stdout);
		}
	printf("\n");
}

static void print_result(const char *name, const struct model_result *r)
{
	printf("%s: CPI %.6g, %.6g cycles, drain %.6g, resolution %.6g, latency %.6g\n", name, r->cpi, r->cycles,
	       r->drain, r->resolution, r->latency);
	for (unsigned t = 0; t < MODEL_TERMS; t++)
		if (r->lines[t].cycles != 0 || r->lines[t].count != 0)
			printf("  %s: %.6g x %.6g = %.6g\n", model_term_name((enum model_term)t), r->lines[t].count,
			       r->lines[t].penalty, r->lines[t].cycles);
	for (uint32_t i = 0; i < r->counts.nearest_count; i++) {
		const struct model_nearest *n = &r->counts.nearest[i];
		printf("  nearest %s: %s: %.6g of %.6g, %.6g cycles\n", n->structure, n->text, n->off, n->count,
		       model_nearest_cycles(r, n));
	}
}

static void predict(const struct model *model, uint64_t seed)
{
	struct random_source random = {~seed};
	struct machine m;
	struct model_result r = {.cycles = 0};
	struct error err;
	any_machine(&m, &random);
	m.ideal = 0; /* the model has none */
	printf("\nseed %" PRIu64 ": ", seed);
	print_machine(&m);
	if (model_plain(model, &m, &r, &err))
		print_result("plain", &r);
	else
		printf("plain: %s\n", err.text);
	if (model_refined(model, &m, MODEL_REFINED, &r, &err))
		print_result("refined", &r);
	else
		printf("refined: %s\n", err.text);
}

int main(int argc, char **argv)
{
	static struct interval_profile p;
	struct model model;
	struct error err;
	if (argc == 3 && !strcmp(argv[1], "profile")) {
		open_profile(&p, argv[2]);
		print_profile(&p);
	} else if (argc == 5 && !strcmp(argv[1], "model")) {
		open_profile(&p, argv[2]);
		if (!model_open(&model, &p, &err)) {
			fprintf(stderr, "%s\n", err.text);
			return 2;
		}
		uint64_t first = strtoull(argv[4], NULL, 0), end = first + strtoull(argv[3], NULL, 0);
		for (uint64_t seed = first; seed < end; seed++)
			predict(&model, seed);
		model_close(&model);
	} else if (argc == 4 && !strcmp(argv[1], "streams")) {
		print_streams(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
	} else {
		fprintf(stderr, "usage: predictions profile FILE | model FILE MACHINES SEED | streams STREAMS SEED\n");
		return 2;
	}
	interval_profile_clear(&p);
	return 0;
}
