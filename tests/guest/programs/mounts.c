/* /proc of mounts, limits and threads, and that it agrees with statfs, stat and getrlimit. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned magic;
} systems[] = {{"ext4", 0xef53}, {"tmpfs", 0x01021994}, {"proc", 0x9fa0}, {"sysfs", 0x62656572}, {"devpts", 0x1cd1}};

static void check(const char *what, int good)
{
	printf("%s: %s\n", what, good ? "yes" : "no");
}

static int type_fits(const char *name, unsigned magic)
{
	for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++)
		if (!strcmp(systems[i].name, name))
			return systems[i].magic == magic;
	return 1;
}

static int count;

static void mounts(void)
{
	int roots = 0, types = 1, modes = 1, procs = 0;
	FILE *file = setmntent("/proc/mounts", "r");
	char target[64] = "";
	struct mntent *m;
	struct statfs s;

	readlink("/proc/mounts", target, sizeof(target) - 1);
	printf("/proc/mounts: %s\n", target);
	while (file && (m = getmntent(file))) {
		count++;
		roots += !strcmp(m->mnt_dir, "/");
		procs += !strcmp(m->mnt_dir, "/proc") && !strcmp(m->mnt_type, "proc");
		if (statfs(m->mnt_dir, &s))
			continue;
		types &= type_fits(m->mnt_type, (unsigned)s.f_type);
		modes &= !hasmntopt(m, "ro") == !(s.f_flags & 1);
	}
	check("there is a root", roots >= 1);
	check("and a proc", procs >= 1);
	check("statfs has the same types", types);
	check("and the same modes", modes);
}

static void mount_numbers(void)
{
	FILE *file = fopen("/proc/self/mountinfo", "r");
	int lines = 0, alone = 0, devices = 1, ids[1000], parents[1000];
	char line[9000], at[4096], type[64];
	unsigned upper, lower;
	struct stat st;

	while (file && lines < 1000 && fgets(line, sizeof(line), file)) {
		sscanf(line, "%d %d %u:%u %*s %4095s", &ids[lines], &parents[lines], &upper, &lower, at);
		sscanf(strstr(line, " - "), " - %63s", type);
		lines++;
		if (!strcmp(type, "proc") && !strcmp(at, "/proc") && !stat(at, &st))
			devices &= st.st_dev == makedev(upper, lower);
	}
	for (int i = 0; i < lines; i++) {
		int known = 0;

		for (int j = 0; j < lines; j++)
			known |= i != j && ids[j] == parents[i];
		alone += !known;
	}
	check("mountinfo has as many", lines == count);
	check("all below one", alone == 1);
	check("stat has the same devices", devices);
}

static void limit(const char *name, int resource)
{
	FILE *file = fopen("/proc/self/limits", "r");
	char line[200], soft[32] = "", hard[32] = "", want[2][32];
	struct rlimit r;

	getrlimit(resource, &r);
	snprintf(want[0], 32, r.rlim_cur == RLIM_INFINITY ? "unlimited" : "%lu", (unsigned long)r.rlim_cur);
	snprintf(want[1], 32, r.rlim_max == RLIM_INFINITY ? "unlimited" : "%lu", (unsigned long)r.rlim_max);
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			sscanf(line + 26, "%31s %31s", soft, hard);
	check(name, !strcmp(soft, want[0]) && !strcmp(hard, want[1]));
}

/* --- threads --- */

static int go[2];

static void *body(void *number)
{
	char text[64] = "";
	int fd;

	prctl(PR_SET_NAME, "second");
	*(pid_t *)number = gettid();
	fd = open("/proc/thread-self/comm", O_RDONLY);
	text[read(fd, text, sizeof(text) - 1)] = 0;
	printf("thread-self: %s", text);
	write(go[1], "x", 1);
	pause();
	return NULL;
}

static int entries(const char *path, const char *wanted)
{
	DIR *directory = opendir(path);
	struct dirent *d;
	int found = 0;

	while (directory && (d = readdir(directory)))
		found += *wanted ? !strcmp(d->d_name, wanted) : d->d_name[0] != '.';
	if (directory)
		closedir(directory);
	return found;
}

static void show(const char *format, int number, const char *only)
{
	char path[100], line[200];
	FILE *file;

	snprintf(path, sizeof(path), format, number);
	file = fopen(path, "r");
	if (!file)
		printf("%s: %s\n", format, strerrorname_np(errno));
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, only, strlen(only)))
			printf("%s: %s", format, line);
}

static void number_of(int tid, const char *name, int want)
{
	char path[100], line[200];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			check(name, atoi(line + strlen(name)) == want);
}

static void threads(void)
{
	pid_t tid = 0, child;
	pthread_t thread;
	char byte, path[64];

	pipe(go);
	pthread_create(&thread, NULL, body, &tid);
	read(go[0], &byte, 1);
	printf("threads: %d\n", entries("/proc/self/task", ""));
	show("/proc/self/task/%d/comm", getpid(), "");
	show("/proc/self/task/%d/comm", tid, "");
	show("/proc/self/comm", 0, "");
	show("/proc/self/task/%d/status", tid, "Name");
	number_of(tid, "Tgid:", getpid());
	number_of(tid, "Pid:", tid);
	snprintf(path, sizeof(path), "/proc/self/task/%d", tid);
	printf("below: fd %d, maps %d, task %d\n", entries(path, "fd"), entries(path, "maps"), entries(path, "task"));
	show("/proc/self/task/%d/task", tid, "");
	show("/proc/self/task/%d/comm", 30000, "");
	snprintf(path, sizeof(path), "/proc/self/task/%d/fd/%d", tid, go[0]);
	check("a thread's descriptor", readlink(path, (char[64]){0}, 63) > 0);
	child = fork();
	if (!child)
		_exit((int)read(go[0], &byte, 1));
	show("/proc/self/task/%d/comm", child, "");
	snprintf(path, sizeof(path), "/proc/%d/task", child);
	printf("threads of the child: %d\n", entries(path, ""));
	write(go[1], "x", 1);
	waitpid(child, NULL, 0);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	prctl(PR_SET_NAME, "first");
	mounts();
	mount_numbers();
	limit("Max open files", RLIMIT_NOFILE);
	limit("Max processes", RLIMIT_NPROC);
	limit("Max core file size", RLIMIT_CORE);
	limit("Max stack size", RLIMIT_STACK);
	limit("Max cpu time", RLIMIT_CPU);
	limit("Max nice priority", RLIMIT_NICE);
	check("a control group", entries("/proc/self", "cgroup"));
	threads();
	return 0;
}
