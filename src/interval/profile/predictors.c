/* See the header. */
#include "interval/profile/predictors.h"

#include <stdio.h>

struct row {
	const char *name;
	enum direction_predictor kind;
	uint32_t bimodal, gshare, history, meta, tage_kib;
	enum indirect_predictor indirect;
	uint32_t ittage_kib;
};

static const struct row rows[] = {
#define INTERVAL_PREDICTOR(name, kind, bimodal, gshare, history, meta, tage_kib, indirect, ittage_kib) \
	{#name,	   direction_predictor_##kind,	  bimodal,   gshare, history, meta,                    \
	 tage_kib, indirect_predictor_##indirect, ittage_kib},
#include "interval/profile/predictor.def"
};
_Static_assert(sizeof rows / sizeof rows[0] + 1 == INTERVAL_PREDICTORS, "one slot for each row and the reference");

static void apply(const struct row *r, struct machine *m)
{
	m->branch_predictor = r->kind;
	m->branch_bimodal_entries = r->bimodal;
	m->branch_gshare_entries = r->gshare;
	m->branch_history = r->history;
	m->branch_meta_entries = r->meta;
	m->branch_tage_kib = r->tage_kib;
	m->branch_indirect = r->indirect;
	m->branch_ittage_kib = r->ittage_kib;
}

void interval_predictor_machine(size_t index, const struct machine *reference, struct machine *m,
				char name[INTERVAL_NAME])
{
	*m = *reference;
	m->ideal = 0;
	if (index)
		apply(&rows[index - 1], m);
	snprintf(name, INTERVAL_NAME, "%s", index ? rows[index - 1].name : "reference");
}

/* Counters that are found by the pc alone; of bi_mode, those of its second table by history. */
static uint64_t bimodal_counters(const struct machine *m)
{
	switch (m->branch_predictor) {
	case direction_predictor_combined:
	case direction_predictor_bimodal:
	case direction_predictor_tournament:
		return m->branch_bimodal_entries;
	case direction_predictor_bi_mode:
		return m->branch_gshare_entries;
	default:
		return 0;
	}
}

static bool has_choice(const struct machine *m)
{
	return m->branch_predictor == direction_predictor_combined ||
	       m->branch_predictor == direction_predictor_bi_mode ||
	       m->branch_predictor == direction_predictor_tournament;
}

static bool has_gshare(const struct machine *m)
{
	return has_choice(m) || m->branch_predictor == direction_predictor_gshare;
}

struct interval_branch interval_branch_of(const struct machine *m)
{
	bool ittage = m->branch_indirect == indirect_predictor_ittage;
	bool tage = m->branch_predictor == direction_predictor_tage_sc_l;
	return (struct interval_branch){
		.kind = m->branch_predictor,
		.indirect = m->branch_indirect,
		.bimodal = bimodal_counters(m),
		.gshare = has_gshare(m) ? m->branch_gshare_entries : 0,
		.history = has_gshare(m) ? m->branch_history : 0,
		.meta = has_choice(m) ? m->branch_meta_entries : 0,
		.tage_kib = tage ? m->branch_tage_kib : 0,
		.ittage_kib = ittage ? m->branch_ittage_kib : 0,
		.btb_entries = m->branch_btb_entries,
		.btb_ways = m->branch_btb_ways,
		.ras = m->branch_ras,
	};
}

static bool same_direction(const struct interval_branch *a, const struct interval_branch *b)
{
	return a->kind == b->kind && a->bimodal == b->bimodal && a->gshare == b->gshare && a->history == b->history &&
	       a->meta == b->meta && a->tage_kib == b->tage_kib;
}

const struct interval_predictor *interval_predictor_of(const struct interval_profile *p, const struct machine *m)
{
	struct interval_branch wanted = interval_branch_of(m);
	if (m->branch_predictor == direction_predictor_oracle)
		return NULL;
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++)
		if (same_direction(&p->predictor[i].branch, &wanted))
			return &p->predictor[i];
	return NULL;
}
