/* Another simulation with the same writable directory: somebody puts a symbolic link in the place of a directory, again
 * and again (tests/guest/race), while this one works below it. Prints what it got by that: nothing. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static unsigned seen, rounds;

static void read_key(void)
{
	char text[8] = "";
	int fd = open("turning/key", O_RDONLY);

	if (fd >= 0 && read(fd, text, 6) > 0 && !strncmp(text, "secret", 6))
		seen++;
	close(fd);
}

static void look(void)
{
	DIR *dir = opendir("turning");
	struct dirent *entry;
	struct stat st;

	seen += !stat("turning/key", &st) && st.st_size > 4;
	while (dir && (entry = readdir(dir)))
		seen += !strcmp(entry->d_name, "only-there");
	if (dir)
		closedir(dir);
}

static void change(void)
{
	close(open("turning/made", O_CREAT | O_WRONLY, 0600));
	mkdir("turning/folder", 0700);
	symlink("x", "turning/link");
	rename("turning/victim", "turning/moved");
	unlink("turning/precious");
	chmod("turning/key", 0666);
	truncate("turning/key", 0);
	rmdir("turning/folder");
}

int main(int argc, char **argv)
{
	for (rounds = 0; rounds < (unsigned)atoi(argv[1]); rounds++) {
		read_key();
		look();
		change();
	}
	printf("%u rounds, seen %u times\n", rounds, seen);
	return seen != 0;
}
