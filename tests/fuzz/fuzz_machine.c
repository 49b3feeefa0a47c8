/* Any text as a machine file and as a --set assignment: an error or a machine that passes the rules, and a machine that
 * prints to a file of the same machine. Seeds: machines/. */
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

static void must(bool truth)
{
	if (!truth)
		abort();
}

static void print_and_reread(const struct machine *m)
{
	char *text = NULL;
	size_t size = 0;
	struct machine again;
	struct error err;
	FILE *out = open_memstream(&text, &size);
	must(out && machine_print(m, out));
	fclose(out);
	memset(&again, 0, sizeof again);
	must(machine_parse(&again, text, size, "fuzz", &err));
	must(!memcmp(&again, m, sizeof again));
	free(text);
}

static void assign(const uint8_t *data, size_t size)
{
	struct machine m;
	struct error err;
	char text[200];
	if (size >= sizeof text)
		return;
	memcpy(text, data, size);
	text[size] = '\0';
	must(machine_parse(&m, "{}", 2, "fuzz", &err));
	if (machine_set(&m, text, &err) && machine_check(&m, "fuzz", &err))
		print_and_reread(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct machine m;
	struct error err = {ERROR_NONE, ""};
	memset(&m, 0, sizeof m);
	if (machine_parse(&m, (const char *)data, size, "fuzz", &err)) {
		must(machine_check(&m, "fuzz", &err));
		print_and_reread(&m);
	} else {
		must(err.code != ERROR_NONE && strncmp(err.text, "fuzz:", 5) == 0);
		must(strcspn(err.text, "\n") == strlen(err.text));
	}
	assign(data, size);
	return 0;
}
