/* The one form of binary files: profiles and samples. All numbers are little-endian:
 *
 *     8 magic   4 version   4 bytes of this header (40)   8 bytes of the content   8 FNV-1a checksum of what
 *     follows the header   8 a number that says more of the content's layout
 *
 * then one zstd frame that holds the content. A file of a version that is not known is refused, never guessed at. */
#ifndef CULPRIT_RECORD_CODEC_H
#define CULPRIT_RECORD_CODEC_H

#include "base/error.h"
#include "base/bytes.h"

#include <stdio.h>

struct codec {
	char magic[8];
	const char *name, *writer; /* "profile", "culprit profile": for errors */
	uint32_t oldest, version;  /* those that are read; the last one is written */
	uint64_t most;		   /* bytes of content */
	int level;		   /* of compression */
	uint64_t for_byte;	   /* bytes of content that one of the file may claim; 0: CONTENT_FOR_BYTE */
};

/* What a file says. */
struct codec_content {
	uint32_t version;
	uint64_t layout;
	struct bytes bytes; /* to be freed */
};

bool codec_write(const struct codec *c, uint64_t layout, const struct bytes *content, FILE *out, struct error *err);
/* Files that are foreign, cut short, damaged or too new are one error each, which begins with `place`. */
bool codec_parse(const struct codec *c, const void *file, size_t size, const char *place, struct codec_content *to,
		 struct error *err);
/* A file of that kind as it is; *file is to be freed in any case. */
bool codec_slurp(const struct codec *c, const char *path, struct bytes *file, struct error *err);

/* FNV-1a, 64 bits; begin with CODEC_CHECKSUM_START. */
#define CODEC_CHECKSUM_START 0xcbf29ce484222325ull
uint64_t codec_checksum(uint64_t before, const void *bytes, size_t size);

#endif
