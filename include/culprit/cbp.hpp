/* Predictors written for the branch prediction championship (CBP 2014 and 2016: class PREDICTOR with GetPrediction,
 * UpdatePredictor and TrackOtherInst) as plug-ins. Include this in place of the championship's utils.h, then the
 * predictor, and end with
 *
 *     CULPRIT_CBP_PREDICTOR(PREDICTOR, "name")
 *
 * Such a predictor has no speculative history: it is told a branch's outcome right behind its prediction. So it is
 * here: on the right path a branch trains it as it is fetched. It mispredicts what it would in the championship, at the
 * price of knowing outcomes earlier than hardware can. On a wrong path it predicts and learns nothing; that prediction
 * must not matter to the next (it overwrites what GetPrediction left for UpdatePredictor, as predictors do). */
#ifndef CULPRIT_CBP_HPP
#define CULPRIT_CBP_HPP

#include <culprit/plugin.h>

#include <new>

typedef uint64_t UINT64;
typedef int64_t INT64;
typedef uint32_t UINT32;
typedef int32_t INT32;
typedef uint16_t UINT16;
typedef uint8_t UINT8;

enum OpType {
	OPTYPE_OP = 2,
	OPTYPE_RET_UNCOND,
	OPTYPE_JMP_DIRECT_UNCOND,
	OPTYPE_JMP_INDIRECT_UNCOND,
	OPTYPE_CALL_DIRECT_UNCOND,
	OPTYPE_CALL_INDIRECT_UNCOND,
	OPTYPE_RET_COND,
	OPTYPE_JMP_DIRECT_COND,
	OPTYPE_JMP_INDIRECT_COND,
	OPTYPE_CALL_DIRECT_COND,
	OPTYPE_CALL_INDIRECT_COND,
	OPTYPE_ERROR,
	OPTYPE_MAX
};

namespace culprit
{

inline OpType cbp_kind(uint8_t kind)
{
	switch (kind) {
	case CULPRIT_BRANCH_CONDITIONAL:
		return OPTYPE_JMP_DIRECT_COND;
	case CULPRIT_BRANCH_JUMP:
		return OPTYPE_JMP_DIRECT_UNCOND;
	case CULPRIT_BRANCH_CALL:
		return OPTYPE_CALL_DIRECT_UNCOND;
	case CULPRIT_BRANCH_INDIRECT_JUMP:
		return OPTYPE_JMP_INDIRECT_UNCOND;
	case CULPRIT_BRANCH_INDIRECT_CALL:
		return OPTYPE_CALL_INDIRECT_UNCOND;
	default:
		return OPTYPE_RET_UNCOND;
	}
}

template <class Predictor> class cbp_plugin
{
	Predictor predictor;

	static cbp_plugin &of(void *self)
	{
		return *static_cast<cbp_plugin *>(self);
	}

	static void *create(const char *, const char **why)
	{
		void *self = new (std::nothrow) cbp_plugin;
		if (!self)
			*why = "out of memory";
		return self;
	}

	static void destroy(void *self)
	{
		delete &of(self);
	}

	static bool predict(void *self, const culprit_plugin_branch *b, void *)
	{
		const bool taken = of(self).predictor.GetPrediction(b->pc);
		if (!b->wrong_path)
			of(self).predictor.UpdatePredictor(b->pc, cbp_kind(b->kind), b->actual_taken, taken,
							   b->actual_taken ? b->actual_next : b->direct_target);
		return taken;
	}

	/* Of other kinds, when they go where they really go: a misprediction's first call does not. */
	static void speculate(void *self, const culprit_plugin_branch *b, bool taken, uint64_t next_pc)
	{
		if (b->kind == CULPRIT_BRANCH_CONDITIONAL || b->wrong_path || next_pc != b->actual_next)
			return;
		of(self).predictor.TrackOtherInst(b->pc, cbp_kind(b->kind), taken, next_pc);
	}

	static void update(void *, const culprit_plugin_branch *, const void *, bool, uint64_t)
	{
	}

      public:
	static const culprit_predictor_plugin *table()
	{
		static const culprit_predictor_plugin calls = {create, destroy, predict, nullptr, speculate,
							       update, nullptr, nullptr, nullptr};
		return &calls;
	}
};

} // namespace culprit

#define CULPRIT_CBP_PREDICTOR(Class, name)                                                                   \
	extern "C" const struct culprit_plugin *culprit_plugin(void)                                         \
	{                                                                                                    \
		static const struct culprit_plugin plugin = {CULPRIT_PLUGIN_ABI, name,                       \
							     "a championship's predictor, trained at fetch", \
							     culprit::cbp_plugin<Class>::table(), nullptr};  \
		return &plugin;                                                                              \
	}

#endif
