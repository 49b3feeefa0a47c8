#define LOOP_OBSERVED 0
#define LOOP_NAME loop_bare
#include "core/loop.inc.h"
