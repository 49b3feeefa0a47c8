/* Tasks as Slurm's arrays of jobs. They outlive this process, so all that is known of them lies in the sweep's folder
 * (slurm_folder.h). Another process takes over what waits or runs, by the lists there and by squeue. */
#include "sweep/backend.h"

#include "run/progress.h"
#include "run/session.h"
#include "sweep/points.h"
#include "sweep/slurm_folder.h"
#include "sweep/slurm_queue.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum {
	ARRAY_MOST = 1000,   /* Slurm's own limit is 1001 if nobody changed it */
	LOOK_SECONDS = 5,    /* from one squeue to the next */
	GONE_LOOKS = 3,	     /* that long a result may take to be seen by this host */
	SILENT_SECONDS = 600 /* that Slurm may not answer */
};

struct job {
	char id[SWEEP_ID], list[40];
	uint32_t number, task; /* task 0: not handed in yet */
	char *command;
	char state[32]; /* Slurm's last word */
	unsigned gone;	/* looks at the queue in which it was not alive */
	bool alive, seen;
};

struct slurm {
	char folder[PATH_MAX], program[PATH_MAX], cwd[PATH_MAX];
	struct job *jobs, *adopted; /* adopted: those of an earlier process that are alive */
	size_t count, room, adopted_count, unsent;
	uint32_t seed, lists;
	DIR *scan;
	double look, retry, answered;
};

/* --- the queue --- */

static char *names_of(const struct job *jobs, size_t count)
{
	char *text = NULL;
	size_t size;
	const char *last = "";
	FILE *out = open_memstream(&text, &size);
	for (size_t i = 0; out && i < count; i++) {
		if (!jobs[i].alive || !jobs[i].task || !strcmp(last, jobs[i].list))
			continue;
		fprintf(out, "%s%s", *last ? "," : "", jobs[i].list);
		last = jobs[i].list;
	}
	if (out && !fclose(out))
		return text;
	free(text);
	return NULL;
}

struct look {
	struct job *jobs;
	size_t count;
};

static void look_at(void *context, const char *name, uint32_t task, const char *state)
{
	const struct look *l = context;
	for (size_t i = 0; i < l->count; i++) {
		struct job *j = &l->jobs[i];
		if ((task ? j->task != task : *j->state != 0) || strcmp(j->list, name) != 0)
			continue;
		snprintf(j->state, sizeof j->state, "%s", state);
		j->seen |= slurm_is_alive(state);
	}
}

static bool look(struct job *jobs, size_t count, struct error *err)
{
	struct look l = {jobs, count};
	char *names = names_of(jobs, count);
	for (size_t i = 0; i < count; i++)
		jobs[i].seen = false;
	bool good = names ? !*names || slurm_visit(names, look_at, &l, err)
			  : error_set(err, ERROR_SYSTEM, "out of memory for squeue");
	free(names);
	return good;
}

/* --- what an earlier process left --- */

static bool adopt_list(struct slurm *s, const char *name)
{
	char id[SWEEP_ID + 1];
	FILE *list = slurm_open_file(s->folder, name, "list");
	uint32_t task = 0;
	bool good = true;
	while (good && list && fgets(id, sizeof id, list)) {
		id[strcspn(id, "\n")] = 0;
		struct job *grown = realloc(s->adopted, (s->adopted_count + 1) * sizeof *grown);
		good = grown;
		if (!good)
			break;
		s->adopted = grown;
		struct job *j = &s->adopted[s->adopted_count++];
		*j = (struct job){.task = ++task, .alive = true};
		memcpy(j->id, id, sizeof j->id);
		snprintf(j->list, sizeof j->list, "%s", name);
	}
	if (list)
		fclose(list);
	return good;
}

static bool adopt(struct slurm *s, struct error *err)
{
	char name[40];
	bool good = true;
	DIR *scan = opendir(s->folder);
	struct dirent *entry;
	while (good && scan && (entry = readdir(scan)))
		if (slurm_take_name(entry->d_name, ".list", name, sizeof name))
			good = adopt_list(s, name);
	if (scan)
		closedir(scan);
	if (!good)
		return error_set(err, ERROR_SYSTEM, "out of memory for Slurm's jobs");
	TRY(look(s->adopted, s->adopted_count, err));
	for (size_t i = 0; i < s->adopted_count; i++)
		s->adopted[i].alive = s->adopted[i].seen && slurm_owns(s->folder, s->adopted[i].list, s->adopted[i].id);
	return true;
}

/* Those that the plan does not have any more end as soon as they start. */
static void drop_adopted(struct slurm *s)
{
	for (size_t i = 0; i < s->adopted_count; i++)
		if (s->adopted[i].alive)
			slurm_remove_file(s->folder, s->adopted[i].id, "task");
	free(s->adopted);
	s->adopted = NULL;
	s->adopted_count = 0;
}

/* --- handing in --- */

static char *command_of(const struct slurm *s, const struct sweep_task *task)
{
	const char **words = sweep_task_words(task);
	char *text = NULL;
	size_t size;
	FILE *out = words ? open_memstream(&text, &size) : NULL;
	if (out) {
		fputs("cd ", out);
		sweep_print_word(s->cwd, out);
		fputs(" || exit 125\n", out);
		if (task->ahead) {
			fputs("export " SESSION_AHEAD "=", out);
			sweep_print_word(task->ahead, out);
			fputc('\n', out);
		}
		fputs("exec ", out);
		sweep_print_word(s->program, out);
		for (const char **w = words + 1; *w; w++) {
			fputc(' ', out);
			sweep_print_word(*w, out);
		}
		fputs(" <", out);
		sweep_print_word(task->input ? task->input : "/dev/null", out);
		fputc('\n', out);
	}
	free(words);
	if (out && !fclose(out))
		return text;
	free(text);
	return NULL;
}

static bool start(void *state, const struct sweep_task *task, struct error *err)
{
	struct slurm *s = state;
	const char *slash = strrchr(task->result, '/');
	struct job j = {.number = task->number, .alive = true};
	if (s->count == s->room) {
		struct job *grown = realloc(s->jobs, (s->room = 2 * s->room + 64) * sizeof *grown);
		if (!grown)
			return error_set(err, ERROR_SYSTEM, "out of memory for Slurm's jobs");
		s->jobs = grown;
	}
	slurm_take_result(slash ? slash + 1 : task->result, j.id, sizeof j.id);
	for (size_t i = 0; i < s->adopted_count; i++) {
		struct job *a = &s->adopted[i];
		if (!a->alive || strcmp(a->id, j.id) != 0)
			continue;
		a->alive = false;
		j.task = a->task;
		memcpy(j.list, a->list, sizeof j.list);
	}
	if (!j.task && !(j.command = command_of(s, task)))
		return error_set(err, ERROR_SYSTEM, "out of memory for Slurm's jobs");
	s->unsent += !j.task;
	s->jobs[s->count++] = j;
	return true;
}

/* The first `count` that have not been handed in, as one array. */
static bool submit(struct slurm *s, size_t count, struct error *err)
{
	char name[40], *ids = calloc(count, SWEEP_ID);
	size_t length = 0, taken = 0;
	bool good = ids || error_set(err, ERROR_SYSTEM, "out of memory for Slurm's jobs");
	snprintf(name, sizeof name, "culprit-%08x-%u", s->seed, ++s->lists);
	for (struct job *j = s->jobs; good && taken < count; j++) {
		char *text = NULL;
		if (j->task)
			continue;
		length += (size_t)sprintf(ids + length, "%s%s", taken++ ? "\n" : "", j->id);
		slurm_remove_file(s->folder, j->id, "ended");
		good = asprintf(&text, "# %s\n%s", name, j->command) >= 0
			       ? slurm_put_file(s->folder, j->id, "task", text, err)
			       : error_set(err, ERROR_SYSTEM, "out of memory");
		free(text);
	}
	good = good && slurm_put_file(s->folder, name, "list", ids, err) && slurm_put_script(s->folder, name, err) &&
	       slurm_submit(s->folder, name, (uint32_t)count, err);
	free(ids);
	if (!good) {
		slurm_remove_file(s->folder, name, "list");
		return false;
	}
	uint32_t task = 0;
	for (struct job *j = s->jobs; task < count; j++) {
		if (j->task)
			continue;
		j->task = ++task;
		memcpy(j->list, name, sizeof name);
	}
	s->unsent -= count;
	return true;
}

static bool any_in_queue(const struct slurm *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->jobs[i].alive && s->jobs[i].task)
			return true;
	return false;
}

/* Where Slurm takes no more (its limits are many), fewer are tried, and the rest when some have ended. */
static bool submit_all(struct slurm *s, struct error *err)
{
	struct error why = {0};
	size_t most = ARRAY_MOST;
	while (s->unsent && most && !interrupt_seen()) {
		size_t count = s->unsent < most ? s->unsent : most;
		if (!submit(s, count, &why))
			most = count / 2;
	}
	s->retry = progress_clock() + LOOK_SECONDS;
	if (most || any_in_queue(s))
		return true;
	*err = why;
	return false;
}

/* --- ends --- */

static void bury(struct slurm *s, struct job *j, struct sweep_end *end)
{
	char line[SWEEP_LAST_WORDS];
	FILE *said = slurm_open_file(s->folder, j->id, "ended");
	*end = (struct sweep_end){.number = j->number, .status = -1};
	while (said && fgets(line, sizeof line, said)) {
		line[strcspn(line, "\n")] = 0;
		sweep_hear(end->said, line);
		sscanf(line, "status %d", &end->status);
	}
	if (said)
		fclose(said);
	slurm_remove_file(s->folder, j->id, "task");
	slurm_remove_file(s->folder, j->id, "ended");
	j->alive = false;
}

static struct job *find(const struct slurm *s, const char *id)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->jobs[i].alive && s->jobs[i].task && !strcmp(s->jobs[i].id, id))
			return &s->jobs[i];
	return NULL;
}

/* The next file of the folder that tells an end. */
static struct job *scan(struct slurm *s)
{
	char id[SWEEP_ID];
	struct dirent *entry;
	struct job *j = NULL;
	if (!s->scan)
		s->scan = opendir(s->folder);
	while (!j && s->scan && (entry = readdir(s->scan)))
		if (slurm_take_result(entry->d_name, id, sizeof id) ||
		    slurm_take_name(entry->d_name, ".ended", id, sizeof id))
			j = find(s, id);
	if (!j && s->scan) {
		closedir(s->scan);
		s->scan = NULL;
	}
	return j;
}

/* Slurm ended it: cancelled, out of time or memory, its node lost and not to be tried again. */
static struct job *find_gone(const struct slurm *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->jobs[i].alive && s->jobs[i].gone >= GONE_LOOKS)
			return &s->jobs[i];
	return NULL;
}

static bool ask_queue(struct slurm *s, struct error *err)
{
	double now = progress_clock();
	if (now < s->look)
		return true;
	s->look = now + LOOK_SECONDS;
	struct error why = {0};
	if (!look(s->jobs, s->count, &why)) {
		*err = now - s->answered < SILENT_SECONDS ? *err : why;
		return now - s->answered < SILENT_SECONDS;
	}
	s->answered = now;
	for (size_t i = 0; i < s->count; i++) {
		struct job *j = &s->jobs[i];
		j->gone = j->seen || !j->task ? 0 : j->gone + 1;
	}
	return true;
}

static bool wait_for_one(void *state, struct sweep_end *end, bool *ended, struct error *err)
{
	struct slurm *s = state;
	if (s->adopted)
		drop_adopted(s);
	if (s->unsent && progress_clock() >= s->retry)
		TRY(submit_all(s, err));
	struct job *j = scan(s);
	*ended = j || (j = find_gone(s));
	if (!*ended) {
		nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
		return ask_queue(s, err);
	}
	bury(s, j, end);
	if (j->gone >= GONE_LOOKS && !*end->said)
		snprintf(end->said, sizeof end->said, "Slurm ended its job: %s", *j->state ? j->state : "unknown");
	return true;
}

/* --- the whole --- */

static void destroy(void *state)
{
	struct slurm *s = state;
	for (size_t i = 0; i < s->count; i++)
		free(s->jobs[i].command);
	if (s->scan)
		closedir(s->scan);
	free(s->jobs);
	free(s->adopted);
	free(s);
}

static bool set_up(struct slurm *s, const char *folder, struct error *err)
{
	ssize_t length = readlink("/proc/self/exe", s->program, sizeof s->program - 1);
	if (length <= 0 || !realpath(folder, s->folder) || !getcwd(s->cwd, sizeof s->cwd) ||
	    getrandom(&s->seed, sizeof s->seed, 0) != sizeof s->seed)
		return error_set(err, ERROR_SYSTEM, "%s: cannot be used for Slurm: %s", folder, strerror(errno));
	s->answered = progress_clock();
	s->look = s->answered + LOOK_SECONDS;
	return adopt(s, err);
}

bool sweep_slurm(struct sweep_backend *b, size_t at_once, const char *folder, struct error *err)
{
	struct slurm *s = calloc(1, sizeof *s);
	*b = (struct sweep_backend){at_once, s, start, wait_for_one, destroy};
	if (!s)
		return error_set(err, ERROR_SYSTEM, "out of memory for Slurm's jobs");
	if (set_up(s, folder, err))
		return true;
	destroy(s);
	b->state = NULL;
	return false;
}
