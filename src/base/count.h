/* Counts and sizes as people write them: 300000000, 300M, 300m, 3e8, 1.5G, 0x1000.
 * k, m and g may be large or small. They are thousand, million and billion of a count, and 1024, 1024^2 and 1024^3 of a
 * size in bytes. What is written must be a whole number in the end: 1.5k is one, 1.5 is none. */
#ifndef CULPRIT_BASE_COUNT_H
#define CULPRIT_BASE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

enum count_unit { COUNT_THINGS = 1000, COUNT_BYTES = 1024 }; /* what k stands for */

/* False: the text is no such number, or does not fit. */
bool count_parse(const char *text, enum count_unit unit, uint64_t *value);

#endif
