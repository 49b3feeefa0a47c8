/* Version and sizes: does the program that calls fit the library that runs? */
#include "culprit/library.h"

#include <stdlib.h>
#include <string.h>

#define TEXT(number) #number
#define DOTTED(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

uint32_t culprit_version(void)
{
	return CULPRIT_VERSION_NUMBER;
}

const char *culprit_version_text(void)
{
	return DOTTED(CULPRIT_VERSION_MAJOR, CULPRIT_VERSION_MINOR, CULPRIT_VERSION_PATCH);
}

/* The soname keeps apart what differs more. */
static bool same_series(uint32_t version)
{
	return version >> 8 == CULPRIT_VERSION_NUMBER >> 8;
}

const char *culprit_abi_check(const struct culprit_abi *compiled)
{
	if (compiled->size != sizeof *compiled)
		return "struct culprit_abi has another size: other headers than the library's";
	if (!same_series(compiled->version))
		return "compiled for another version of the library";
	if (compiled->record_version != CULPRIT_RECORD_VERSION)
		return "compiled for another version of struct culprit_record";
#define ABI_STRUCT(name)                           \
	if (compiled->name != sizeof(struct name)) \
		return "struct " #name " has another size in the library";
#include "culprit/abi.def"
	return NULL;
}

uint32_t culprit_abi_size(const char *name)
{
	static const struct {
		const char *name;
		size_t size;
	} rows[] = {
#define ABI_STRUCT(name) {#name, sizeof(struct name)},
#include "culprit/abi.def"
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].name, name))
			return (uint32_t)rows[i].size;
	return 0;
}

bool culprit_record_member(size_t index, struct culprit_member *member)
{
#define SIZE_OF(name) sizeof(((struct culprit_record *)NULL)->name)
	static const struct culprit_member rows[] = {
		{"seq", offsetof(struct culprit_record, seq), SIZE_OF(seq)},
#define MEMBER(name) {#name, offsetof(struct culprit_record, name), SIZE_OF(name)},
#include "culprit/record_member.def"
	};
	if (index >= sizeof rows / sizeof *rows)
		return false;
	*member = rows[index];
	return true;
}

void culprit_free(void *text)
{
	free(text);
}
