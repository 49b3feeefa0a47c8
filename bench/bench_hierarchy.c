/* Host time of one request to the memory hierarchy, by what it meets, in CPU nanoseconds. Prints one line for each
 * pattern; the level counts show that the pattern met what its name says.
 *   bench_hierarchy [accesses in millions, default 20 [only patterns with this in their name]] */
#include "machine/hierarchy.h"
#include "machine/hierarchy_inline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct pattern {
	const char *name;
	uint64_t lines; /* addresses cover this many lines of 64 bytes */
	uint32_t kind;	/* 0 load called, 1 load inlined, 2 store inlined, 3 fetch inlined, 4 nothing: the loop alone */
	bool tlb, in_order;
	enum replacement replacement;
};

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct machine bench_machine(const struct pattern *p)
{
	struct machine m = {
#define MACHINE_UINT(section, name, def, min, max, unit, meaning) .section##_##name = def,
#define MACHINE_BOOL(section, name, def, meaning) .section##_##name = def,
#define MACHINE_ENUM(section, name, tag, def, meaning) .section##_##name = tag##_##def,
#include "machine/machine.def"
	};
	m.l1i_size = m.l1d_size = 32768;
	m.l1i_ways = m.l1d_ways = 8;
	m.l1i_line = m.l1d_line = m.l2_line = 64;
	m.l1d_mshrs = 16;
	m.l2_interval = 2;
	m.l1d_replacement = p->replacement;
	m.memory_interval = 10;
	if (p->tlb) {
		m.tlb_i_entries = m.tlb_d_entries = 64;
		m.tlb_l2_entries = 1024;
		m.tlb_l2_ways = 8;
		m.tlb_walkers = 2;
	}
	return m;
}

static uint64_t step(struct hierarchy *h, const struct pattern *p, uint64_t i, uint64_t cycle, uint64_t addr,
		     uint64_t levels[CULPRIT_LEVEL_COUNT])
{
	struct memory_access a;
	switch (p->kind) {
	case 0:
		hierarchy_load(h, cycle, i, 0x1000, addr, 8, false, &a);
		break;
	case 1:
		hierarchy_load_inline(h, cycle, i, 0x1000, addr, 8, false, &a);
		break;
	case 2:
		hierarchy_store_inline(h, cycle, i, 0x1000, addr, 8, &a);
		break;
	case 3:
		hierarchy_fetch_inline(h, cycle, i, addr, false, &a);
		break;
	default:
		a = (struct memory_access){.done = cycle + (addr & 1)};
	}
	levels[a.level]++;
	return a.done;
}

static void measure(const struct pattern *p, uint64_t accesses)
{
	struct machine m = bench_machine(p);
	struct error err;
	struct hierarchy *h = hierarchy_create(&m, &err);
	uint64_t levels[CULPRIT_LEVEL_COUNT] = {0}, random = 88172645463325252u, sum = 0;
	if (!h) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	for (uint64_t i = 0; i < p->lines; i++) {
		hierarchy_warm_data(h, 0, 64 * i, 8, false);
		hierarchy_warm_fetch(h, 64 * i);
	}
	hierarchy_settle(h);
	double start = cpu_seconds();
	for (uint64_t i = 0; i < accesses; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		uint64_t line = (p->in_order ? i / 8 : random) % p->lines;
		sum += step(h, p, i, 4 * i, 64 * line + random % 8 * 8, levels);
	}
	double ns = (cpu_seconds() - start) * 1e9 / (double)accesses;
	printf("%-34s %6.2f ns   L1 %5.1f%%  L2 %5.1f%%  memory %5.1f%%  (sum %llx)\n", p->name, ns,
	       100.0 * (double)levels[CULPRIT_LEVEL_L1] / (double)accesses,
	       100.0 * (double)levels[CULPRIT_LEVEL_L2] / (double)accesses,
	       100.0 * (double)levels[CULPRIT_LEVEL_MEMORY] / (double)accesses, (unsigned long long)sum);
	hierarchy_destroy(h);
}

int main(int argc, char **argv)
{
	static const struct pattern patterns[] = {
		{"nothing", 400, 4, false, false, replacement_lru},
		{"L1D hit, random, call", 400, 0, false, false, replacement_lru},
		{"L1D hit, random", 400, 1, false, false, replacement_lru},
		{"L1D hit, random, PLRU", 400, 1, false, false, replacement_plru},
		{"L1D hit, in order", 400, 1, false, true, replacement_lru},
		{"L1D hit, random, DTLB", 400, 1, true, false, replacement_lru},
		{"store hit, random, DTLB", 400, 2, true, false, replacement_lru},
		{"L1I hit, in order, ITLB", 400, 3, true, true, replacement_lru},
		{"L2 hit, random", 12000, 1, false, false, replacement_lru},
		{"L2 hit, random, stores", 12000, 2, false, false, replacement_lru},
		{"memory, random, DTLB", 2000000, 1, true, false, replacement_lru},
		{"memory, in order, DTLB", 2000000, 1, true, true, replacement_lru},
	};
	uint64_t millions = argc > 1 ? strtoull(argv[1], NULL, 10) : 20;
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		if (argc < 3 || strstr(patterns[i].name, argv[2]))
			measure(&patterns[i], millions * 1000000);
	return 0;
}
