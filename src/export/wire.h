/* Protocol buffers as bytes: fields are appended to a message; a message inside another is made apart and then put in.
 * When memory runs out the message is `failed`, and stays so. */
#ifndef CULPRIT_EXPORT_WIRE_H
#define CULPRIT_EXPORT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire {
	uint8_t *bytes;
	size_t size, room;
	bool failed;
};

void wire_destroy(struct wire *w);
void wire_uint(struct wire *w, uint32_t field, uint64_t value);
void wire_fixed64(struct wire *w, uint32_t field, uint64_t value);
void wire_text(struct wire *w, uint32_t field, const char *text);
/* Repeated numbers, packed. */
void wire_numbers(struct wire *w, uint32_t field, const uint64_t *values, size_t count);
/* `inner` is empty afterwards, and can be filled again. */
void wire_message(struct wire *w, uint32_t field, struct wire *inner);

#endif
