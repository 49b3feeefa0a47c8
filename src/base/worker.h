/* Starting a thread that works for another. Signals are for the thread that simulates: it must be the one that a signal
 * wakes, however short the time in which it blocks them itself. */
#ifndef CULPRIT_BASE_WORKER_H
#define CULPRIT_BASE_WORKER_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

static inline bool worker_start(pthread_t *thread, void *(*work)(void *), void *context)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	bool started = pthread_create(thread, NULL, work, context) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

#endif
