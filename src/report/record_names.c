#include "report/record_names.h"

static const char *const names[RECORD_NAME_SETS][RECORD_NAMES_MOST] = {
#define OP_CLASS(name, label, event, part) [RECORD_NAMES_op_class][CULPRIT_OP_##name] = #name,
#include "culprit/op_class.def"
#define COMMIT_LIMIT(name, row, stall, what) [RECORD_NAMES_commit_stop][CULPRIT_STOP_##name] = #row,
#include "culprit/commit_limit.def"
#define RECORD_NAME(set, NUMBER, name) [RECORD_NAMES_##set][NUMBER] = (name),
#include "report/record_names.def"
};

const char *record_name(enum record_name_set set, unsigned number)
{
	return number < RECORD_NAMES_MOST ? names[set][number] : NULL;
}

bool record_flag_name(unsigned index, struct record_flag_name *flag)
{
	static const struct record_flag_name flags[] = {
#define RECORD_FLAG(NAME, name, told) {#name, #told, CULPRIT_##NAME},
#include "report/record_names.def"
	};
	if (index >= sizeof flags / sizeof *flags)
		return false;
	*flag = flags[index];
	return true;
}
