#define LOOP_TELLS 0
#define LOOP_PLAIN 1
#define LOOP_NAME loop_bare_plain
#include "core/loop.inc.h"
