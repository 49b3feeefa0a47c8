#define LOOP_OBSERVED (LISTEN_EXACTLY | LISTEN_RECORDS | LISTEN_LOG)
#define LOOP_NAME loop_logged
#include "core/loop.inc.h"
