/* The critical path, and whether records fit the graph. */
#include "net.h"

#include "analysis/check/check.h"
#include "culprit/critical.h"

static void add_row(struct net_sum *sum, const struct culprit_critical_row *row)
{
	const uint64_t words[] = {row->pc,	   row->executions,   row->path,     row->visits, row->calls,
				  row->watched,	   row->watched_path, row->tied,     row->cost,	  row->saved,
				  row->zero_slack, row->slack_sum,    row->slack_min};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		net_add(sum, words[i]);
	for (unsigned k = 0; k < CULPRIT_CRITICAL_KINDS; k++)
		net_add(sum, row->cycles[k]);
}

static void add_totals(struct net_sum *sum, const struct culprit_critical_totals *t)
{
	const uint64_t words[] = {
		t->instructions, t->cycles,    t->visits, t->watched,	t->watched_path,	  t->tied, t->cost,
		t->zero_slack,	 t->slack_sum, t->seams,  t->seams_off, (uint64_t)t->seam_cycles, t->rows};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		net_add(sum, words[i]);
	for (unsigned k = 0; k < CULPRIT_CRITICAL_KINDS; k++) {
		net_add(sum, t->by_kind[k]);
		net_add(sum, t->hops[k]);
	}
}

static void add_loop(struct net_sum *sum, const struct culprit_critical_loop *loop)
{
	const uint64_t words[] = {loop->first,	loop->end,	    loop->iterations,
				  loop->cycles, loop->chain_cycles, loop->steps};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		net_add(sum, words[i]);
	for (size_t i = 0; i < loop->steps; i++) {
		net_add(sum, loop->chain[i].row);
		net_add(sum, loop->chain[i].next);
		net_add(sum, loop->chain[i].taken);
	}
}

void net_critical(const struct net_stream *s, FILE *out)
{
	struct random_source r = net_random(s, 4);
	struct culprit_critical_params p = {.graph = s->graph};
	struct culprit_critical_totals totals;
	struct culprit_critical_row row;
	struct culprit_critical_loop loop;
	struct net_sum sum = {0};
	const char *why = NULL;
	if (s->number % 3)
		net_graph_params(&p.graph, s, &r);
	p.chunk = net_chance(&r, 70) ? 1 + random_below(&r, 400) : 0;
	p.lookahead = net_chance(&r, 50) ? 1 + random_below(&r, 300) : 0;
	p.watch = random_below(&r, 4);
	struct culprit_critical *c = culprit_critical_create(&p, &why);
	if (c && culprit_critical_push(c, s->records, s->count) && culprit_critical_finish(c, &totals)) {
		add_totals(&sum, &totals);
		for (size_t i = 0; culprit_critical_row(c, i, &row); i++)
			add_row(&sum, &row);
		if (culprit_critical_hottest(c, &loop))
			add_loop(&sum, &loop);
	} else {
		net_add_text(&sum, c ? culprit_critical_error(c) : why);
	}
	culprit_critical_destroy(c);
	net_print(out, &sum);
}

/* --- check --- */

static void add_check_row(struct net_sum *sum, const struct check_row *row)
{
	const uint64_t words[] = {row->node,	  row->kind,	 row->count,	row->cycles,	  row->worst,
				  row->first_seq, row->first_pc, row->worst_pc, row->worst_cycles};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		net_add(sum, words[i]);
	net_add_text(sum, row->first);
	net_add_text(sum, check_node_name(row->node));
}

static void add_check(struct net_sum *sum, struct check *c, culprit_field_set unknown)
{
	struct check_row row;
	struct check_absent absent;
	struct check_value value;
	net_add(sum, check_instructions(c));
	net_add(sum, check_edges(c));
	net_add(sum, check_contradicting(c));
	for (size_t i = 0; check_contradicted(c, i, &row); i++) {
		add_check_row(sum, &row);
		net_add_text(sum, check_rule(&row));
		net_add_text(sum, check_remedy(&row));
	}
	for (size_t i = 0; check_early(c, i, &row); i++) {
		add_check_row(sum, &row);
		net_add_text(sum, check_early_remedy(&row));
	}
	for (size_t i = 0; check_absent(c, unknown, i, &absent); i++) {
		net_add(sum, absent.field);
		net_add(sum, absent.chances);
		net_add_text(sum, absent.words);
	}
	for (size_t i = 0; check_value(c, unknown, i, &value); i++) {
		net_add(sum, value.count);
		net_add(sum, value.asked);
		net_add(sum, value.first_seq);
		net_add(sum, value.first_pc);
		net_add_text(sum, value.name);
		net_add_text(sum, value.rule);
		net_add_text(sum, value.remedy);
	}
}

void net_check(const struct net_stream *s, FILE *out)
{
	struct random_source r = net_random(s, 5);
	struct culprit_graph_params p = s->graph;
	struct net_sum sum = {0};
	struct error err;
	if (s->number % 2)
		net_graph_params(&p, s, &r);
	struct check *c = check_create(&p, &err);
	if (c && check_push(c, s->records, s->count))
		add_check(&sum, c, s->number % 4 ? s->unknown : 0);
	else
		net_add_text(&sum, c ? check_error(c) : err.text);
	check_destroy(c);
	net_print(out, &sum);
}
