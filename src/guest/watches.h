/* What inotify tells of changes that the guest's own processes make, to files in memory and to the host's below a
 * writable directory. Callers say what has been done; nothing is looked at unless somebody watches. */
#ifndef CULPRIT_GUEST_WATCHES_H
#define CULPRIT_GUEST_WATCHES_H

#include "guest/files.h"
#include "guest/path.h"

enum watch_event {
	WATCH_ACCESS = 0x1,
	WATCH_MODIFY = 0x2,
	WATCH_ATTRIB = 0x4,
	WATCH_CLOSE_WRITE = 0x8,
	WATCH_CLOSE_NOWRITE = 0x10,
	WATCH_OPEN = 0x20,
	WATCH_MOVED_FROM = 0x40,
	WATCH_MOVED_TO = 0x80,
	WATCH_CREATE = 0x100,
	WATCH_DELETE = 0x200,
	WATCH_DELETE_SELF = 0x400,
	WATCH_MOVE_SELF = 0x800,
	WATCH_ALL = 0xfff,
	WATCH_OVERFLOW = 0x4000,
	WATCH_IGNORED = 0x8000,
	WATCH_IS_DIRECTORY = 0x40000000,
};

/* inotify.c: of a file as such, and of the name in its directory. */
void watch_file(struct guest *g, struct open_file *f, uint32_t event);
void watch_place(struct guest *g, const struct place *place, uint32_t event);
/* Of the file alone, or of a name alone: it is there now. */
void watch_self(struct guest *g, const struct place *place, uint32_t event);
void watch_made(struct guest *g, const char *path, uint32_t mode);
/* Both places as they were before. */
void watch_moved(struct guest *g, const struct place *from, const struct place *to);
/* A name of the file has been taken away; then, where one in memory may have gone with it: its directory is told. */
void watch_loses_name(struct guest *g, const struct place *place);
void watch_removed(struct guest *g, const struct place *place);
void watch_closed(struct guest *g, struct open_file *f);	   /* for the last time */
void watch_gone(struct guest *g, uint64_t device, uint64_t inode); /* the file is, with its last name and user */
void watches_destroy(struct guest *g);

/* sys_stat.c */
int64_t place_status(struct guest *g, const struct place *place, struct file_status *status);

#endif
