/* Files of a codec's kind: what is foreign is left alone early. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/codec.h"

enum { SIZE = 64 << 20, READ_MOST = 1 << 20 };

static const struct codec codec = {"CULPTEST", "test", "a test", 1, 1, 1 << 30, 3, 0};

/* Of a sparse file that begins like this, so many bytes are read. */
static size_t read_of(const char *start)
{
	char path[] = "/tmp/culprit-test-codec-XXXXXX";
	struct bytes file;
	struct error err;
	int fd = mkstemp(path);
	size_t length = strlen(start);
	assert_true(fd >= 0 && write(fd, start, length) == (ssize_t)length && !ftruncate(fd, SIZE));
	close(fd);
	assert_true(codec_slurp(&codec, path, &file, &err));
	unlink(path);
	free(file.at);
	return file.size;
}

static void foreign_is_not_read_to_its_end(void **state)
{
	assert_true(read_of("") < READ_MOST);
	assert_true(read_of("CULPTES") < READ_MOST);
	assert_int_equal(read_of("CULPTEST"), SIZE);
}

static void foreign_is_named(void **state)
{
	struct codec_content content;
	struct error err;
	assert_false(codec_parse(&codec, "CULPROFL", 8, "here", &content, &err));
	assert_string_equal(err.text, "here: not a test (a test writes them)");
}

/* A file of so many zeros, read again: the error, "" = none. */
static const char *zeros(size_t size, struct error *err)
{
	struct bytes content = {.at = calloc(size, 1), .size = size, .room = size};
	struct codec_content got;
	char *file;
	size_t length;
	FILE *out = open_memstream(&file, &length);
	assert_non_null(content.at);
	assert_true(codec_write(&codec, 0, &content, out, err));
	fclose(out);
	free(content.at);
	assert_true(length < 20000);
	*err = (struct error){0};
	bool good = codec_parse(&codec, file, length, "here", &got, err);
	assert_int_equal(good ? size : 0, got.bytes.size);
	assert_true(good || !got.bytes.at); /* nothing was unpacked */
	free(got.bytes.at);
	free(file);
	return err->text;
}

/* 64 MiB may be claimed by any file; beyond, 256 bytes for each that there is. */
static void a_small_file_holds_no_gigabyte(void **state)
{
	struct error err;
	assert_string_equal(zeros(64 << 20, &err), "");
	const char *said = zeros(80 << 20, &err);
	assert_true(!strncmp(said, "here: damaged test: ", 20));
	assert_non_null(strstr(said, " bytes that claim to hold 83886080"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_is_not_read_to_its_end),
		cmocka_unit_test(foreign_is_named),
		cmocka_unit_test(a_small_file_holds_no_gigabyte),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
