/* lsq.store_translation: a store that is translated as it issues, like a load. Its address is made when the store would
 * be complete; it is complete when the translation is there, and commit writes it without another one. Of a store that
 * is translated at its write a slot says that it had no translation. */
#ifndef CULPRIT_CORE_TRANSLATE_H
#define CULPRIT_CORE_TRANSLATE_H

#include "core/access.h"
#include "core/place.h"
#include "core/vector.h"
#include "machine/hierarchy_inline.h"

static inline void translate_address(struct core *c, struct slot *s, uint64_t index, const unsigned tells)
{
	const bool wrong = s->flags & SLOT_WRONG_PATH, at_once = place_ideal(c, s->pc, CULPRIT_EVENT_BIT(dmiss));
	const uint64_t from = s->complete, seq = access_seq(c, index, wrong);
	const uint32_t size = s->insn->mem_size;
	uint8_t level;
	if (!core_keeps(tells) && hierarchy_translates_at_once(c->hierarchy, from, s->mem_addr, size, wrong))
		return;
	s->complete = hierarchy_translate(c->hierarchy, from, seq, s->mem_addr, size, wrong, at_once, &level);
	if (core_keeps(tells)) {
		s->dtlb = clip16(s->complete - from);
		s->dtlb_level = level;
	}
}

/* A store that has just issued, and is no load. */
static inline void translate_store(struct core *c, struct slot *s, uint64_t index, const unsigned tells)
{
	if (core_keeps(tells)) {
		s->dtlb = 0;
		s->dtlb_level = CULPRIT_LEVEL_NONE;
	}
	if (c->m.lsq_store_translation == store_translation_issue && !slot_is_vector(c, s))
		translate_address(c, s, index, tells);
}

#endif
