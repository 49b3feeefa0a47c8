/* Branch prediction put together: which part answers for which kind of branch.
 *
 *   conditional      direction predictor; target is encoded
 *   direct jump/call taken; target is encoded; the BTB only says whether fetch knew before decode
 *   return           return address stack, or as an indirect jump (branch.returns)
 *   indirect         ITTAGE when configured and it has an entry, else the BTB's last target; or the table by path
 * Where nothing tells (next_block), fetch goes on behind the branch, which is nearly always wrong.
 * A jalr that links and also names the other link register (coroutine switch, `link_register` 1) pops the return
 * stack for its target and then pushes; with nothing to pop it predicts as any indirect call.
 * A branch that the BTB does not hold is found at decode, where the direction predictor is consulted all the same:
 * btb_hit is then false, and the core charges the redirect if the prediction is taken.
 * A first-level BTB (branch.l0_entries) answers for direct branches at once; what it lacks, returns and indirect
 * branches come `late`, by the bubble of their kind. It learns taken direct branches as they commit.
 * A plug-in (machine/plugin.h) takes the place of the direction predictor and, if it has targets, of what answers for
 * indirect branches; BTB and return stack stay.
 * The oracle (also when bmisp is idealised) knows direction, target and presence, and keeps no state. */
#include "machine/predictor.h"

#include "machine/plugged_branch.h"
#include "machine/predictor_targets.h"

#include <stdlib.h>
#include <string.h>

/* Then, when configured: struct tage_save, struct history_state of ITTAGE, the plug-in's. */
struct save {
	uint64_t history;
	struct path path;
	struct ras_save ras;
};
_Static_assert(sizeof(struct direction_note) <= 16, "simple predictors stay within the prediction's first line");

static bool parts_create(struct predictor *p, const struct machine *m, struct error *err)
{
	TRY(plugged_predictor_create(&p->plugged, m->plugins, err));
	p->oracle = m->branch_predictor == direction_predictor_oracle || (m->ideal & CULPRIT_EVENT_BIT(bmisp));
	if (p->oracle)
		return true;
	TRY(direction_create(&p->direction, m, err));
	TRY(btb_create(&p->btb, m, err));
	TRY(ras_create(&p->ras, m, err));
	TRY(first_btb_create(&p->first, m, err));
	TRY(early_counters_create(&p->early, m, err));
	p->bubble = (uint8_t)m->branch_l0_bubble;
	p->returns = m->branch_returns;
	p->lost = m->branch_indirect == indirect_predictor_next_block &&
		  !(p->plugged.calls && p->plugged.calls->target);
	p->next_block = m->fetch_block;
	p->no_btb = !m->branch_btb;
	p->btb_direct = m->branch_btb_direct;
	p->return_bubble = (uint8_t)m->branch_return_bubble;
	p->indirect_bubble = (uint8_t)m->branch_indirect_bubble;
	p->call_bubble = (uint8_t)(m->branch_call_bubble ? m->branch_call_bubble : m->branch_indirect_bubble);
	if (m->branch_predictor == direction_predictor_tage_sc_l)
		TRY(p->tage = tage_create(m->branch_tage_kib, err));
	if (p->tage)
		tage_restrict(p->tage, m->branch_tage_history, m->branch_tage_corrector);
	if (m->branch_indirect == indirect_predictor_ittage)
		TRY(p->ittage = ittage_create(m->branch_ittage_kib, err));
	if (m->branch_indirect == indirect_predictor_path)
		TRY(path_targets_create(&p->path, m->branch_path_entries, err));
	p->simple = !p->tage && !p->ittage && !p->path.target && !p->plugged.calls && !p->direction.row_shift;
	p->prompt = !p->first.entries && !p->early.counter && !p->bubble && !p->return_bubble && !p->indirect_bubble &&
		    !p->call_bubble && !p->no_btb;
	return true;
}

struct predictor *predictor_create(const struct machine *m, struct error *err)
{
	struct predictor *p = calloc(1, sizeof *p);
	if (!p) {
		error_set(err, ERROR_SYSTEM, "out of memory for the branch predictor");
		return NULL;
	}
	if (parts_create(p, m, err))
		return p;
	predictor_destroy(p);
	return NULL;
}

void predictor_destroy(struct predictor *p)
{
	if (!p)
		return;
	direction_destroy(&p->direction);
	btb_destroy(&p->btb);
	ras_destroy(&p->ras);
	tage_destroy(p->tage);
	ittage_destroy(p->ittage);
	path_targets_destroy(&p->path);
	plugged_predictor_destroy(&p->plugged);
	first_btb_destroy(&p->first);
	early_counters_destroy(&p->early);
	free(p);
}

struct predictor_storage predictor_storage_bits(const struct predictor *p)
{
	if (p->oracle)
		return (struct predictor_storage){0};
	return (struct predictor_storage){
		.direction = p->tage ? tage_storage_bits(p->tage) : direction_storage_bits(&p->direction),
		.btb = btb_storage_bits(&p->btb),
		.ras = ras_storage_bits(&p->ras),
		.indirect = p->ittage ? ittage_storage_bits(p->ittage) : path_targets_storage_bits(&p->path),
	};
}

_Static_assert(CULPRIT_PLUGIN_NOTE <= sizeof((struct prediction *)0)->note,
	       "a plug-in's note is kept with the prediction");

static bool plugged_direction(const struct predictor *p, const struct branch_query *q, struct prediction *out)
{
	const struct culprit_plugin_branch b = plugged_branch(q);
	memset(&out->note, 0, sizeof out->note);
	out->component = PREDICTOR_PLUGIN;
	return p->plugged.calls->predict(p->plugged.self, &b, &out->note);
}

static void predict_conditional(const struct predictor *p, const struct branch_query *q, struct prediction *out)
{
	if (p->tage)
		out->taken = tage_predict(p->tage, q, (struct tage_note *)&out->note, &out->component);
	else if (p->plugged.calls)
		out->taken = plugged_direction(p, q, out);
	else
		out->taken = direction_predict(&p->direction, q, (struct direction_note *)&out->note, &out->component);
	out->next_pc = out->taken ? q->direct_target : fall_through(q);
	out->target_known = true;
}

static void predict_direct(const struct branch_query *q, struct prediction *out)
{
	out->taken = true;
	out->next_pc = q->direct_target;
	out->target_known = true;
	out->component = PREDICTOR_BTB;
}

static bool predict_return(const struct predictor *p, const struct branch_query *q, struct prediction *out)
{
	out->taken = true;
	out->component = PREDICTOR_RAS;
	out->next_pc = q->actual_next;
	out->target_known = p->ras.entries == 0 || ras_top(&p->ras, &out->next_pc);
	return out->target_known;
}

static bool plugged_target(const struct predictor *p, const struct branch_query *q, struct prediction *out)
{
	const struct culprit_plugin_branch b = plugged_branch(q);
	memset(&out->note, 0, sizeof out->note);
	out->component = PREDICTOR_PLUGIN;
	return p->plugged.calls->target(p->plugged.self, &b, &out->note, &out->next_pc);
}

static void predict_indirect(const struct predictor *p, const struct branch_query *q, uint64_t last_target, bool held,
			     struct prediction *out)
{
	out->taken = true;
	out->next_pc = last_target;
	out->target_known = held;
	out->component = PREDICTOR_BTB;
	if (p->plugged.calls && p->plugged.calls->target)
		out->target_known = plugged_target(p, q, out);
	else if (p->path.target)
		out->target_known = path_targets_predict(&p->path, &out->next_pc, (struct path_note *)&out->note);
	else if (p->ittage)
		out->target_known = ittage_predict(p->ittage, q->pc, held, &out->next_pc,
						   (struct ittage_note *)&out->note, &out->component);
}

/* branch.l0_blocks: is it no conditional branch, or was its counter at its most taken? */
static bool strongly_taken(const struct predictor *p, const struct branch_query *q, const struct prediction *pred)
{
	return q->kind != CULPRIT_BRANCH_CONDITIONAL || p->tage || p->plugged.calls ||
	       direction_is_strong(&p->direction, (const struct direction_note *)&pred->note);
}

static bool first_learns(const struct predictor *p, const struct branch_query *q, const struct prediction *pred)
{
	return !p->first.blocks || (q->opens && pred->btb_hit && pred->taken && strongly_taken(p, q, pred));
}

static bool first_level(struct predictor *p, const struct branch_query *q, const struct prediction *out)
{
	if (!p->first.blocks)
		return !out->taken || first_btb_has(&p->first, q->pc);
	return first_btb_predict(&p->first, q, out->taken, strongly_taken(p, q, out));
}

static uint8_t lateness(struct predictor *p, const struct branch_query *q, const struct prediction *out)
{
	if (p->prompt || !out->btb_hit)
		return 0;
	bool conditional = q->kind == CULPRIT_BRANCH_CONDITIONAL;
	uint8_t overruled = conditional ? early_counters_bubble(&p->early, q->pc, out->taken) : 0;
	if (!out->taken && !p->first.blocks)
		return overruled;
	if (q->kind == CULPRIT_BRANCH_RETURN)
		return p->return_bubble;
	if (is_indirect(p, q->kind))
		return q->kind == CULPRIT_BRANCH_INDIRECT_CALL ? p->call_bubble : p->indirect_bubble;
	return p->bubble > overruled && !first_level(p, q, out) ? p->bubble : overruled;
}

static void predict_oracle(const struct branch_query *q, struct prediction *out)
{
	out->next_pc = q->actual_next;
	out->taken = q->actual_taken;
	out->btb_hit = true;
	out->target_known = true;
	out->component = PREDICTOR_ORACLE;
	out->late = 0;
}

void predictor_predict(struct predictor *p, const struct branch_query *q, struct prediction *out)
{
	out->trained = false;
	if (p->oracle) {
		predict_oracle(q, out);
		return;
	}
	uint64_t last_target = 0;
	bool held = in_btb(p, q, &last_target);
	out->btb_hit = held || (p->btb_direct && !is_direct(q->kind));
	switch (q->kind) {
	case CULPRIT_BRANCH_CONDITIONAL:
		predict_conditional(p, q, out);
		break;
	case CULPRIT_BRANCH_JUMP:
	case CULPRIT_BRANCH_CALL:
		predict_direct(q, out);
		break;
	default:
		if (pops(p, q) && (predict_return(p, q, out) || q->kind == CULPRIT_BRANCH_RETURN))
			break;
		if (is_lost(p, q->kind))
			predict_next_block(p, q, out);
		else
			predict_indirect(p, q, last_target, held, out);
	}
	out->late = lateness(p, q, out);
}

void predictor_speculate(struct predictor *p, const struct branch_query *q, bool taken, uint64_t next_pc)
{
	if (p->oracle)
		return;
	if (p->simple && q->kind == CULPRIT_BRANCH_CONDITIONAL) {
		direction_speculate(&p->direction, taken);
		p->restored = false;
		return;
	}
	if (p->tage)
		tage_speculate(p->tage, q, taken, next_pc);
	else if (q->kind == CULPRIT_BRANCH_CONDITIONAL)
		direction_speculate(&p->direction, taken);
	direction_passed(&p->direction, q, p->restored, taken, next_pc);
	p->restored = false;
	if (p->plugged.calls && p->plugged.calls->speculate) {
		const struct culprit_plugin_branch b = plugged_branch(q);
		p->plugged.calls->speculate(p->plugged.self, &b, taken, next_pc);
	}
	if (p->ittage)
		ittage_speculate(p->ittage, q, taken, next_pc);
	if (p->path.target && q->kind == CULPRIT_BRANCH_CONDITIONAL)
		path_targets_outcome(&p->path, taken);
	if (p->path.target && is_indirect(p, q->kind))
		path_targets_speculate(&p->path, next_pc);
	if (pops(p, q))
		ras_pop(&p->ras);
	if (pushes(q))
		ras_push(&p->ras, fall_through(q));
}

/* Of any kind; a prediction that was another part's has no note of the plug-in's. */
static void update_plugged(struct predictor *p, const struct branch_query *q, const struct prediction *pred, bool taken,
			   uint64_t next_pc)
{
	static const uint64_t nothing[CULPRIT_PLUGIN_NOTE / sizeof(uint64_t)];
	const struct culprit_plugin_branch b = plugged_branch(q);
	const void *note = pred->component == PREDICTOR_PLUGIN ? (const void *)&pred->note : nothing;
	p->plugged.calls->update(p->plugged.self, &b, note, taken, next_pc);
}

static void update_conditional(struct predictor *p, const struct branch_query *q, const struct prediction *pred,
			       bool taken)
{
	if (p->tage)
		tage_update(p->tage, q, (const struct tage_note *)&pred->note, taken);
	else if (!pred->trained)
		direction_update(&p->direction, (const struct direction_note *)&pred->note, taken);
	direction_committed(&p->direction, q->pc, taken);
	early_counters_train(&p->early, q->pc, taken);
}

void predictor_resolved(struct predictor *p, const struct branch_query *q, struct prediction *pred, bool taken,
			uint64_t when)
{
	if (p->oracle || q->kind != CULPRIT_BRANCH_CONDITIONAL || p->tage || pred->trained)
		return;
	direction_resolved(&p->direction, (const struct direction_note *)&pred->note, taken, when);
	pred->trained = true;
}

void predictor_reads(struct predictor *p, uint64_t cycle)
{
	outcomes_read(&p->direction.outcomes, cycle);
}

void predictor_write(struct predictor *p, uint64_t end, bool reading)
{
	direction_write(&p->direction, end, reading);
}

void predictor_update(struct predictor *p, const struct branch_query *q, const struct prediction *pred, bool taken,
		      uint64_t next_pc)
{
	if (p->oracle)
		return;
	bool indirect = is_indirect(p, q->kind);
	if (q->kind == CULPRIT_BRANCH_CONDITIONAL)
		update_conditional(p, q, pred, taken);
	if (taken && (!p->btb.perfect || indirect) && !(p->btb_direct && !is_direct(q->kind)))
		btb_train(&p->btb, q->pc, next_pc);
	if (p->simple && p->prompt)
		return; /* there is nothing else */
	if (p->plugged.calls)
		update_plugged(p, q, pred, taken, next_pc);
	if (p->ittage && indirect && pred->component != PREDICTOR_RAS && pred->component != PREDICTOR_PLUGIN)
		ittage_update(p->ittage, (const struct ittage_note *)&pred->note, next_pc);
	if (p->path.target && indirect && pred->component == PREDICTOR_BTB && pred->next_pc != next_pc)
		path_targets_train(&p->path, (const struct path_note *)&pred->note, next_pc);
	/* what fetch found there is not written again, if it was replaced in between */
	bool found = pred->btb_hit && pred->taken && !pred->late;
	if (taken && !indirect && q->kind != CULPRIT_BRANCH_RETURN && !found && first_learns(p, q, pred))
		first_btb_train(&p->first, q);
}

/* Offsets of the optional parts of a save. */
static size_t tage_offset(void)
{
	return sizeof(struct save);
}

static size_t ittage_offset(const struct predictor *p)
{
	return tage_offset() + (p->tage ? sizeof(struct tage_save) : 0);
}

static size_t plugged_offset(const struct predictor *p)
{
	return ittage_offset(p) + (p->ittage ? sizeof(struct history_state) : 0);
}

size_t predictor_save_size(const struct predictor *p)
{
	return plugged_offset(p) + p->plugged.checkpoint_size;
}

void predictor_save(const struct predictor *p, void *save)
{
	struct save s = {.history = p->direction.history, .path = p->path.path, .ras = ras_save(&p->ras)};
	memcpy(save, &s, sizeof s);
	if (p->tage)
		tage_save(p->tage, (char *)save + tage_offset());
	if (p->ittage)
		memcpy((char *)save + ittage_offset(p), &p->ittage->history.now, sizeof p->ittage->history.now);
	if (p->plugged.checkpoint_size)
		p->plugged.calls->checkpoint(p->plugged.self, (char *)save + plugged_offset(p));
}

void predictor_restore(struct predictor *p, const void *save)
{
	struct save s;
	memcpy(&s, save, sizeof s);
	p->direction.history = s.history;
	p->restored = true;
	p->path.path = s.path;
	ras_restore(&p->ras, &s.ras);
	if (p->tage)
		tage_restore(p->tage, (const char *)save + tage_offset());
	if (p->ittage)
		memcpy(&p->ittage->history.now, (const char *)save + ittage_offset(p), sizeof p->ittage->history.now);
	if (p->plugged.checkpoint_size)
		p->plugged.calls->repair(p->plugged.self, (const char *)save + plugged_offset(p));
}
