#define LOOP_TELLS TELL_RECORDS
#define LOOP_NAME loop_recorded
#include "core/loop.inc.h"
