/* page/report.html, as it was when this program was built. */
#ifndef CULPRIT_PAGE_BUNDLE_H
#define CULPRIT_PAGE_BUNDLE_H

extern const char page_bundle[], page_bundle_end[];

#endif
