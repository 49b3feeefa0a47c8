/* Which library these headers belong to, and what C and C++ need to read them alike.
 *
 * The shared library's soname is libculprit.so.MAJOR while MAJOR is not 0; before, MINOR counts too. A program may have
 * been compiled with other headers than the library that it finds: culprit_abi_mismatch (culprit/library.h) tells. */
#ifndef CULPRIT_VERSION_H
#define CULPRIT_VERSION_H

#define CULPRIT_VERSION_MAJOR 0
#define CULPRIT_VERSION_MINOR 1
#define CULPRIT_VERSION_PATCH 0
#define CULPRIT_VERSION_NUMBER \
	((uint32_t)CULPRIT_VERSION_MAJOR << 16 | CULPRIT_VERSION_MINOR << 8 | CULPRIT_VERSION_PATCH)

/* What these headers declare is what the shared library exports. */
#define CULPRIT_EXPORT_BEGIN _Pragma("GCC visibility push(default)")
#define CULPRIT_EXPORT_END _Pragma("GCC visibility pop")

#ifdef __cplusplus
#define CULPRIT_C_BEGIN                 \
	CULPRIT_EXPORT_BEGIN extern "C" \
	{
#define CULPRIT_C_END \
	}             \
	CULPRIT_EXPORT_END
#define CULPRIT_STATIC_ASSERT static_assert
#else
#define CULPRIT_C_BEGIN CULPRIT_EXPORT_BEGIN
#define CULPRIT_C_END CULPRIT_EXPORT_END
#define CULPRIT_STATIC_ASSERT _Static_assert
#endif

#endif
