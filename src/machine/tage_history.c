/* Folded global history: creation; the model and its moves are in tage_history.h. */
#include "machine/tage_history.h"

#include <string.h>

void history_create(struct history *h, const uint16_t *length, uint32_t tables)
{
	memset(h, 0, sizeof *h);
	for (uint32_t i = 0; i < tables; i++) {
		h->length[i] = length[i];
		h->leave[i] = 1ull << length[i] % HISTORY_FOLD;
	}
}
