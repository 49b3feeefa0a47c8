#include "sweep/points.h"

#include "machine/machine.h"
#include "options/table.h"
#include "run/point.h"
#include "run/session.h"
#include "with/analyses.h"

#include <stdlib.h>
#include <string.h>

/* What a plan's machines are, and their default values. */
struct bases {
	struct machine *machines;
	uint32_t (*defaults)[SWEEP_AXES];
	bool *own; /* [machine][axis][value]: the machine is the same with it as without */
	size_t axis_room;
};

static bool no_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for the sweep's points");
}

bool sweep_region_is_of(const struct sweep_region *region, const struct sweep_program *program)
{
	return !region->program || !strcmp(region->program, program->name);
}

/* --- machines --- */

static bool apply(struct machine *m, const struct sweep_words *sets, struct error *err)
{
	for (uint32_t i = 0; i < sets->count; i++)
		TRY(machine_set(m, sets->items[i], err));
	return true;
}

bool sweep_machine(struct machine *m, const char *name, const struct sweep_words *sets, struct error *err)
{
	return machine_load(m, name, err) && apply(m, sets, err);
}

static bool *own_of(const struct bases *b, uint32_t machine, uint32_t axis, uint32_t value)
{
	return &b->own[(machine * (size_t)SWEEP_AXES + axis) * b->axis_room + value];
}

/* The value that is marked; else the machine's own, if it is among them; else the first. */
static bool find_default(const struct bases *b, const struct sweep_plan *p, uint32_t machine, uint32_t axis,
			 struct error *err)
{
	const struct sweep_axis *a = &p->axes[axis];
	uint32_t *chosen = &b->defaults[machine][axis];
	bool found = false;
	for (uint32_t v = 0; v < a->count; v++) {
		struct machine with = b->machines[machine];
		if (!apply(&with, &a->values[v].sets, err))
			return error_context(err, "%s:%u", p->place, a->line);
		bool own = machine_same(&with, &b->machines[machine]);
		*own_of(b, machine, axis, v) = own;
		bool wanted = a->marked ? !strcmp(a->marked, a->values[v].name) : own;
		if (wanted && !found)
			*chosen = v;
		found |= wanted;
	}
	return true;
}

static bool load_machines(struct bases *b, const struct sweep_plan *p, struct error *err)
{
	for (uint32_t a = 0; a < p->axis_count; a++)
		b->axis_room = p->axes[a].count > b->axis_room ? p->axes[a].count : b->axis_room;
	b->machines = calloc(p->machines.count, sizeof *b->machines);
	b->defaults = calloc(p->machines.count, sizeof *b->defaults);
	b->own = calloc(p->machines.count * SWEEP_AXES + 1, b->axis_room + 1);
	if (!b->machines || !b->defaults || !b->own)
		return no_memory(err);
	for (uint32_t m = 0; m < p->machines.count; m++) {
		if (!sweep_machine(&b->machines[m], p->machines.items[m], &p->sets, err))
			return error_context(err, "%s", p->place);
		for (uint32_t a = 0; a < p->axis_count; a++)
			TRY(find_default(b, p, m, a, err));
	}
	return true;
}

static void free_bases(struct bases *b)
{
	free(b->machines);
	free(b->defaults);
	free(b->own);
}

/* --- commands --- */

static bool add_all(struct sweep_words *to, const struct sweep_words *from, const char *prefix, struct error *err)
{
	for (uint32_t i = 0; i < from->count; i++)
		TRY(sweep_add(to, err, "%s%s", prefix, from->items[i]));
	return true;
}

static bool is_from_checkpoint(const struct sweep_region *region)
{
	for (uint32_t i = 0; i < region->options.count; i++)
		if (!strncmp(region->options.items[i], "--checkpoint=", 13))
			return true;
	return false;
}

static bool make_command(struct sweep_point *x, const struct sweep_plan *p, struct error *err)
{
	const struct sweep_program *g = &p->programs[x->program];
	struct sweep_words *w = &x->words;
	TRY(sweep_add(w, err, "run"));
	TRY(sweep_add(w, err, "--machine=%s", p->machines.items[x->machine]));
	TRY(add_all(w, &p->sets, "--set=", err));
	for (uint32_t a = 0; a < p->axis_count; a++)
		TRY(add_all(w, &p->axes[a].values[x->values[a]].sets, "--set=", err));
	const bool from = is_from_checkpoint(&p->regions[x->region]);
	for (uint32_t i = 0; i < g->options.count; i++)
		if (!from || !strncmp(g->options.items[i], "--sysroot=", 10)) /* it has the others */
			TRY(sweep_add(w, err, "%s", g->options.items[i]));
	TRY(add_all(w, &p->regions[x->region].options, "", err));
	TRY(add_all(w, &p->options, "", err));
	if (from || !g->command.count) /* a checkpoint has its command */
		return true;
	TRY(sweep_add(w, err, "--"));
	return add_all(w, &g->command, "", err);
}

/* The result's file is the sweep's, and figures that host time is not part of need cycles. */
static bool check_options(const struct options *o, struct error *err)
{
	for (size_t i = 0; i < option_row_count; i++)
		if (o->given[i] && option_rows[i].kind == OUTPUT)
			return error_set(err, ERROR_USAGE, "--%s: a sweep's points write no files of their own",
					 option_rows[i].name);
	if (o->functional || o->help || o->strace)
		return error_set(err, ERROR_USAGE, "a sweep's points can have neither --functional nor --strace");
	return analyses_known(o->with, err) && options_check_analyses(o, err) && options_check_seed(o, err);
}

/* Not where the machine decides what the program sees (--isa), or where a checkpoint is no use. */
static bool find_ahead(struct sweep_point *x, const struct options *o, struct error *err)
{
	char *words[200] = {NULL};
	size_t count = 0;
	if (o->skip < SWEEP_AHEAD_LEAST || o->start_at || o->trace || o->isa || o->writable.count || o->checkpoint)
		return true;
	bool good = sweep_add(&x->ahead, err, "checkpoint") && sweep_add(&x->ahead, err, "--quiet") &&
		    sweep_add(&x->ahead, err, "--warmup=0") &&
		    options_words(o, FOR_RUN | FOR_CHECKPOINT, words, sizeof words / sizeof *words, &count, err);
	for (size_t i = 0; i < count; i++) {
		good = good && sweep_add(&x->ahead, err, "%s", words[i]);
		free(words[i]);
	}
	TRY(good && sweep_add(&x->ahead, err, "--"));
	for (char **word = o->arguments; *word; word++)
		TRY(sweep_add(&x->ahead, err, "%s", *word));
	return true;
}

static bool is_first_of_group(const struct sweep_point *x)
{
	uint32_t later = x->machine;
	for (uint32_t a = 0; a < SWEEP_AXES; a++)
		later |= x->values[a];
	return !later;
}

/* It is there, whole, has this number, and nothing stands beside it that it has itself; its program is the plan's. Once
 * for all machines and values. */
static bool check_checkpoint(const struct sweep_point *x, const struct sweep_program *g, const struct options *from,
			     struct error *err)
{
	struct options o = *from;
	struct session s = {0};
	bool same = true;
	if ((!o.checkpoint && !o.number) || !is_first_of_group(x))
		return true;
	o.arguments = calloc(1, sizeof *o.arguments);
	bool good = o.arguments && session_checkpoint(&s, &o, err);
	for (uint32_t i = 0; good && g->command.count && same && i <= g->command.count; i++) {
		const char *mine = i < g->command.count ? g->command.items[i] : NULL, *its = o.arguments[i];
		same = mine && its ? !strcmp(mine, its) : mine == its;
	}
	free(o.arguments);
	checkpoint_file_destroy(&s.checkpoints);
	return good &&
	       (same || error_set(err, ERROR_INPUT, "%s: a checkpoint of another command than the plan's program %s",
				  from->checkpoint, g->name));
}

/* Where the point's region, or else its program, stands in the plan. */
static bool in_plan(const struct sweep_point *x, const struct sweep_plan *p, struct error *err)
{
	const struct sweep_region *region = &p->regions[x->region];
	const uint32_t line = region->options.count ? region->line : p->programs[x->program].line;
	return line ? error_context(err, "%s:%u", p->place, line) : false;
}

/* As `culprit run` will: its places, and what it starts from. */
static bool check_start(const struct sweep_point *x, const struct sweep_plan *p, const struct options *o,
			struct error *err)
{
	struct point place;
	const bool good = (!o->start_at || point_parse(&place, "start-at", o->start_at, err)) &&
			  (!o->stop_at || point_parse(&place, "stop-at", o->stop_at, err)) &&
			  check_checkpoint(x, &p->programs[x->program], o, err);
	return good || in_plan(x, p, err);
}

/* The line of the value that is wrong without the others, too; else of the last. */
static uint32_t line_of_wrong(const struct sweep_point *x, const struct sweep_plan *p)
{
	const char *name = p->machines.items[x->machine];
	struct machine m;
	struct error why;
	uint32_t a = 0;
	while (a + 1 < p->axis_count &&
	       (!sweep_machine(&m, name, &p->sets, &why) || !apply(&m, &p->axes[a].values[x->values[a]].sets, &why) ||
		machine_check(&m, name, &why)))
		a++;
	return p->axes[a].line;
}

/* Each value by itself is one that its key can have. */
static bool make_machine(const struct sweep_point *x, const struct sweep_plan *p, struct machine *m,
			 const struct options *o, struct error *err)
{
	char values[300] = "";
	if (session_machine(m, o, err))
		return true;
	for (uint32_t a = 0; a < p->axis_count; a++)
		snprintf(values + strlen(values), sizeof values - strlen(values), "%s%s=%s", a ? ", " : "",
			 p->axes[a].name, p->axes[a].values[x->values[a]].name);
	if (p->axis_count)
		return error_context(err, "%s:%u: %s", p->place, line_of_wrong(x, p), values);
	return error_context(err, "%s", p->place);
}

/* As `culprit run` will, and what comes of it. */
static bool try_command(struct sweep_point *x, const struct sweep_plan *p, struct machine *m, struct error *err)
{
	struct options o;
	bool good = options_parse(&o, x->words.items, FOR_RUN, err) && check_options(&o, err) &&
		    make_machine(x, p, m, &o, err) && find_ahead(x, &o, err) && check_start(x, p, &o, err);
	options_destroy(&o);
	return good;
}

static bool identify(struct sweep_point *x, struct sweep_hashes *h, const struct sweep_plan *p, const struct machine *m,
		     struct error *err)
{
	const struct sweep_program *g = &p->programs[x->program];
	return (sweep_identify(h, g, &x->words, m, x->id) &&
		(!x->ahead.count || sweep_identify(h, g, &x->ahead, NULL, x->ahead_id))) ||
	       error_set(err, ERROR_USAGE, "%s: a command that is not UTF-8, or no memory for it", p->place);
}

/* --- all of them --- */

static bool add_point(struct sweep_points *s, const struct sweep_point *x, struct error *err)
{
	struct sweep_point *grown = s->all;
	if (!(s->count & (s->count - 1))) /* powers of two double */
		grown = realloc(s->all, (s->count ? 2 * s->count : 1) * sizeof *grown);
	if (!grown)
		return no_memory(err);
	s->all = grown;
	s->all[s->count++] = *x;
	return true;
}

static bool next_values(const struct sweep_plan *p, uint32_t values[SWEEP_AXES])
{
	for (uint32_t a = p->axis_count; a-- > 0;) {
		if (++values[a] < p->axes[a].count)
			return true;
		values[a] = 0;
	}
	return false;
}

/* Machines and values of one program's region. */
static bool list_group(struct sweep_points *s, const struct sweep_plan *p, struct sweep_point *x, struct error *err)
{
	for (x->machine = 0; x->machine < p->machines.count; x->machine++) {
		memset(x->values, 0, sizeof x->values);
		do {
			if (s->count == SWEEP_POINTS)
				return error_set(err, ERROR_USAGE, "%s: more than %d points", p->place, SWEEP_POINTS);
			TRY(add_point(s, x, err));
		} while (next_values(p, x->values));
	}
	return true;
}

static bool list_points(struct sweep_points *s, const struct sweep_plan *p, struct error *err)
{
	struct sweep_point x = {0};
	for (x.program = 0; x.program < p->program_count; x.program++) {
		uint32_t before = s->count;
		for (x.region = 0; x.region < p->region_count; x.region++)
			if (sweep_region_is_of(&p->regions[x.region], &p->programs[x.program]))
				TRY(list_group(s, p, &x, err));
		if (s->count == before)
			return error_set(err, ERROR_INPUT, "%s:%u: no region is of this program", p->place,
					 p->programs[x.program].line);
	}
	return true;
}

static uint32_t default_machine(const struct sweep_plan *p)
{
	for (uint32_t m = 0; p->marked && m < p->machines.count; m++)
		if (!strcmp(p->marked, p->machines.items[m]))
			return m;
	return 0;
}

/* Within a group points stand in the order of machine and values. */
static void find_reference(struct sweep_points *s, const struct sweep_plan *p, const struct bases *b, uint32_t i)
{
	struct sweep_point *x = &s->all[i];
	uint32_t machine = default_machine(p), position = machine, first = i;
	for (uint32_t a = 0; a < p->axis_count; a++) {
		x->own[a] = *own_of(b, x->machine, a, x->values[a]);
		position = position * p->axes[a].count + b->defaults[machine][a];
	}
	while (first && s->all[first - 1].program == x->program && s->all[first - 1].region == x->region)
		first--;
	x->reference = first + position;
}

static void find_same(struct sweep_points *s, uint32_t i)
{
	uint32_t first = 0;
	while (strcmp(s->all[first].id, s->all[i].id) != 0)
		first++;
	s->all[i].same = first;
}

bool sweep_points_create(struct sweep_points *s, const struct sweep_plan *p, struct error *err)
{
	struct bases b = {0};
	struct sweep_hashes h = {0};
	*s = (struct sweep_points){0};
	bool good = load_machines(&b, p, err) && list_points(s, p, err);
	for (uint32_t i = 0; good && i < s->count; i++) {
		struct machine m;
		good = make_command(&s->all[i], p, err) && try_command(&s->all[i], p, &m, err) &&
		       identify(&s->all[i], &h, p, &m, err);
		if (good) {
			find_reference(s, p, &b, i);
			find_same(s, i);
		}
	}
	free_bases(&b);
	sweep_hashes_free(&h);
	return good;
}

void sweep_points_destroy(struct sweep_points *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		sweep_words_free(&s->all[i].words), sweep_words_free(&s->all[i].ahead);
	free(s->all);
	*s = (struct sweep_points){0};
}
