/* Names for the code of a record file, from the files that were mapped when it was recorded. */
#ifndef CULPRIT_EXPORT_RECORDED_NAMES_H
#define CULPRIT_EXPORT_RECORDED_NAMES_H

#include "base/error.h"
#include "record/record_file.h"

struct lines;
struct symbols;

/* Functions into `symbols`, lines into `lines`. A file that has other code by now than was recorded (it was built
 * again, or a library was mapped where an earlier one had been) would give wrong names: it is left out, and stderr is
 * told. */
bool recorded_names_load(const struct record_about *about, struct symbols *symbols, struct lines *lines,
			 struct error *err);

#endif
