/* /tmp and /dev/shm can be written, in memory: as on a Linux where they can. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void say(const char *what, long result)
{
	printf("%s: %ld %s\n", what, result, result < 0 ? strerrorname_np(errno) : "");
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	say(path, write(fd, text, strlen(text)));
	close(fd);
}

static void get(const char *path)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY);

	say(path, fd < 0 ? fd : read(fd, text, sizeof text - 1));
	printf("  %s\n", text);
	close(fd);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list(const char *path)
{
	char *names[32];
	int count = 0;
	struct dirent *d;
	DIR *dir = opendir(path);

	if (!dir) {
		say(path, -1);
		return;
	}
	while ((d = readdir(dir)))
		names[count++] = strcat(strcpy(malloc(300), d->d_name), d->d_type == DT_DIR   ? "/"
									: d->d_type == DT_LNK ? "@"
											      : "");
	closedir(dir);
	qsort(names, (size_t)count, sizeof *names, by_name);
	printf("%s:", path);
	for (int i = 0; i < count; i++)
		printf(" %s", names[i]);
	printf("\n");
}

static void names(void)
{
	struct stat st;
	char text[64] = "";

	put("a", "first");
	put("b", "second one");
	say("mkdir", mkdir("d", 0755));
	say("mkdir again", mkdir("d", 0755));
	say("below a file", mkdir("a/x", 0755));
	say("below nothing", mkdir("no/x", 0755));
	put("d/inside", "deep");
	say("link", link("a", "d/also"));
	stat("a", &st);
	printf("links %d, size %d, mode %o\n", (int)st.st_nlink, (int)st.st_size, st.st_mode);
	say("link there", link("a", "b"));
	say("symlink", symlink("d/inside", "s"));
	say("readlink", readlink("s", text, sizeof text));
	get("s");
	say("symlink to itself", symlink("loop", "loop"));
	get("loop");
	symlink("d", "to-d");
	get("to-d/also");
	get("a/");
	say("exclusive", open("a", O_CREAT | O_EXCL | O_RDWR, 0600));
	say("write a directory", open("d", O_WRONLY));
	say("directory wanted", open("a", O_DIRECTORY));
	list(".");
	say("rename", rename("b", "d/b"));
	say("over", rename("d/b", "a"));
	get("a");
	get("d/also");
	say("into itself", rename("d", "d/e"));
	say("file over directory", rename("a", "d"));
	say("directory over file", rename("d", "a"));
	say("rename directory", rename("d", "e"));
	list("e");
	say("not empty", rmdir("e"));
	say("unlink a directory", unlink("e"));
	say("rmdir a file", rmdir("a"));
	say("gone", unlink("d"));
	say("chmod", chmod("a", 0600));
	say("truncate", truncate("a", 3));
	stat("a", &st);
	printf("size %d, mode %o\n", (int)st.st_size, st.st_mode);
	struct timespec times[2] = {{5, 0}, {1000, 500}};
	say("times", utimensat(AT_FDCWD, "a", times, 0));
	stat("a", &st);
	printf("modified %ld.%09ld\n", (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	say("access", access("a", R_OK | W_OK));
	say("execute", access("e", X_OK));
}

static void open_files(void)
{
	int fd = open("open", O_RDWR | O_CREAT | O_APPEND, 0600), directory = open("e", O_RDONLY | O_DIRECTORY);
	char *map, text[16] = "";
	struct stat st;

	write(fd, "abc", 3);
	pwrite(fd, "de", 2, 0);
	say("unlink", unlink("open"));
	fstat(fd, &st);
	printf("links %d, size %d\n", (int)st.st_nlink, (int)st.st_size);
	map = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memcpy(map, "XY", 2);
	msync(map, 4096, MS_SYNC);
	say("read", pread(fd, text, 8, 0));
	printf("%s\n", text);
	say("sparse", ftruncate(fd, 10000));
	say("end", lseek(fd, 0, SEEK_END));
	close(fd);
	say("openat", fd = openat(directory, "new", O_CREAT | O_WRONLY, 0600) >= 0);
	list("e");
	say("fchdir", fchdir(directory));
	list(".");
	say("up", chdir(".."));
	close(directory);
}

static int remove_all(const char *path)
{
	static const char *const left[] = {"a", "s", "loop", "to-d", "e/also", "e/inside", "e/new"};

	chdir(path);
	for (size_t i = 0; i < sizeof left / sizeof *left; i++)
		say(left[i], unlink(left[i]));
	say("rmdir", rmdir("e"));
	chdir("/");
	say("rmdir", rmdir(path));
	return 0;
}

int main(void)
{
	char path[] = "/tmp/scratch-XXXXXX", file[] = "/tmp/file-XXXXXX";
	int fd = mkstemp(file);

	say("mkstemp", fd >= 0);
	say("unlink", unlink(file));
	say("mkdtemp", mkdtemp(path) != NULL);
	say("chdir", chdir(path));
	names();
	open_files();
	fd = shm_open("/culprit-test", O_CREAT | O_RDWR, 0600);
	say("shm_open", fd >= 0);
	say("shm_unlink", shm_unlink("/culprit-test"));
	say("tmpfile", tmpfile() != NULL);
	return remove_all(path);
}
