#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

void nearest_begin(struct nearest *n, const char *wanted, size_t length)
{
	memset(n, 0, sizeof *n);
	if (length > NEAREST_LONGEST)
		return;
	memcpy(n->wanted, wanted, length);
	n->distance = length < 4 ? 2 : length < 8 ? 3 : 4;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Row i of the table is made from the two rows before it. */
static void next_row(unsigned *row, const unsigned *above, const unsigned *above_that, const char *a, size_t i,
		     const char *b)
{
	row[0] = (unsigned)i;
	for (size_t j = 1; b[j - 1]; j++) {
		row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
		if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
			row[j] = least(row[j], above_that[j - 2] + 1);
	}
}

unsigned nearest_distance(const struct nearest *n, const char *name)
{
	unsigned rows[3][NEAREST_LONGEST + 1] = {{0}};
	size_t length = strlen(n->wanted), other = strlen(name);
	if (other > NEAREST_LONGEST)
		return NEAREST_LONGEST;
	for (size_t j = 0; j <= other; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= length; i++)
		next_row(rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3], n->wanted, i, name);
	return rows[length % 3][other];
}

bool nearest_take(struct nearest *n, const char *name, unsigned distance)
{
	if (distance >= n->distance || strlen(name) > NEAREST_LONGEST)
		return false;
	n->distance = distance;
	strcpy(n->best, name);
	return true;
}

void nearest_consider(struct nearest *n, const char *name)
{
	nearest_take(n, name, nearest_distance(n, name));
}

const char *nearest_hint(struct nearest *n)
{
	snprintf(n->hint, sizeof n->hint, *n->best ? "; did you mean %s?" : "%s", n->best);
	return n->hint;
}
