/* Any bytes as a checkpoint file, packed or (behind the byte 'R') as what a file unpacks to: an error in one line, or
 * guests that run on a little, and can be saved again. */
#include "checkpoint/checkpoint.h"
#include "checkpoint/format.h"

#include <stdlib.h>
#include <string.h>

static void must(bool truth)
{
	if (!truth)
		abort();
}

static void is_one_line(const struct error *err)
{
	must(err->code != ERROR_NONE && *err->text && !strchr(err->text, '\n'));
}

static bool stop_at_once(void)
{
	return true;
}

static void restore(const struct checkpoint_file *f, size_t i)
{
	const struct guest_options how = {.interrupted = stop_at_once};
	struct error err = {ERROR_NONE, ""};
	struct bytes state = {.at = NULL};
	uint64_t executed;
	struct guest *g = checkpoint_restore(f, i, &how, "fuzz", &err);
	if (!g) {
		is_one_line(&err);
		return;
	}
	if (!guest_save(g, &state, &err))
		is_one_line(&err);
	guest_run(g, 200, &executed);
	guest_destroy(g);
	free(state.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct checkpoint_file f = {.count = 0};
	struct codec_content content = {.version = 0};
	struct error err = {ERROR_NONE, ""};
	bool raw = size && data[0] == 'R';
	bool good = raw || codec_parse(&checkpoint_codec, data, size, "fuzz", &content, &err);
	if (raw)
		bytes_put_raw(&content.bytes, data + 1, size - 1);
	if (!good)
		free(content.bytes.at);
	good = good && checkpoint_file_parse(&f, &content.bytes, "fuzz", &err);
	if (!good)
		is_one_line(&err);
	for (size_t i = 0; good && i < f.count && i < 2; i++)
		restore(&f, i);
	checkpoint_file_destroy(&f);
	return 0;
}
