/* Runs a fuzz target once on every file of the folder given, so that inputs which once broke something stay tested
 * in builds without libFuzzer. The folder may be missing: then there is nothing to replay. */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0) {
		perror(path);
		exit(1);
	}
	long size = ftell(file);
	rewind(file);
	uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
	if (size < 0 || !data || fread(data, 1, (size_t)size, file) != (size_t)size) {
		perror(path);
		exit(1);
	}
	LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
	fclose(file);
}

int main(int argc, char **argv)
{
	int count = 0;
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
		if (entry->d_name[0] == '.')
			continue;
		char path[PATH_MAX];
		snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		replay_file(path);
		count++;
	}
	if (dir)
		closedir(dir);
	printf("%d inputs replayed\n", count);
	return 0;
}
