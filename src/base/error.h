/* Errors are values: a code and one line of text that names the thing and the place.
 * A function that can fail returns bool (true = done) and takes a `struct error *` last. */
#ifndef CULPRIT_BASE_ERROR_H
#define CULPRIT_BASE_ERROR_H

#include <stdbool.h>

enum error_code {
	ERROR_NONE = 0,
	ERROR_USAGE,	    /* command line or option value (exit 125) */
	ERROR_INPUT,	    /* a file that cannot be understood: YAML, trace, record (exit 125) */
	ERROR_NOT_RUNNABLE, /* guest program found but cannot be run (exit 126) */
	ERROR_NOT_FOUND,    /* guest program not found (exit 127) */
	ERROR_SYSTEM,	    /* the host refused: memory, file, fork (exit 125) */
	ERROR_INTERNAL,	    /* an invariant of Culprit broke (exit 125) */
};

struct error {
	enum error_code code;
	char text[500];
};

/* Fill *err (may be NULL) and return false, so that `return error_set(...)` reads well. */
bool error_set(struct error *err, enum error_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Put "prefix: " before the text of an error on its way up. Returns false. */
bool error_context(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The exit status of the command line for an error (architecture, section 4). */
int error_exit_status(const struct error *err);

#if defined __clang_analyzer__ && !defined ERROR_DEFINES
/* The analyzer sees no body, so it is told what they return. */
#define error_set(...) (error_set(__VA_ARGS__) && false)
#define error_context(...) (error_context(__VA_ARGS__) && false)
#endif

/* Forward a failure to the caller. */
#define TRY(call)                     \
	do {                          \
		if (!(call))          \
			return false; \
	} while (0)

#endif
