/* Loading a machine: read the file, load what it extends, put the one over the other, check the result.
 * The name of a machine is its file's name without directory and suffix. */
#include "machine/machine.h"

#include "machine/machine_find.h"
#include "machine/machine_read.h"
#include "machine/machine_without.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_SIZE_MAX = 256 * 1024, EXTENDS_MAX = 8 };

/* The files being loaded, innermost first: each is extended by the next. */
struct chain {
	const char *place;
	const struct chain *child;
	unsigned depth;
};

static bool load_file(struct machine *m, const char *path, const struct chain *child, struct error *err);

static void name_from(const char *place, char name[64])
{
	const char *slash = strrchr(place, '/');
	const char *base = slash ? slash + 1 : place;
	size_t length = strlen(base);
	if (length > 5 && !strcmp(base + length - 5, ".yaml"))
		length -= 5;
	memset(name, 0, 64);
	memcpy(name, base, length < 64 ? length : 63);
}

/* To the unit of the scalar class, where none has the vector one. */
static void place_class(struct machine *m, unsigned op, unsigned scalar)
{
	for (uint32_t u = 0; u < m->unit_count; u++)
		if (m->units[u].ops >> op & 1)
			return;
	for (uint32_t u = 0; u < m->unit_count; u++)
		if (m->units[u].ops >> scalar & 1)
			m->units[u].ops |= 1u << op;
}

static void place_vectors(struct machine *m)
{
#define MACHINE_VECTOR_OP(op, scalar) place_class(m, CULPRIT_OP_##op, CULPRIT_OP_##scalar);
#include "machine/machine_ops.def"
}

static bool load_base(struct machine *m, const char *name, const struct outline *o, const struct chain *self,
		      struct error *err)
{
	char path[PATH_MAX], dir[PATH_MAX] = "";
	const char *slash = strrchr(o->place, '/');
	if (slash)
		snprintf(dir, sizeof dir, "%.*s", (int)(slash - o->place), o->place);
	struct error problem;
	if (!machine_find(name, slash ? dir : NULL, path, sizeof path, &problem))
		return outline_error(o, "extends", err, "%s", problem.text);
	for (const struct chain *c = self; c; c = c->child)
		if (!strcmp(c->place, path))
			return outline_error(o, "extends", err, "%s extends itself", path);
	if (self->depth == EXTENDS_MAX)
		return outline_error(o, "extends", err, "more than %d files extend one another", EXTENDS_MAX);
	return load_file(m, path, self, err);
}

static bool build(struct machine *m, const struct outline *o, const struct chain *self, struct error *err)
{
	const struct outline_node *extends = outline_find(o, "extends");
	TRY(machine_read_check(o, err));
	if (extends)
		TRY(load_base(m, extends->text, o, self, err));
	else
		machine_defaults(m);
	TRY(machine_read_apply(o, m, err));
	place_vectors(m);
	name_from(o->place, m->name);
	return true;
}

static bool parse(struct machine *m, const char *text, size_t length, const char *place, const struct chain *child,
		  struct error *err)
{
	struct chain self = {place, child, child ? child->depth + 1 : 0};
	struct outline outline;
	bool ok = outline_read(&outline, text, length, place, err) && build(m, &outline, &self, err);
	outline_free(&outline);
	return ok;
}

static bool load_file(struct machine *m, const char *path, const struct chain *child, struct error *err)
{
	size_t length;
	char *text = outline_text(path, FILE_SIZE_MAX, &length, err);
	bool ok = text && parse(m, text, length, path, child, err);
	free(text);
	return ok;
}

/* By its file, or made from another without a feature. */
static bool load_named(struct machine *m, const char *name, struct error *err)
{
	char found[PATH_MAX], base[64];
	size_t length;
	if (machine_find(name, NULL, found, sizeof found, err))
		return load_file(m, found, NULL, err) && machine_check(m, found, err);
	const char *feature = machine_without_feature(name, &length);
	if (!feature || length >= sizeof base)
		return false;
	memcpy(base, name, length);
	base[length] = '\0';
	return load_named(m, base, err) && machine_without(m, feature, err) && machine_check(m, name, err);
}

bool machine_load(struct machine *m, const char *name_or_path, struct error *err)
{
	const char *path = name_or_path;
	size_t length = strlen(path);
	bool is_path = strchr(path, '/') || (length > 5 && !strcmp(path + length - 5, ".yaml"));
	if (!is_path)
		return load_named(m, path, err);
	return load_file(m, path, NULL, err) && machine_check(m, path, err);
}

bool machine_as_named(const struct machine *m)
{
	struct machine named;
	struct error err;
	if (m->plugins || !machine_load(&named, m->name, &err))
		return false;
	char *a = machine_text(m), *b = machine_text(&named);
	const bool same = a && b && !strcmp(a, b);
	free(a);
	free(b);
	return same;
}

bool machine_parse(struct machine *m, const char *text, size_t length, const char *place, struct error *err)
{
	return parse(m, text, length, place, NULL, err) && machine_check(m, place, err);
}
