#include "export/gzip.h"

#include <zlib.h>

/* zlib counts in 32 bits: what goes in is handed on in parts. */
static bool pack(z_stream *z, const unsigned char *bytes, size_t size, FILE *out)
{
	enum { PART = 1 << 20, ROOM = 1 << 16 };
	unsigned char packed[ROOM];
	int end = Z_OK;
	while (end == Z_OK) {
		if (!z->avail_in && size) {
			z->next_in = (z_const Bytef *)bytes;
			z->avail_in = size < PART ? (uInt)size : PART;
			bytes += z->avail_in;
			size -= z->avail_in;
		}
		z->next_out = packed;
		z->avail_out = ROOM;
		end = deflate(z, size ? Z_NO_FLUSH : Z_FINISH);
		fwrite(packed, 1, ROOM - z->avail_out, out);
	}
	return end == Z_STREAM_END;
}

bool gzip_write(const void *bytes, size_t size, FILE *out)
{
	enum { GZIP = 16 + MAX_WBITS, MEMORY = 8 };
	z_stream z = {0};
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	bool good = pack(&z, bytes, size, out);
	deflateEnd(&z);
	return good;
}
