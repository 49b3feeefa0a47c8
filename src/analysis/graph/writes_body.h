/* Rows of stores' writes, for one lane type and one vector width: part of kernel_body.h. */

/* When the store's entry is free: its write and those of all older stores are done, or at its commit when the write
 * takes no time (`write` 0). `done`: the same of all stores so far whose write takes time. Over half a row. */
TARGET static void NAME(write)(void *released, void *done, const void *commit, const void *write)
{
	for (size_t i = 0; i < GRAPH_HALF; i += ELEMENTS) {
		VEC c = NAME(load)(commit, i), w = NAME(load)(write, i), before = NAME(load)(done, i);
		VEC after = MAX(before, c + w), slow = (VEC)(w != 0);
		NAME(store)(done, i, (after & slow) | (before & ~slow));
		NAME(store)(released, i, (after & slow) | (c & ~slow));
	}
}
