/* Where the symbols and lines of a stripped object are: in a file of its own, which the object names by its build-id
 * and by a `.gnu_debuglink`. Looked for as debuggers do: DIR/.build-id/ab/cdef.debug; beside the object, in .debug
 * beside it, and in DIR/the object's folder. The file has to have that build-id, or the checksum that the link
 * gives. */
#ifndef CULPRIT_REPORT_DEBUG_FILE_H
#define CULPRIT_REPORT_DEBUG_FILE_H

#include <limits.h>
#include <stdbool.h>

struct debug_search {
	const char *const *directories; /* NULL-terminated, or NULL */
	const char *sysroot;		/* with usr/lib/debug; NULL = the host's root */
};

/* `guest_path`: the object's in its own root. False: it has none, or none was found. */
bool debug_file_find(const struct debug_search *s, const char *path, const char *guest_path, char found[PATH_MAX]);

#endif
