/* Everything that could differ from run to run, printed: two runs must say the same. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static void show_file(const char *path)
{
	char line[256];
	FILE *file = fopen(path, "r");

	printf("== %s\n", path);
	while (file && fgets(line, sizeof(line), file))
		fputs(line, stdout);
	if (file)
		fclose(file);
}

static void show_directory(const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);

	printf("== %s\n", path);
	while (dir && (entry = readdir(dir)))
		printf("%s %lu %d\n", entry->d_name, (unsigned long)entry->d_ino, entry->d_type);
	if (dir)
		closedir(dir);
}

int main(void)
{
	unsigned long random, cycles, now, instructions;
	struct timespec time;
	struct stat st;
	FILE *made;

	getrandom(&random, sizeof(random), 0);
	__asm__ volatile("rdcycle %0; rdtime %1; rdinstret %2" : "=r"(cycles), "=r"(now), "=r"(instructions));
	clock_gettime(CLOCK_REALTIME, &time);
	printf("%lx %lu %lu %lu %ld.%09ld\n", random, cycles, now, instructions, (long)time.tv_sec, time.tv_nsec);
	printf("%p %p %p %d\n", (void *)&random, malloc(10),
	       mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), getpid());
	made = fopen("made", "w");
	if (made) {
		fputs("made", made);
		fclose(made);
		stat("made", &st);
		printf("%lu %lu %ld.%09ld %ld\n", (unsigned long)st.st_dev, (unsigned long)st.st_ino,
		       (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (long)st.st_blocks);
	}
	show_directory(".");
	show_directory("/proc/self");
	show_directory("/sys/devices/system/cpu");
	show_file("/proc/self/maps");
	show_file("/proc/cpuinfo");
	show_file("/proc/meminfo");
	show_file("/proc/self/stat");
	return 0;
}
