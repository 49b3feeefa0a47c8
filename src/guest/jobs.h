/* Job control: processes that signals stop and let go on, and the groups that a terminal sends signals to.
 *
 * A stop takes effect when its signal is sent: on one core no other process runs in between. A call that waits goes on
 * waiting, and what ends the wait meanwhile is there when the process goes on. */
#ifndef CULPRIT_GUEST_JOBS_H
#define CULPRIT_GUEST_JOBS_H

#include "guest/process.h"

bool signal_stops(int number);
/* Unless the group is orphaned: then only SIGSTOP does. */
void process_stop(struct guest *g, struct process *p, int number);
void process_continue(struct guest *g, struct process *p);
/* Nobody of its session outside the group is a parent of one in it, `except` (or NULL) aside. */
bool group_orphaned(const struct guest *g, int group, const struct process *except);
void group_send(struct guest *g, int group, int number); /* from the kernel; 0: no group */
/* The process ends: groups that are orphaned by that, and have stopped members, are told. */
void jobs_leave(struct guest *g, const struct process *p);
/* The running thread's call is made again, once the signals just sent to it have been seen to. */
int64_t call_again(struct guest *g);

#endif
