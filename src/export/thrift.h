/* Thrift's compact protocol, as far as Parquet's headers need it: fields in rising order, structs and lists within. */
#ifndef CULPRIT_EXPORT_THRIFT_H
#define CULPRIT_EXPORT_THRIFT_H

#include "base/bytes.h"

enum thrift_type { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8, THRIFT_LIST = 9, THRIFT_STRUCT = 12 };

enum { THRIFT_DEEPEST = 8 };

/* All zero but `to`: within the outermost struct. */
struct thrift {
	struct bytes *to;
	uint16_t last[THRIFT_DEEPEST]; /* field, of each struct that is open */
	unsigned depth;
};

void thrift_varint(struct bytes *to, uint64_t value);
void thrift_i32(struct thrift *t, uint16_t field, int32_t value);
void thrift_i64(struct thrift *t, uint16_t field, int64_t value);
void thrift_text(struct thrift *t, uint16_t field, const char *text);
/* Then as many elements: thrift_element_... or, of structs, what is between thrift_begin and thrift_end. */
void thrift_list(struct thrift *t, uint16_t field, enum thrift_type of, uint32_t count);
void thrift_element_i32(struct thrift *t, int32_t value);
void thrift_element_text(struct thrift *t, const char *text);
/* A struct as a field; field 0: as an element of a list. */
void thrift_begin(struct thrift *t, uint16_t field);
/* Also of the outermost struct. */
void thrift_end(struct thrift *t);

#endif
