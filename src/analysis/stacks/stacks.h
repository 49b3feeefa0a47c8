/* CPI stacks from counters, all in one run: five counter architectures, the stacks of three
 * pipeline stages, and the top-down slots tree, driven by cycle-level events. Nothing feeds back into timing.
 *
 * An architecture charges whole cycles to the eight components and calls the rest base, so base and components sum to
 * the cycles always; a naive one may charge more than there are, and its base is then negative by as much.
 * Stage stacks and the slots tree charge every slot once. stacks_finish checks all of it. */
#ifndef CULPRIT_ANALYSIS_STACKS_STACKS_H
#define CULPRIT_ANALYSIS_STACKS_STACKS_H

#include "analysis/stacks/types.h"
#include "base/error.h"
#include "culprit/observer.h"

struct machine;

struct stacks;

void stacks_params_from_machine(struct stacks_params *p, const struct machine *m);

struct stacks *stacks_create(const struct stacks_params *params, struct error *err);
void stacks_destroy(struct stacks *s);
/* Valid as long as s. */
const struct culprit_observer *stacks_observer(const struct stacks *s);
/* Before stacks_finish, where events count slots and not instructions: how many all records took, by stage; `heavy`: of
 * dispatch, those of records that take more than one. */
void stacks_weigh(struct stacks *s, uint64_t dispatch, uint64_t issue, uint64_t commit, uint64_t heavy);
/* After the last event. The run's totals as the simulator counted them: every stack is checked against them. */
bool stacks_finish(struct stacks *s, uint64_t cycles, uint64_t instructions, struct error *err);

/* --- results, valid after stacks_finish --- */

/* Cycles of base and the eight components; they sum to the run's cycles. */
void stacks_components(const struct stacks *s, enum stack_method method, int64_t cycles[STACK_COMPONENTS]);
/* State beside the nine global cycle counters that every architecture has. */
uint64_t stacks_storage_bits(const struct stacks *s, enum stack_method method);
/* Slots of a stage, and how many there are in a cycle: the least of the stages' widths. */
const uint64_t *stacks_stage(const struct stacks *s, enum stack_stage stage);
uint32_t stacks_stage_width(const struct stacks *s);
/* False: bandwidth is idealised, there is no tree. */
bool stacks_slots(const struct stacks *s, uint64_t slots[SLOTS_ROWS]);
/* Cycles by set of claims (a mask of enum stack_claim). */
const uint64_t *stacks_claims(const struct stacks *s);
const struct stacks_penalties *stacks_penalties(const struct stacks *s);
const struct stacks_params *stacks_parameters(const struct stacks *s);

const char *stack_component_name(enum stack_component c);
const char *stack_component_meaning(enum stack_component c);
const char *stack_method_name(enum stack_method m);
const char *stack_method_label(enum stack_method m);
const char *stack_method_meaning(enum stack_method m);
/* FMT_RULES = no such rule */
enum fmt_rule fmt_rule_find(const char *name, size_t length);
const char *fmt_rule_name(enum fmt_rule rule);
const char *stack_stage_name(enum stack_stage stage);
const char *stage_row_name(enum stage_row row);
const char *stage_row_meaning(enum stage_row row);
const char *slots_row_name(enum slots_row row);
const char *slots_row_meaning(enum slots_row row);
enum slots_row slots_row_parent(enum slots_row row);

#endif
