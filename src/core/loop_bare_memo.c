#define LOOP_TELLS 0
#define LOOP_PLAIN 1
#define LOOP_MEMO 1
#define LOOP_NAME loop_bare_memo
#include "core/loop.inc.h"
