/* What single samples say by themselves, as a profiler of the ProfileMe kind has them (Dean et al., MICRO 1997): every
 * latency is charged in full to its class, as if nothing overlapped. A mispredicted branch is charged its own way from
 * dispatch to the fetch of the right path, and the front end's refill. Of a full window a single sample knows nothing. */
#include "analysis/shotgun/state.h"

enum { BY_LATENCY = CULPRIT_EVENT_COUNT };

static unsigned class_of(const struct culprit_static_insn *insn, uint32_t latency)
{
	enum {
		by_latency = BY_LATENCY,
		dl1 = CULPRIT_EVENT_dl1,
		lgalu = CULPRIT_EVENT_lgalu,
	};
	static const uint8_t event[] = {
#define OP_CLASS(name, label, event_) event_,
#include "culprit/op_class.def"
	};
	unsigned class = event[insn->op_class];
	return class != BY_LATENCY ? class : latency <= 1 ? CULPRIT_EVENT_shalu : CULPRIT_EVENT_lgalu;
}

static void add_sample(const struct culprit_shotgun_machine *m, const struct culprit_static_insn *insn,
		       const struct culprit_detail *d, double sums[CULPRIT_BASE_EVENTS])
{
	const struct culprit_graph_params *g = &m->graph;
	sums[class_of(insn, d->exec_latency)] += d->exec_latency;
	sums[CULPRIT_EVENT_dmiss] += (double)d->dmiss + d->dtlb;
	sums[CULPRIT_EVENT_imiss] += (double)d->imiss + d->itlb;
	sums[CULPRIT_EVENT_bw] += d->contention;
	if (d->flags & CULPRIT_MISPREDICTED)
		sums[CULPRIT_EVENT_bmisp] += (double)g->dispatch_to_issue + d->contention + d->exec_latency +
					     m->redirect + g->frontend_stages;
}

void shotgun_single(struct shotgun_index *x, const struct culprit_shotgun_machine *m,
		    struct culprit_shotgun_results *results)
{
	const struct culprit_samples *s = x->samples;
	double sums[CULPRIT_BASE_EVENTS] = {0}, counted = 0;
	for (size_t i = 0; i < s->detail_count; i++) {
		const struct shotgun_place *p = shotgun_index_place(x, s->details[i].pc);
		if (!p || !p->is_code)
			continue;
		counted++;
		add_sample(m, &p->insn, &s->details[i], sums);
	}
	double cycles = s->instructions ? (double)s->cycles / (double)s->instructions * counted : 0;
	for (unsigned c = 0; c < CULPRIT_BASE_EVENTS && cycles > 0; c++) {
		results->has_single[c] = c != CULPRIT_EVENT_win;
		results->single[c] = 100 * sums[c] / cycles;
	}
}
