/* Loading shared objects. Each is opened by its real path, so that no library path has a say. The object stays loaded
 * until its machine is done with; what it says of itself is checked before anything else of it is called. */
#include "machine/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const place_names[PLUGIN_PLACES] = {
	[PLUGIN_L1I] = "l1i prefetcher", [PLUGIN_L1D] = "l1d prefetcher",  [PLUGIN_L2] = "l2 prefetcher",
	[PLUGIN_L3] = "l3 prefetcher",	 [PLUGIN_PREDICTOR] = "predictor",
};

const char *plugins_lines(const struct plugins *all, char *text, size_t size)
{
	size_t used = 0;
	*text = 0;
	for (int i = 0; all && i < PLUGIN_PLACES; i++) {
		const struct plugin *p = &all->at[i];
		if (p->table && used < size)
			used += (size_t)snprintf(text + used, size - used, "  %s: %s, of %s%s%s, not the machine's\n",
						 place_names[i], p->table->name, p->path, *p->parameters ? ":" : "",
						 p->parameters);
	}
	return used ? text : NULL;
}

static bool check_predictor(const char *path, const struct culprit_predictor_plugin *p, struct error *err)
{
	if (!p)
		return error_set(err, ERROR_INPUT, "%s: has no predictor", path);
	if (!p->create || !p->destroy || !p->predict || !p->update)
		return error_set(err, ERROR_INPUT, "%s: a predictor needs create, destroy, predict and update", path);
	if (!p->checkpoint_size != !p->checkpoint || !p->checkpoint != !p->repair)
		return error_set(err, ERROR_INPUT,
				 "%s: checkpoint_size, checkpoint and repair belong together: all three or none", path);
	return true;
}

static bool check_prefetcher(const char *path, const struct culprit_prefetcher_plugin *p, struct error *err)
{
	if (!p)
		return error_set(err, ERROR_INPUT, "%s: has no prefetcher", path);
	if (!p->create || !p->destroy || !p->access)
		return error_set(err, ERROR_INPUT, "%s: a prefetcher needs create, destroy and access", path);
	return true;
}

static bool check(const struct plugin *p, enum plugin_place place, struct error *err)
{
	if (!p->table)
		return error_set(err, ERROR_INPUT, "%s: culprit_plugin returns nothing", p->path);
	if (p->table->abi != CULPRIT_PLUGIN_ABI)
		return error_set(err, ERROR_INPUT,
				 "%s: made for plug-in interface %u, and this culprit has %d: build it again", p->path,
				 p->table->abi, CULPRIT_PLUGIN_ABI);
	if (!p->table->name || !*p->table->name || !p->table->description)
		return error_set(err, ERROR_INPUT, "%s: has no name or no description", p->path);
	return place == PLUGIN_PREDICTOR ? check_predictor(p->path, p->table->predictor, err)
					 : check_prefetcher(p->path, p->table->prefetcher, err);
}

static bool open_object(struct plugin *p, struct error *err)
{
	char real[PATH_MAX];
	if (!realpath(p->path, real))
		return error_set(err, ERROR_INPUT, "%s: %s", p->path, strerror(errno));
	p->handle = dlopen(real, RTLD_NOW | RTLD_LOCAL);
	if (!p->handle) {
		const char *why = dlerror();
		size_t length = strlen(real);
		if (why && !strncmp(why, real, length) && why[length] == ':') /* named once is enough */
			why += length + 1 + strspn(why + length + 1, " ");
		return error_set(err, ERROR_INPUT, "%s: not a shared object that can be loaded: %s", p->path,
				 why ? why : "?");
	}
	const struct culprit_plugin *(*describe)(void);
	*(void **)&describe = dlsym(p->handle, "culprit_plugin");
	if (!describe)
		return error_set(err, ERROR_INPUT, "%s: not a plug-in: it has no function culprit_plugin", p->path);
	p->table = describe();
	return true;
}

static bool add(struct plugins **all, enum plugin_place place, const char *text, struct error *err)
{
	if (!*all)
		*all = calloc(1, sizeof **all);
	if (!*all)
		return error_set(err, ERROR_SYSTEM, "out of memory for plug-ins");
	struct plugin *p = &(*all)->at[place];
	if (p->path)
		return error_set(err, ERROR_USAGE, "two plug-ins for the %s: %s and %s", place_names[place], p->path,
				 text);
	size_t length = strcspn(text, ":");
	p->path = strndup(text, length);
	p->parameters = strdup(text[length] ? text + length + 1 : "");
	if (!p->path || !p->parameters)
		return error_set(err, ERROR_SYSTEM, "out of memory for plug-ins");
	return open_object(p, err) && check(p, place, err);
}

bool plugins_add_predictor(struct plugins **all, const char *text, struct error *err)
{
	return add(all, PLUGIN_PREDICTOR, text, err);
}

/* The word before the prefetcher's name in place_names. */
static bool is_cache(enum plugin_place place, const char *text, size_t length)
{
	return strcspn(place_names[place], " ") == length && !strncmp(place_names[place], text, length);
}

bool plugins_add_prefetcher(struct plugins **all, const char *text, struct error *err)
{
	size_t length = strcspn(text, "=:/");
	if (text[length] != '=')
		return add(all, PLUGIN_L1D, text, err);
	for (enum plugin_place place = 0; place < PLUGIN_CACHES; place++)
		if (is_cache(place, text, length))
			return add(all, place, text + length + 1, err);
	return error_set(err, ERROR_USAGE, "--prefetcher %s: the cache is none of l1i, l1d, l2, l3", text);
}

void plugins_destroy(struct plugins *all)
{
	if (!all)
		return;
	for (int i = 0; i < PLUGIN_PLACES; i++) {
		if (all->at[i].handle)
			dlclose(all->at[i].handle);
		free(all->at[i].path);
		free(all->at[i].parameters);
	}
	free(all);
}

static bool refused(const struct plugin *p, const char *why, struct error *err)
{
	return error_set(err, ERROR_INPUT, "%s%s%s: %s", p->path, *p->parameters ? ":" : "", p->parameters,
			 why ? why : "the plug-in cannot be created, and does not say why");
}

bool plugged_predictor_create(struct plugged_predictor *p, const struct plugins *all, struct error *err)
{
	const struct plugin *plugin = all ? &all->at[PLUGIN_PREDICTOR] : NULL;
	const char *why = NULL;
	*p = (struct plugged_predictor){0};
	if (!plugin || !plugin->handle)
		return true;
	p->self = plugin->table->predictor->create(plugin->parameters, &why);
	if (!p->self)
		return refused(plugin, why, err);
	p->calls = plugin->table->predictor;
	if (p->calls->checkpoint_size)
		p->checkpoint_size = p->calls->checkpoint_size(p->self);
	return true;
}

void plugged_predictor_destroy(struct plugged_predictor *p)
{
	if (p->calls)
		p->calls->destroy(p->self);
}

bool plugged_prefetcher_create(struct plugged_prefetcher *p, const struct plugin *plugin,
			       const struct culprit_plugin_cache *cache, struct error *err)
{
	const char *why = NULL;
	*p = (struct plugged_prefetcher){0};
	if (!plugin || !plugin->handle)
		return true;
	p->self = plugin->table->prefetcher->create(plugin->parameters, cache, &why);
	if (!p->self)
		return refused(plugin, why, err);
	p->calls = plugin->table->prefetcher;
	return true;
}

void plugged_prefetcher_destroy(struct plugged_prefetcher *p)
{
	if (p->calls)
		p->calls->destroy(p->self);
}
