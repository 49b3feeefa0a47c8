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

/* The same without sites; the index is then the caller's to free, and has every instruction. */
struct places_at {
	uint64_t pc;
	size_t function, spot; /* the ids of function rows and spots in the report */
};
struct places_index {
	struct places_at *at; /* by address */
	size_t count;
};
bool places_fill_indexed(struct run_report *r, struct insn_cycles *p, const struct symbols *symbols,
			 const struct lines *lines, struct places_index *index, struct error *err);
/* Cycles in which commit waited for this load. */
uint64_t places_waited_for_load(const struct insn_cycles_site *site);

/* words.c: program and arguments, and the file that is its input (NULL: none), a blank after each word, as a shell
 * reads them. */
void places_words(const struct options *o, const char *input, char *text, size_t size);
/* Likewise the options that were given to this command, without those that only say what is reported. */
void places_command(const struct options *o, enum option_user user, char *text, size_t size);

#endif
