/* A point as a line for a shell. */
#include "base/memory_stream.h"
#include "sweep/points.h"

#include <stdlib.h>
#include <string.h>

void sweep_print_word(const char *word, FILE *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";
	if (*word && !word[strspn(word, plain)]) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, out);
	fputc('\'', out);
}

char *sweep_command(const struct sweep_point *x)
{
	struct memory_stream out;
	if (!memory_stream_open(&out))
		return NULL;
	fputs("culprit", out.file);
	for (uint32_t i = 0; i < x->words.count; i++) {
		fputc(' ', out.file);
		sweep_print_word(x->words.items[i], out.file);
	}
	return memory_stream_close(&out);
}
