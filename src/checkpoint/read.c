#include "checkpoint/checkpoint.h"
#include "checkpoint/format.h"

#include <stdlib.h>

static bool damaged(const char *place, const char *why, struct error *err)
{
	return error_set(err, ERROR_INPUT, "%s: damaged checkpoint file: %s", place, why);
}

static bool no_memory(const char *place, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "%s: out of memory for the checkpoint", place);
}

static bool read_arguments(struct checkpoint_file *f, struct cursor *c, const char *place, struct error *err)
{
	uint64_t count = cursor_get(c, 8);
	if (c->failed || !count || count > ARGUMENTS_MOST)
		return damaged(place, "it has no program", err);
	if (!(f->argv = calloc(count + 1, sizeof *f->argv)))
		return no_memory(place, err);
	for (uint64_t i = 0; i < count; i++)
		if (!(f->argv[i] = cursor_get_text(c, ARGUMENT_MOST)))
			return c->no_memory ? no_memory(place, err) : damaged(place, "its program has no name", err);
	return true;
}

static bool read_points(struct checkpoint_file *f, struct cursor *c, const char *place, struct error *err)
{
	uint64_t count = cursor_get(c, 8);
	if (c->failed || !count || count > CHECKPOINTS_MOST || count > c->left / 32)
		return damaged(place, "it has no checkpoints", err);
	if (!(f->points = calloc(count, sizeof *f->points)))
		return no_memory(place, err);
	for (f->count = 0; f->count < count; f->count++)
		f->points[f->count] = (struct checkpoint){.executed = cursor_get(c, 8),
							  .warmup = cursor_get(c, 8),
							  .state_size = cursor_get(c, 8),
							  .page_count = cursor_get(c, 8)};
	for (size_t i = 0; i < count; i++) {
		struct checkpoint *p = &f->points[i];
		if (p->page_count > c->left / PAGE_ENTRY || p->executed > UINT64_MAX >> 1 ||
		    p->warmup > UINT64_MAX >> 1)
			return damaged(place, "a checkpoint is larger than the file", err);
		p->state = cursor_get_raw(c, p->state_size);
		p->pages = cursor_get_raw(c, p->page_count * PAGE_ENTRY);
	}
	return !c->failed || damaged(place, "a checkpoint is larger than the file", err);
}

bool checkpoint_file_parse(struct checkpoint_file *f, struct bytes *bytes, const char *place, struct error *err)
{
	*f = (struct checkpoint_file){.bytes = *bytes};
	struct cursor c = {.at = bytes->at, .left = bytes->size};
	TRY(read_arguments(f, &c, place, err));
	TRY(read_points(f, &c, place, err));
	f->content_count = cursor_get(&c, 8);
	if (c.failed || c.left % GUEST_PAGE_SIZE || f->content_count != c.left / GUEST_PAGE_SIZE)
		return damaged(place, "its pages are not whole", err);
	f->contents = c.at;
	return true;
}

bool checkpoint_file_read(struct checkpoint_file *f, const char *path, struct error *err)
{
	struct bytes packed;
	struct codec_content content;
	*f = (struct checkpoint_file){0};
	bool good = codec_slurp(&checkpoint_codec, path, &packed, err);
	if (good) {
		good = codec_parse(&checkpoint_codec, packed.at, packed.size, path, &content, err);
		if (good && content.layout != GUEST_PAGE_SIZE)
			good = damaged(path, "its pages are not of this culprit's size", err);
		if (good)
			good = checkpoint_file_parse(f, &content.bytes, path, err);
		else
			free(content.bytes.at);
	}
	free(packed.at);
	return good;
}

void checkpoint_file_destroy(struct checkpoint_file *f)
{
	for (char **argument = f->argv; argument && *argument; argument++)
		free(*argument);
	free(f->argv);
	free(f->points);
	free(f->bytes.at);
	*f = (struct checkpoint_file){0};
}

static bool put_pages(const struct checkpoint_file *f, const struct checkpoint *p, struct guest *g, const char *place,
		      struct error *err)
{
	struct cursor c = {.at = p->pages, .left = p->page_count * PAGE_ENTRY};
	for (uint64_t i = 0; i < p->page_count; i++) {
		uint64_t page = cursor_get(&c, 8), content = cursor_get(&c, 4);
		if (content >= f->content_count || !guest_put_page(g, page, f->contents + content * GUEST_PAGE_SIZE))
			return damaged(place, "a page of it lies outside the program's memory", err);
	}
	return true;
}

struct guest *checkpoint_restore(const struct checkpoint_file *f, size_t index, const struct guest_options *how,
				 const char *place, struct error *err)
{
	const struct checkpoint *p = &f->points[index];
	struct guest *g = guest_restore(p->state, p->state_size, how, err);
	if (!g)
		error_context(err, "%s: checkpoint %zu", place, index + 1);
	else if (put_pages(f, p, g, place, err))
		return g;
	guest_destroy(g);
	return NULL;
}
