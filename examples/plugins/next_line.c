/* A next-line prefetcher as a plug-in: on a miss, or the first use of a line that it brought, the lines behind it. The
 * same as the built-in one, to the cycle.
 *
 *     cc -shared -fPIC -O2 -I include -o next_line.so examples/plugins/next_line.c
 *     culprit run --prefetcher l2=./next_line.so:4 -- PROG          # four lines; default: 1 */
#include <culprit/plugin.h>
#include <stdlib.h>

struct next_line {
	uint32_t line, degree;
};

static void *create(const char *parameters, const struct culprit_plugin_cache *cache, const char **why)
{
	unsigned long degree = *parameters ? strtoul(parameters, NULL, 10) : 1;
	if (degree < 1 || degree > 64) {
		*why = "the number of lines is not 1 to 64";
		return NULL;
	}
	struct next_line *p = malloc(sizeof *p);
	if (p)
		*p = (struct next_line){.line = cache->line, .degree = (uint32_t)degree};
	return p;
}

static uint32_t access_line(void *self, const struct culprit_plugin_access *a, uint64_t *addresses, uint32_t room)
{
	const struct next_line *p = self;
	uint64_t line = a->addr / p->line * p->line;
	uint32_t count = 0;
	if (a->hit && !a->first_use)
		return 0;
	while (count < p->degree && count < room) {
		count++;
		addresses[count - 1] = line + (uint64_t)count * p->line;
	}
	return count;
}

static const struct culprit_prefetcher_plugin prefetcher = {.create = create, .destroy = free, .access = access_line};

const struct culprit_plugin *culprit_plugin(void)
{
	static const struct culprit_plugin plugin = {.abi = CULPRIT_PLUGIN_ABI,
						     .name = "next_line",
						     .description = "the lines behind a miss",
						     .prefetcher = &prefetcher};
	return &plugin;
}
