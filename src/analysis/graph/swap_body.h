/* Lanes that change places, for one lane type: part of kernel_body.h. */

typedef LANE NAME(piece) __attribute__((vector_size(GRAPH_SLOT_LANES * sizeof(LANE))));

/* In `count` quarters of rows, one behind the other, bits a and b of the lanes' numbers change places: lanes with a
 * alone go to those with b alone, and back. a is a bit within a piece of GRAPH_SLOT_LANES, b one beyond. */
#define AT(i, by) ((i) ^ (by))
#define EXCHANGED(v, by)                                                                                           \
	__builtin_shufflevector(v, v, AT(0, by), AT(1, by), AT(2, by), AT(3, by), AT(4, by), AT(5, by), AT(6, by), \
				AT(7, by), AT(8, by), AT(9, by), AT(10, by), AT(11, by), AT(12, by), AT(13, by),   \
				AT(14, by), AT(15, by))
#define SWAP_CASE(by)                                            \
	do {                                                     \
		const NAME(piece) x = *low, y = *high;           \
		*low = (x & ~with) | (EXCHANGED(y, by) & with);  \
		*high = (y & with) | (EXCHANGED(x, by) & ~with); \
	} while (0)
TARGET static void NAME(swap)(void *rows, size_t count, unsigned a, unsigned b)
{
	NAME(piece) with;
	for (unsigned lane = 0; lane < GRAPH_SLOT_LANES; lane++)
		with[lane] = lane >> a & 1 ? (LANE)-1 : 0;
	const size_t apart = ((size_t)1 << b) / GRAPH_SLOT_LANES;
	NAME(piece) *piece = rows;
	for (size_t i = 0; i < count * (GRAPH_QUARTER / GRAPH_SLOT_LANES); i++, piece++) {
		NAME(piece) *const low = piece, *const high = piece + apart;
		if (i & apart)
			continue;
		switch (a) {
		case 0:
			SWAP_CASE(1);
			break;
		case 1:
			SWAP_CASE(2);
			break;
		case 2:
			SWAP_CASE(4);
			break;
		default:
			SWAP_CASE(8);
			break;
		}
	}
}
#undef AT
#undef EXCHANGED
#undef SWAP_CASE
