/* Any bytes as a trace of what was executed: an error in one line, or steps that are put into memory and followed. */
#include "import/import.h"
#include "import/steps.h"

#include <stdlib.h>
#include <string.h>

static void must(bool truth)
{
	if (!truth)
		abort();
}

static void one_line(bool good, const struct error *err)
{
	must(good || (err->code != ERROR_NONE && !strncmp(err->text, "fuzz", 4) && !strchr(err->text, '\n')));
}

static void follow(const struct import_steps *s, struct address_space *as, struct riscv_code *code)
{
	struct riscv_hart hart = {.pc = s->steps[0].pc, .reservation = UINT64_MAX};
	struct riscv_follow f = {.steps = s->steps, .count = s->count};
	while (f.next < f.count) {
		struct riscv_outcome out;
		bool jumps;
		must(hart.pc == s->steps[f.next].pc);
		const struct riscv_block *block = riscv_code_block(code, hart.pc);
		if (!block) /* an instruction that lies over another */
			return;
		riscv_follow(&f, &hart, &block->insns[0], as, &out, &jumps);
	}
}

/* What an archive holds, as far as it goes; a small one may hold much. */
static FILE *unpacked(const uint8_t *data, size_t size, char *room, size_t most, size_t *got)
{
	FILE *file = fmemopen((void *)data, size, "r"), *in = file ? import_unzstd(file) : NULL;
	*got = 0;
	if (!in)
		abort();
	*got = fread(room, 1, most, in);
	if (ferror(in))
		must(import_unreadable(in));
	fclose(in);
	return *got ? fmemopen(room, *got, "r") : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import_steps s = {.place = "fuzz"};
	struct address_space as;
	struct error err = {ERROR_NONE, ""};
	static char room[1 << 20];
	const bool packed = import_is_zstd((const char *)data, size);
	FILE *in = packed ? unpacked(data, size, room, sizeof room, &size)
		   : size ? fmemopen((void *)data, size, "r")
			  : NULL;
	if (!in)
		return 0;
	bool good = import_steps_parse(&s, in, packed ? room : (const char *)data, size < 4096 ? size : 4096, &err);
	fclose(in);
	one_line(good, &err);
	if (good && address_space_create(&as, &err)) {
		struct riscv_code *code = riscv_code_create(&as, &err);
		must(code);
		good = import_steps_place(&s, &as, NULL, &err);
		one_line(good, &err);
		if (good)
			follow(&s, &as, code);
		riscv_code_destroy(code);
		address_space_destroy(&as);
	}
	import_steps_destroy(&s);
	return 0;
}
