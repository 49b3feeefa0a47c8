#define LOOP_OBSERVED true
#define LOOP_NAME loop_observed
#include "core/loop.inc.h"
