#include "report/debug_file.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ID_MOST = 64, NAME_MOST = 256 };

/* What an object says of its debug file. */
struct link {
	unsigned char id[ID_MOST];
	size_t id_size;	      /* 0 = none */
	char name[NAME_MOST]; /* "" = none */
	GElf_Word checksum;
};

static bool open_elf(const char *path, int *fd, Elf **elf)
{
	struct stat st;
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0)
		return false;
	elf_version(EV_CURRENT);
	*elf = !fstat(*fd, &st) && S_ISREG(st.st_mode) ? elf_begin(*fd, ELF_C_READ, NULL) : NULL;
	if (*elf && elf_kind(*elf) == ELF_K_ELF)
		return true;
	elf_end(*elf);
	close(*fd);
	return false;
}

static bool read_link(const char *path, struct link *l)
{
	int fd;
	Elf *elf;
	const void *id;
	memset(l, 0, sizeof *l);
	if (!open_elf(path, &fd, &elf))
		return false;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &id);
	if (size > 1 && size <= ID_MOST) {
		memcpy(l->id, id, (size_t)size);
		l->id_size = (size_t)size;
	}
	const char *name = dwelf_elf_gnu_debuglink(elf, &l->checksum);
	if (name && strlen(name) < NAME_MOST && !strchr(name, '/'))
		strcpy(l->name, name);
	elf_end(elf);
	close(fd);
	return true;
}

/* CRC-32 (IEEE 802.3), as `.gnu_debuglink` has it. */
static uint32_t checksum(FILE *in)
{
	uint32_t table[256], crc = 0xffffffff;
	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	unsigned char bytes[65536];
	for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;)
		for (size_t i = 0; i < n; i++)
			crc = table[(crc ^ bytes[i]) & 0xff] ^ crc >> 8;
	return ~crc;
}

static bool same_checksum(const char *path, uint32_t wanted)
{
	FILE *in = fopen(path, "re");
	bool same = in && checksum(in) == wanted;
	if (in)
		fclose(in);
	return same;
}

static bool belongs(const char *path, const struct link *wanted)
{
	struct link is;
	if (!read_link(path, &is))
		return false;
	if (wanted->id_size && is.id_size)
		return wanted->id_size == is.id_size && !memcmp(wanted->id, is.id, is.id_size);
	return *wanted->name && same_checksum(path, wanted->checksum);
}

/* --- where --- */

static bool try_id(const char *directory, const char *below, const struct link *l, char found[PATH_MAX])
{
	char name[2 * ID_MOST + 1] = "";
	for (size_t i = 1; i < l->id_size; i++)
		sprintf(name + 2 * (i - 1), "%02x", l->id[i]);
	int length = snprintf(found, PATH_MAX, "%s%s/.build-id/%02x/%s.debug", directory, below, l->id[0], name);
	return l->id_size && length < PATH_MAX && belongs(found, l);
}

/* DIRECTORY BELOW/folder of PATH/INNER/name of the link */
static bool try_name(const char *directory, const char *below, const char *path, const char *inner,
		     const struct link *l, char found[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	int length = snprintf(found, PATH_MAX, "%s%s%.*s/%s%s", directory, below, slash ? (int)(slash - path) : 1,
			      slash ? path : ".", inner, l->name);
	return *l->name && length < PATH_MAX && belongs(found, l);
}

bool debug_file_find(const struct debug_search *s, const char *path, const char *guest_path, char found[PATH_MAX])
{
	struct link l;
	const char *root = s->sysroot ? s->sysroot : "";
	if (!read_link(path, &l) || (!l.id_size && !*l.name))
		return false;
	for (const char *const *dir = s->directories; dir && *dir; dir++)
		if (try_id(*dir, "", &l, found) || try_name(*dir, "", guest_path, "", &l, found) ||
		    try_name(*dir, "/", "/", "", &l, found))
			return true;
	if (try_id(root, "/usr/lib/debug", &l, found) || try_name(root, "/usr/lib/debug", guest_path, "", &l, found))
		return true;
	struct stat object, other; /* an object may name itself */
	if (!try_name("", "", path, "", &l, found) && !try_name("", "", path, ".debug/", &l, found))
		return false;
	return stat(path, &object) || stat(found, &other) || object.st_ino != other.st_ino ||
	       object.st_dev != other.st_dev;
}
