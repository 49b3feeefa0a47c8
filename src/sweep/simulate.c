/* Points through the back end into the store. A result is written to a file of its own, which appears whole or not
 * at all, then goes into the store, and then the file goes. So a sweep that is killed loses only what was being
 * simulated: what lies in the folder is taken first by the next one. */
#include "sweep/sweep.h"

#include "report/format.h"
#include "report/terminal.h"
#include "run/progress.h"
#include "sweep/backend.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void result_path(const struct sweep *s, uint32_t point, char path[4300])
{
	snprintf(path, 4300, "%s/%s.json", s->folder, s->points.all[point].id);
}

static void ahead_path(const struct sweep *s, uint32_t point, char path[4300])
{
	snprintf(path, 4300, "%s/%s.ckpt", s->folder, s->points.all[point].ahead_id);
}

/* --- results into the store --- */

/* *whole: it was there, and counts. */
static bool take_file(struct sweep *s, const char *id, const char *path, bool *whole, struct error *err)
{
	json_t *root = NULL;
	struct error why = {0};
	*whole = false;
	if (access(path, F_OK))
		return true;
	if (format_read_json(&root, path, &why)) {
		*whole = sweep_store_put(s->store, id, root, &why);
		json_decref(root);
		if (!*whole && why.code) {
			*err = why;
			return false;
		}
	}
	return !unlink(path) || error_set(err, ERROR_SYSTEM, "%s: cannot remove: %s", path, strerror(errno));
}

static bool load(struct sweep *s, uint32_t point, struct error *err)
{
	return sweep_store_get(s->store, s->points.all[point].id, &s->results[point], err);
}

static bool is_checkpoint(const char *name)
{
	size_t length = strlen(name);
	return length > 5 && !strcmp(name + length - 5, ".ckpt");
}

/* Of a sweep that was killed: results that had not got into the store, and halves. */
static bool take_left(struct sweep *s, const char *name, struct error *err)
{
	char path[4600], id[SWEEP_ID] = "";
	bool whole;
	struct sweep_result known;
	snprintf(path, sizeof path, "%s/%.255s", s->folder, name);
	if (strlen(name) == SWEEP_ID - 1 + 5 && !strcmp(name + SWEEP_ID - 1, ".json"))
		memcpy(id, name, SWEEP_ID - 1);
	if (*id) {
		TRY(sweep_store_get(s->store, id, &known, err));
		if (!known.known)
			return take_file(s, id, path, &whole, err);
	} else if (s->jobs_alive || (s->goes_on && is_checkpoint(name)))
		return true;
	unlink(path);
	return true;
}

static bool take_all_left(struct sweep *s, struct error *err)
{
	DIR *folder = opendir(s->folder);
	bool good = true;
	struct dirent *entry;
	while (folder && good && (entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			good = take_left(s, entry->d_name, err);
	if (folder)
		closedir(folder);
	return good;
}

static bool prepare(struct sweep *s, struct error *err)
{
	s->results = calloc(s->points.count, sizeof *s->results);
	s->troubles = calloc(s->points.count, sizeof *s->troubles);
	if (!s->results || !s->troubles)
		return error_set(err, ERROR_SYSTEM, "out of memory for the sweep's results");
	if (mkdir(s->folder, 0777) && errno != EEXIST)
		return error_set(err, ERROR_SYSTEM, "%s: cannot make this folder: %s", s->folder, strerror(errno));
	s->jobs_alive = s->slurm; /* perhaps */
	s->goes_on = true;
	if (!s->slurm && sweep_slurm_has(s->folder))
		return error_set(
			err, ERROR_USAGE,
			"%s: points of this sweep were handed to Slurm: go on with --slurm, or cancel the jobs and "
			"remove this folder",
			s->folder);
	TRY(sweep_store_plan(s->store, &s->plan, &s->points, err));
	TRY(take_all_left(s, err));
	for (uint32_t i = 0; i < s->points.count; i++)
		TRY(load(s, i, err));
	return true;
}

/* --- running --- */

struct running {
	struct sweep *s;
	struct sweep_backend backend;
	uint32_t next, wanted, ended; /* next: the first that may have to be started */
	size_t alive;
	bool ahead; /* at hand: the checkpoints of what points skip, and not yet the points */
	double started, drawn;
	bool shown;
};

static bool is_wanted(const struct sweep *s, uint32_t point)
{
	return !s->results[point].known && s->points.all[point].same == point;
}

static bool skips_same(const struct sweep *s, uint32_t a, uint32_t b)
{
	return !strcmp(s->points.all[a].ahead_id, s->points.all[b].ahead_id);
}

/* The first of several that are to be simulated and skip the same. Whose output is heard has to run what it skips. */
static bool wants_ahead(const struct sweep *s, uint32_t point)
{
	char path[4300];
	uint32_t other = point + 1;
	if (!*s->points.all[point].ahead_id || s->heard || !is_wanted(s, point))
		return false;
	for (uint32_t i = 0; i < point; i++)
		if (skips_same(s, i, point) && is_wanted(s, i))
			return false;
	while (other < s->points.count && !(skips_same(s, other, point) && is_wanted(s, other)))
		other++;
	ahead_path(s, point, path);
	return other < s->points.count && access(path, F_OK) != 0;
}

static bool start_some(struct running *r, struct error *err)
{
	struct sweep *s = r->s;
	char path[4300], ahead[4300];
	for (; r->next < s->points.count && r->alive < r->backend.at_once; r->next++) {
		const struct sweep_point *x = &s->points.all[r->next];
		if (!(r->ahead ? wants_ahead(s, r->next) : is_wanted(s, r->next)))
			continue;
		result_path(s, r->next, path);
		ahead_path(s, r->next, ahead);
		bool from = !r->ahead && *x->ahead_id && !s->heard && !access(ahead, F_OK);
		const struct sweep_task task = {.number = r->next,
						.words = r->ahead ? x->ahead.items : x->words.items,
						.result = r->ahead ? ahead : path,
						.input = s->plan.programs[x->program].input,
						.ahead = from ? ahead : NULL,
						.heard = s->heard && !r->next};
		TRY(r->backend.start(r->backend.state, &task, err));
		r->alive++;
	}
	return true;
}

static bool end_of(struct running *r, const struct sweep_end *end, struct error *err)
{
	struct sweep *s = r->s;
	char path[4300];
	bool whole;
	if (r->ahead) { /* without it, points execute what they skip */
		r->alive--;
		return true;
	}
	result_path(s, end->number, path);
	TRY(take_file(s, s->points.all[end->number].id, path, &whole, err));
	r->alive--;
	r->ended++;
	if (whole)
		return load(s, end->number, err);
	char why[SWEEP_LAST_WORDS + 40];
	snprintf(why, sizeof why, "%s", *end->said ? end->said : "");
	if (!*why)
		snprintf(why, sizeof why, "no result, status %d", end->status);
	s->troubles[end->number] = strdup(why);
	return sweep_store_fail(s->store, end->number, why, err);
}

static void draw(struct running *r)
{
	double now = progress_clock();
	char line[160], left[40] = "";
	if (!r->shown || now - r->drawn < 0.2 || now - r->started < 0.5)
		return;
	r->drawn = now;
	double rate = r->ended / (now - r->started), seconds = rate > 0 ? (r->wanted - r->ended) / rate : 0;
	if (rate > 0)
		snprintf(left, sizeof left, ", about %d:%02d left", (int)seconds / 60, (int)seconds % 60);
	snprintf(line, sizeof line, "%u of %u points%s", r->ended, r->wanted, left);
	terminal_progress(line, stderr);
}

static bool run_all(struct running *r, struct error *err)
{
	while (!interrupt_seen()) {
		struct sweep_end end;
		TRY(start_some(r, err));
		if (!r->alive)
			return true;
		bool ended = false;
		TRY(r->backend.wait(r->backend.state, &end, &ended, err));
		if (ended)
			TRY(end_of(r, &end, err));
		draw(r);
	}
	return true;
}

/* Points that are the same simulation as an earlier one, and what ended just before an interruption. */
static bool load_rest(struct sweep *s, struct error *err)
{
	for (uint32_t i = 0; i < s->points.count; i++) {
		const char *trouble = s->troubles[s->points.all[i].same];
		if (!s->results[i].known)
			TRY(load(s, i, err));
		if (trouble && !s->troubles[i])
			s->troubles[i] = strdup(trouble);
		if (s->results[i].known && *s->results[i].killed)
			TRY(sweep_store_fail(s->store, i, s->results[i].killed, err));
	}
	return true;
}

bool sweep_simulate(struct sweep *s, struct error *err)
{
	struct running r = {.s = s, .started = progress_clock(), .shown = !s->quiet && isatty(STDERR_FILENO)};
	TRY(prepare(s, err));
	TRY(s->slurm ? sweep_slurm(&r.backend, s->at_once, s->folder, err) : sweep_local(&r.backend, s->at_once, err));
	for (uint32_t i = 0; i < s->points.count; i++)
		r.wanted += is_wanted(s, i);
	r.ahead = true;
	bool good = run_all(&r, err);
	r.ahead = false;
	r.next = 0;
	good = good && run_all(&r, err);
	r.backend.destroy(r.backend.state);
	if (r.drawn > 0)
		fputs("\r\033[K", stderr);
	struct error second;
	s->jobs_alive = s->slurm && r.alive;
	s->goes_on = interrupt_seen();
	good = take_all_left(s, good ? err : &second) && good; /* halves of what was stopped */
	rmdir(s->folder);
	return good && load_rest(s, err);
}

void sweep_destroy(struct sweep *s)
{
	for (uint32_t i = 0; s->troubles && i < s->points.count; i++)
		free(s->troubles[i]);
	free(s->troubles);
	free(s->results);
	sweep_unfill(s);
	sweep_store_close(s->store, s->slurm); /* whose jobs may still bring results */
	sweep_points_destroy(&s->points);
	sweep_plan_destroy(&s->plan);
	*s = (struct sweep){0};
}
