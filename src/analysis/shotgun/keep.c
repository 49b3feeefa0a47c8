/* What is kept of a fragment that went through the graph: its times in each lane, and what became of its samples. */
#include "analysis/shotgun/state.h"

enum { PATH_COUNTS = 1 << 16 }; /* a path that branch records tell counts as so many instructions, however long it is */

static void use_sample(struct culprit_shotgun *s, const struct shotgun_step *step)
{
	const struct culprit_static_insn *insn = &s->index.places[step->place].insn;
	struct culprit_detail none;
	if (!step->match.detail)
		none = shotgun_default_detail(&s->machine, insn, step->bits);
	shotgun_single_add(&s->used, &s->machine, insn, step->match.detail ? step->match.detail : &none);
}

/* Of real machines' samples only what accesses memory takes anything. */
bool shotgun_needs_sample(const struct culprit_shotgun *s, const struct culprit_static_insn *insn)
{
	return !s->samples->paths || (insn->flags & (CULPRIT_LOAD | CULPRIT_STORE));
}

static void count_steps(struct culprit_shotgun *s, uint32_t length, struct culprit_shotgun_results *x)
{
	for (uint32_t i = 0; i < length; i++) {
		const struct shotgun_step *step = &s->walk.steps[i];
		s->index.places[step->place].visits++;
		bool needs = shotgun_needs_sample(s, &s->index.places[step->place].insn);
		x->missing += needs && !s->index.places[step->place].samples;
		x->accesses += needs;
		x->own_accesses += needs && s->index.places[step->place].samples;
		x->borrowed += step->match.borrowed;
		x->compared += step->match.compared;
		x->agreed += step->match.agreed;
		x->targets_sampled += step->target_from == SHOTGUN_TARGET_SAMPLE;
		x->targets_signature += step->target_from == SHOTGUN_TARGET_SIGNATURE;
		x->targets_stack += step->target_from == SHOTGUN_TARGET_STACK;
		use_sample(s, step);
	}
	x->instructions += length;
}

/* The graph's time of a path against the cycles that the branch records have for it. */
static void compare_path(struct culprit_shotgun *s, const struct culprit_path *path, uint32_t length, uint64_t time)
{
	if (!path->cycles || length != path->length)
		return;
	double off = (double)time - (double)path->cycles;
	s->results->compared_fragments++;
	s->results->recorded_cpi += (double)path->cycles / length;
	s->differences += (off < 0 ? -off : off) / (double)path->cycles;
}

/* Of signature samples as they are, each instruction counts alike. A path that branch records tell is among the samples
 * the more often the longer it is, so all count alike. */
void shotgun_keep(struct culprit_shotgun *s, size_t number, uint32_t length)
{
	struct shotgun_fragment *f = &s->fragments[s->fragment_count++];
	struct culprit_shotgun_results *x = s->results;
	const struct culprit_path *paths = s->samples->paths;
	double counts = paths ? (double)PATH_COUNTS / length : 1;
	for (unsigned set = 0; set < CULPRIT_GRAPH_SETS; set++) {
		f->time[set] = (uint64_t)((double)(s->after.time[set] - s->before.time[set]) * counts + 0.5);
		x->graph.time[set] += f->time[set];
	}
	if (paths)
		compare_path(s, &paths[number], length, s->after.time[0] - s->before.time[0]);
	x->built++;
	count_steps(s, length, x);
	f->length = paths ? PATH_COUNTS : length;
	s->measured += f->length;
	f->part = s->part;
}
