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

static const struct codec codec = {"CULPTEST", "test", "a test", 1, 1, 1 << 30, 3};

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_is_not_read_to_its_end),
		cmocka_unit_test(foreign_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
