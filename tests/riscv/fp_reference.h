/* What test_fp.c asks of fp_reference.c: fixed-size binary records, little-endian on both sides. */
#ifndef CULPRIT_TESTS_FP_REFERENCE_H
#define CULPRIT_TESTS_FP_REFERENCE_H

#include <stdint.h>

struct fp_question {
	uint32_t what; /* row of fp_cases.def */
	uint16_t rm;
	uint16_t flags; /* before the operation */
	uint64_t a, b, c;
};

struct fp_answer {
	uint64_t result;
	uint64_t flags; /* afterwards */
};

#endif
