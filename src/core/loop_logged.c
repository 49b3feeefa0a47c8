#define LOOP_TELLS (TELL_RECORDS | TELL_LOG)
#define LOOP_NAME loop_logged
#include "core/loop.inc.h"
