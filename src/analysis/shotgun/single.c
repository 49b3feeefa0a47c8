/* What single samples say by themselves, as a profiler of the ProfileMe kind has them (Dean et al., MICRO 1997):
 * every latency is charged in full to its class, as if nothing overlapped. A mispredicted branch is charged its own
 * way from dispatch to the fetch of the right path, and the front end's refill. Of a full window a single sample
 * knows nothing. */
#include "analysis/shotgun/state.h"

#include <math.h>

enum { BY_LATENCY = CULPRIT_EVENT_COUNT };

static unsigned class_of(const struct culprit_static_insn *insn, uint32_t latency)
{
	enum {
		by_latency = BY_LATENCY,
		dl1 = CULPRIT_EVENT_dl1,
		lgalu = CULPRIT_EVENT_lgalu,
	};
	static const uint8_t event[] = {
#define OP_CLASS(name, label, event_, part) event_,
#include "culprit/op_class.def"
	};
	unsigned class = event[insn->op_class];
	return class != BY_LATENCY ? class : latency <= 1 ? CULPRIT_EVENT_shalu : CULPRIT_EVENT_lgalu;
}

void shotgun_single_add(struct shotgun_singles *x, const struct culprit_shotgun_machine *m,
			const struct culprit_static_insn *insn, const struct culprit_detail *d)
{
	const struct culprit_graph_params *g = &m->graph;
	double cycles[CULPRIT_BASE_EVENTS] = {0};
	cycles[class_of(insn, d->exec_latency)] += d->exec_latency;
	cycles[CULPRIT_EVENT_dmiss] += (double)d->dmiss + d->dtlb;
	cycles[CULPRIT_EVENT_imiss] += (double)d->imiss + d->itlb;
	cycles[CULPRIT_EVENT_bw] += d->contention;
	if (d->flags & CULPRIT_MISPREDICTED)
		cycles[CULPRIT_EVENT_bmisp] += (double)g->dispatch_to_issue + d->contention + d->exec_latency +
					       m->redirect + g->frontend_stages;
	for (unsigned c = 0; c < CULPRIT_BASE_EVENTS; c++) {
		x->sum[c] += cycles[c];
		x->squares[c] += cycles[c] * cycles[c];
	}
	x->count++;
}

void shotgun_single_all(struct shotgun_singles *x, struct shotgun_index *index, const struct culprit_shotgun_machine *m)
{
	const struct culprit_samples *s = index->samples;
	for (size_t i = 0; i < s->detail_count; i++) {
		const struct shotgun_place *p = shotgun_index_place(index, s->details[i].pc);
		if (p && p->is_code)
			shotgun_single_add(x, m, &p->insn, &s->details[i]);
	}
}

double shotgun_single_mean(const struct shotgun_singles *x, unsigned class)
{
	return x->count ? x->sum[class] / (double)x->count : 0;
}

double shotgun_single_error(const struct shotgun_singles *x, unsigned class)
{
	double n = (double)x->count, mean = shotgun_single_mean(x, class);
	return n > 1 ? sqrt((x->squares[class] / n - mean * mean) / (n - 1)) : 0;
}
