/* Runs one kernel of tests/core/kernels on a machine, and compares cycles per iteration with what the test computes
 * from the machine's parameters. The difference of two runs leaves start and end out; both runs must be in the steady
 * state, and the iterations between them a multiple of whatever period the widths make, so the comparison is exact.
 * Every run's registers and instruction count are compared with functional execution of the same code. */
#ifndef TESTS_CORE_KERNEL_RIG_H
#define TESTS_CORE_KERNEL_RIG_H

#include "bare_guest.h"
#include "core/core.h"
#include "kernels/kernel.h"

/* Machines of different styles: one queue and unlimited units; several queues, store sets, L3, two TLB levels. */
#define KERNEL_MACHINES(X) X("eyerman2009-4w") X("fields2003") X("boom-large") X("xiangshan-kunminghu-v3")
extern const char *const kernel_machines[];
extern const unsigned kernel_machine_count;

struct kernel {
	const char *name;
	uint64_t arg[6];     /* a1 to a6 */
	uint64_t vlen;	     /* bits of a vector register; 0 = the guest has none */
	uint64_t ring_nodes; /* pointers to follow: at BARE_DATA + i * ring_stride, closed */
	uint64_t ring_stride;
	uint64_t before, after;			/* iterations of the two runs; 0 = 40 and 280 */
	const struct culprit_record_sink *sink; /* gets each run's records; NULL = nobody */
};

struct kernel_result {
	uint64_t cycles;
	struct core_statistics core;
	struct hierarchy_statistics memory;
	uint64_t data_checksum; /* of the first MiB of data */
};

/* machines/NAME.yaml */
void kernel_machine(struct machine *m, const char *name);
/* machine_set, printf-like; any error fails the test */
void kernel_set(struct machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Everything that is not pipeline out of the way: oracle prediction without bubbles, perfect TLBs, LRU caches without prefetchers,
 * MSHR or bandwidth limits, L1I of 64 KiB. */
void kernel_isolate(struct machine *m);
/* Loads that go ahead of all stores, and learn nothing, wait for data of which they know the address. */
void kernel_take_none_back(struct machine *m);
/* Every width, unit count and window structure large, fetch without breaks. */
void kernel_widen(struct machine *m);
/* kernel_machine, isolate and widen */
void kernel_wide_machine(struct machine *m, const char *name);

/* The kernel, loaded, its registers set, about to start. */
struct guest *kernel_guest(const struct kernel *k, uint64_t iterations);
void kernel_run(const struct machine *m, const struct kernel *k, uint64_t iterations, struct kernel_result *result);
/* The two runs' cycles differ by iterations * cycles / per, to the cycle. */
void kernel_expect(const struct machine *m, const struct kernel *k, uint64_t cycles, uint64_t per, const char *what);

/* From issue to a dependent's issue. */
uint64_t kernel_wake(const struct machine *m, enum culprit_op_class op);
/* A load's cycles from issue to data, when the line comes from this level. */
uint64_t kernel_load(const struct machine *m, enum culprit_level level);
/* From the fetch of an instruction into an empty front end to its issue. */
uint64_t kernel_fetch_to_issue(const struct machine *m);
uint64_t kernel_max(uint64_t a, uint64_t b);

#endif
