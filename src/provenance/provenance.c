#include "provenance/provenance.h"

#include "guest/guest.h"
#include "machine/plugin.h"
#include "report/format.h"

#include <culprit_commit.h>
#include <errno.h>
#include <limits.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *provenance_commit(void)
{
	return CULPRIT_COMMIT;
}

bool provenance_hash(const char *path, char text[65])
{
	struct stat st; /* anything but a file may have no end */
	return !stat(path, &st) && S_ISREG(st.st_mode) && SHA256File(path, text);
}

/* --- standard streams --- */

static const char *stream_kind(int fd, const struct stat *st)
{
	struct stat null;
	if (isatty(fd))
		return "terminal";
	if (S_ISREG(st->st_mode))
		return "file";
	if (S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode))
		return "pipe";
	bool is_null = S_ISCHR(st->st_mode) && !stat("/dev/null", &null) && null.st_rdev == st->st_rdev;
	return is_null ? "null" : "device";
}

/* False: out of memory. */
static bool look_at_stream(struct provenance_stream *s, int fd)
{
	struct stat st;
	char link[32], path[PATH_MAX];
	s->kind = fstat(fd, &st) ? "closed" : stream_kind(fd, &st);
	if (strcmp(s->kind, "file") != 0)
		return true;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, path, sizeof path - 1);
	if (length > 0)
		s->path = strndup(path, (size_t)length);
	off_t at = lseek(fd, 0, SEEK_CUR);
	s->offset = at > 0 ? at : 0;
	return length <= 0 || s->path;
}

void provenance_begin(struct provenance *p, const struct options *options, enum option_user user)
{
	errno = 0;
	*p = (struct provenance){.options = options, .user = user, .directory = getcwd(NULL, 0), .files = json_array()};
	p->out_of_memory = errno == ENOMEM;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		p->out_of_memory |= !look_at_stream(&p->streams[fd], fd);
}

const char *provenance_input(const struct provenance *p)
{
	const struct provenance_stream *input = &p->streams[STDIN_FILENO];
	const size_t length = p->directory ? strlen(p->directory) : 0;
	if (!input->path || input->offset || access(input->path, R_OK))
		return NULL;
	const bool below = length > 1 && !strncmp(input->path, p->directory, length) && input->path[length] == '/';
	return below ? input->path + length + 1 : input->path;
}

static bool is_utf8(const char *text, struct error *err)
{
	json_t *s = text ? json_string(text) : json_null();
	json_decref(s);
	return s || error_set(err, ERROR_USAGE, "--json and --html cannot hold text that is not UTF-8: %s", text);
}

bool provenance_check(const struct provenance *p, struct error *err)
{
	if (!p->options->json && !p->options->html)
		return true;
	for (char **word = p->options->words; *word; word++)
		TRY(is_utf8(*word, err));
	TRY(is_utf8(p->streams[STDIN_FILENO].path, err));
	return is_utf8(p->directory, err);
}

static json_t *stream_json(const struct provenance_stream *s)
{
	json_t *o = json_object();
	json_object_set_new(o, "kind", json_string(s->kind));
	if (s->path) {
		json_object_set_new(o, "path", json_string(s->path));
		json_object_set_new(o, "offset", json_integer(s->offset));
	}
	return o;
}

/* --- files --- */

bool provenance_add_file(struct provenance *p, const char *role, const char *path, struct error *err)
{
	char hash[65], real[PATH_MAX];
	errno = 0;
	const char *name = realpath(path, real) ? real : path;
	TRY(is_utf8(name, err));
	json_t *file = json_object();
	json_object_set_new(file, "role", json_string(role));
	json_object_set_new(file, "path", json_string(name));
	json_object_set_new(file, "sha256", provenance_hash(name, hash) ? json_string(hash) : json_null());
	if (!json_array_append_new(p->files, file) && errno != ENOMEM)
		return true;
	return error_set(err, ERROR_SYSTEM, "out of memory for the provenance of the result");
}

bool provenance_add_guest(struct provenance *p, const struct guest *guest, struct error *err)
{
	struct guest_object o;
	for (size_t i = 0; guest_object(guest, i, &o); i++)
		TRY(provenance_add_file(p, i ? "library" : "program", o.path, err));
	const struct provenance_stream *input = &p->streams[STDIN_FILENO];
	return !input->path || provenance_add_file(p, "input", input->path, err);
}

/* --- the whole --- */

static bool add_plugins(struct provenance *p, const struct machine *machine, struct error *err)
{
	if (!machine || !machine->plugins)
		return true;
	for (int i = 0; i < PLUGIN_PLACES; i++)
		if (machine->plugins->at[i].path)
			TRY(provenance_add_file(p, "plug-in", machine->plugins->at[i].path, err));
	return true;
}

static json_t *words_json(char *const *words)
{
	json_t *all = json_array();
	for (; *words; words++) {
		json_t *word = json_string(*words);
		json_array_append_new(all, word ? word : json_null()); /* not UTF-8 */
	}
	return all;
}

static json_t *provenance_json(const struct provenance *p, const struct machine *machine)
{
	json_t *streams = json_object(), *all = json_object();
	static const char *const names[] = {"input", "output", "error"};
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		json_object_set_new(streams, names[fd], stream_json(&p->streams[fd]));
	json_object_set_new(all, "version", json_string(CULPRIT_VERSION));
	json_object_set_new(all, "commit", json_string(CULPRIT_COMMIT));
	json_object_set_new(all, "compiler", json_string(__VERSION__));
	json_object_set_new(all, "words", words_json(p->options->words));
	json_object_set_new(all, "directory", p->directory ? json_string(p->directory) : json_null());
	json_object_set_new(all, "options", options_json(p->options, p->user));
	json_object_set_new(all, "arguments", words_json(p->options->arguments));
	json_object_set_new(all, "seed", format_integer(p->options->seed));
	json_object_set_new(all, "guest_seed", format_integer(p->options->guest_seed));
	json_object_set_new(all, "machine_name", machine ? json_string(machine->name) : json_null());
	json_object_set_new(all, "machine", machine ? machine_json(machine) : json_null());
	json_object_set(all, "files", p->files);
	json_object_set_new(all, "streams", streams);
	return all;
}

json_t *provenance_result(struct provenance *p, const struct machine *machine, json_t *report, struct error *err)
{
	json_t *root = json_object();
	char schema[64];
	bool added = add_plugins(p, machine, err) &&
		     (!p->options->trace || provenance_add_file(p, "trace", p->options->trace, err)) &&
		     (!p->options->checkpoint || provenance_add_file(p, "checkpoint", p->options->checkpoint, err));
	if (!added) {
		json_decref(root);
		json_decref(report);
		return NULL;
	}
	snprintf(schema, sizeof schema, "culprit-%s/1", p->kind ? p->kind : p->options->words[0]);
	bool good = report && !p->out_of_memory && !json_object_set_new(root, "schema", json_string(schema)) &&
		    !json_object_update(root, report) &&
		    !json_object_set_new(root, "provenance", provenance_json(p, machine));
	json_decref(report);
	if (good)
		return root;
	json_decref(root);
	error_set(err, ERROR_SYSTEM, "out of memory for JSON");
	return NULL;
}

bool provenance_write(struct provenance *p, const struct machine *machine, json_t *report, const char *path,
		      struct error *err)
{
	json_t *root = provenance_result(p, machine, report, err);
	return root && format_write_json(root, path, err);
}

void provenance_destroy(struct provenance *p)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		free(p->streams[fd].path);
	free(p->directory);
	json_decref(p->files);
}
