/* Reads what samples handed over, and makes columns of it for the estimators. */
#include "sample/columns.h"

#include "sample/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- reading --- */

static double number(const json_t *measured, const char *path, const char *name)
{
	return json_number_value(json_object_get(json_object_get(measured, path), name));
}

bool sample_measured(const struct sample_unit *u)
{
	return u->after && number(u->after, "counts", "cycles") > number(u->before, "counts", "cycles");
}

double columns_difference(const struct sample_unit *u, const char *path, const char *name)
{
	return number(u->after, path, name) - number(u->before, path, name);
}

double sample_weight(const struct sample *s, size_t unit)
{
	return s->points.count ? s->points.points[unit].weight : 1;
}

/* Of every sample that measured something, into `values`; how many. */
static size_t column(const struct sample *s, const char *path, const char *name, double *values)
{
	size_t count = 0;
	for (size_t i = 0; i < s->schedule.taken; i++)
		if (sample_measured(&s->units[i]))
			values[count++] = sample_weight(s, i) * columns_difference(&s->units[i], path, name);
	return count;
}

/* --- estimating --- */

bool columns_create(struct columns *c, const struct sample *s)
{
	c->x = calloc(s->schedule.taken + 1, sizeof *c->x);
	c->c = calloc(s->schedule.taken + 1, sizeof *c->c);
	c->instructions = calloc(s->schedule.taken + 1, sizeof *c->instructions);
	c->z = calloc(SAMPLE_EVENTS * (s->schedule.taken + 1), sizeof *c->z);
	c->event_count = 0;
	return c->x && c->c && c->instructions && c->z;
}

void columns_destroy(struct columns *c)
{
	free(c->x);
	free(c->c);
	free(c->instructions);
	free(c->z);
}

double columns_started(const struct sample *s, const char *path, const char *name)
{
	return sample_measured(&s->first) ? columns_difference(&s->first, path, name) : 0;
}

struct estimate_samples columns_gather(const struct sample *s, struct columns *c, const char *path, const char *name,
				       const char *base)
{
	column(s, "counts", base, c->c);
	column(s, "counts", "instructions", c->instructions);
	double rest = (double)s->position - columns_started(s, "counts", "instructions");
	return (struct estimate_samples){.x = c->x,
					 .c = c->c,
					 .instructions = c->instructions,
					 .count = column(s, path, name, c->x),
					 .start_x = columns_started(s, path, name),
					 .start_c = columns_started(s, "counts", base),
					 .start_instructions = columns_started(s, "counts", "instructions"),
					 .rest = rest > 0 ? rest : 0,
					 .events = NULL,
					 .event_count = 0};
}

/* A sample that the parent has not passed yet, or that reaches beyond the region, tells nothing of events: it counts as
 * if it were like all of the rest. */
static void event_column(const struct sample *s, enum sample_event event, const struct estimate_samples *samples,
			 double all, double *z)
{
	size_t count = 0;
	for (size_t i = 0; i < s->schedule.taken; i++) {
		const struct sample_unit *u = &s->units[i];
		if (!sample_measured(u))
			continue;
		z[count] = u->passed == 2 ? u->met[1].cycles[event] - u->met[0].cycles[event]
					  : all * samples->instructions[count] / samples->rest;
		count++;
	}
}

/* Predictors did not learn all the way, so nobody knows how often this happened in all of the rest: as often as in
 * samples, less what these met too often. */
static void correct(const struct sample *s, enum sample_event event, const struct estimate_samples *row,
		    struct estimate_event *e)
{
	const struct training_excess more = training_excess(s, event);
	double z = 0, instructions = 0;
	for (size_t i = 0; i < row->count; i++) {
		z += e->z[i];
		instructions += row->instructions[i];
	}
	const double scale = row->rest / instructions, samples = (double)row->count;
	e->all = fmax(0, scale * (z - samples * more.mean));
	e->guessed = true;
	e->unsure = isfinite(more.half) ? scale * samples * more.half : scale * z;
}

/* Each event with its share, from the row of the commit stack that it is a part of. Chosen windows are no random
 * sample: nothing can be learnt from what they lack. */
static void learn_events(const struct sample *s, struct columns *c)
{
	c->event_count = 0;
	for (unsigned i = 0; !s->points.count && i < SAMPLE_EVENTS; i++) {
		struct estimate_samples row = columns_gather(s, c, "commit_stack", sample_event_row(i), "cycles");
		struct estimate_event *e = &c->events[c->event_count];
		if (row.rest <= 0 || !row.count)
			return;
		double *z = c->z + c->event_count * (s->schedule.taken + 1);
		*e = (struct estimate_event){.z = z,
					     .start_z = s->started.cycles[i] - s->began.cycles[i],
					     .all = s->met.cycles[i] - s->started.cycles[i]};
		event_column(s, i, &row, e->all, z);
		if (s->trained != TRAINED_ALWAYS && sample_event_predicted(i))
			correct(s, i, &row, e);
		estimate_share(e, &row);
		c->event_count++;
	}
}

struct estimate_samples columns_lean(const struct sample *s, struct columns *c, const struct column_names *n)
{
	struct estimate_samples samples = columns_gather(s, c, n->path, n->name, n->base);
	for (size_t i = 0; i < c->event_count; i++) {
		c->events[i].in_x = n->leans((enum sample_event)i, n->name);
		c->events[i].in_c = !strcmp(n->base, "cycles");
	}
	samples.events = c->events;
	samples.event_count = c->event_count;
	return samples;
}

struct estimate_samples columns_place(const struct sample *s, struct columns *c, const struct column_names *n,
				      const double parts[SAMPLE_EVENTS])
{
	struct estimate_samples samples = columns_gather(s, c, n->path, n->name, n->base);
	for (size_t i = 0; i < c->event_count; i++) {
		c->events[i].in_x = parts[i];
		c->events[i].in_c = true;
	}
	samples.events = c->events;
	samples.event_count = c->event_count;
	samples.kind = ESTIMATE_PLACE;
	return samples;
}

static bool of_all(enum sample_event event, const char *name)
{
	(void)event, (void)name;
	return true;
}

struct estimate_samples columns_cpi(const struct sample *s, struct columns *c)
{
	const struct column_names cpi = {.path = "counts", .name = "cycles", .base = "instructions", .leans = of_all};
	learn_events(s, c);
	return columns_lean(s, c, &cpi);
}
