/* From the profile's instructions to the report's causes, functions, lines and sites. */
#ifndef CULPRIT_RUN_PLACES_H
#define CULPRIT_RUN_PLACES_H

#include "analysis/insn_cycles.h"
#include "options/options.h"
#include "report/lines.h"
#include "report/run/report.h"
#include "report/symbols.h"

/* `sites`: how many instructions to keep. The report's stack is there already. The profile is then finished. */
bool places_fill(struct run_report *r, struct insn_cycles *p, const struct symbols *symbols, const struct lines *lines,
		 size_t sites, struct error *err);

/* The command's options without those that only say what is reported, a blank after each word. */
/* Program and arguments, likewise. */
void places_words(const struct options *o, char *text, size_t size);
void places_command(const struct options *o, char *text, size_t size);

#endif
