/* XiangShan's PerfCCT: an SQLite database with a row for each instruction that committed. Its columns vary by commit,
 * so they are looked up by name. Two flavours: gem5's has ticks, 0 where a stage was skipped, and DisAsm as text; the
 * RTL's has cycles, columns SN and UopIdx, and DisAsm as the encoding, a number. */
#include "import/perfcct.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define TABLE "LifeTimeCommitTrace"
#define LOADS "LoadLifeTimeCommitTrace"

/* In the order of a row's life. Each time is the first of its columns that the row has. */
static const struct column {
	const char *name;
	int time; /* -1: not a time */
} columns[] = {
	{"ID", -1},
	{"PC", -1},
	{"DisAsm", -1},
	{"UopIdx", -1},
	{"TID", -1},
	{"AtFetch", IMPORT_FETCH},
	{"AtDispQue", IMPORT_DISPATCH},
	{"AtRename", IMPORT_DISPATCH},
	{"AtFU", IMPORT_ISSUE},
	{"AtIssueReadReg", IMPORT_ISSUE},
	{"AtIssueArb", IMPORT_ISSUE},
	{"AtBypassVal", IMPORT_COMPLETE},
	{"AtWriteVal", IMPORT_COMPLETE},
	{"AtCommit", IMPORT_COMMIT},
};
enum { COLUMNS = sizeof columns / sizeof *columns, UOP_INDEX = 3, THREAD = 4, FIRST_TIME = 5 };

struct database {
	struct import_trace *t;
	sqlite3 *handle;
	sqlite3_stmt *rows;
	bool has[COLUMNS];
	int64_t thread; /* of the first row */
};

static bool failed(const struct database *d, struct error *err)
{
	char why[300];						     /* what the file holds is in it, too */
	const bool view = sqlite3_errcode(d->handle) == SQLITE_AUTH; /* tables_alone */
	snprintf(why, sizeof why, "%s",
		 view ? "a view, not a table: it may make rows without end" : sqlite3_errmsg(d->handle));
	import_clean(why);
	return error_set(err, ERROR_INPUT, "%s: %s", d->t->place, why);
}

static bool find_columns(struct database *d, struct error *err)
{
	sqlite3_stmt *info;
	bool any = false;
	if (sqlite3_prepare_v2(d->handle, "PRAGMA table_info(" TABLE ")", -1, &info, NULL) != SQLITE_OK)
		return failed(d, err);
	while (sqlite3_step(info) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(info, 1);
		any = true;
		for (int i = 0; i < COLUMNS; i++)
			d->has[i] |= name && !sqlite3_stricmp(name, columns[i].name);
	}
	sqlite3_finalize(info);
	if (!any)
		return error_set(err, ERROR_INPUT, "%s: no table " TABLE, d->t->place);
	for (int i = 0; i < COLUMNS; i++) {
		const bool needed = !strcmp(columns[i].name, "ID") || !strcmp(columns[i].name, "PC") ||
				    !strcmp(columns[i].name, "AtFetch") || !strcmp(columns[i].name, "AtCommit");
		if (needed && !d->has[i])
			return error_set(err, ERROR_INPUT, "%s: " TABLE " has no column %s", d->t->place,
					 columns[i].name);
	}
	return true;
}

static bool select_rows(struct database *d, struct error *err)
{
	char query[600] = "SELECT ";
	for (int i = 0; i < COLUMNS; i++)
		snprintf(query + strlen(query), sizeof query - strlen(query), "%s%s", i ? ", " : "",
			 d->has[i] ? columns[i].name : "NULL");
	snprintf(query + strlen(query), sizeof query - strlen(query), " FROM " TABLE " ORDER BY ID");
	return sqlite3_prepare_v2(d->handle, query, -1, &d->rows, NULL) == SQLITE_OK || failed(d, err);
}

static bool take_time(struct database *d, struct import_insn *i, int column, struct error *err)
{
	const int type = sqlite3_column_type(d->rows, column);
	if (type == SQLITE_NULL)
		return true;
	const int64_t value = sqlite3_column_int64(d->rows, column);
	if (type != SQLITE_INTEGER || value < 0)
		return import_wrong(d->t, i->number, err, "%s is no time", columns[column].name);
	uint64_t *time = &i->time[columns[column].time];
	/* 0: skipped. Fetch may begin at 0. */
	if (*time == IMPORT_NEVER && (value || columns[column].time == IMPORT_FETCH))
		*time = (uint64_t)value;
	return true;
}

static bool take_row(struct database *d, struct error *err)
{
	struct import_insn *i = import_add(d->t, err);
	TRY(i);
	if (sqlite3_column_type(d->rows, 0) != SQLITE_INTEGER || sqlite3_column_int64(d->rows, 0) < 0)
		return import_wrong(d->t, d->t->count, err, "ID is no number");
	i->number = i->line = (uint64_t)sqlite3_column_int64(d->rows, 0);
	if (sqlite3_column_type(d->rows, 1) != SQLITE_INTEGER)
		return import_wrong(d->t, i->number, err, "PC is no number");
	i->pc = (uint64_t)sqlite3_column_int64(d->rows, 1); /* a negative one is an address above 2^63 */
	const unsigned char *text = sqlite3_column_text(d->rows, 2);
	if (sqlite3_column_type(d->rows, 2) == SQLITE_INTEGER)
		i->bits = (uint32_t)sqlite3_column_int64(d->rows, 2);
	else if (text)
		snprintf(i->text, sizeof i->text, "%s", (const char *)text);
	i->part = sqlite3_column_int64(d->rows, UOP_INDEX) > 0;
	const int64_t thread = sqlite3_column_int64(d->rows, THREAD);
	if (d->t->count == 1)
		d->thread = thread;
	if (thread != d->thread)
		return import_wrong(d->t, i->number, err, "a second thread: %" PRId64 " and %" PRId64, d->thread,
				    thread);
	for (int column = FIRST_TIME; column < COLUMNS; column++)
		TRY(take_time(d, i, column, err));
	return true;
}

static bool take_rows(struct database *d, struct error *err)
{
	int status;
	while ((status = sqlite3_step(d->rows)) == SQLITE_ROW)
		TRY(take_row(d, err));
	if (status != SQLITE_DONE)
		return failed(d, err);
	if (d->has[UOP_INDEX])
		d->t->ticks = d->t->ticks ? d->t->ticks : 1; /* the RTL counts cycles */
	return true;
}

static uint32_t causes(const char *letters)
{
	uint32_t set = 0;
	for (; *letters; letters++)
		set |= *letters == 'C' ? IMPORT_REPLAY_MISS : *letters == 'T' ? IMPORT_REPLAY_TLB : IMPORT_REPLAY_OTHER;
	return set;
}

/* Rows are by ID now. */
static struct import_insn *find_row(const struct import_trace *t, uint64_t number)
{
	size_t low = 0, high = t->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (t->insns[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->count && t->insns[low].number == number ? &t->insns[low] : NULL;
}

/* Why loads were issued again, where the database tells. */
static bool take_loads(struct database *d, struct error *err)
{
	sqlite3_stmt *loads;
	uint64_t strangers = 0;
	int status;
	if (sqlite3_prepare_v2(d->handle, "SELECT ID, ReplayStr FROM " LOADS, -1, &loads, NULL) != SQLITE_OK)
		return true; /* there is no such table */
	d->t->tells_replays = true;
	while ((status = sqlite3_step(loads)) == SQLITE_ROW) {
		struct import_insn *i = find_row(d->t, (uint64_t)sqlite3_column_int64(loads, 0));
		const char *letters = (const char *)sqlite3_column_text(loads, 1);
		strangers += !i;
		if (i && letters)
			i->replayed |= causes(letters);
	}
	sqlite3_finalize(loads);
	if (status != SQLITE_DONE)
		return failed(d, err);
	import_say(d->t, strangers, "{row|rows} of " LOADS " {belongs|belong} to no instruction");
	return true;
}

/* Rows of tables alone: a view may make rows without end. */
static int tables_alone(void *context, int action, const char *a, const char *b, const char *base, const char *view)
{
	return view || action == SQLITE_RECURSIVE ? SQLITE_DENY : SQLITE_OK;
}

static bool read_database(struct database *d, struct error *err)
{
	sqlite3_set_authorizer(d->handle, tables_alone, NULL);
	bool good = find_columns(d, err) && select_rows(d, err) && take_rows(d, err);
	sqlite3_finalize(d->rows);
	return good && take_loads(d, err);
}

bool import_perfcct(struct import_trace *t, const char *path, struct error *err)
{
	struct database d = {.t = t};
	t->unit = "row";
	bool good = sqlite3_open_v2(path, &d.handle, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK;
	good = good ? read_database(&d, err) : failed(&d, err);
	sqlite3_close(d.handle);
	return good;
}

bool import_perfcct_memory(struct import_trace *t, const void *bytes, size_t size, struct error *err)
{
	struct database d = {.t = t};
	t->unit = "row";
	unsigned char *copy = sqlite3_malloc64(size + 1);
	bool good = sqlite3_open_v2(":memory:", &d.handle, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK;
	if (good && copy) {
		memcpy(copy, bytes, size);
		good = sqlite3_deserialize(d.handle, "main", copy, (sqlite3_int64)size, (sqlite3_int64)size,
					   SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) == SQLITE_OK;
	}
	good = good && copy ? read_database(&d, err) : failed(&d, err);
	sqlite3_close(d.handle);
	return good;
}
