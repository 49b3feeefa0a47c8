/* What is asked of Slurm, by its own commands: hand in an array of jobs, and say what became of its tasks. The user's
 * SBATCH_... variables hold for it (partition, account, time). */
#ifndef CULPRIT_SWEEP_SLURM_QUEUE_H
#define CULPRIT_SWEEP_SLURM_QUEUE_H

#include "base/error.h"

#include <stdint.h>

/* Tasks 1 to `count` of `script`, which stands at `folder`/`name`.sh. */
bool slurm_submit(const char *folder, const char *name, uint32_t count, struct error *err);

/* One task of an array, and its state in Slurm's word. Task 0: those that it never began. */
typedef void slurm_visitor(void *context, const char *name, uint32_t task, const char *state);
/* The tasks of all arrays in `names` (with commas between them) that Slurm still knows, ended ones included. False:
 * Slurm does not answer. */
bool slurm_visit(const char *names, slurm_visitor *visit, void *context, struct error *err);
/* It waits or runs, or will again. */
bool slurm_is_alive(const char *state);

#endif
