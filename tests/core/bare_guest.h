/* A guest for the core's tests without Linux: flat code at BARE_CODE, data at BARE_DATA, a stack; `ecall` ends the
 * program with exit status a0. It stands in for src/guest, so a mechanism is tested without its neighbours. */
#ifndef TESTS_CORE_BARE_GUEST_H
#define TESTS_CORE_BARE_GUEST_H

#include "guest/guest.h"

#define BARE_CODE 0x10000ull
#define BARE_DATA 0x4000000ull
#define BARE_DATA_SIZE 0x4000000ull

struct guest *bare_guest_create(const void *code, size_t size);

/* A breakpoint does nothing. Besides, two programs may take turns, each for GUEST_TURN instructions: they are one state, and
 * only the turns tell them apart. */
void bare_guest_take_turns(struct guest *guest);
/* And each in an address space of its own, as far as a core can tell: where predictors and caches find it. */
void bare_guest_live_apart(struct guest *guest);

#endif
