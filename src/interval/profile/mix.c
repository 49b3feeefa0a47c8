/* See the header. A run is a stretch of instructions that fetch takes without a break; a whole run is put into groups
 * at once, for each width and taken limit. */
#include "interval/profile/mix.h"

#include <string.h>

void interval_mix_init(struct interval_mix_pass *m, const struct machine *reference, uint64_t every)
{
	uint64_t windows = every < INTERVAL_SAMPLE ? INTERVAL_SAMPLE / every : 1;
	*m = (struct interval_mix_pass){.line_shift = (uint32_t)__builtin_ctz(reference->l1i_line),
					.period = windows * INTERVAL_WINDOW,
					.broken = true};
}

static void take_run(struct fetch_group *g, uint64_t *groups, uint32_t width, uint32_t length)
{
	if (length <= g->room) {
		g->room -= length;
		return;
	}
	uint32_t more = (length - g->room + width - 1) / width;
	*groups += more;
	g->room += more * width - length;
	g->taken = 0;
}

/* A run ends, at a taken branch or (in [1]) at a line's end. */
static void end_run(struct interval_mix_pass *m, size_t lines, bool taken)
{
	uint32_t length = m->run[lines];
	m->run[lines] = 0;
	for (uint32_t t = 0; t < INTERVAL_FETCH_TAKEN; t++)
		for (size_t w = 0; w < INTERVAL_FETCH_WIDTHS; w++) {
			struct fetch_group *g = &m->groups[lines][t][w];
			take_run(g, &m->fetch.groups[lines][t][w], (uint32_t)interval_fetch_widths[w], length);
			g->taken += taken;
			if (!taken || g->taken > t)
				g->room = 0;
		}
}

static void fetch(struct interval_mix_pass *m, const struct interval_event *e)
{
	uint64_t line = (e->pc + e->length - 1) >> m->line_shift;
	if (!m->broken && line != m->line)
		end_run(m, 1, false);
	m->line = line;
	m->run[0]++;
	m->run[1]++;
	m->broken = e->flags & EVENT_TAKEN;
	if (m->broken) {
		end_run(m, 0, true);
		end_run(m, 1, true);
	}
	m->fetch.instructions++;
}

static void distances(struct interval_mix_pass *m, const struct interval_event *e)
{
	for (size_t i = 0; i < 3; i++) {
		if (!e->rs[i])
			continue;
		uint64_t writer = m->written[e->rs[i]];
		if (writer > m->window)
			m->mix.distance[63 - __builtin_clzll(m->at + 1 - writer)]++;
		else
			m->mix.outside++;
	}
	m->written[e->rd] = m->at + 1;
}

static void begin_window(struct interval_mix_pass *m)
{
	m->window = m->at;
	memset(m->groups, 0, sizeof m->groups);
	memset(m->run, 0, sizeof m->run);
	m->broken = true;
}

static void end_window(struct interval_mix_pass *m)
{
	end_run(m, 0, true);
	end_run(m, 1, true);
}

void interval_mix_count(struct interval_mix_pass *m, const struct riscv_insn *insn, uint64_t times)
{
	struct interval_mix *to = &m->mix;
	to->op[insn->op_class] += times;
	to->branch[insn->branch] += times;
	if (insn->branch && insn->branch != CULPRIT_BRANCH_CONDITIONAL)
		to->taken[insn->branch] += times;
	to->bytes += insn->length * times;
	to->serialising += insn->flags & RISCV_SERIALISING ? times : 0;
	to->at_head += insn->flags & RISCV_AT_HEAD ? times : 0;
	to->sources[!!insn->rs1 + !!insn->rs2 + !!insn->rs3] += times;
}

static void count_taken(struct interval_mix *m, const struct interval_batch *b)
{
	uint64_t taken = 0;
	for (size_t i = 0; i < b->transfer_count; i++)
		taken += b->transfers[i].branch == CULPRIT_BRANCH_CONDITIONAL && b->transfers[i].flags & EVENT_TAKEN;
	m->taken[CULPRIT_BRANCH_CONDITIONAL] += taken;
}

static void push_events(struct interval_mix_pass *m, const struct interval_batch *b)
{
	m->at = b->place;
	for (size_t i = 0; i < b->count; i++) {
		const struct interval_event *e = &b->events[i];
		uint64_t place = m->at % m->period;
		if (place < INTERVAL_WINDOW) {
			if (!place)
				begin_window(m);
			distances(m, e);
			fetch(m, e);
			if (place == INTERVAL_WINDOW - 1)
				end_window(m);
		}
		m->at++;
	}
}

void interval_mix_push(struct interval_mix_pass *m, const struct interval_batch *b)
{
	count_taken(&m->mix, b);
	if (b->detail & DETAIL_SAMPLED)
		push_events(m, b);
}

void interval_mix_restart(struct interval_mix_pass *m)
{
	*m = (struct interval_mix_pass){.line_shift = m->line_shift, .period = m->period, .broken = true};
}

/* paths.c has counted some of the mix. */
void interval_mix_finish(const struct interval_mix_pass *m, struct interval_profile *to)
{
	struct interval_mix_pass last = *m;
	uint64_t forwarded = to->mix.forwarded, loads = to->mix.window_loads;
	end_window(&last);
	to->mix = last.mix;
	to->mix.forwarded = forwarded;
	to->mix.window_loads = loads;
	to->fetch = last.fetch;
}
