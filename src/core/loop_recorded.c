#define LOOP_OBSERVED (LISTEN_EXACTLY | LISTEN_RECORDS)
#define LOOP_NAME loop_recorded
#include "core/loop.inc.h"
