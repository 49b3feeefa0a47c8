#define LOOP_TELLS TELL_RECORDS
#define LOOP_PLAIN 1
#define LOOP_NAME loop_recorded_plain
#include "core/loop.inc.h"
