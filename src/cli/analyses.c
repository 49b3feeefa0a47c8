#include "cli/analyses.h"

#include <string.h>

#define ANALYSIS(name) extern const struct analysis analysis_##name;
#include "cli/analyses.def"

static const struct analysis *const known[] = {
#define ANALYSIS(name) &analysis_##name,
#include "cli/analyses.def"
	NULL,
};

/* --- one event for all observers --- */

#define FAN(member, ...)                          \
	const struct analyses *a = context;       \
	for (size_t i = 0; i < a->observing; i++) \
		if (a->observers[i].member)       \
	a->observers[i].member(a->observers[i].context, __VA_ARGS__)

static void fan_fetched(void *context, uint64_t cycle, const struct culprit_fetched *f)
{
	FAN(fetched, cycle, f);
}

static void fan_branch_fetched(void *context, uint64_t seq, bool mispredicted, bool wrong_path)
{
	FAN(branch_fetched, seq, mispredicted, wrong_path);
}

static void fan_fetch_missed(void *context, uint64_t seq, uint8_t ilevel, uint8_t itlb_level)
{
	FAN(fetch_missed, seq, ilevel, itlb_level);
}

static void fan_dispatched(void *context, uint64_t cycle, uint64_t seq)
{
	FAN(dispatched, cycle, seq);
}

static void fan_issued(void *context, uint64_t cycle, uint64_t seq, uint64_t completes, uint8_t level, uint8_t tlb)
{
	FAN(issued, cycle, seq, completes, level, tlb);
}

static void fan_load_missed(void *context, uint64_t cycle, uint64_t seq, uint64_t completes, uint8_t level, uint8_t tlb,
			    bool merged)
{
	FAN(load_missed, cycle, seq, completes, level, tlb, merged);
}

static void fan_store_missed(void *context, uint64_t cycle, uint64_t seq, uint8_t level, uint8_t tlb, bool merged)
{
	FAN(store_missed, cycle, seq, level, tlb, merged);
}

static void fan_resolved(void *context, uint64_t cycle, uint64_t seq, bool mispredicted)
{
	FAN(resolved, cycle, seq, mispredicted);
}

static void fan_squashed(void *context, uint64_t cycle, uint64_t first, enum culprit_squash why)
{
	FAN(squashed, cycle, first, why);
}

static void fan_committed(void *context, uint64_t cycle, const struct culprit_record *record)
{
	FAN(committed, cycle, record);
}

static void fan_cycles(void *context, const struct culprit_cycle *cycle)
{
	FAN(cycles, cycle);
}

/* Only what somebody listens to costs anything. */
static void build_fan(struct analyses *a)
{
	a->fan.context = a;
	for (size_t i = 0; i < a->observing; i++) {
		const struct culprit_observer *o = &a->observers[i];
		if (o->fetched)
			a->fan.fetched = fan_fetched;
		if (o->branch_fetched)
			a->fan.branch_fetched = fan_branch_fetched;
		if (o->fetch_missed)
			a->fan.fetch_missed = fan_fetch_missed;
		if (o->load_missed)
			a->fan.load_missed = fan_load_missed;
		if (o->store_missed)
			a->fan.store_missed = fan_store_missed;
		a->fan.issue_waits |= o->issue_waits;
		a->fan.queue_occupancy |= o->queue_occupancy;
		if (o->dispatched)
			a->fan.dispatched = fan_dispatched;
		if (o->issued)
			a->fan.issued = fan_issued;
		if (o->resolved)
			a->fan.resolved = fan_resolved;
		if (o->squashed)
			a->fan.squashed = fan_squashed;
		if (o->committed)
			a->fan.committed = fan_committed;
		if (o->cycles)
			a->fan.cycles = fan_cycles;
	}
}

const struct culprit_observer *analyses_observer(const struct analyses *a)
{
	if (!a->observing)
		return NULL;
	return a->observing == 1 ? &a->observers[0] : &a->fan;
}

/* --- choosing --- */

static bool unknown(const char *name, size_t length, struct error *err)
{
	if ((length == 4 && !strncmp(name, "none", 4)) || (length == 5 && !strncmp(name, "empty", 5)))
		return error_set(err, ERROR_USAGE, "--with: %.*s stands alone", (int)length, name);
	char list[300] = "stack, profile, none, empty";
	for (size_t i = 0; known[i]; i++) {
		strncat(list, ", ", sizeof list - strlen(list) - 1);
		strncat(list, known[i]->name, sizeof list - strlen(list) - 1);
	}
	return error_set(err, ERROR_USAGE, "--with: no analysis '%.*s' (there are %s)", (int)length, name, list);
}

static bool add(struct analyses *a, const char *name, size_t length, const struct analysis_context *context,
		struct error *err)
{
	if ((length == 5 && !strncmp(name, "stack", 5)) || (length == 7 && !strncmp(name, "profile", 7))) {
		a->default_report = a->records = true;
		return true;
	}
	const struct analysis *row = NULL;
	for (size_t i = 0; known[i]; i++)
		if (strlen(known[i]->name) == length && !strncmp(known[i]->name, name, length))
			row = known[i];
	if (!row)
		return unknown(name, length, err);
	for (size_t i = 0; i < a->count; i++)
		if (a->rows[i] == row)
			return error_set(err, ERROR_USAGE, "--with: %s was named twice", row->name);
	void *self = row->create(context, err);
	if (!self)
		return false;
	a->rows[a->count] = row;
	a->selves[a->count++] = self;
	a->records |= row->records != NULL;
	if (row->observer)
		a->observers[a->observing++] = *row->observer(self);
	return true;
}

bool analyses_create(struct analyses *a, const char *list, const struct analysis_context *context, struct error *err)
{
	memset(a, 0, sizeof *a);
	if (list && !strcmp(list, "none"))
		return true;
	if (list && !strcmp(list, "empty")) {
		a->observing = 1; /* observers[0] has no callbacks */
		return true;
	}
	a->default_report = a->records = true;
	while (list) {
		size_t length = strcspn(list, ",");
		TRY(add(a, list, length, context, err));
		list = list[length] ? list + length + 1 : NULL;
	}
	build_fan(a);
	return true;
}

bool analyses_start(struct analyses *a, struct guest *guest, struct error *err)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->rows[i]->start)
			TRY(a->rows[i]->start(a->selves[i], guest, err));
	return true;
}

void analyses_records(struct analyses *a, const struct culprit_record *records, size_t count)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->rows[i]->records)
			a->rows[i]->records(a->selves[i], records, count);
}

bool analyses_finish(struct analyses *a, const struct analysis_totals *totals, struct error *err)
{
	bool good = true;
	for (size_t i = 0; i < a->count; i++) {
		struct error why = {0};
		a->finished[i] = a->rows[i]->finish(a->selves[i], totals, &why);
		if (a->finished[i] || !good)
			continue;
		*err = why;
		good = error_context(err, "%s", a->rows[i]->name);
	}
	return good;
}

void analyses_text(const struct analyses *a, FILE *out)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->finished[i])
			a->rows[i]->text(a->selves[i], out);
}

void analyses_json(const struct analyses *a, json_t *root)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->finished[i])
			a->rows[i]->json(a->selves[i], root);
}

void analyses_destroy(struct analyses *a)
{
	for (size_t i = 0; i < a->count; i++)
		a->rows[i]->destroy(a->selves[i]);
	a->count = 0;
}
