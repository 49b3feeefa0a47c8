#ifndef GOLDEN_STREAMS_H
#define GOLDEN_STREAMS_H

#include <stdint.h>

void print_streams(uint64_t streams, uint64_t seed);

#endif
