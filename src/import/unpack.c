/* Files that are packed: gzip, zstd, and STF's own archive of zstd frames
 *
 *     "ZSTF"   u64: opcode records in a chunk   i64: where the last chunk ends   chunks, a zstd frame each   an index
 *
 * which is read from its first chunk to its last, and the index not at all. Everything else is read as it is. What was
 * cut gives what there is of it, and then an error, not an end. */
#include "base/bytes.h"
#include "import/import.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

enum { STF_HEAD = 20 };

struct unzstd {
	FILE *in;
	ZSTD_DStream *stream;
	ZSTD_inBuffer packed;
	uint64_t left; /* bytes of the file that belong to frames, as its head says; UINT64_MAX: all there are */
	bool within;   /* a frame has begun and not ended */
	uint8_t bytes[1 << 16];
};

static bool refill(struct unzstd *z)
{
	const size_t most = z->left < sizeof z->bytes ? (size_t)z->left : sizeof z->bytes;
	z->packed = (ZSTD_inBuffer){z->bytes, fread(z->bytes, 1, most, z->in), 0};
	z->left -= z->left == UINT64_MAX ? 0 : z->packed.size;
	return z->packed.size;
}

static bool is_whole(const struct unzstd *z)
{
	return !z->within && (!z->left || z->left == UINT64_MAX);
}

static ssize_t read_zstd(void *cookie, char *to, size_t size)
{
	struct unzstd *z = cookie;
	ZSTD_outBuffer out = {to, size, 0};
	while (!out.pos && size) {
		if (z->packed.pos == z->packed.size && !refill(z) && is_whole(z))
			break;
		const size_t before = z->packed.pos;
		const size_t state = ZSTD_decompressStream(z->stream, &out, &z->packed);
		const bool stuck = !out.pos && z->packed.pos == before && z->packed.pos == z->packed.size;
		if (ZSTD_isError(state) || ferror(z->in) || stuck) {
			errno = ferror(z->in) ? EIO : EBADMSG;
			return -1;
		}
		z->within = state != 0;
	}
	return (ssize_t)out.pos;
}

static int close_zstd(void *cookie)
{
	struct unzstd *z = cookie;
	int status = fclose(z->in);
	ZSTD_freeDStream(z->stream);
	free(z);
	return status;
}

/* How many bytes from here on are frames; a file that was not closed does not tell, and has no index. */
static uint64_t frames(const uint8_t head[STF_HEAD])
{
	const uint64_t end = bytes_number(head + 12, 8);
	return end > STF_HEAD && end <= INT64_MAX ? end - STF_HEAD : UINT64_MAX;
}

FILE *import_unzstd(FILE *in)
{
	const cookie_io_functions_t calls = {.read = read_zstd, .close = close_zstd};
	uint8_t head[STF_HEAD];
	struct unzstd *z = calloc(1, sizeof *z);
	if (!z)
		return NULL;
	z->in = in;
	z->left = UINT64_MAX;
	z->stream = ZSTD_createDStream();
	if (fread(head, 1, sizeof head, in) == sizeof head && !memcmp(head, "ZSTF", 4))
		z->left = frames(head);
	else
		rewind(in);
	FILE *out = z->stream ? fopencookie(z, "r", calls) : NULL;
	if (!out) {
		ZSTD_freeDStream(z->stream);
		free(z);
	}
	return out;
}

/* zlib gives what there is of a file that was cut, and then no more: that is an error here. */
static ssize_t read_gzip(void *cookie, char *to, size_t size)
{
	int got = gzread(cookie, to, (unsigned)size), why = Z_OK;
	gzerror(cookie, &why);
	if (got > 0 || (got == 0 && why != Z_BUF_ERROR))
		return got;
	errno = why == Z_ERRNO ? EIO : EBADMSG;
	return -1;
}

static int close_gzip(void *cookie)
{
	return gzclose(cookie);
}

static FILE *open_gzip(const char *path)
{
	const cookie_io_functions_t calls = {.read = read_gzip, .close = close_gzip};
	gzFile packed = gzopen(path, "rb");
	FILE *in = packed ? fopencookie(packed, "r", calls) : NULL;
	if (packed && !in)
		gzclose(packed);
	return in;
}

bool import_is_zstd(const char *head, size_t size)
{
	return size >= 4 && (!memcmp(head, "\x28\xb5\x2f\xfd", 4) || !memcmp(head, "ZSTF", 4));
}

static FILE *open_zstd(const char *path)
{
	char head[4];
	FILE *in = fopen(path, "rb"), *out = NULL;
	if (in && import_is_zstd(head, fread(head, 1, sizeof head, in))) {
		rewind(in);
		out = import_unzstd(in);
	}
	if (in && !out)
		fclose(in);
	return out;
}

FILE *import_open(const char *path, struct error *err)
{
	struct stat st; /* it is read more than once, and must end */
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		error_set(err, ERROR_INPUT, "%s: not a file (a directory, a pipe, a device)", path);
		return NULL;
	}
	errno = 0;
	FILE *in = open_zstd(path);
	if (!in)
		in = open_gzip(path);
	if (!in)
		error_set(err, ERROR_INPUT, "%s: %s", path, errno ? strerror(errno) : "out of memory");
	return in;
}

const char *import_unreadable(FILE *in)
{
	char byte;
	clearerr(in);
	errno = 0;
	bool again = fread(&byte, 1, 1, in) == 1; /* the place of the error is where it was */
	return !again && errno == EBADMSG ? "cannot be read: the packed file is cut short or damaged"
					  : "cannot be read";
}
