/* Creates a file that must not exist yet, appends to another, and reads both back: alone, it always ends with 0. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static long size_of(const char *name)
{
	char buffer[256];
	long total = 0;
	int fd = open(name, O_RDONLY);
	ssize_t got;
	while (fd >= 0 && (got = read(fd, buffer, sizeof buffer)) > 0)
		total += got;
	close(fd);
	return total;
}

int main(int argc, char **argv)
{
	if (argc < 2 || chdir(argv[1]))
		return 10;
	int new = open("new", O_WRONLY | O_CREAT | O_EXCL, 0644);
	if (new < 0)
		return 11;
	int log = open("log", O_WRONLY | O_APPEND | O_CREAT, 0644);
	long before = size_of("log");
	for (int i = 0; i < 50; i++) {
		dprintf(new, "line %d\n", i);
		if (write(log, "more\n", 5) != 5)
			return 12;
	}
	return size_of("log") == before + 250 && size_of("new") == 390 ? 0 : 13;
}
