/* Any text as a design space: an error of one line that names the place, or a space whose every machine's number can be taken apart and
 * whose first and last machine can be asked for. */
#include "interval/explore/explore.h"

#include <stdlib.h>
#include <string.h>

static void must(bool truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct explore_space s;
	struct error err = {ERROR_NONE, ""};
	if (!explore_parse(&s, (const char *)data, size, "fuzz", &err)) {
		must(err.code != ERROR_NONE && strncmp(err.text, "fuzz:", 5) == 0);
		must(strcspn(err.text, "\n") == strlen(err.text));
		return 0;
	}
	uint64_t count = explore_size(&s);
	uint32_t digits[EXPLORE_AXES];
	struct machine m;
	must(count > 0);
	explore_digits(&s, count - 1, digits);
	for (uint32_t i = 0; i < s.axis_count; i++)
		must(digits[i] + 1 == s.axes[i].value_count);
	explore_machine(&s, 0, &m, &err);
	explore_machine(&s, count - 1, &m, &err);
	explore_destroy(&s);
	return 0;
}
