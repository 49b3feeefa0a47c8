/* Symbol tables made at random, and every address of their objects looked up the slow way. */
#include "report/symbols.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum {
	SYMBOLS = 40,
	NAMES = 1 << 12,
	SPAN = 600,
	BIAS = 0x40000,
	ROUNDS = 60,
	CODE = 4,
	CODE_START = 64,
	CODE_END = 520
};

struct table {
	char names[NAMES];
	size_t names_size, count;
	Elf64_Sym list[SYMBOLS];
};

static uint32_t below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*seed >> 33) % limit;
}

/* Functions and what is none, some with one start, some without size; no two functions of the same start and name. */
static void make_table(struct table *t, uint64_t *seed)
{
	static const char *const stems[] = {"", "_", "__"};
	*t = (struct table){.names_size = 1};
	for (size_t count = below(seed, SYMBOLS); t->count < count; t->count++) {
		Elf64_Sym *s = &t->list[t->count];
		s->st_name = (uint32_t)t->names_size;
		t->names_size += 1 + (size_t)snprintf(t->names + t->names_size, NAMES - t->names_size, "%sf%u",
						      stems[below(seed, 3)], below(seed, 8));
		s->st_value = 8ull * below(seed, SPAN / 8);
		s->st_size = below(seed, 3) ? below(seed, 30) : 0;
		static const unsigned types[] = {STT_FUNC,   STT_FUNC,	 STT_FUNC,     STT_NOTYPE,
						 STT_NOTYPE, STT_OBJECT, STT_GNU_IFUNC};
		s->st_info = ELF64_ST_INFO(below(seed, 3) ? STB_GLOBAL : STB_LOCAL, types[below(seed, 7)]);
		s->st_shndx = below(seed, 8) ? below(seed, 3) ? CODE : 1 : SHN_UNDEF;
		for (size_t i = 0; i < t->count; i++)
			if (t->list[i].st_value == s->st_value &&
			    !strcmp(t->names + t->list[i].st_name, t->names + s->st_name))
				s->st_shndx = SHN_UNDEF;
	}
}

/* As .symtab; `twice`: and as .dynsym. */
static void write_object(const struct table *t, bool twice, FILE *out)
{
	Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_DYN,
			   .e_machine = EM_RISCV,
			   .e_version = EV_CURRENT,
			   .e_ehsize = sizeof head,
			   .e_shoff = sizeof head,
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = CODE + 1};
	Elf64_Shdr sections[CODE + 1] = {{.sh_type = SHT_NULL}};
	uint64_t at = sizeof head + sizeof sections, bytes = t->count * sizeof *t->list;
	for (unsigned i = 1; i < (twice ? 3 : 2); i++)
		sections[i] = (Elf64_Shdr){.sh_type = i == 1 ? SHT_SYMTAB : SHT_DYNSYM,
					   .sh_offset = at,
					   .sh_size = bytes,
					   .sh_link = 3,
					   .sh_addralign = 8,
					   .sh_entsize = sizeof *t->list};
	sections[3] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB, .sh_offset = at + bytes, .sh_size = t->names_size, .sh_addralign = 1};
	sections[CODE] = (Elf64_Shdr){.sh_type = SHT_NOBITS,
				      .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				      .sh_addr = CODE_START,
				      .sh_size = CODE_END - CODE_START};
	fwrite(&head, sizeof head, 1, out);
	fwrite(sections, sizeof sections, 1, out);
	fwrite(t->list, sizeof *t->list, t->count, out);
	fwrite(t->names, t->names_size, 1, out);
}

static bool is_typed(const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);
	return s->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
}

/* A global name of no type is a function where there is code, and none of another name. */
static bool is_function(const struct table *t, const Elf64_Sym *s)
{
	if (ELF64_ST_TYPE(s->st_info) != STT_NOTYPE)
		return is_typed(s);
	for (const Elf64_Sym *f = t->list; f < t->list + t->count; f++)
		if (is_typed(f) && s->st_value >= f->st_value &&
		    s->st_value < f->st_value + (f->st_size ? f->st_size : 1))
			return false;
	return ELF64_ST_BIND(s->st_info) == STB_GLOBAL && s->st_shndx == CODE && s->st_value >= CODE_START &&
	       s->st_value < CODE_END;
}

static uint64_t start_of(const Elf64_Sym *s)
{
	return s->st_value + BIAS;
}

/* Is `a` what a reader would rather see? */
static bool is_nicer(const struct table *t, const Elf64_Sym *a, const Elf64_Sym *b)
{
	const char *x = t->names + a->st_name, *y = t->names + b->st_name;
	size_t ux = strspn(x, "_"), uy = strspn(y, "_");
	return ux != uy ? ux < uy : strcmp(x, y) < 0;
}

static const Elf64_Sym *find_slowly(const struct table *t, uint64_t pc)
{
	const Elf64_Sym *best = NULL;
	for (const Elf64_Sym *s = t->list; s < t->list + t->count; s++)
		if (is_function(t, s) && start_of(s) <= pc &&
		    (!best || s->st_value > best->st_value || (s->st_value == best->st_value && is_nicer(t, s, best))))
			best = s;
	return best && (!best->st_size || pc < start_of(best) + best->st_size) ? best : NULL;
}

static uint64_t end_slowly(const struct table *t, const Elf64_Sym *f, uint64_t end)
{
	if (f->st_size)
		return start_of(f) + f->st_size;
	if (end <= start_of(f))
		end = start_of(f) + 1;
	bool another = false;
	for (const Elf64_Sym *s = t->list; s < t->list + t->count; s++)
		if (is_function(t, s) && s->st_value > f->st_value && (!another || start_of(s) < end)) {
			another = true;
			end = start_of(s);
		}
	return end;
}

static void expect_ranges(const struct symbols *s, const struct table *t, const char *name, uint64_t end)
{
	size_t count = 0, expected = 0;
	struct symbol_range range;
	uint64_t last = 0;
	for (const Elf64_Sym *f = t->list; f < t->list + t->count; f++)
		expected += is_function(t, f) && !strcmp(t->names + f->st_name, name);
	for (; symbols_range(s, name, count, &range); count++) {
		const Elf64_Sym *found = NULL;
		for (const Elf64_Sym *f = t->list; f < t->list + t->count; f++)
			if (is_function(t, f) && !strcmp(t->names + f->st_name, name) && start_of(f) == range.first)
				found = f;
		assert_non_null(found);
		assert_true(!count || range.first > last); /* each once */
		assert_int_equal(range.end, end_slowly(t, found, end));
		last = range.first;
	}
	assert_int_equal(count, expected);
}

static void expect_place(const struct symbols *s, const struct table *t, uint64_t pc, uint64_t start, uint64_t end)
{
	struct symbol_place p = symbols_find(s, pc);
	const Elf64_Sym *f = pc >= start && pc < end ? find_slowly(t, pc) : NULL;
	if (pc < start || pc >= end) {
		assert_null(p.object);
		assert_null(p.function);
		assert_int_equal(p.start, pc);
		assert_int_equal(p.offset, pc);
		return;
	}
	assert_true(!strncmp(p.object, "culprit-symbols-", 16));
	assert_int_equal(p.start, f ? start_of(f) : start);
	assert_int_equal(p.offset, pc - p.start);
	if (f)
		assert_string_equal(p.function, t->names + f->st_name);
	else
		assert_null(p.function);
}

static void try_table(uint64_t seed)
{
	struct table t;
	struct error err = {0};
	char path[] = "/tmp/culprit-symbols-XXXXXX";
	make_table(&t, &seed);
	FILE *out = fdopen(mkstemp(path), "w");
	assert_non_null(out);
	write_object(&t, seed & 1, out);
	assert_int_equal(fclose(out), 0);
	/* the object may end within its last functions */
	uint64_t start = BIAS + below(&seed, 60), end = BIAS + SPAN - below(&seed, 200);
	struct symbols *s = symbols_create(&err);
	assert_true(symbols_add(s, path, start, end, BIAS, &err));
	for (uint64_t pc = BIAS - 5; pc < BIAS + SPAN + 60; pc++)
		expect_place(s, &t, pc, start, end);
	for (size_t i = 0; i < t.count; i++)
		expect_ranges(s, &t, t.names + t.list[i].st_name, end);
	struct symbol_range none;
	assert_false(symbols_range(s, "f8", 0, &none));
	symbols_destroy(s);
	unlink(path);
}

static void random_tables(void **state)
{
	for (uint64_t seed = 1; seed <= ROUNDS; seed++)
		try_table(seed);
	(void)state;
}

/* A file that is none, and one that is not there, name no function. */
static void no_tables(void **state)
{
	struct error err = {0};
	struct symbols *s = symbols_create(&err);
	assert_true(symbols_add(s, "/proc/self/maps", 100, 200, 0, &err));
	assert_true(symbols_add(s, "/nowhere/lib.so", 300, 400, 0, &err));
	assert_string_equal(symbols_find(s, 199).object, "maps");
	assert_string_equal(symbols_find(s, 300).object, "lib.so");
	assert_null(symbols_find(s, 300).function);
	assert_null(symbols_find(s, 200).object);
	symbols_destroy(s);
	(void)state;
}

/* Bytes that a terminal would obey, and such as are no letters, are not shown; the function is found by what is. */
static void hostile_names(void **state)
{
	struct table t = {.names_size = 1, .count = 1};
	struct error err = {0};
	char path[] = "/tmp/culprit-\x1b[2J-XXXXXX";
	t.list[0] = (Elf64_Sym){.st_name = 1, .st_value = 8, .st_size = 8, .st_shndx = 1};
	t.list[0].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	t.names_size += 1 + (size_t)snprintf(t.names + 1, NAMES - 1, "a\x1b[31m\n\xc3\xbc\xff");
	FILE *out = fdopen(mkstemp(path), "w");
	assert_non_null(out);
	write_object(&t, false, out);
	assert_int_equal(fclose(out), 0);
	struct symbols *s = symbols_create(&err);
	assert_true(symbols_add(s, path, BIAS, BIAS + 100, BIAS, &err));
	struct symbol_place p = symbols_find(s, BIAS + 9);
	assert_string_equal(p.function, "a?[31m?\xc3\xbc?");
	assert_true(!strncmp(p.object, "culprit-?[2J-", 13));
	struct symbol_range range;
	assert_true(symbols_range(s, "a?[31m?\xc3\xbc?", 0, &range));
	assert_int_equal(range.first, BIAS + 8);
	symbols_destroy(s);
	unlink(path);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_tables), cmocka_unit_test(no_tables),
					   cmocka_unit_test(hostile_names)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
