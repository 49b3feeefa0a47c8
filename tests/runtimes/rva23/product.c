/*
 * product: matrix products of float, double, int and short with int sums, in two loop orders, of sizes around the
 * lengths of vectors. Prints a checksum of every bit of each result. The products of small whole numbers are exact in
 * any order: they must equal a product computed one element at a time, without vectors.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST = 96 };

static uint32_t random_bits(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static uint64_t checksum(const void *data, size_t size)
{
	const unsigned char *bytes = data;
	uint64_t sum = 14695981039346656037U;
	for (size_t i = 0; i < size; i++)
		sum = (sum ^ bytes[i]) * 1099511628211U;
	return sum;
}

/* A type's matrices and products. SMALL and ANY make an element of a random number. */
#define PRODUCTS(NAME, ELEMENT, SUM, SMALL, ANY)                                                                    \
	static ELEMENT NAME##_a[LARGEST * LARGEST], NAME##_b[LARGEST * LARGEST];                                    \
	static SUM NAME##_rows[LARGEST * LARGEST], NAME##_dots[LARGEST * LARGEST], NAME##_plain[LARGEST * LARGEST]; \
                                                                                                                    \
	/* the inner loop goes along rows: a multiple of one is added to another */                                 \
	__attribute__((noinline)) static void NAME##_by_rows(int n)                                                 \
	{                                                                                                           \
		for (int i = 0; i < n; i++) {                                                                       \
			SUM *restrict row = NAME##_rows + i * n;                                                    \
			memset(row, 0, (size_t)n * sizeof *row);                                                    \
			for (int k = 0; k < n; k++)                                                                 \
				for (int j = 0; j < n; j++)                                                         \
					row[j] += (SUM)NAME##_a[i * n + k] * NAME##_b[k * n + j];                   \
		}                                                                                                   \
	}                                                                                                           \
                                                                                                                    \
	/* the inner loop is a sum over a row and a column */                                                       \
	__attribute__((noinline)) static void NAME##_by_dots(int n)                                                 \
	{                                                                                                           \
		for (int i = 0; i < n; i++)                                                                         \
			for (int j = 0; j < n; j++) {                                                               \
				SUM sum = 0;                                                                        \
				for (int k = 0; k < n; k++)                                                         \
					sum += (SUM)NAME##_a[i * n + k] * NAME##_b[k * n + j];                      \
				NAME##_dots[i * n + j] = sum;                                                       \
			}                                                                                           \
	}                                                                                                           \
                                                                                                                    \
	__attribute__((noinline)) static void NAME##_plainly(int n)                                                 \
	{                                                                                                           \
		for (int i = 0; i < n * n; i++) {                                                                   \
			volatile SUM sum = 0;                                                                       \
			for (int k = 0; k < n; k++)                                                                 \
				sum += (SUM)NAME##_a[i / n * n + k] * NAME##_b[k * n + i % n];                      \
			NAME##_plain[i] = sum;                                                                      \
		}                                                                                                   \
	}                                                                                                           \
                                                                                                                    \
	static int NAME##_products(int n)                                                                           \
	{                                                                                                           \
		size_t size = (size_t)n * (size_t)n * sizeof *NAME##_rows;                                          \
		uint32_t state = (uint32_t)n;                                                                       \
		for (int i = 0; i < n * n; i++) {                                                                   \
			NAME##_a[i] = (ELEMENT)(SMALL);                                                             \
			NAME##_b[i] = (ELEMENT)(SMALL);                                                             \
		}                                                                                                   \
		NAME##_by_rows(n);                                                                                  \
		NAME##_by_dots(n);                                                                                  \
		NAME##_plainly(n);                                                                                  \
		int same = !memcmp(NAME##_rows, NAME##_plain, size) && !memcmp(NAME##_dots, NAME##_plain, size);    \
		printf("%s %d %016llx %s\n", #NAME, n, (unsigned long long)checksum(NAME##_rows, size),             \
		       same ? "exact" : "WRONG");                                                                   \
		for (int i = 0; i < n * n; i++) {                                                                   \
			NAME##_a[i] = (ELEMENT)(ANY);                                                               \
			NAME##_b[i] = (ELEMENT)(ANY);                                                               \
		}                                                                                                   \
		NAME##_by_rows(n);                                                                                  \
		NAME##_by_dots(n);                                                                                  \
		printf("%s %d %016llx %016llx\n", #NAME, n, (unsigned long long)checksum(NAME##_rows, size),        \
		       (unsigned long long)checksum(NAME##_dots, size));                                            \
		return same;                                                                                        \
	}

PRODUCTS(single, float, float, random_bits(&state) % 17, (float)random_bits(&state) / 12345.0F - 600.0F)
PRODUCTS(twice, double, double, random_bits(&state) % 17, (double)random_bits(&state) / 12345.0 - 600.0)
PRODUCTS(whole, int32_t, int32_t, random_bits(&state) % 1999 - 999U, random_bits(&state) % 1999 - 999U)
PRODUCTS(halves, int16_t, int32_t, random_bits(&state) % 1999 - 999U, random_bits(&state) % 1999 - 999U)

int main(void)
{
	static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, LARGEST};
	int same = 1;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		int n = sizes[i];
		same &= single_products(n);
		same &= twice_products(n);
		same &= whole_products(n);
		same &= halves_products(n);
	}
	return !same;
}
