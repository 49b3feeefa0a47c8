#include "sweep/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* "culp", so that no other program's file is taken for one, and the version of the tables. */
enum { APPLICATION = 0x63756c70, VERSION = 1 };

static const char schema[] =
	"CREATE TABLE result (id TEXT PRIMARY KEY, instructions INTEGER NOT NULL, cycles INTEGER NOT NULL,"
	" exit_status INTEGER, host_seconds REAL, finished TEXT NOT NULL, json TEXT NOT NULL);\n"
	"CREATE TABLE cause (id TEXT NOT NULL REFERENCES result(id), position INTEGER NOT NULL, name TEXT NOT NULL,"
	" cycles INTEGER NOT NULL, PRIMARY KEY (id, name));\n"
	"CREATE TABLE plan (key TEXT PRIMARY KEY, value TEXT);\n"
	"CREATE TABLE point (number INTEGER PRIMARY KEY, machine TEXT NOT NULL, program TEXT NOT NULL,"
	" region TEXT NOT NULL, reference INTEGER NOT NULL, is_default INTEGER NOT NULL, id TEXT NOT NULL,"
	" command TEXT NOT NULL, trouble TEXT);\n"
	"CREATE TABLE setting (number INTEGER NOT NULL REFERENCES point(number), position INTEGER NOT NULL,"
	" axis TEXT NOT NULL,"
	" value TEXT NOT NULL, is_default INTEGER NOT NULL, PRIMARY KEY (number, axis));\n"
	"CREATE VIEW run AS SELECT p.number, p.machine, p.program, p.region,"
	" (SELECT group_concat(text, ', ') FROM (SELECT axis || '=' || value AS text FROM setting s"
	" WHERE s.number = p.number ORDER BY position)) AS settings,"
	" p.is_default, r.instructions, r.cycles, 1.0 * r.instructions / r.cycles AS ipc,"
	" 1.0 * r.cycles / r.instructions AS cpi, 1.0 * f.cycles / r.cycles AS speedup, p.reference, p.id,"
	" p.command, p.trouble"
	" FROM point p LEFT JOIN result r ON r.id = p.id"
	" LEFT JOIN point q ON q.number = p.reference LEFT JOIN result f ON f.id = q.id;\n"
	"CREATE VIEW stack AS SELECT p.number, c.name AS cause, c.cycles,"
	" 1.0 * c.cycles / r.instructions AS cpi, 100.0 * c.cycles / r.cycles AS percent"
	" FROM point p JOIN result r ON r.id = p.id JOIN cause c ON c.id = p.id ORDER BY p.number, c.position;\n";

struct sweep_store {
	sqlite3 *db;
	int lock;  /* the file itself, held by flock: -1 = none */
	bool made; /* it was not there before, and this one holds it */
	char path[4096];
};

static bool sql_error(const struct sweep_store *s, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "%s: %s", s->path, s->db ? sqlite3_errmsg(s->db) : "out of memory");
}

static bool run_sql(struct sweep_store *s, const char *sql, struct error *err)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || sql_error(s, err);
}

/* --- statements --- */

/* Bound by the letters of `types`: t text (NULL: null), i integer, r real. */
static bool bind(sqlite3_stmt *q, const char *types, va_list args)
{
	int good = SQLITE_OK;
	for (int i = 1; *types; types++, i++) {
		if (*types == 't')
			good |= sqlite3_bind_text(q, i, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
		else if (*types == 'i')
			good |= sqlite3_bind_int64(q, i, va_arg(args, sqlite3_int64));
		else
			good |= sqlite3_bind_double(q, i, va_arg(args, double));
	}
	return good == SQLITE_OK;
}

/* A statement that returns nothing. */
static bool change(struct sweep_store *s, struct error *err, const char *sql, const char *types, ...)
{
	sqlite3_stmt *q = NULL;
	va_list args;
	va_start(args, types);
	bool good = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK && bind(q, types, args) &&
		    sqlite3_step(q) == SQLITE_DONE;
	va_end(args);
	if (!good)
		sql_error(s, err);
	sqlite3_finalize(q);
	return good;
}

static bool number_of(struct sweep_store *s, const char *sql, sqlite3_int64 *number, struct error *err)
{
	sqlite3_stmt *q = NULL;
	bool good = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW;
	if (good)
		*number = sqlite3_column_int64(q, 0);
	else
		sql_error(s, err);
	sqlite3_finalize(q);
	return good;
}

/* --- opening --- */

/* Not removed in between by the one that had it. */
static bool is_at_path(const struct sweep_store *s)
{
	struct stat held, there;
	return !fstat(s->lock, &held) && !stat(s->path, &there) && held.st_dev == there.st_dev &&
	       held.st_ino == there.st_ino;
}

static bool lock(struct sweep_store *s, struct error *err)
{
	s->lock = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	const bool made = s->lock >= 0;
	if (!made) /* there, or a link to where it is to be */
		s->lock = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (s->lock < 0)
		return error_set(err, ERROR_SYSTEM, "%s: cannot write: %s", s->path, strerror(errno));
	const bool locked = !flock(s->lock, LOCK_EX | LOCK_NB) && is_at_path(s);
	s->made = locked && made;
	if (locked)
		return true;
	return error_set(err, ERROR_SYSTEM, "%s: another sweep is writing to it", s->path);
}

static bool check_kind(struct sweep_store *s, struct error *err)
{
	sqlite3_int64 application, version, tables;
	TRY(number_of(s, "SELECT count(*) FROM sqlite_master", &tables, err));
	TRY(number_of(s, "PRAGMA application_id", &application, err));
	TRY(number_of(s, "PRAGMA user_version", &version, err));
	if (tables && application != APPLICATION)
		return error_set(err, ERROR_INPUT, "%s: an SQLite file, but not of culprit sweep", s->path);
	if (tables && version != VERSION)
		return error_set(err, ERROR_INPUT, "%s: made by another version of culprit (layout %lld, not %d)",
				 s->path, (long long)version, VERSION);
	if (tables)
		return true;
	char mark[80];
	snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, VERSION);
	return run_sql(s, "BEGIN", err) && run_sql(s, schema, err) && run_sql(s, mark, err) &&
	       run_sql(s, "COMMIT", err);
}

static bool open_all(struct sweep_store *s, struct error *err)
{
	TRY(lock(s, err));
	if (sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
		return sql_error(s, err);
	sqlite3_busy_timeout(s->db, 10000); /* somebody else may be reading */
	return check_kind(s, err);
}

struct sweep_store *sweep_store_open(const char *path, struct error *err)
{
	struct sweep_store *s = calloc(1, sizeof *s);
	if (!s) {
		error_set(err, ERROR_SYSTEM, "out of memory for %s", path);
		return NULL;
	}
	s->lock = -1;
	if ((size_t)snprintf(s->path, sizeof s->path, "%s", path) < sizeof s->path
		    ? open_all(s, err)
		    : error_set(err, ERROR_USAGE, "%.60s...: path too long", path))
		return s;
	sweep_store_close(s, false);
	return NULL;
}

bool sweep_store_useless(struct sweep_store *s)
{
	struct error unused;
	sqlite3_int64 results = 1;
	return s->made && s->db && number_of(s, "SELECT count(*) FROM result", &results, &unused) && !results;
}

/* Removed before the lock goes, so that no other sweep has begun with it. */
void sweep_store_close(struct sweep_store *s, bool keep)
{
	if (!s)
		return;
	const bool useless = !keep && sweep_store_useless(s);
	sqlite3_close(s->db);
	if (useless)
		unlink(s->path);
	if (s->lock >= 0)
		close(s->lock);
	free(s);
}

/* --- the plan --- */

static bool put_settings(struct sweep_store *s, const struct sweep_plan *p, const struct sweep_point *x,
			 sqlite3_int64 number, struct error *err)
{
	for (uint32_t a = 0; a < p->axis_count; a++)
		TRY(change(s, err, "INSERT INTO setting VALUES (?, ?, ?, ?, ?)", "iitti", number, (sqlite3_int64)a,
			   p->axes[a].name, p->axes[a].values[x->values[a]].name, (sqlite3_int64)x->own[a]));
	return true;
}

static bool put_point(struct sweep_store *s, const struct sweep_plan *p, const struct sweep_points *points, uint32_t i,
		      struct error *err)
{
	const struct sweep_point *x = &points->all[i];
	const sqlite3_int64 number = i + 1;
	char *command = sweep_command(x);
	bool good = command &&
		    change(s, err, "INSERT INTO point VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)", "itttiitt", number,
			   p->machines.items[x->machine], p->programs[x->program].name, p->regions[x->region].name,
			   (sqlite3_int64)x->reference + 1, (sqlite3_int64)(x->reference == i), x->id, command);
	if (!command)
		error_set(err, ERROR_SYSTEM, "out of memory for the plan");
	free(command);
	return good && put_settings(s, p, x, number, err);
}

static bool put_plan(struct sweep_store *s, const struct sweep_plan *p, const struct sweep_points *points,
		     struct error *err)
{
	TRY(run_sql(s, "DELETE FROM setting; DELETE FROM point; DELETE FROM plan", err));
	TRY(change(s, err, "INSERT INTO plan VALUES ('title', ?), ('plan', ?), ('version', ?)", "ttt", p->title,
		   p->place, CULPRIT_VERSION));
	for (uint32_t i = 0; i < points->count; i++)
		TRY(put_point(s, p, points, i, err));
	return true;
}

bool sweep_store_plan(struct sweep_store *s, const struct sweep_plan *p, const struct sweep_points *points,
		      struct error *err)
{
	TRY(run_sql(s, "BEGIN IMMEDIATE", err));
	bool good = put_plan(s, p, points, err) && run_sql(s, "COMMIT", err);
	if (!good)
		run_sql(s, "ROLLBACK", NULL);
	return good;
}

bool sweep_store_fail(struct sweep_store *s, uint32_t point, const char *why, struct error *err)
{
	return change(s, err, "UPDATE point SET trouble = ? WHERE number = ?", "ti", why, (sqlite3_int64)point + 1);
}

/* --- results --- */

static bool put_causes(struct sweep_store *s, const char *id, const json_t *causes, struct error *err)
{
	const char *name;
	json_t *cycles;
	sqlite3_int64 position = 0;
	json_object_foreach((json_t *)causes, name, cycles)
		TRY(change(s, err, "INSERT INTO cause VALUES (?, ?, ?, ?)", "titi", id, position++, name,
			   (sqlite3_int64)json_integer_value(cycles)));
	return true;
}

static bool put_result(struct sweep_store *s, const char *id, const json_t *r, const char *text, struct error *err)
{
	const json_t *status = json_object_get(r, "exit_status");
	char number[24] = "";
	if (json_is_integer(status))
		snprintf(number, sizeof number, "%lld", (long long)json_integer_value(status));
	TRY(change(
		s, err,
		"INSERT INTO result VALUES (?, ?, ?, CAST(? AS INTEGER), ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?)",
		"tiitrt", id, (sqlite3_int64)json_integer_value(json_object_get(r, "instructions")),
		(sqlite3_int64)json_integer_value(json_object_get(r, "cycles")), *number ? number : NULL,
		json_number_value(json_object_get(r, "host_seconds")), text));
	return put_causes(s, id, json_object_get(r, "causes"), err);
}

/* An interrupted run's figures are of a part. */
static bool is_whole(const json_t *r)
{
	return json_is_true(json_object_get(r, "complete")) && json_integer_value(json_object_get(r, "cycles")) > 0 &&
	       json_integer_value(json_object_get(r, "instructions")) > 0;
}

bool sweep_store_put(struct sweep_store *s, const char *id, const json_t *r, struct error *err)
{
	err->code = ERROR_NONE;
	if (!is_whole(r))
		return false;
	char *text = json_dumps(r, JSON_COMPACT);
	bool good = text ? run_sql(s, "BEGIN IMMEDIATE", err)
			 : error_set(err, ERROR_SYSTEM, "out of memory for a result");
	if (good) {
		good = put_result(s, id, r, text, err) && run_sql(s, "COMMIT", err);
		if (!good)
			run_sql(s, "ROLLBACK", NULL);
	}
	free(text);
	return good;
}

/* --- reading --- */

static void take_cause(struct sweep_result *r, sqlite3_stmt *q)
{
	const char *name = (const char *)sqlite3_column_text(q, 3);
	if (!name || r->cause_count == SWEEP_CAUSES)
		return;
	snprintf(r->causes[r->cause_count].name, sizeof r->causes[0].name, "%s", name);
	r->causes[r->cause_count++].cycles = (uint64_t)sqlite3_column_int64(q, 4);
}

static void take_row(struct sweep_result *r, sqlite3_stmt *q)
{
	r->known = true;
	r->instructions = (uint64_t)sqlite3_column_int64(q, 0);
	r->cycles = (uint64_t)sqlite3_column_int64(q, 1);
	r->exit_status = sqlite3_column_type(q, 2) == SQLITE_NULL ? -1 : sqlite3_column_int(q, 2);
	const char *signal = (const char *)sqlite3_column_text(q, 5);
	const char *reason = (const char *)sqlite3_column_text(q, 6);
	if (signal)
		snprintf(r->killed, sizeof r->killed, "killed by %s: %s", signal,
			 reason ? reason : "no reason recorded");
	take_cause(r, q);
}

bool sweep_store_get(struct sweep_store *s, const char *id, struct sweep_result *r, struct error *err)
{
	static const char sql[] = "SELECT r.instructions, r.cycles, r.exit_status, c.name, c.cycles,"
				  " json_extract(r.json, '$.killed.name'), json_extract(r.json, '$.killed.reason')"
				  " FROM result r LEFT JOIN cause c ON c.id = r.id WHERE r.id = ? ORDER BY c.position";
	sqlite3_stmt *q = NULL;
	int step = SQLITE_ERROR;
	*r = (struct sweep_result){0};
	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK &&
	    sqlite3_bind_text(q, 1, id, -1, SQLITE_TRANSIENT) == SQLITE_OK)
		while ((step = sqlite3_step(q)) == SQLITE_ROW)
			take_row(r, q);
	if (step != SQLITE_DONE)
		sql_error(s, err);
	sqlite3_finalize(q);
	return step == SQLITE_DONE;
}
