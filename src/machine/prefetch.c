/* See the header. The reference prediction table is Chen and Baer's idea with a saturating confidence in place of their
 * four states: an agreeing stride adds one, a disagreeing one takes one away and is learnt only at zero. */
#include "machine/prefetch.h"

#include <string.h>

enum { CONFIDENT = 2, CONFIDENCE_MAX = 3 };

void prefetch_init(struct prefetch *p, enum prefetcher kind, uint32_t degree, uint32_t distance, uint32_t line_shift,
		   uint32_t page_shift)
{
	*p = (struct prefetch){.kind = kind,
			       .degree = degree < PREFETCH_MAX ? degree : PREFETCH_MAX,
			       .distance = distance,
			       .line_shift = line_shift,
			       .page_shift = page_shift};
}

/* addr + step * (distance, distance + 1, ...), as far as the page goes. */
static uint32_t ahead(const struct prefetch *p, uint64_t addr, int64_t step, uint64_t addrs[PREFETCH_MAX])
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < p->degree; i++) {
		uint64_t next = addr + (uint64_t)step * (p->distance + i);
		if ((next ^ addr) >> p->page_shift)
			break;
		addrs[count++] = next;
	}
	return count;
}

static uint32_t train_next_line(struct prefetch *p, const struct prefetch_event *e, uint64_t addrs[PREFETCH_MAX])
{
	if (!e->miss && (!e->first_use || p->misses_only))
		return 0;
	return ahead(p, e->addr >> p->line_shift << p->line_shift, (int64_t)1 << p->line_shift, addrs);
}

static void learn_stride(struct stride_entry *t, int64_t stride)
{
	if (stride == t->stride) {
		t->confidence += t->confidence < CONFIDENCE_MAX;
	} else if (t->confidence) {
		t->confidence--;
	} else {
		t->stride = stride;
		t->confidence = 1;
	}
}

static uint32_t train_stride(struct prefetch *p, const struct prefetch_event *e, uint64_t addrs[PREFETCH_MAX])
{
	/* Instructions are 2 or 4 bytes apart. */
	struct stride_entry *t = &p->strides[(e->pc >> 1 ^ e->pc >> 9) % STRIDE_ENTRIES];
	if (t->pc != e->pc) {
		*t = (struct stride_entry){.pc = e->pc, .last = e->addr};
		return 0;
	}
	int64_t stride = (int64_t)(e->addr - t->last);
	t->last = e->addr;
	learn_stride(t, stride);
	if (t->confidence < CONFIDENT || t->stride != stride || !stride)
		return 0;
	return ahead(p, e->addr, stride, addrs);
}

/* One entry sees all accesses. Steps within a line go on by lines. */
static uint32_t train_global(struct prefetch *p, const struct prefetch_event *e, uint64_t addrs[PREFETCH_MAX])
{
	struct stride_entry *t = &p->global;
	int64_t stride = (int64_t)(e->addr - t->last), line = (int64_t)1 << p->line_shift;
	bool first = !t->pc;
	t->pc = 1; /* any: it has seen one */
	t->last = e->addr;
	if (first || !stride)
		return 0;
	learn_stride(t, stride);
	if (t->confidence < CONFIDENT || t->stride != stride)
		return 0;
	if (stride < line && stride > -line)
		stride = stride < 0 ? -line : line;
	return ahead(p, e->addr, stride, addrs);
}

/* A step of up to STREAM_REACH lines in the stream's direction (or in any, while it has none). */
static bool continues(const struct stream_entry *s, uint64_t line)
{
	int64_t step = (int64_t)(line - s->line);
	if (!s->stamp || !step || step > STREAM_REACH || step < -STREAM_REACH)
		return false;
	return !s->direction || (step > 0) == (s->direction > 0);
}

static struct stream_entry *find_stream(struct prefetch *p, uint64_t line)
{
	struct stream_entry *oldest = &p->streams[0];
	for (uint32_t i = 0; i < STREAM_ENTRIES; i++) {
		struct stream_entry *s = &p->streams[i];
		if (continues(s, line))
			return s;
		if (s->stamp < oldest->stamp)
			oldest = s;
	}
	*oldest = (struct stream_entry){.line = line};
	return oldest;
}

static uint32_t train_stream(struct prefetch *p, const struct prefetch_event *e, uint64_t addrs[PREFETCH_MAX])
{
	if (!e->miss && !e->first_use)
		return 0;
	uint64_t line = e->addr >> p->line_shift;
	struct stream_entry *s = find_stream(p, line);
	s->stamp = ++p->clock;
	if (s->line == line)
		return 0;
	s->direction = line > s->line ? 1 : -1;
	s->confidence += s->confidence < CONFIDENCE_MAX;
	s->line = line;
	if (s->confidence < CONFIDENT)
		return 0;
	return ahead(p, line << p->line_shift, s->direction * ((int64_t)1 << p->line_shift), addrs);
}

uint32_t prefetch_train(struct prefetch *p, const struct prefetch_event *e, uint64_t addrs[PREFETCH_MAX])
{
	switch (p->kind) {
	case prefetcher_none:
		break;
	case prefetcher_next_line:
		return train_next_line(p, e, addrs);
	case prefetcher_stride:
		return train_stride(p, e, addrs);
	case prefetcher_stride_global: {
		uint64_t all[PREFETCH_MAX];
		uint32_t own = train_stride(p, e, addrs), count = train_global(p, e, all);
		if (own)
			return own;
		memcpy(addrs, all, count * sizeof *all);
		return count;
	}
	case prefetcher_stream:
		return train_stream(p, e, addrs);
	}
	return 0;
}
