/* Rows of pools, for one lane type and one vector width: part of kernel_body.h. See pool.h. */
#if defined(__clang__)
#define POOL_EACH(n, end) _Pragma("clang loop unroll(full)") for (unsigned n = 0; n < (end); n++)
#else
#define POOL_EACH(n, end) _Pragma("GCC unroll 16") for (unsigned n = 0; n < (end); n++)
#endif

/* Take the first entry and have it free again at `until`: the front without its first row, `until` in its place. Who
 * did not wait for the entry, its window being idealised, may be done before it is free. Over half a row. */
TARGET static void NAME(pool_take)(void *rows, uint32_t front, size_t stride, const void *until)
{
	for (size_t i = 0; i < GRAPH_HALF; i += ELEMENTS) {
		VEC t = MAX(NAME(load)(until, i), NAME(load)(rows, i));
		char *row = rows;
		for (uint32_t n = 1; n < front; n++, row += stride) {
			VEC next = NAME(load)(row + stride, i);
			NAME(store)(row, i, NAME(min)(next, t));
			t = MAX(next, t);
		}
		NAME(store)(row, i, t);
	}
}

/* Two rows, the earlier time of each lane first. */
INLINE void NAME(pool_order)(VEC *low, VEC *high)
{
	VEC before = NAME(min)(*low, *high);
	*high = MAX(*low, *high);
	*low = before;
}

/* Two times GRAPH_POOL_FRONT rows in order become all of them in order: Batcher's odd-even merge, 25 exchanges. */
INLINE void NAME(pool_blocks)(VEC *x)
{
	POOL_EACH(n, GRAPH_POOL_FRONT)
	NAME(pool_order)(&x[n], &x[n + GRAPH_POOL_FRONT]);
	POOL_EACH(halved, GRAPH_POOL_HALVES)
	{
		const unsigned apart = GRAPH_POOL_FRONT / 2 >> halved;
		POOL_EACH(n, 2 * GRAPH_POOL_FRONT - apart)
		if (n / apart % 2)
			NAME(pool_order)(&x[n], &x[n + apart]);
	}
}

/* The front's rows into the others, all of `count` in order again: as many of them at a time, and the last few one by
 * one. Over half a row. */
TARGET static void NAME(pool_merge)(void *rows, uint32_t count, size_t stride)
{
	for (size_t i = 0; i < GRAPH_HALF; i += ELEMENTS) {
		VEC w[2 * GRAPH_POOL_FRONT];
		char *row = rows;
		uint32_t left = count - GRAPH_POOL_FRONT;
		for (unsigned n = 0; n < GRAPH_POOL_FRONT; n++)
			w[n] = NAME(load)(row + n * stride, i);
		for (; left >= GRAPH_POOL_FRONT; left -= GRAPH_POOL_FRONT) {
			for (unsigned n = GRAPH_POOL_FRONT; n < 2 * GRAPH_POOL_FRONT; n++)
				w[n] = NAME(load)(row + n * stride, i);
			NAME(pool_blocks)(w);
			for (unsigned n = 0; n < GRAPH_POOL_FRONT; n++, row += stride)
				NAME(store)(row, i, w[n]);
			for (unsigned n = 0; n < GRAPH_POOL_FRONT; n++)
				w[n] = w[n + GRAPH_POOL_FRONT];
		}
		for (; left; left--, row += stride) {
			VEC t = NAME(load)(row + GRAPH_POOL_FRONT * stride, i);
			NAME(pool_order)(&w[0], &t);
			NAME(store)(row, i, w[0]);
			for (unsigned n = 1; n < GRAPH_POOL_FRONT; n++) {
				NAME(pool_order)(&w[n], &t);
				w[n - 1] = w[n];
			}
			w[GRAPH_POOL_FRONT - 1] = t;
		}
		for (unsigned n = 0; n < GRAPH_POOL_FRONT; n++, row += stride)
			NAME(store)(row, i, w[n]);
	}
}
