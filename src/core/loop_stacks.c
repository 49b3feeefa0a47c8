#define LOOP_OBSERVED (LISTEN_EXACTLY | LISTEN_STACKS)
#define LOOP_NAME loop_stacks
#include "core/loop.inc.h"
