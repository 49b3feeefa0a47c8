/* The name space: nothing leads out of it. A tree is made with every kind of link that tries to. */
#include "guest/files.h"
#include "guest/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

static char top[] = "/tmp/culprit-test-path-XXXXXX";
static char sysroot[64], writable[64], secret[64];
static struct guest guest;
static struct space space;
static struct process process = {.pid = GUEST_PID, .space = &space};

static void make_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void make_link(const char *folder, const char *name, const char *target)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(symlink(target, path), 0);
}

static void make_folder(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", top, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static int set_up(void **state)
{
	static const char *list[2];
	char path[256];
	struct guest_options options = {.writable = list};
	struct error err;

	guest.processes = guest.process = &process;
	guest.space = &space;
	assert_non_null(mkdtemp(top));
	make_folder(sysroot, sizeof(sysroot), "root");
	make_folder(writable, sizeof(writable), "out");
	make_folder(secret, sizeof(secret), "secret");
	snprintf(path, sizeof(path), "%s/etc", sysroot);
	assert_int_equal(mkdir(path, 0755), 0);
	make_file(sysroot, "etc/inside", "inside");
	make_file(secret, "key", "secret");
	make_link(sysroot, "absolute", "/etc/inside");
	make_link(sysroot, "upwards", "../../../../../../etc/inside");
	make_link(sysroot, "folder", "/etc");
	make_link(sysroot, "loop", "loop");
	make_link(sysroot, "to-secret", secret);
	make_link(sysroot, "etc/dangling", "nothing");
	make_link(writable, "to-secret", secret);
	make_link(writable, "up-to-secret", "../secret/key");
	make_link(writable, "hosts", "/etc/fstab");
	make_file(writable, "own", "own");
	list[0] = writable;
	options.sysroot = sysroot;
	assert_int_equal(chdir(writable), 0);
	if (!names_create(&guest, &options, &err))
		fail_msg("%s", err.text);
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	names_destroy(&guest);
	free(process.cwd);
	snprintf(command, sizeof(command), "rm -r %s", top);
	return chdir("/") || system(command);
}

static int64_t walk(const char *path, struct place *place)
{
	return path_walk(&guest, (uint64_t)GUEST_AT_FDCWD, path, true, place);
}

static void leads_to(const char *path, const char *folder, const char *rest)
{
	struct place place;
	char host[256];

	assert_int_equal(walk(path, &place), 0);
	assert_int_equal(place.kind, PLACE_HOST);
	snprintf(host, sizeof(host), "%s%s", folder, rest);
	assert_string_equal(place.host, host);
}

static void leads_nowhere(const char *path)
{
	struct place place;
	int64_t result = walk(path, &place);

	if (!result && place.kind != PLACE_NOTHING)
		fail_msg("%s leads to %s", path, place.host);
}

static void test_inside(void **state)
{
	leads_to("/etc/inside", sysroot, "/etc/inside");
	leads_to("/absolute", sysroot, "/etc/inside");
	leads_to("/upwards", sysroot, "/etc/inside");
	leads_to("/folder/inside", sysroot, "/etc/inside");
	leads_to("//folder///./inside", sysroot, "/etc/inside");
	leads_to("/../../..//etc/../etc/inside", sysroot, "/etc/inside");
	leads_to("/folder/../etc/inside", sysroot, "/etc/inside");
	leads_to("own", writable, "/own");
	leads_to("./../out/own", writable, "/own");
}

/* Made up where the guest has none: not the host's. */
static void is_made_up(const char *path)
{
	struct place place;

	assert_int_equal(walk(path, &place), 0);
	assert_int_equal(place.kind, PLACE_VIRTUAL);
}

static void test_outside(void **state)
{
	char path[512];

	leads_nowhere(secret);
	leads_nowhere("/to-secret/key");
	leads_nowhere("/etc/fstab");
	is_made_up("/etc/passwd");
	leads_nowhere("../secret/key");
	leads_nowhere("to-secret/key");
	leads_nowhere("up-to-secret");
	leads_nowhere("hosts");
	leads_nowhere("to-secret/../../../../etc/fstab");
	snprintf(path, sizeof(path), "%s/../secret/key", writable);
	leads_nowhere(path);
	snprintf(path, sizeof(path), "%s/../../../etc/fstab", writable);
	leads_nowhere(path);
	snprintf(path, sizeof(path), "%sside/x", writable); /* begins like the writable directory's name */
	leads_nowhere(path);
	leads_nowhere("/proc/1/environ");
	leads_nowhere("/sys/kernel/vmcoreinfo");
	leads_nowhere("/dev/mem");
}

static void test_errors(void **state)
{
	struct place place;
	char path[GUEST_PATH_MAX + 10], name[300];

	assert_int_equal(walk("", &place), -GUEST_ENOENT);
	assert_int_equal(walk("/loop", &place), -GUEST_ELOOP);
	assert_int_equal(walk("/etc/inside/x", &place), -GUEST_ENOTDIR);
	assert_int_equal(walk("/etc/inside/", &place), -GUEST_ENOTDIR);
	assert_int_equal(walk("/etc/none/x", &place), -GUEST_ENOENT);
	assert_int_equal(walk("/etc/none/..", &place), -GUEST_ENOENT);
	assert_int_equal(path_walk(&guest, 55, "x", true, &place), -GUEST_EBADF);
	memset(path, '/', sizeof(path));
	path[sizeof(path) - 1] = 0;
	assert_int_equal(walk(path, &place), -GUEST_ENAMETOOLONG);
	memset(name, 'n', sizeof(name));
	name[256] = 0;
	assert_int_equal(walk(name, &place), -GUEST_ENAMETOOLONG);
	name[255] = 0;
	assert_int_equal(walk(name, &place), 0);
	assert_int_equal(place.kind, PLACE_NOTHING);
}

static void test_links(void **state)
{
	struct place place;

	assert_int_equal(path_walk(&guest, (uint64_t)GUEST_AT_FDCWD, "/absolute", false, &place), 0);
	assert_true(S_ISLNK(place.mode));
	assert_int_equal(path_walk(&guest, (uint64_t)GUEST_AT_FDCWD, "/folder/", false, &place), 0);
	assert_true(S_ISDIR(place.mode));
	assert_int_equal(walk("/etc/dangling", &place), 0);
	assert_int_equal(place.kind, PLACE_NOTHING);
	assert_string_equal(place.guest, "/etc/nothing");
}

static void test_writing(void **state)
{
	struct place place;

	assert_int_equal(walk("new", &place), 0);
	assert_int_equal(path_may_change(&place), 0);
	assert_int_equal(walk("own", &place), 0);
	assert_int_equal(path_may_change(&place), 0);
	assert_int_equal(walk("/new", &place), 0);
	assert_int_equal(path_may_change(&place), -GUEST_EROFS);
	assert_int_equal(walk("/etc/inside", &place), 0);
	assert_int_equal(path_may_change(&place), -GUEST_EROFS);
	assert_int_equal(walk("../new", &place), 0); /* beside the writable directory: a passage, nothing real */
	assert_int_equal(path_may_change(&place), -GUEST_EROFS);
}

static void test_synthesised(void **state)
{
	struct place place;

	assert_int_equal(walk("/proc/self/maps", &place), 0);
	assert_int_equal(place.kind, PLACE_VIRTUAL);
	assert_string_equal(place.guest, "/proc/1000/maps");
	assert_int_equal(walk("/dev/null", &place), 0);
	assert_true(S_ISCHR(place.mode));
	assert_int_equal(walk("/sys/devices/system/cpu", &place), 0);
	assert_true(S_ISDIR(place.mode));
	assert_int_equal(walk("/dev/mem", &place), 0);
	assert_int_equal(place.kind, PLACE_NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inside), cmocka_unit_test(test_outside), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_links),  cmocka_unit_test(test_writing), cmocka_unit_test(test_synthesised),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
