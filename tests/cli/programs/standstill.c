/* Stopped, with nobody to let it go on but a timer whose signal it ignores: time goes on for ever. */
#include <signal.h>
#include <sys/time.h>

int main(void)
{
	const struct itimerval often = {{0, 1000}, {0, 1000}};

	signal(SIGALRM, SIG_IGN);
	setitimer(ITIMER_REAL, &often, 0);
	raise(SIGSTOP);
	return 1;
}
