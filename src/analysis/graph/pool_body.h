/* Rows of pools, for one lane type and one vector width: part of kernel_body.h. See pool.h. */

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

/* The front's rows into the others, all of `count` in order again. Asking whether a row is before all of the front in
 * every lane, to just move it up, costs as much as it saves. Over half a row. */
TARGET static void NAME(pool_merge)(void *rows, uint32_t count, size_t stride)
{
	for (size_t i = 0; i < GRAPH_HALF; i += ELEMENTS) {
		VEC w[GRAPH_POOL_FRONT];
		for (unsigned n = 0; n < GRAPH_POOL_FRONT; n++)
			w[n] = NAME(load)((char *)rows + n * stride, i);
		char *row = rows;
		for (uint32_t left = count - GRAPH_POOL_FRONT; left; left--, row += stride) {
			VEC t = NAME(load)(row + GRAPH_POOL_FRONT * stride, i);
			NAME(store)(row, i, NAME(min)(w[0], t));
			t = MAX(w[0], t);
			for (unsigned n = 1; n < GRAPH_POOL_FRONT; n++) {
				w[n - 1] = NAME(min)(w[n], t);
				t = MAX(w[n], t);
			}
			w[GRAPH_POOL_FRONT - 1] = t;
		}
		for (unsigned n = 0; n < GRAPH_POOL_FRONT; n++, row += stride)
			NAME(store)(row, i, w[n]);
	}
}
