#define LOOP_OBSERVED false
#define LOOP_NAME loop_bare
#include "core/loop.inc.h"
