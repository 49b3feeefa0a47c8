#define LOOP_TELLS (TELL_RECORDS | TELL_LOG)
#define LOOP_PLAIN 1
#define LOOP_NAME loop_logged_plain
#include "core/loop.inc.h"
