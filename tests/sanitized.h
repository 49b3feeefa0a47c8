/* SANITIZED is defined where the address sanitizer watches: programs are ten times as slow, and lack of memory ends them. */
#ifndef CULPRIT_TESTS_SANITIZED_H
#define CULPRIT_TESTS_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__ /* gcc */
#define SANITIZED
#elif defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

#endif
