/* A design space out of YAML. The outline knows every key's path, text and line. */
#include "interval/explore/reader.h"

#include "base/output.h"

#include <stdlib.h>
#include <string.h>

static bool read_outline(struct explore_space *s, const struct outline *o, struct error *err)
{
	struct explore_reader *r = calloc(1, sizeof *r);
	if (!r)
		return error_set(err, ERROR_SYSTEM, "out of memory for the design space");
	*r = (struct explore_reader){.space = s, .outline = o, .err = err};
	bool good = true;
	for (size_t i = 0; i < o->count && good; i++) {
		r->node = &o->nodes[i];
		good = !*r->node->path || explore_read_node(r);
	}
	good = good && explore_finish(r);
	free(r);
	return good;
}

bool explore_parse(struct explore_space *s, const char *text, size_t length, const char *place, struct error *err)
{
	struct outline o = {.place = place};
	*s = (struct explore_space){.sample = EXPLORE_SAMPLE};
	for (uint32_t i = 0; i < explore_cost_count(); i++)
		s->weights[i] = explore_cost_weight(i);
	bool good = machine_parse(&s->base, "{}", 2, "base", err) && outline_read(&o, text, length, place, err);
	if (good)
		good = read_outline(s, &o, err);
	outline_free(&o);
	if (!good)
		explore_destroy(s);
	return good;
}

void explore_destroy(struct explore_space *s)
{
	for (uint32_t i = 0; i < EXPLORE_AXES; i++) {
		free(s->axes[i].values);
		s->axes[i].values = NULL;
		s->axes[i].value_count = 0;
	}
	s->axis_count = 0;
}

bool explore_read(struct explore_space *s, const char *path, struct error *err)
{
	size_t length;
	char *text = outline_text(path, OUTLINE_FILE_MAX, &length, err);
	bool good = text && explore_parse(s, text, length, path, err);
	free(text);
	return good;
}

/* --- the grid --- */

bool explore_apply(struct machine *m, const struct explore_value *v, struct error *err)
{
	for (uint32_t k = 0; k < v->set_count; k++)
		TRY(machine_set(m, v->sets[k], err));
	return true;
}

/* Each value by itself must be understood; whether a combination makes a machine depends on the others. */

uint64_t explore_size(const struct explore_space *s)
{
	uint64_t n = 1;
	for (uint32_t i = 0; i < s->axis_count; i++)
		n = s->axes[i].value_count && n > UINT64_MAX / s->axes[i].value_count ? UINT64_MAX
										      : n * s->axes[i].value_count;
	return n;
}

void explore_digits(const struct explore_space *s, uint64_t index, uint32_t digits[EXPLORE_AXES])
{
	for (uint32_t i = s->axis_count; i-- > 0;) {
		digits[i] = (uint32_t)(index % s->axes[i].value_count);
		index /= s->axes[i].value_count;
	}
}

bool explore_machine(const struct explore_space *s, uint64_t index, struct machine *m, struct error *err)
{
	uint32_t digits[EXPLORE_AXES];
	explore_digits(s, index, digits);
	*m = s->base;
	for (uint32_t i = 0; i < s->axis_count; i++)
		TRY(explore_apply(m, &s->axes[i].values[digits[i]], err));
	return machine_check(m, "explore", err);
}
