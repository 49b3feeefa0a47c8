#include "base/memory_stream.h"

#include <stdlib.h>

static ssize_t take(void *cookie, const char *text, size_t size)
{
	struct memory_stream *m = cookie;
	bytes_put_raw(&m->bytes, (const uint8_t *)text, size);
	return m->bytes.failed ? 0 : (ssize_t)size;
}

FILE *memory_stream_open(struct memory_stream *m)
{
	*m = (struct memory_stream){.file = NULL};
	return m->file = fopencookie(m, "w", (cookie_io_functions_t){.write = take});
}

char *memory_stream_close(struct memory_stream *m)
{
	bool good = m->file && !fclose(m->file);
	m->file = NULL;
	m->size = m->bytes.size;
	bytes_put(&m->bytes, 0, 1);
	if (good && !m->bytes.failed)
		return (char *)m->bytes.at;
	free(m->bytes.at);
	m->bytes = (struct bytes){.at = NULL};
	return NULL;
}
