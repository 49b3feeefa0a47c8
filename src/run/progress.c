#include "run/progress.h"

#include "report/terminal.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted; /* the command line's own: signals leave no other way */

static volatile sig_atomic_t noticed;		      /* the run has seen it and ends by itself */
static volatile int64_t used_at_signal, used_at_look; /* processor time; the handlers' own */

static int64_t used(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void look_in_a_second(void)
{
	struct itimerval second = {.it_value.tv_sec = 1};
	used_at_look = used();
	setitimer(ITIMER_REAL, &second, NULL);
}

static void on_signal(int number)
{
	if (interrupted)
		_exit(128 + number);
	interrupted = number;
	used_at_signal = used();
	look_in_a_second();
}

/* A second after the signal the run has not noticed it: something takes very long, or waits for the host. But where
 * other work leaves this process no time to run, that is no reason to lose its report. */
static void on_alarm(int number)
{
	(void)number;
	if (noticed)
		return;
	if (used() - used_at_signal > 700000000 || used() - used_at_look < 20000000)
		_exit(128 + interrupted);
	look_in_a_second();
}

/* What the caller ignores stays ignored: a script's background job is not meant by the terminal's Ctrl-C. */
static void listen_to(int number)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
	sigemptyset(&action.sa_mask);
	if (!sigaction(number, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

void interrupt_install(void)
{
	listen_to(SIGINT);
	listen_to(SIGTERM);
	listen_to(SIGHUP); /* the terminal was closed; under nohup it is ignored, and stays so */
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm, .sa_flags = SA_RESTART}, NULL);
}

bool interrupt_seen(void)
{
	if (interrupted)
		noticed = 1;
	return interrupted != 0;
}

int interrupt_status(void)
{
	return 128 + interrupted;
}

double progress_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_begin(struct progress *p, const char *doing, uint64_t goal, bool quiet)
{
	bool shown = !quiet && isatty(STDERR_FILENO);
	*p = (struct progress){.shown = shown, .doing = doing, .goal = goal, .started = progress_clock()};
	p->last = p->started + 0.5; /* short runs show nothing */
}

void progress_update(struct progress *p, uint64_t done)
{
	if (!p->shown)
		return;
	double now = progress_clock();
	if (now - p->last < 0.2)
		return;
	p->last = now;
	p->drawn = true;
	double speed = (double)done / (now - p->started);
	char line[200];
	if (p->goal)
		snprintf(line, sizeof line, "culprit: %s%5.1f%%  %.1f M instructions, %.2f M/s, %.0f s left", p->doing,
			 100.0 * (double)done / (double)p->goal, (double)done / 1e6, speed / 1e6,
			 speed > 0 ? (double)(p->goal - done) / speed : 0);
	else
		snprintf(line, sizeof line, "culprit: %s%.1f M instructions, %.2f M/s", p->doing, (double)done / 1e6,
			 speed / 1e6);
	terminal_progress(line, stderr);
}

void progress_end(struct progress *p)
{
	if (p->drawn)
		terminal_progress("", stderr);
	p->drawn = false;
}
