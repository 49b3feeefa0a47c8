/* Private copies of host directories (isolate.c). */
#ifndef CULPRIT_GUEST_COPY_TREE_H
#define CULPRIT_GUEST_COPY_TREE_H

#include "guest/process.h"

/* All of `from` (a file, link or directory) as `to`. On failure false and errno. */
bool copy_tree(struct guest *g, const char *from, const char *to);
/* The rest of one descriptor to the other. */
bool copy_bytes(int from, int to);
/* Remove a tree and free its name; NULL does nothing. */
void remove_tree(char *path);

#endif
