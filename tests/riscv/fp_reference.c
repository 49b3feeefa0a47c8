/* A RISC-V program that answers struct fp_question on stdin by executing the instruction itself, with the rounding mode
 * in frm. Run by test_fp.c under an independent emulator. */
#include "fp_reference.h"

#include <unistd.h>

#define BATCH 1024

#define MOVE_F "fmv.x.d t0, ft3\n"
#define MOVE_X ""

#define FP_CASE(name, kind, instruction, fast, soft)                                                              \
	static void answer_##name(const struct fp_question *q, struct fp_answer *out)                             \
	{                                                                                                         \
		__asm__ volatile("fmv.d.x ft0, %2\n fmv.d.x ft1, %3\n fmv.d.x ft2, %4\n mv t1, %2\n"              \
				 "fsrm %5\n fsflags %6\n" instruction "\n" MOVE_##kind "mv %0, t0\n frflags %1"   \
				 : "=&r"(out->result), "=&r"(out->flags)                                          \
				 : "r"(q->a), "r"(q->b), "r"(q->c), "r"((uint64_t)q->rm), "r"((uint64_t)q->flags) \
				 : "t0", "t1", "ft0", "ft1", "ft2", "ft3");                                       \
	}
#include "fp_cases.def"
#undef FP_CASE

static void (*const answer[])(const struct fp_question *, struct fp_answer *) = {
#define FP_CASE(name, kind, instruction, fast, soft) answer_##name,
#include "fp_cases.def"
#undef FP_CASE
};

static int read_whole(void *to, unsigned long size)
{
	unsigned long have = 0;
	long got;

	while (have < size && (got = read(0, (char *)to + have, size - have)) > 0)
		have += got;
	return have;
}

int main(void)
{
	static struct fp_question questions[BATCH];
	static struct fp_answer answers[BATCH];
	int bytes;

	while ((bytes = read_whole(questions, sizeof questions)) > 0) {
		int count = bytes / sizeof questions[0];
		for (int i = 0; i < count; i++)
			answer[questions[i].what](&questions[i], &answers[i]);
		long size = count * sizeof answers[0];
		if (write(1, answers, size) != size)
			return 1;
	}
	return 0;
}
