/* What Slurm's jobs and the sweep tell each other, in the sweep's folder:
 *
 *   NAME.list  an array: line N is the point of its task N; NAME is the job's name as well
 *   NAME.sh    what its tasks execute
 *   ID.task    a point's command; its first line names the array that owns the point
 *   ID.json    its result, whole; ID.ckpt, where that is a checkpoint
 *   ID.ended   it ended without a result: what it said
 *
 * A task whose point has no ID.task, or one of another array, ends at once. So a point belongs to one array at a time,
 * and Slurm may start a task again, after its node was lost or for any other reason: what is done is not done twice. */
#ifndef CULPRIT_SWEEP_SLURM_FOLDER_H
#define CULPRIT_SWEEP_SLURM_FOLDER_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

/* FOLDER/NAME.END, whole or not at all. */
bool slurm_put_file(const char *folder, const char *name, const char *end, const char *text, struct error *err);
void slurm_remove_file(const char *folder, const char *name, const char *end);
FILE *slurm_open_file(const char *folder, const char *name, const char *end);
/* "NAME.end" -> NAME. False: the file ends otherwise. */
bool slurm_take_name(const char *file, const char *end, char *name, size_t room);
/* "ID.json" or "ID.ckpt" -> ID */
bool slurm_take_result(const char *file, char *id, size_t room);
/* The point is this array's, and not another's. */
bool slurm_owns(const char *folder, const char *name, const char *id);
/* NAME.sh */
bool slurm_put_script(const char *folder, const char *name, struct error *err);

#endif
