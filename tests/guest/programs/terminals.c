/* Pseudo-terminals: both ends, the line discipline, sessions and jobs, hang-up. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static int master, slave;
static char slave_name[64];

static const char *error(long result)
{
	return result < 0 ? strerrorname_np(errno) : "ok";
}

static void show(const char *what, const char *text, ssize_t size)
{
	printf("%s %ld \"", what, (long)size);
	if (size < 0)
		printf("%s", strerrorname_np(errno));
	for (ssize_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < 32 || text[i] == 127)
			printf("\\x%02x", (unsigned char)text[i]);
		else
			putchar(text[i]);
	printf("\"\n");
}

/* All that comes until nothing does. */
static void drain(int fd, const char *what)
{
	char text[20000];
	ssize_t done = 0, got = 0;
	struct pollfd p = {.fd = fd, .events = POLLIN};

	while (done < (ssize_t)sizeof text && poll(&p, 1, 100) > 0 && (p.revents & POLLIN) &&
	       (got = read(fd, text + done, sizeof text - (size_t)done)) > 0)
		done += got;
	if (done > 200)
		printf("%s: %ld bytes\n", what, (long)done);
	else
		show(what, text, done);
}

static void type(const char *text)
{
	if (write(master, text, strlen(text)) != (ssize_t)strlen(text))
		printf("typed less\n");
}

static void get(const char *what, size_t size)
{
	char text[5000];
	struct pollfd p = {.fd = slave, .events = POLLIN};

	poll(&p, 1, 100);
	show(what, text, read(slave, text, size));
}

static void settle(void)
{
	usleep(50000);
}

static unsigned ready(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN | POLLOUT | POLLPRI};

	settle();
	poll(&p, 1, 0);
	return (unsigned)p.revents;
}

static void open_both(void)
{
	master = posix_openpt(O_RDWR | O_NOCTTY);
	grantpt(master);
	unlockpt(master);
	ptsname_r(master, slave_name, sizeof slave_name);
	slave = open(slave_name, O_RDWR | O_NOCTTY);
}

static void local(unsigned off, unsigned on)
{
	struct termios s;

	tcgetattr(slave, &s);
	s.c_lflag = (s.c_lflag & ~off) | on;
	tcsetattr(slave, TCSANOW, &s);
}

static void raw(unsigned least, unsigned time)
{
	struct termios s;

	tcgetattr(slave, &s);
	cfmakeraw(&s);
	s.c_cc[VMIN] = (cc_t)least;
	s.c_cc[VTIME] = (cc_t)time;
	tcsetattr(slave, TCSANOW, &s);
}

static void ends(void)
{
	struct termios s;
	struct stat st;
	int locked = 0, peer, fd = open("/dev/ptmx", O_RDWR | O_NOCTTY);
	char name[64];

	printf("ptsname %s", error(ptsname_r(fd, name, sizeof name)));
	printf(", begins %d\n", !strncmp(name, "/dev/pts/", 9));
	printf("locked %s", error(open(name, O_RDWR | O_NOCTTY)));
	ioctl(fd, 0x80045439, &locked);
	printf(" %d\n", locked);
	printf("unlock %s\n", error(unlockpt(fd)));
	slave = open(name, O_RDWR | O_NOCTTY);
	peer = ioctl(fd, 0x5441, O_RDWR | O_NOCTTY);
	printf("slave %d, peer %d, terminals %d %d\n", slave > 0, peer > 0, isatty(fd), isatty(slave));
	printf("name %d, peer's %d\n", !strcmp(ttyname(slave), name), !strcmp(ttyname(peer), name));
	fstat(slave, &st);
	printf("device %d, %d\n", S_ISCHR(st.st_mode), (int)(st.st_rdev >> 8));
	fstat(fd, &st);
	printf("master %x\n", (unsigned)st.st_rdev);
	tcgetattr(slave, &s);
	printf("settings %x %x %x %x\n", s.c_iflag, s.c_oflag, s.c_cflag, s.c_lflag);
	for (int i = 0; i < 17; i++)
		printf("%d ", s.c_cc[i]);
	s.c_cflag = (s.c_cflag & ~(tcflag_t)CSIZE) | CS7 | PARENB;
	printf("\nset %s", error(tcsetattr(fd, TCSANOW, &s)));
	tcgetattr(slave, &s);
	printf(" %x, speed %d\n", s.c_cflag, cfgetospeed(&s) == B38400);
	printf("no such request %s\n", error(ioctl(slave, 0x5499, 0)));
	printf("not the slave's %s\n", error(ioctl(slave, 0x80045430, &locked)));
	printf("seek %s\n", error(lseek(slave, 0, SEEK_SET)));
	close(peer);
	close(slave);
	close(fd);
	printf("gone %s\n", error(open(name, O_RDWR)));
}

static void lines(void)
{
	int count;

	open_both();
	printf("ready %x %x\n", ready(master), ready(slave));
	type("hello\n");
	printf("ready %x %x\n", ready(master), ready(slave));
	ioctl(slave, FIONREAD, &count);
	printf("there %d\n", count);
	get("line", 100);
	drain(master, "echo");
	type("abc");
	printf("incomplete %x\n", ready(slave));
	fcntl(slave, F_SETFL, O_NONBLOCK);
	get("incomplete", 100);
	fcntl(slave, F_SETFL, 0);
	type("\x7f\x7f"
	     "d\n");
	get("erased", 100);
	drain(master, "echo");
	type("one two_3 \x17three\n");
	get("word erased", 100);
	drain(master, "echo");
	type("killed\x15kept\n");
	get("line killed", 100);
	drain(master, "echo");
	type("a\tb\t\x7f\x7f\x7f"
	     "c\n");
	get("tabs erased", 100);
	drain(master, "echo");
	type("\x01\x02\x7f\x16\x15\x16\x03.\n");
	get("control characters", 100);
	drain(master, "echo");
	type("re\x12print\n");
	get("reprinted", 100);
	drain(master, "echo");
	type("first\nsecond\r");
	get("part", 3);
	get("rest", 100);
	get("second", 100);
	drain(master, "echo");
	type("partial\x04\x04");
	get("ended", 100);
	get("end", 100);
	type("exact\x04more\n");
	get("exactly", 5);
	get("then", 100);
	drain(master, "echo");
	write(slave, "out\n\ttab\r\n", 10);
	drain(master, "output");
	printf("nothing written %ld\n", (long)write(slave, "", 0));
	local(ECHO, 0);
	type("silent\x7f\x15secret\n");
	get("without echo", 100);
	drain(master, "echo");
	local(0, ECHONL);
	type("x\n");
	get("newline", 100);
	drain(master, "echo");
	local(ECHOE | ECHOK, ECHO);
	type("ab\x7f"
	     "c\x15z\n");
	get("plain erase", 100);
	drain(master, "echo");
	close(slave);
	close(master);
}

static void mappings(void)
{
	struct termios s;
	char text[5000];

	open_both();
	tcgetattr(slave, &s);
	s.c_iflag = IGNCR;
	s.c_oflag = OPOST | OCRNL;
	tcsetattr(slave, TCSANOW, &s);
	type("a\rb\n");
	get("no return", 100);
	write(slave, "x\ry\n", 4);
	drain(master, "mapped");
	s.c_iflag = INLCR | ISTRIP;
	s.c_oflag = OPOST | ONOCR | XTABS;
	tcsetattr(slave, TCSANOW, &s);
	type("a\nb\xe1\x04");
	get("newline to return", 100);
	write(slave, "\n\rab\tc\n", 7);
	drain(master, "mapped");
	s.c_iflag = ICRNL | IUTF8;
	s.c_oflag = OPOST | ONLCR;
	tcsetattr(slave, TCSANOW, &s);
	type("\xc3\xa4\xc3\xb6\x7f\n");
	settle();
	show("two bytes erased", text, read(slave, text, 100));
	tcflush(master, TCIFLUSH);
	/* a line that is too long keeps its end */
	memset(text, 'x', sizeof text);
	write(master, text, 4500);
	type("y\n");
	settle();
	ssize_t got = read(slave, text, sizeof text);
	printf("long line %ld, %c, %d\n", (long)got, text[got - 2], text[got - 1]);
	tcflush(master, TCIFLUSH);
	type("flushed\n");
	settle();
	printf("flush %s\n", error(tcflush(slave, TCIFLUSH)));
	type("kept\n");
	get("after flush", 100);
	drain(master, "echo");
	type("left");
	settle();
	local(ICANON, 0);
	get("raw after line", 100);
	type("as a line");
	settle();
	local(0, ICANON);
	get("line after raw", 100);
	drain(master, "echo");
	/* Ctrl-S holds what is written */
	s.c_iflag |= IXON;
	tcsetattr(slave, TCSANOW, &s);
	type("\x13");
	printf("held %x\n", ready(slave));
	fcntl(slave, F_SETFL, O_NONBLOCK);
	printf("write %s\n", error(write(slave, "x", 1)));
	type("\x11");
	printf("goes on %x\n", ready(slave));
	printf("write %s\n", error(write(slave, "x", 1)));
	drain(master, "output");
	close(slave);
	close(master);
}

static void without_lines(void)
{
	char text[64];
	struct timespec before, after;

	open_both();
	raw(1, 0);
	printf("ready %x\n", ready(slave));
	type("a\r\x03\x7f");
	get("raw", 100);
	drain(master, "no echo");
	write(slave, "a\nb", 3);
	drain(master, "no mapping");
	raw(3, 0);
	type("ab");
	printf("two of three %x\n", ready(slave));
	type("c");
	printf("three %x\n", ready(slave));
	get("three", 100);
	type("xyz");
	get("more than asked", 2);
	fcntl(slave, F_SETFL, O_NONBLOCK);
	get("not enough, no wait", 100);
	get("nothing, no wait", 100);
	fcntl(slave, F_SETFL, 0);
	raw(0, 0);
	get("polling read", 10);
	raw(0, 2);
	clock_gettime(CLOCK_MONOTONIC, &before);
	show("timed out", text, read(slave, text, 10));
	clock_gettime(CLOCK_MONOTONIC, &after);
	printf("after 0.2 s: %d\n",
	       (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 >= 195);
	type("q");
	get("in time", 10);
	raw(5, 1);
	type("12");
	show("between bytes", text, read(slave, text, 10));
	local(0, ECHO | ECHOCTL);
	type("\n\x01");
	get("raw with echo", 10);
	drain(master, "echo");
	close(slave);
	close(master);
}

/* --- sessions --- */

static volatile int caught[65];

static void note(int number)
{
	caught[number]++;
}

static void catch (int number)
{
	struct sigaction action = {.sa_handler = note};

	sigaction(number, &action, NULL);
}

static void report(pid_t child)
{
	int status;

	if (waitpid(child, &status, WUNTRACED) != child)
		printf("lost\n");
	else if (WIFSTOPPED(status))
		printf("child stopped by %d\n", WSTOPSIG(status));
	else if (WIFSIGNALED(status))
		printf("child killed by %d\n", WTERMSIG(status));
	else
		printf("child exits %d\n", WEXITSTATUS(status));
	fflush(stdout);
}

/* In a process of its own, so that this one has no terminal. */
static pid_t begin(void (*body)(void))
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child)
		return child;
	body();
	fflush(stdout);
	_exit(0);
}

static void leader(void)
{
	int fd;

	printf("setsid %d\n", setsid() == getpid());
	printf("no terminal %s\n", error(open("/dev/tty", O_RDWR)));
	printf("not mine %s\n", error(tcgetpgrp(slave)));
	printf("not the session's %s\n", error(tcgetsid(slave)));
	fd = open(slave_name, O_RDWR | O_NOCTTY);
	printf("without control %s\n", error(open("/dev/tty", O_RDWR)));
	close(fd);
	fd = open(slave_name, O_RDWR);
	printf("groups %d %d %d\n", tcgetpgrp(fd) == getpid(), tcgetsid(fd) == getpid(), tcgetpgrp(master) == getpid());
	fd = open("/dev/tty", O_RDWR);
	printf("own %d, %s\n", fd > 0, ttyname(fd));
	write(fd, "to the terminal\n", 16);
	drain(master, "written");
	printf("again %s\n", error(ioctl(fd, TIOCSCTTY, 0)));
	printf("no such group %s\n", error(tcsetpgrp(fd, 999999)));
	printf("bad group %s\n", error(tcsetpgrp(fd, -5)));
	printf("other session's group %s\n", error(tcsetpgrp(fd, getpgid(getppid()))));
	catch (SIGINT);
	catch (SIGQUIT);
	catch (SIGWINCH);
	catch (SIGHUP);
	type("typed\x03");
	settle();
	printf("caught %d\n", caught[SIGINT]);
	drain(master, "echo");
	type("\x1c");
	settle();
	printf("caught %d\n", caught[SIGQUIT]);
	drain(master, "echo");
	printf("flushed %x\n", ready(slave) & POLLIN);
	local(0, NOFLSH);
	type("kept\x03\n");
	get("not flushed", 100);
	local(ISIG, 0);
	type("\x03\n");
	get("no signal", 100);
	local(0, ISIG);
	struct winsize w = {50, 132, 0, 0};
	printf("window %s", error(ioctl(master, TIOCSWINSZ, &w)));
	printf(" %s", error(ioctl(master, TIOCSWINSZ, &w)));
	memset(&w, 0, sizeof w);
	ioctl(fd, TIOCGWINSZ, &w);
	settle();
	printf(" %d %d, caught %d\n", w.ws_row, w.ws_col, caught[SIGWINCH]);
	printf("give up %s", error(ioctl(fd, TIOCNOTTY)));
	printf(" %d\n", caught[SIGHUP]);
	printf("no terminal %s\n", error(open("/dev/tty", O_RDWR)));
	printf("take %s", error(ioctl(slave, TIOCSCTTY, 0)));
	printf(" %d\n", tcgetpgrp(slave) == getpid());
}

static void child_reads(void)
{
	char text[20];

	setpgid(0, 0);
	signal(SIGCONT, SIG_DFL);
	show("child", text, read(slave, text, sizeof text));
}

static void child_writes(void)
{
	setpgid(0, 0);
	write(slave, "from the background\n", 20);
	_exit(3);
}

static void child_sets(void)
{
	setpgid(0, 0);
	local(0, ECHO);
	_exit(4);
}

static void child_ignores(void)
{
	char text[20];

	setpgid(0, 0);
	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	show("ignored read", text, read(slave, text, sizeof text));
	printf("ignored change %s\n", error(tcsetpgrp(slave, getpid())));
}

static void child_waits(void)
{
	setpgid(0, 0);
	catch (SIGCONT);
	while (!caught[SIGCONT])
		pause();
	_exit(5);
}

static void shell(void)
{
	pid_t child;
	char text[100];

	setsid();
	ioctl(slave, TIOCSCTTY, 0);
	signal(SIGTTOU, SIG_IGN);
	/* a job in the background reads */
	child = begin(child_reads);
	report(child);
	tcsetpgrp(slave, child);
	kill(child, SIGCONT);
	type("for the job\n");
	report(child);
	tcsetpgrp(slave, getpid());
	/* writes, which it may unless TOSTOP is set */
	report(begin(child_writes));
	local(0, TOSTOP);
	child = begin(child_writes);
	report(child);
	local(TOSTOP, 0);
	kill(child, SIGCONT);
	report(child);
	child = begin(child_sets);
	report(child);
	kill(child, SIGKILL);
	report(child);
	report(begin(child_ignores));
	tcsetpgrp(slave, getpid());
	/* is stopped and interrupted by the terminal */
	child = begin(child_waits);
	settle();
	tcsetpgrp(slave, child);
	type("\x1a");
	report(child);
	tcsetpgrp(slave, getpid());
	kill(-child, SIGCONT);
	report(child);
	child = begin(child_reads);
	setpgid(child, child);
	tcsetpgrp(slave, child);
	settle();
	type("\x03");
	report(child);
	drain(master, "seen");
	/* its leader's end is a hang-up for those in the foreground */
	child = fork();
	if (!child) {
		setpgid(0, 0);
		close(master);
		while (1)
			pause();
	}
	setpgid(child, child);
	tcsetpgrp(slave, child);
	(void)text;
}

static char state(pid_t child)
{
	char path[40], letter = '?';
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%*d %*s %c", &letter) != 1)
		printf("no state\n");
	if (f)
		fclose(f);
	return letter;
}

static void stops(void)
{
	siginfo_t info;
	struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
	pid_t child;
	int status;

	sigaction(SIGCHLD, &action, NULL);
	child = begin(child_waits);
	settle();
	printf("states %c%c", state(getpid()), state(child));
	kill(child, SIGSTOP);
	settle();
	printf("%c\n", state(child));
	waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOWAIT);
	printf("stopped %d %d %d\n", info.si_signo == SIGCHLD, info.si_code == CLD_STOPPED, info.si_status);
	waitid(P_PID, (id_t)child, &info, WSTOPPED);
	info.si_pid = 0;
	printf("told once %d %d\n", waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOHANG), info.si_pid);
	printf("stopped is not ended %d\n", waitpid(child, &status, WNOHANG));
	kill(child, SIGTERM);
	settle();
	printf("and takes no signal %d\n", waitpid(child, &status, WNOHANG));
	kill(child, SIGCONT);
	report(child);
	printf("told of all %d\n", caught[SIGCHLD] >= 2);
	action.sa_flags = SA_NOCLDSTOP;
	sigaction(SIGCHLD, &action, NULL);
	caught[SIGCHLD] = 0;
	child = fork();
	if (!child)
		while (1)
			pause();
	settle();
	kill(child, SIGSTOP);
	waitpid(child, &status, WUNTRACED);
	kill(child, SIGCONT);
	printf("goes on %d", waitpid(child, &status, WCONTINUED) == child);
	printf(" %d\n", WIFCONTINUED(status));
	printf("not told %d\n", caught[SIGCHLD]);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	printf("told %d\n", caught[SIGCHLD]);
	/* the child's end counts more than its signal */
	for (int i = 0; i < 3; i++) {
		child = fork();
		if (!child) {
			settle();
			_exit(0);
		}
		printf("waited %s\n", error(waitpid(child, &status, 0)));
	}
	signal(SIGCHLD, SIG_DFL);
	/* a stop that is taken back before it takes effect */
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_BLOCK, &set, &old);
	raise(SIGTSTP);
	sigpending(&set);
	printf("blocked %d", sigismember(&set, SIGTSTP));
	raise(SIGCONT);
	sigpending(&set);
	printf(" taken back %d\n", sigismember(&set, SIGTSTP));
	/* ignored by default, but blocked: it is there for who asks */
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	child = fork();
	if (!child)
		_exit(6);
	settle();
	printf("asked for %d\n", sigtimedwait(&set, &info, &(struct timespec){1, 0}));
	printf("of a child %d %d\n", info.si_pid == child, info.si_status);
	waitpid(child, &status, 0);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void cut(void)
{
	char text[10];

	setsid();
	ioctl(slave, TIOCSCTTY, 0);
	catch (SIGHUP);
	catch (SIGCONT);
	type("unread\n");
	settle();
	close(master);
	settle();
	printf("hang-up %d %d\n", caught[SIGHUP], caught[SIGCONT]);
	show("read", text, read(slave, text, sizeof text));
	printf("write %s\n", error(write(slave, "x", 1)));
	printf("ready %x\n", ready(slave));
	printf("ioctl %s\n", error(tcgetpgrp(slave)));
	printf("terminal %s\n", error(open("/dev/tty", O_RDWR)));
	printf("name %s\n", error(open(slave_name, O_RDWR)));
}

static void hang_up(void)
{
	char text[100];
	struct epoll_event event = {.events = EPOLLIN}, got;
	int epoll = epoll_create1(0);

	open_both();
	pid_t child = begin(cut);
	close(master);
	report(child);
	close(slave);
	open_both();
	printf("watch %s\n", error(epoll_ctl(epoll, EPOLL_CTL_ADD, master, &event)));
	write(slave, "last words", 10);
	close(slave);
	printf("epoll %d", epoll_wait(epoll, &got, 1, 100));
	printf(" %x\n", got.events);
	show("master", text, read(master, text, sizeof text));
	show("master", text, read(master, text, sizeof text));
	printf("ready %x\n", ready(master));
	printf("epoll %d", epoll_wait(epoll, &got, 1, 100));
	printf(" %x\n", got.events);
	printf("write %s\n", error(write(master, "x", 1)));
	slave = open(slave_name, O_RDWR | O_NOCTTY);
	printf("opened again %x\n", ready(master));
	close(slave);
	close(master);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	setsid();
	ends();
	lines();
	mappings();
	without_lines();
	stops();
	open_both();
	report(begin(leader));
	close(slave);
	close(master);
	open_both();
	report(begin(shell));
	settle();
	drain(master, "all hung up");
	close(slave);
	close(master);
	hang_up();
	return 0;
}
