/* gshare as a plug-in: counters of two bits, by address xor history. The same as the built-in one, to the cycle.
 *
 *     cc -shared -fPIC -O2 -I include -o gshare.so examples/plugins/gshare.c
 *     culprit run --predictor ./gshare.so:14 -- PROG        # 2^14 counters, a history of 14 branches; default: 12 */
#include <culprit/plugin.h>
#include <stdlib.h>
#include <string.h>

struct gshare {
	uint64_t history; /* newest branch in bit 0 */
	uint32_t mask;
	uint8_t counters[]; /* 0 to 3; taken from 2 on */
};

static void *create(const char *parameters, const char **why)
{
	unsigned long bits = *parameters ? strtoul(parameters, NULL, 10) : 12;
	if (bits < 1 || bits > 24) {
		*why = "the number of history bits is not 1 to 24";
		return NULL;
	}
	struct gshare *g = malloc(sizeof *g + (1u << bits));
	if (!g)
		return NULL;
	*g = (struct gshare){.mask = (1u << bits) - 1};
	memset(g->counters, 2, 1u << bits);
	return g;
}

static bool predict(void *self, const struct culprit_plugin_branch *b, void *note)
{
	struct gshare *g = self;
	uint32_t index = (uint32_t)(b->pc >> 1 ^ g->history) & g->mask;
	memcpy(note, &index, sizeof index); /* what is read now is what is trained later */
	return g->counters[index] >= 2;
}

static void speculate(void *self, const struct culprit_plugin_branch *b, bool taken, uint64_t next_pc)
{
	struct gshare *g = self;
	(void)next_pc;
	if (b->kind == CULPRIT_BRANCH_CONDITIONAL)
		g->history = (g->history << 1 | taken) & g->mask;
}

static void update(void *self, const struct culprit_plugin_branch *b, const void *note, bool taken, uint64_t next_pc)
{
	struct gshare *g = self;
	uint32_t index;
	(void)next_pc;
	if (b->kind != CULPRIT_BRANCH_CONDITIONAL)
		return;
	memcpy(&index, note, sizeof index);
	uint8_t *c = &g->counters[index];
	*c = (uint8_t)(taken ? *c + (*c < 3) : *c - (*c > 0));
}

static size_t checkpoint_size(const void *self)
{
	(void)self;
	return sizeof(uint64_t);
}

static void checkpoint(const void *self, void *to)
{
	memcpy(to, &((const struct gshare *)self)->history, sizeof(uint64_t));
}

static void repair(void *self, const void *from)
{
	memcpy(&((struct gshare *)self)->history, from, sizeof(uint64_t));
}

static const struct culprit_predictor_plugin predictor = {.create = create,
							  .destroy = free,
							  .predict = predict,
							  .speculate = speculate,
							  .update = update,
							  .checkpoint_size = checkpoint_size,
							  .checkpoint = checkpoint,
							  .repair = repair};

const struct culprit_plugin *culprit_plugin(void)
{
	static const struct culprit_plugin plugin = {.abi = CULPRIT_PLUGIN_ABI,
						     .name = "gshare",
						     .description = "two-bit counters by address xor global history",
						     .predictor = &predictor};
	return &plugin;
}
