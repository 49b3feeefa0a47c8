/* What inotify.c (instances, their queues, the calls) and watches.c (what has happened) share. */
#ifndef CULPRIT_GUEST_INOTIFY_H
#define CULPRIT_GUEST_INOTIFY_H

#include "guest/watches.h"

#define BUCKETS 4096
#define WATCH_ONE_SHOT 0x80000000u

struct event {
	struct event *next;
	int32_t watch;
	uint32_t mask, cookie, size; /* size: of the name with zeros behind it, a multiple of EVENT_HEAD */
	char *name;		     /* behind it; or NULL */
};

struct instance {
	struct event *first, *last;
	uint64_t bytes; /* to read */
	unsigned count;
	bool overflowing;      /* `overflow` is in the queue */
	struct event overflow; /* without a name */
	int32_t last_watch;
	uint64_t changes;
	struct watch *watches;
};

struct watch {
	struct watch *next;	      /* in the bucket */
	struct watch *before, *after; /* of the instance */
	struct instance *instance;
	int32_t number;
	uint32_t mask;
	uint64_t device, inode;
};

struct watches {
	unsigned instances, count;
	uint32_t cookie;
	struct watch *buckets[BUCKETS];
};

static inline struct watch **watch_bucket(struct guest *g, uint64_t device, uint64_t inode)
{
	return &g->watches->buckets[((inode ^ device << 56) * 0x9e3779b97f4a7c15ull >> 40) % BUCKETS];
}

static inline bool nobody_watches(const struct guest *g)
{
	return !g->watches || !g->watches->count;
}

/* An event into the queue, without `next` and `size`. */
void instance_tell(struct guest *g, struct instance *i, const struct event *head, const char *name);
void watch_end(struct guest *g, struct watch *w); /* and its instance is told */

#endif
