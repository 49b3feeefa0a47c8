#include "sweep/identity.h"

#include "provenance/provenance.h"

#include <sha256.h>
#include <stdlib.h>
#include <string.h>

static json_t *hash_json(struct sweep_hashes *h, const char *path)
{
	char hash[SWEEP_ID];
	const size_t room = sizeof h->all / sizeof *h->all;
	if (!path)
		return json_null();
	for (size_t i = 0; i < room; i++)
		if (h->all[i].path && !strcmp(h->all[i].path, path))
			return json_incref(h->all[i].hash);
	const size_t at = h->next++ % room;
	free(h->all[at].path);
	json_decref(h->all[at].hash);
	h->all[at].path = strdup(path);
	h->all[at].hash = provenance_hash(path, hash) ? json_string(hash) : json_null();
	return json_incref(h->all[at].hash);
}

void sweep_hashes_free(struct sweep_hashes *h)
{
	for (size_t i = 0; i < sizeof h->all / sizeof *h->all; i++) {
		free(h->all[i].path);
		json_decref(h->all[i].hash);
	}
}

/* A program is looked for in the sysroot and outside of it: whichever there is. And a checkpoint of it. */
static json_t *program_json(struct sweep_hashes *h, const struct sweep_words *words, const char *command)
{
	json_t *files = json_array();
	json_array_append_new(files, hash_json(h, command));
	for (uint32_t i = 0; i < words->count; i++) {
		const char *word = words->items[i];
		char *path = NULL;
		if (!strncmp(word, "--checkpoint=", 13))
			json_array_append_new(files, hash_json(h, word + 13));
		if (strncmp(word, "--sysroot=", 10) != 0 || asprintf(&path, "%s/%s", word + 10, command) < 0)
			continue;
		json_array_append_new(files, hash_json(h, path));
		free(path);
	}
	return files;
}

/* --machine and --set are in the machine. NULL: a word is not UTF-8. */
static json_t *words_json(const struct sweep_words *w)
{
	json_t *words = json_array();
	for (uint32_t i = 1; i < w->count; i++) {
		const char *word = w->items[i];
		if (!strncmp(word, "--machine=", 10) || !strncmp(word, "--set=", 6))
			continue;
		if (!json_array_append_new(words, json_string(word)))
			continue;
		json_decref(words);
		return NULL;
	}
	return words;
}

static bool hash_of(const json_t *all, char id[SWEEP_ID])
{
	char *text = all ? json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	if (text)
		SHA256Data((const uint8_t *)text, strlen(text), id);
	free(text);
	return text;
}

bool sweep_identify(struct sweep_hashes *h, const struct sweep_program *g, const struct sweep_words *words,
		    const struct machine *m, char id[SWEEP_ID])
{
	json_t *all = json_pack("{s:s, s:s, s:s*, s:o*, s:o, s:o, s:o}", "version", CULPRIT_VERSION, "commit",
				provenance_commit(), "name", m ? m->name : NULL, "machine", m ? machine_json(m) : NULL,
				"words", words_json(words), "program", program_json(h, words, sweep_program_file(g)),
				"input", hash_json(h, g->input));
	bool good = hash_of(all, id);
	json_decref(all);
	return good;
}
