/* clean_signals COMMAND [ARG...]: run it with no signal blocked or ignored, whatever the caller had: a shell cannot undo that. */
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	sigset_t none;
	sigemptyset(&none);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL); /* not those that cannot be set */
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (argc > 1)
		execvp(argv[1], argv + 1);
	return 126;
}
