#define LOOP_OBSERVED LISTEN_ALL
#define LOOP_NAME loop_observed
#include "core/loop.inc.h"
