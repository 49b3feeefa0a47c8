/* The interactive report: a result as one HTML file that needs no network. The page itself (page/, TypeScript) is built
 * into one file, page/report.html, which is part of this program; here the result's data and the colours go into it.
 * Data are the JSON result, as gzip in base64: a browser unpacks it by itself. */
#ifndef CULPRIT_PAGE_PAGE_H
#define CULPRIT_PAGE_PAGE_H

#include "base/error.h"

#include <jansson.h>

/* Write the page of this result, whole or not at all. `root` stays the caller's; `legend`, what its names mean, does
 * not. */
bool page_write(const json_t *root, json_t *legend, const char *path, struct error *err);
/* The result as the files that were asked for: a page and JSON, NULL = not asked for. Gives up the caller's references;
 * `root` NULL: *err is set already. */
bool page_write_result(json_t *root, json_t *legend, const char *html, const char *json, struct error *err);

#endif
