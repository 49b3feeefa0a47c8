#define LOOP_TELLS 0
#define LOOP_NAME loop_bare
#include "core/loop.inc.h"
