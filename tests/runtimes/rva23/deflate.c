/*
 * deflate FILE: compresses a file with zlib at every level and strategy, and back. One row each: how long it got, its
 * checksums, and whether it came back whole. Then the bytes of each level, for whoever compares the output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

struct bytes {
	unsigned char *data;
	size_t size;
};

static void stop(const char *what)
{
	fprintf(stderr, "deflate: %s\n", what);
	exit(1);
}

static struct bytes allocate(size_t size)
{
	struct bytes bytes = {malloc(size), size};
	if (!bytes.data)
		stop("no memory");
	return bytes;
}

static struct bytes read_file(const char *name)
{
	FILE *file = fopen(name, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0)
		stop(name);
	struct bytes bytes = allocate((size_t)ftell(file));
	rewind(file);
	if (fread(bytes.data, 1, bytes.size, file) != bytes.size)
		stop(name);
	fclose(file);
	return bytes;
}

static struct bytes compressed(struct bytes plain, int level, int strategy)
{
	z_stream stream = {0};
	if (deflateInit2(&stream, level, Z_DEFLATED, 15, 8, strategy) != Z_OK)
		stop("deflateInit2");
	struct bytes packed = allocate(deflateBound(&stream, plain.size));
	stream.next_in = plain.data;
	stream.avail_in = (uInt)plain.size;
	stream.next_out = packed.data;
	stream.avail_out = (uInt)packed.size;
	if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
		stop("deflate");
	packed.size = stream.total_out;
	deflateEnd(&stream);
	return packed;
}

static int comes_back(struct bytes packed, struct bytes plain)
{
	struct bytes back = allocate(plain.size + 1);
	uLongf size = back.size;
	int result = uncompress(back.data, &size, packed.data, packed.size);
	int same = result == Z_OK && size == plain.size && memcmp(back.data, plain.data, size) == 0;
	free(back.data);
	return same;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		stop("wants a file");
	struct bytes plain = read_file(argv[1]);
	int failed = 0;
	for (int level = 0; level <= 9; level++) {
		for (int strategy = Z_DEFAULT_STRATEGY; strategy <= Z_FIXED; strategy++) {
			struct bytes packed = compressed(plain, level, strategy);
			int same = comes_back(packed, plain);
			failed |= !same;
			printf("%d %d %zu %08lx %08lx %s\n", level, strategy, packed.size,
			       crc32(0, packed.data, (uInt)packed.size), adler32(1, packed.data, (uInt)packed.size),
			       same ? "whole" : "BROKEN");
			if (strategy == Z_DEFAULT_STRATEGY)
				fwrite(packed.data, 1, packed.size, stdout);
			free(packed.data);
		}
	}
	free(plain.data);
	return failed;
}
