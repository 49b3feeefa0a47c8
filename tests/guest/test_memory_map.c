/* The list of mappings against the plainest model there is: one record for each page. */
#include "guest/files.h"
#include "guest/memory_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

enum { PAGES = 64, ROUNDS = 20000 };
#define BASE 0x100000ull

struct page {
	bool mapped;
	unsigned perm;
	char path; /* 0 = none */
	uint64_t offset;
	uint8_t content;
};

static struct guest guest;
static struct page model[PAGES];
static uint64_t random_state = 12345;

static unsigned pick(unsigned below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % below;
}

static uint64_t address_of(unsigned page)
{
	return BASE + page * GUEST_PAGE_SIZE;
}

static void do_map(unsigned from, unsigned to)
{
	struct region region = {.start = address_of(from), .end = address_of(to), .perm = pick(8)};
	char path[2] = {(char)('a' + pick(3)), 0};
	bool named = pick(2);

	if (named) {
		region.path = strdup(path);
		region.offset = pick(4) * GUEST_PAGE_SIZE;
	}
	assert_true(region_map(&guest, &region));
	for (unsigned i = from; i < to; i++)
		model[i] = (struct page){.mapped = true,
					 .perm = region.perm,
					 .path = named ? path[0] : 0,
					 .offset = region.offset + (i - from) * GUEST_PAGE_SIZE};
}

static void do_unmap(unsigned from, unsigned to)
{
	region_unmap(&guest, address_of(from), address_of(to));
	memset(&model[from], 0, (to - from) * sizeof(*model));
}

static void do_protect(unsigned from, unsigned to)
{
	unsigned perm = pick(8), i = from;
	bool whole;

	while (i < to && model[i].mapped)
		model[i++].perm = perm;
	whole = i == to;
	assert_int_equal(region_protect(&guest, address_of(from), address_of(to), perm), whole);
}

/* Pages keep what was written to them until they are mapped afresh. */
static void do_write(unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		if (model[i].mapped)
			*address_space_host(&guest.memory, address_of(i)) = model[i].content = (uint8_t)pick(256);
}

static void check_page(unsigned i)
{
	const struct page *page = &model[i];
	const struct region *r = region_at(&guest, address_of(i));

	assert_int_equal(r != NULL, page->mapped);
	assert_int_equal(guest.memory.perm[address_of(i) >> GUEST_PAGE_BITS],
			 page->mapped ? (page->perm | PAGE_MAPPED) : 0);
	if (!r)
		return;
	assert_int_equal(r->perm, page->perm);
	assert_int_equal(r->path ? r->path[0] : 0, page->path);
	if (page->path)
		assert_int_equal(r->offset + (address_of(i) - r->start), page->offset);
	assert_int_equal(*address_space_host(&guest.memory, address_of(i)), page->content);
}

static void check_list(void)
{
	uint64_t end = 0, charged = 0, count = 0;

	for (const struct region *r = region_from(&guest, 0); r; r = region_from(&guest, r->end)) {
		assert_true(r->start >= end);
		assert_true(r->end > r->start);
		end = r->end;
		charged += r->charged ? r->end - r->start : 0;
		count++;
		assert_true(r->charged || !((r->perm & PAGE_WRITE) || r->path));
	}
	assert_int_equal(guest.memory_used, charged);
	assert_int_equal(guest.space->map.count, count);
	for (unsigned i = 0; i < PAGES; i++)
		check_page(i);
}

/* The highest gap below the top that is long enough, by looking at every page. */
static uint64_t expected_free(unsigned pages)
{
	for (unsigned i = PAGES - pages + 1; i-- > 0;) {
		unsigned length = 0;

		while (length < pages && !model[i + length].mapped)
			length++;
		if (length == pages)
			return address_of(i);
	}
	return 0;
}

static void test_random(void **state)
{
	static void (*const operations[])(unsigned, unsigned) = {do_map, do_unmap, do_protect, do_write, do_map};

	guest.memory_limit = UINT64_MAX;
	guest.space->map.top = address_of(PAGES);
	for (int round = 0; round < ROUNDS; round++) {
		unsigned from = pick(PAGES), to = from + 1 + pick(PAGES - from), pages = 1 + pick(8);
		uint64_t expected;

		operations[pick(5)](from, to);
		check_list();
		expected = expected_free(pages);
		if (expected)
			assert_int_equal(region_find_free(&guest, pages * GUEST_PAGE_SIZE), expected);
		assert_int_equal(region_is_free(&guest, address_of(from), address_of(from + 1)), !model[from].mapped);
	}
}

static int set_up(void **state)
{
	static struct space space;

	guest.space = &space;
	return address_space_create(&guest.memory, NULL) ? 0 : -1;
}

static int tear_down(void **state)
{
	regions_destroy(&guest);
	frames_destroy(&guest);
	address_space_destroy(&guest.memory);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
