#include "sample/training.h"

#include "sample/estimate.h"

#include <math.h>

/* The reference learns from the end of one sample in PERIOD to that of the fourth behind it. */
enum { PERIOD = 32, COMPARED = 4 };

static bool in_sample(const struct sample *s)
{
	const size_t taken = s->schedule.taken;
	return taken && s->units[taken - 1].passed < 2 && s->units[taken - 1].bounds[1] > s->position;
}

uint64_t training_choose(struct sample *s, uint64_t next)
{
	const bool always = s->trained == TRAINED_ALWAYS;
	const uint64_t begin = always || next < s->trained ? 0 : next - s->trained;
	const bool learns = s->position < s->start || s->position >= begin || in_sample(s);
	core_train_branches(s->session.core, learns);
	return s->position < begin ? begin : UINT64_MAX;
}

static void count(const struct sample *s, struct sample_events *own, struct sample_events *reference)
{
	struct core_warmed w;
	core_warmed(s->session.core, &w);
	sample_events_count(own, &s->session.machine, &w);
	sample_events_reference(reference, &s->session.machine, &w);
}

static void compare(struct sample_training *t, const struct sample_events *own, const struct sample_events *reference)
{
	for (size_t i = 0; i < SAMPLE_EVENTS; i++) {
		const double more = own->cycles[i] - t->own.cycles[i] - reference->cycles[i] + t->reference.cycles[i];
		t->sum[i] += more;
		t->squares[i] += more * more;
		t->largest[i] = fmax(t->largest[i], fabs(more));
		t->met[i] += reference->cycles[i] - t->reference.cycles[i];
	}
	t->count++;
}

bool training_bound(struct sample *s, unsigned which, struct error *err)
{
	struct sample_training *t = &s->training;
	struct sample_events own, reference;
	if (s->trained == TRAINED_ALWAYS)
		return true;
	count(s, &own, &reference);
	if (!which) {
		t->open = t->compares;
		t->own = own;
		t->reference = reference;
		return true;
	}
	if (t->open)
		compare(t, &own, &reference);
	t->open = false;
	const size_t turn = t->passed++ % PERIOD;
	if (turn == 0)
		TRY(core_reference_begin(s->session.core, err));
	if (turn == COMPARED)
		core_reference_end(s->session.core);
	t->compares = turn < COMPARED;
	return true;
}

/* The interval is made as those of estimates are: of the variance, and of what may have been missed. */
struct training_excess training_excess(const struct sample *s, enum sample_event event)
{
	const struct sample_training *t = &s->training;
	const double n = (double)t->count, mean = n > 0 ? t->sum[event] / n : 0;
	if (s->trained == TRAINED_ALWAYS || !sample_event_predicted(event))
		return (struct training_excess){0, 0};
	if (t->count < 2)
		return (struct training_excess){mean, INFINITY};
	const double variance = fmax(0, t->squares[event] - n * mean * mean) / (n - 1);
	const double usual = estimate_quantile(s->confidence, n - 1) * sqrt(variance / n);
	const double rare = estimate_rare(s->confidence) * fmax(1, t->largest[event] + fabs(mean)) / n;
	return (struct training_excess){mean, hypot(usual, rare)};
}

void training_report(const struct sample *s, struct sample_report *r)
{
	const struct sample_training *t = &s->training;
	const struct training_excess more = training_excess(s, SAMPLE_EVENT_bmisp);
	const double met = t->met[SAMPLE_EVENT_bmisp], samples = (double)t->count;
	r->gaps = s->trained != TRAINED_ALWAYS;
	r->trained = s->trained;
	r->compared = t->count;
	r->more = met > 0 ? 100 * more.mean * samples / met : 0;
	r->half = met > 0 ? 100 * more.half * samples / met : 0;
}
