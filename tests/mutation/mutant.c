/* Which planted fault is active, and where reached ones are noted. */
#include "mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROOM = 65536 };

static unsigned char nowhere[ROOM];
unsigned mutant_active;
unsigned char *mutant_reached = nowhere;

__attribute__((constructor)) static void mutant_start(void)
{
	const char *number = getenv("CULPRIT_MUTANT"), *path = getenv("CULPRIT_MUTANTS_REACHED");
	mutant_active = number ? (unsigned)atoi(number) : 0;
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *map = fd >= 0 ? mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
	if (map != MAP_FAILED)
		mutant_reached = map;
	if (fd >= 0)
		close(fd);
}
