#include "core/memo_state.h"

#include <stdlib.h>
#include <string.h>

void memo_forget(struct memo *m)
{
	memset(m->table, 0xff, MEMO_TABLE * sizeof *m->table);
	m->actions[0].op = MEMO_END; /* not used */
	m->action_count = 1;
	m->node_count = m->word_count = 0;
	m->recording = false;
}

/* What is not written is not taken from the host either. */
struct memo *memo_create(const struct core *c)
{
	const size_t ring = c->mask + 1;
	struct memo *m = calloc(1, sizeof *m);
	if (!m)
		return NULL;
	m->actions = malloc(MEMO_ACTIONS * sizeof *m->actions);
	m->nodes = malloc(MEMO_NODES * sizeof *m->nodes);
	m->table = malloc(MEMO_TABLE * sizeof *m->table);
	m->words = malloc(MEMO_WORDS * sizeof *m->words);
	m->buffer = malloc(memo_words(c) * sizeof *m->buffer);
	m->answers = malloc(4 * ring * sizeof *m->answers);
	if (!m->actions || !m->nodes || !m->table || !m->words || !m->buffer || !m->answers) {
		memo_destroy(m);
		return NULL;
	}
	m->room = memo_room(c);
	memo_forget(m);
	return m;
}

void memo_destroy(struct memo *m)
{
	if (!m)
		return;
	free(m->actions);
	free(m->nodes);
	free(m->table);
	free(m->words);
	free(m->buffer);
	free(m->answers);
	free(m);
}
