/* The enumerations of machine_enums.def: enum TAG { TAG_NAME, ... }. A tag's row closes the enum before it and opens
 * its own, so the table needs no nesting; the first one closed is empty but for a filler. */
#ifndef CULPRIT_MACHINE_MACHINE_ENUMS_H
#define CULPRIT_MACHINE_MACHINE_ENUMS_H

/* clang-format off */
enum machine_enums_begin {
	MACHINE_ENUMS_BEGIN,
#define MACHINE_ENUM_TAG(tag, meaning) \
	}                              \
	;                              \
	enum tag {
#define MACHINE_ENUM_VALUE(tag, name, word, meaning) tag##_##name,
#include "machine/machine_enums.def"
};
/* clang-format on */

#endif
