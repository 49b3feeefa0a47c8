/* Something made with hardly any memory, which has to fail with a message. */
#ifndef TESTS_INTERVAL_MEMORY_RIG_H
#define TESTS_INTERVAL_MEMORY_RIG_H

#include "base/error.h"
#include "sanitized.h"
#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>

#include <cmocka.h>

/* `init`, for this machine, says `message`. Not with sanitizers, which end the program instead. */
static inline void rig_lacks_memory(bool (*init)(void *made, const struct machine *m, struct error *err), void *made,
				    const struct machine *m, const char *message)
{
#ifndef SANITIZED
	struct error err;
	struct rlimit before, none;
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	none = before;
	none.rlim_cur = 1 << 20;
	assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
	const bool good = init(made, m, &err);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_false(good);
	assert_string_equal(err.text, message);
#endif
}

#endif
