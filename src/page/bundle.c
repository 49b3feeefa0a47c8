#include "page/bundle.h"

/* The assembler reads the file: no tool has to turn it into C first. */
__asm__(".pushsection .rodata\n"
	".global page_bundle, page_bundle_end\n"
	"page_bundle: .incbin \"" CULPRIT_PAGE_FILE "\"\n"
	"page_bundle_end: .byte 0\n"
	".popsection\n");
