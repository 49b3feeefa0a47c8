/* What each sample counted at each instruction: a snapshot before what it measured, and one behind. */
#ifndef CULPRIT_SAMPLE_SNAPSHOT_H
#define CULPRIT_SAMPLE_SNAPSHOT_H

#include "base/bytes.h"
#include "sample/sample.h"

enum { SNAPSHOT_COUNTERS = sizeof(struct insn_cycles_site) / sizeof(uint64_t) };

/* A snapshot of cycles by instruction, in few bytes. */
void snapshot_write(const struct insn_cycles *p, struct bytes *to);
/* What one sample measured, with its entries. */
bool snapshot_unit(const struct sample_unit *u, struct insn_cycles *part, struct error *err);
/* The place of an address. NULL: no memory. With counters, where there are some to add. */
struct insn_cycles_place *snapshot_place(struct insn_cycles *to, uint64_t pc, bool entry, bool counters);

#endif
