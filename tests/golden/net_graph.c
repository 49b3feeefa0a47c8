/* The dependence graph: of the machine as it is; with parameters and classes that no machine file has; refusals; and costs of more
 * causes than one graph takes. */
#include "net.h"

#include "analysis/causes/causes.h"
#include "analysis/check/check.h"
#include "culprit/critical.h"

#include <stdlib.h>
#include <string.h>

/* --- parameters --- */

static void draw_front(struct culprit_graph_params *p, struct random_source *r)
{
	if (net_chance(r, 20))
		p->fetch_asked = 1 + random_below(r, 40);
	if (net_chance(r, 20)) {
		p->decode_insns = 1 + random_below(r, 12);
		p->decode_stages = random_below(r, 6);
	}
	if (net_chance(r, 20))
		p->cracked = random_below(r, 5);
	if (net_chance(r, 15)) {
		p->dispatch_rows = 1;
		p->dispatch_width = p->dispatch_width ? p->dispatch_width : 3;
	}
	if (net_chance(r, 25)) {
		p->recovery = 1 + random_below(r, 30);
		p->recovery_data = net_chance(r, 50);
	}
	if (net_chance(r, 25))
		p->squash_width = 1 + random_below(r, 12);
	if (net_chance(r, 15))
		p->taken_limit = random_below(r, 4);
}

static void draw_window(struct culprit_graph_params *p, struct random_source *r)
{
	if (net_chance(r, 20)) {
		p->regs = 1 + random_below(r, 40);
		p->int_regs = p->fp_regs = 0;
	}
	if (net_chance(r, 25)) {
		p->late_rename = 1;
		p->rename_to_issue = net_chance(r, 50) ? 1 + random_below(r, 4) : 0;
	}
	if (net_chance(r, 25)) {
		p->released += 1 + random_below(r, 50);
		p->rob += 60;
		p->merged_stay = random_below(r, 3);
	}
	for (uint32_t q = 0; q < p->queue_count && net_chance(r, 60); q++)
		p->queue_entries[q] = random_below(r, 30);
	if (net_chance(r, 20))
		p->large = CULPRIT_EVENT_BIT(rob) | (net_chance(r, 50) ? CULPRIT_EVENT_BIT(lsq) : 0);
	if (net_chance(r, 30)) {
		p->window_factor = 1 + random_below(r, 20);
		p->ideal_capacity = 1 + random_below(r, 8);
	}
	p->late_addend = net_chance(r, 20) ? random_below(r, 4) : p->late_addend;
}

static void draw_memory(struct culprit_graph_params *p, struct random_source *r)
{
	if (net_chance(r, 30)) {
		p->mshrs = 1 + random_below(r, net_chance(r, 20) ? 64 : 4);
		p->l1_line = net_chance(r, 80) ? 64 : 0;
		p->l1_prefetches = net_chance(r, 50);
	}
	if (net_chance(r, 25) && p->miss_cycles[CULPRIT_LEVEL_MEMORY]) {
		p->memory_interval = 1 + random_below(r, 40);
		p->memory_latency = random_below(r, p->miss_cycles[CULPRIT_LEVEL_MEMORY]);
	}
	if (net_chance(r, 25)) {
		p->walkers = 1 + random_below(r, 2);
		p->walk_latency = 1 + random_below(r, 60);
		p->page = 4096;
	}
	if (net_chance(r, 30)) {
		p->store_set_entries = 16u << random_below(r, 6);
		p->store_sets = 8u << random_below(r, 4);
		p->store_set_clear = net_chance(r, 50) ? 300 + random_below(r, 2000) : 0;
		p->order_redirect = random_below(r, 12);
		p->check_bytes = net_chance(r, 40) ? 8u << random_below(r, 3) : 0;
	}
	if (net_chance(r, 15))
		p->ordered_loads = !p->ordered_loads;
	if (net_chance(r, 20))
		p->split = 16u << random_below(r, 3);
	if (net_chance(r, 20)) {
		p->load_hit = random_below(r, 5);
		p->forward_latency = random_below(r, 5);
	}
}

static void draw_slots(struct culprit_graph_params *p, struct random_source *r)
{
	p->issue_slots = net_chance(r, 60);
	p->select = net_chance(r, 30) ? CULPRIT_SELECT_RECORDED : CULPRIT_SELECT_OLDEST;
	p->load_turns = net_chance(r, 30);
	p->completion_ports = net_chance(r, 30) ? 1 + random_below(r, 4) : 0;
	if (net_chance(r, 25))
		p->issue_width = 1 + random_below(r, 6);
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++)
		if (net_chance(r, 6))
			p->interval[op] = (uint16_t)random_below(r, net_chance(r, 10) ? 5000 : 40);
	for (uint32_t u = 0; u < p->unit_count; u++)
		if (net_chance(r, 10))
			p->units[u].count = 1 + random_below(r, 3);
	uint16_t *longest = &p->longest[CULPRIT_OP_int_div];
	*longest = net_chance(r, 20) ? (uint16_t)random_below(r, 40) : *longest;
}

/* What came later, from numbers of its own, so that all before is drawn as it was. */
static void draw_later(struct culprit_graph_params *p, struct random_source own)
{
	p->whole_groups = net_chance(&own, 20) || p->whole_groups;
	if (p->l1_line && net_chance(&own, 30))
		p->write_interval = 1 + random_below(&own, 12);
	if (p->whole_groups && p->rob > p->released + 8 && net_chance(&own, 30))
		p->rob_room = random_below(&own, 8);
	p->store_data_apart = net_chance(&own, 30);
}

static culprit_event_set draw_events(struct random_source *r)
{
	culprit_event_set set = 1u << random_below(r, net_chance(r, 60) ? CULPRIT_BASE_EVENTS : CULPRIT_EVENT_COUNT);
	while (net_chance(r, 30))
		set |= 1u << random_below(r, CULPRIT_EVENT_COUNT);
	return set;
}

static void draw_classes(struct culprit_graph_params *p, const struct net_stream *s, struct random_source *r,
			 struct culprit_graph_range ranges[2 * CULPRIT_GRAPH_CLASSES])
{
	p->class_count = 1 + random_below(r, CULPRIT_GRAPH_CLASSES);
	for (uint32_t i = 0; i < p->class_count; i++) {
		struct culprit_graph_class *c = &p->classes[i];
		*c = (struct culprit_graph_class){.events = draw_events(r), .ranges = &ranges[2 * i]};
		c->name[0] = (char)('a' + i);
		c->range_count = net_chance(r, 25) ? 1 + random_below(r, 2) : 0;
		for (size_t n = 0; n < c->range_count; n++) {
			const uint64_t pc = s->records[random_below(r, (uint32_t)s->count)].pc;
			ranges[2 * i + n] = (struct culprit_graph_range){pc, pc + 1 + random_below(r, 1000)};
		}
	}
	p->always = net_chance(r, 25) ? draw_events(r) : 0;
	p->elsewhere = net_chance(r, 25) ? draw_events(r) : 0;
}

/* Where records tell of writes. */
static void draw_writes(struct culprit_graph_params *p, struct random_source *r)
{
	if (!p->store_writes || !net_chance(r, 40))
		return;
	p->posted_writes = 1;
	p->write_buffer = net_chance(r, 70) ? 1 + random_below(r, 24) : 0;
}

void net_graph_params(struct culprit_graph_params *p, const struct net_stream *s, struct random_source *r)
{
	*p = s->graph;
	draw_front(p, r);
	draw_window(p, r);
	draw_memory(p, r);
	draw_slots(p, r);
	draw_later(p, *r);
	draw_writes(p, r);
}

/* --- results --- */

static void add_results(struct net_sum *sum, const struct culprit_graph_results *g)
{
	net_add(sum, g->instructions);
	net_add(sum, g->recorded_cycles);
	net_add(sum, g->class_count);
	net_add(sum, g->wide);
	for (unsigned set = 0; set < 1u << g->class_count; set++) {
		net_add(sum, g->time[set]);
		net_add(sum, (uint64_t)g->cost[set]);
		net_add(sum, (uint64_t)g->icost[set]);
	}
	for (uint32_t i = 0; i < g->class_count; i++) {
		net_add_text(sum, g->names[i]);
		net_add_real(sum, g->shapley[i]);
	}
}

/* In pieces, with a look at the results in the middle. */
static struct net_sum run(const struct culprit_graph_params *p, const struct net_stream *s, struct random_source *r)
{
	static struct culprit_graph_results results;
	struct net_sum sum = {0};
	const char *why = NULL;
	struct culprit_graph *g = culprit_graph_create(p, &why);
	if (!g) {
		net_add_text(&sum, why);
		return sum;
	}
	for (size_t i = 0, n; i < s->count; i += n) {
		n = 1 + random_below(r, 400);
		n = n < s->count - i ? n : s->count - i;
		if (!culprit_graph_push(g, s->records + i, n))
			break;
		if (net_chance(r, 5) && culprit_graph_finish(g, &results))
			add_results(&sum, &results);
	}
	if (culprit_graph_finish(g, &results))
		add_results(&sum, &results);
	else
		net_add_text(&sum, culprit_graph_error(g));
	culprit_graph_destroy(g);
	return sum;
}

static bool may_have_slots(const struct net_stream *s)
{
	return s->graph.unit_count && !(s->unknown & CULPRIT_FIELD_BIT(units));
}

void net_graph(const struct net_stream *s, FILE *out)
{
	struct random_source r = net_random(s, 1);
	struct culprit_graph_range ranges[2 * CULPRIT_GRAPH_CLASSES];
	struct culprit_graph_params p = s->graph;
	struct net_sum sum;
	p.issue_slots = s->number % 4 < 2 && may_have_slots(s);
	p.kernel = s->number % 3 ? NULL : "portable";
	sum = run(&p, s, &r);
	net_print(out, &sum);
	net_graph_params(&p, s, &r);
	p.processors = net_chance(&r, 20) ? 2 + random_below(&r, 2) : 0;
	sum = run(&p, s, &r);
	net_print(out, &sum);
	net_graph_params(&p, s, &r);
	draw_classes(&p, s, &r, ranges);
	p.kernel = net_chance(&r, 50) ? NULL : "portable";
	sum = run(&p, s, &r);
	net_print(out, &sum);
}

/* --- refusals --- */

static void damage(struct culprit_record *r, struct random_source *random)
{
	const uint32_t which = random_below(random, 3), more = random_below(random, 190);
	switch (random_below(random, 19)) {
	case 0:
		r->producer[which] = (uint32_t)r->seq + 1 + more % 3;
		break;
	case 1:
		r->primary_miss = (uint32_t)r->seq + 1;
		break;
	case 2:
		r->mem_producer = r->order_waited = (uint32_t)r->seq + 1;
		break;
	case 3:
		r->previous_holder = UINT32_MAX;
		break;
	case 4:
		r->ready = r->dispatch - 1;
		break;
	case 5:
		r->issue = r->ready - 1;
		break;
	case 6:
		r->complete = r->issue - 1;
		break;
	case 7:
		r->commit = r->complete - 1;
		break;
	case 8:
		r->dispatch = r->fetch - 1;
		break;
	case 9:
		r->fetch = r[-1].fetch - 1;
		break;
	case 10:
		r->seq += random_below(random, 2) ? 1 : UINT64_MAX;
		break;
	case 11:
		r->op_class = (uint8_t)(CULPRIT_OP_COUNT + random_below(random, 2));
		break;
	case 12:
		r->dest = (uint8_t)(65 + random_below(random, 2));
		break;
	case 13:
		r->exec_latency++;
		r->flags |= CULPRIT_LOAD;
		break;
	case 14:
		r->imiss = (uint32_t)r->fetch + 1;
		break;
	case 15:
		r->stray_wait = (uint16_t)(r->imiss + 1);
		break;
	case 16:
		r->port_wait = (uint16_t)(r->exec_latency + 1);
		break;
	case 17:
		r->flags &= (uint16_t)~CULPRIT_LOAD; /* whose latency would have to be the sum of its parts */
		r->issue = r->complete = r->commit = UINT64_MAX / 2;
		break;
	default:
		*(which == 0   ? &r->rob_entries
		  : which == 1 ? &r->commit_slots
			       : &r->dispatch_slots) = (uint8_t)(65 + more);
	}
}

static void refuse(struct net_sum *sum, const struct culprit_graph_params *graph, const struct culprit_record *r,
		   size_t n)
{
	struct error err;
	struct culprit_critical_totals totals;
	const struct culprit_critical_params params = {.graph = *graph, .chunk = 64, .lookahead = 64};
	struct culprit_graph *g = culprit_graph_create(graph, NULL);
	struct culprit_critical *c = culprit_critical_create(&params, NULL);
	struct check *k = check_create(graph, &err);
	if (g && c && k) {
		net_add(sum, culprit_graph_push(g, r, n));
		net_add_text(sum, culprit_graph_error(g));
		net_add(sum, culprit_critical_push(c, r, n) && culprit_critical_finish(c, &totals));
		net_add_text(sum, culprit_critical_error(c));
		net_add(sum, check_push(k, r, n));
		net_add_text(sum, check_error(k));
	}
	culprit_graph_destroy(g);
	culprit_critical_destroy(c);
	check_destroy(k);
}

void net_refused(const struct net_stream *s, FILE *out)
{
	enum { SOME = 40, TIMES = 6 };
	struct random_source r = net_random(s, 2);
	struct culprit_graph_params p = s->graph;
	struct culprit_record some[SOME];
	struct net_sum sum = {0};
	p.class_count = 1;
	p.issue_slots = false;
	p.kernel = "portable";
	for (unsigned i = 0; i < TIMES; i++) {
		memcpy(some, s->records, sizeof some);
		damage(&some[1 + random_below(&r, SOME - 1)], &r);
		refuse(&sum, &p, some, SOME);
	}
	net_print(out, &sum);
}

/* --- causes --- */

static const culprit_event_set causes[] = {
	CULPRIT_EVENT_BIT(dl1),	 CULPRIT_EVENT_BIT(bw),	  CULPRIT_EVENT_BIT(bmisp), CULPRIT_EVENT_BIT(shalu),
	CULPRIT_EVENT_BIT(rob),	 CULPRIT_EVENT_BIT(iq),	  CULPRIT_EVENT_BIT(lsq),   CULPRIT_EVENT_BIT(dl2),
	CULPRIT_EVENT_BIT(dmem), CULPRIT_EVENT_BIT(dtlb), CULPRIT_EVENT_BIT(il2),   CULPRIT_EVENT_BIT(mul),
	CULPRIT_EVENT_BIT(div),	 CULPRIT_EVENT_BIT(slow), CULPRIT_EVENT_BIT(imem),  CULPRIT_EVENT_BIT(regs),
};

static void add_causes(struct net_sum *sum, const struct causes_results *x)
{
	const uint64_t words[] = {x->count, x->passes, x->samples, x->time, x->rest, x->apart};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		net_add(sum, words[i]);
	for (uint32_t i = 0; i < x->count; i++) {
		net_add_text(sum, x->names[i]);
		net_add(sum, (uint64_t)x->cost[i]);
		net_add_real(sum, x->shapley[i]);
		net_add_real(sum, x->error[i]);
		net_add_real(sum, causes_half_interval(x->error[i], x->samples));
		for (uint32_t j = 0; j < x->count; j++) {
			net_add(sum, (uint64_t)x->icost[i][j]);
			net_add_real(sum, x->samples ? 0 : x->interaction[i][j]);
		}
	}
	for (uint32_t set = 0; x->times && set < 1u << x->count; set++)
		net_add(sum, x->times[set]);
}

void net_causes(const struct net_stream *s, FILE *out)
{
	static struct causes_results results;
	struct random_source r = net_random(s, 3);
	struct causes_params p = {.graph = s->graph};
	struct net_sum sum = {0};
	const char *why = NULL;
	if (s->number % 7) {
		fprintf(out, " %8s", "-");
		return;
	}
	p.graph.issue_slots = net_chance(&r, 30) && may_have_slots(s);
	p.count = 1 + random_below(&r, CAUSES_MOST);
	for (uint32_t i = 0, from = random_below(&r, CAUSES_MOST); i < p.count; i++) {
		p.causes[i].events = causes[(i + from) % CAUSES_MOST];
		p.causes[i].name[0] = (char)('a' + i);
	}
	p.passes = 12 + random_below(&r, 14);
	p.threads = random_below(&r, 3);
	p.seed = random_next(&r);
	p.sample = net_chance(&r, 30);
	struct causes *c = causes_create(&p, &why);
	if (c) {
		causes_push(c, s->records, 150);
		causes_push(c, s->records + 150, 150);
		why = causes_finish(c, &results);
	}
	net_add_text(&sum, why);
	if (!why)
		add_causes(&sum, &results);
	causes_destroy(c);
	net_print(out, &sum);
}
