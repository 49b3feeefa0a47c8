#include "report/code/code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *code_level_name(enum code_level level)
{
	static const char *const names[] = {"l1d_misses", "l2_misses", "memory_accesses"};
	return names[level];
}

const char *code_nameless(const struct code_function *f)
{
	static const char digits[] = "0123456789abcdef";
	const size_t length = strlen(f->object);
	const char *rest = !f->symbol && !strncmp(f->name, f->object, length) ? f->name + length : "";
	if (!f->symbol && !strcmp(f->object, "no object"))
		rest = f->name;
	const char *number = rest + (*rest == '+');
	const bool whole = !strncmp(number, "0x", 2) && number[2] && !number[2 + strspn(number + 2, digits)];
	return whole ? rest : NULL;
}

uint64_t code_offset(const struct code_function *f, uint64_t pc)
{
	const char *base = code_nameless(f);
	return pc - f->start + (base ? strtoull(base + (*base == '+'), NULL, 16) : 0);
}

void code_place(const struct code_function *f, uint64_t pc, char *text, size_t size)
{
	const char *nameless = code_nameless(f);
	if (nameless && *nameless != '+')
		snprintf(text, size, "0x%" PRIx64, pc);
	else
		snprintf(text, size, "%.120s+0x%" PRIx64, nameless ? f->object : f->name, code_offset(f, pc));
}

static void destroy_function(struct code_function *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->insns[i].text);
	free(f->insns);
	free(f->name);
	free(f->symbol);
	free(f->object);
}

static void destroy_file(struct code_file *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->lines[i].text);
	free(f->lines);
	free(f->path);
}

void code_destroy(struct code *c)
{
	for (size_t i = 0; i < c->function_count; i++)
		destroy_function(&c->functions[i]);
	for (size_t i = 0; i < c->file_count; i++)
		destroy_file(&c->files[i]);
	for (size_t i = 0; i < c->inlined_count; i++)
		free(c->inlined[i].function);
	for (uint32_t i = 0; i < c->cause_count; i++) {
		free(c->causes[i]);
		free(c->labels[i]);
	}
	free(c->functions);
	free(c->files);
	free(c->inlined);
	free(c->calls);
	memset(c, 0, sizeof *c);
}

uint32_t code_file(struct code *c, const char *path)
{
	if (!path)
		return CODE_NONE;
	for (size_t i = c->file_count; i > 0; i--) /* mostly the last one again */
		if (!strcmp(c->files[i - 1].path, path))
			return (uint32_t)i - 1;
	struct code_file *grown = realloc(c->files, (c->file_count + 1) * sizeof *grown);
	if (!grown)
		return CODE_NONE;
	c->files = grown;
	c->files[c->file_count] = (struct code_file){.path = strdup(path)};
	return c->files[c->file_count].path ? (uint32_t)c->file_count++ : CODE_NONE;
}

static int compare_pc(const void *key, const void *insn)
{
	const uint64_t pc = *(const uint64_t *)key, other = ((const struct code_insn *)insn)->pc;
	return (pc > other) - (pc < other);
}

struct code_insn *code_find(const struct code *c, uint64_t pc)
{
	for (size_t i = 0; i < c->function_count; i++) {
		const struct code_function *f = &c->functions[i];
		if (f->count && pc >= f->start && pc < f->end)
			return bsearch(&pc, f->insns, f->count, sizeof *f->insns, compare_pc);
	}
	return NULL;
}

void code_own_line(const struct code *c, const struct code_insn *n, uint32_t *file, uint32_t *line)
{
	*file = n->file;
	*line = n->line;
	for (uint32_t call = n->inlined; call != CODE_NONE; call = c->inlined[call].outer) {
		*file = c->inlined[call].file;
		*line = c->inlined[call].line;
	}
}

void code_counts_add(struct code_counts *sum, const struct code_counts *c, uint32_t causes)
{
	sum->executions += c->executions;
	sum->cycles += c->cycles;
	for (uint32_t i = 0; i < causes; i++)
		sum->causes[i] += c->causes[i];
	sum->mispredictions += c->mispredictions;
	sum->refill += c->refill;
	for (unsigned i = 0; i < CODE_LEVELS; i++)
		sum->misses[i] += c->misses[i];
}
