#include "feed.h"

namespace twowide
{

namespace
{

[[noreturn]] void fail(const std::string &what)
{
	throw std::runtime_error(what);
}

uint32_t distance(const Uop &u, uint64_t plusOne)
{
	return plusOne && plusOne <= u.number ? static_cast<uint32_t>(u.number + 1 - plusOne) : 0;
}

uint8_t opClass(const Uop &u)
{
	switch (u.from.insn->op) {
	case Op::Mul:
		return CULPRIT_OP_int_mul;
	case Op::Div:
		return CULPRIT_OP_int_div;
	case Op::Load:
		return CULPRIT_OP_load;
	case Op::Store:
		return u.part == Part::Address ? CULPRIT_OP_store : CULPRIT_OP_int_alu;
	case Op::Add:
		return CULPRIT_OP_int_alu;
	default:
		return CULPRIT_OP_branch;
	}
}

uint8_t branchKind(Op op)
{
	return op == Op::Branch	  ? CULPRIT_BRANCH_CONDITIONAL
	       : op == Op::Jump	  ? CULPRIT_BRANCH_JUMP
	       : op == Op::Call	  ? CULPRIT_BRANCH_CALL
	       : op == Op::Return ? CULPRIT_BRANCH_RETURN
				  : CULPRIT_BRANCH_NONE;
}

uint8_t level(unsigned missLevel)
{
	return missLevel == 3 ? CULPRIT_LEVEL_MEMORY : missLevel == 2 ? CULPRIT_LEVEL_L2 : CULPRIT_LEVEL_L1;
}

void fetchPart(culprit_record &r, const Uop &u, const Uop *before, bool plain)
{
	const Fetched &f = u.from;
	bool first = u.part != Part::Address; // of its instruction
	r.pc = f.insn->pc;
	r.length = first || plain ? 4 : 0;
	r.fetch = f.fetch;
	r.imiss = first ? f.fetchMiss : 0;
	r.ilevel = first && f.level ? level(f.level) : 0;
	r.flags |= f.insn->taken ? CULPRIT_TAKEN : 0;
	r.flags |= f.mispredicted ? CULPRIT_MISPREDICTED | CULPRIT_DIRECTION_WRONG : 0;
	r.flags |= f.late ? CULPRIT_BTB_MISS : 0;
	if (before && before->from.mispredicted)
		r.redirect = static_cast<uint16_t>(f.ask - before->complete);
	else if (before && before->from.late)
		r.redirect = static_cast<uint16_t>(f.ask - (plain ? before->from.fetch + 1 : before->from.decode));
}

void memoryPart(culprit_record &r, const Uop &u)
{
	bool load = u.unit == Unit::Load, store = u.part == Part::Address;
	if (!load && !store)
		return;
	r.flags |= load ? CULPRIT_LOAD : CULPRIT_STORE;
	r.mem_addr = u.from.insn->address;
	r.mem_size = 8;
	if (!load)
		return;
	r.flags |= u.forwarded ? CULPRIT_FORWARDED : 0;
	r.flags |= u.line ? CULPRIT_MERGED : 0;
	r.mem_producer = distance(u, u.data);
	r.order_waited = distance(u, u.ordered);
	r.primary_miss = distance(u, u.line);
	r.dmiss = u.miss;
	r.dlevel = u.forwarded ? static_cast<uint8_t>(CULPRIT_LEVEL_NONE) : level(u.missLevel);
}

void issuePart(culprit_record &r, const Uop &u)
{
	r.ready = u.ready;
	r.issue = u.issue;
	r.complete = u.complete;
	r.commit = u.commit;
	r.exec_latency = static_cast<uint16_t>(u.latency);
	r.wakeup = static_cast<uint16_t>(u.latency + u.miss);
	r.unit = static_cast<uint8_t>(u.unit);
	r.producer[0] = distance(u, u.producers[0]);
	r.producer[1] = distance(u, u.producers[1]);
	if (u.issue > u.ready)
		r.contended = u.waited ? CULPRIT_CONTENTION_BUSY : CULPRIT_CONTENTION_ISSUE;
	if (u.waited)
		r.contender = static_cast<uint8_t>(u.waited - u.number > 255 ? 255 : u.waited - 1 - u.number);
}

// What is fused or eliminated takes less than one of everything.
void weights(culprit_record &r, const Uop &u)
{
	if (u.from.fused)
		r.rob_entries = r.dispatch_slots = r.commit_slots = CULPRIT_WEIGHT_NONE;
	if (u.from.insn->op != Op::Jump)
		return;
	r.issue_slots = CULPRIT_WEIGHT_NONE;
	r.queue = 1; // there is no such queue: it holds no entry
}

} // namespace

Feed::Feed(const std::string &machineFile, const Config &config_, std::string without, const std::string &recordFile)
    : config(config_)
{
	culprit_error err;
	if (const char *why = culprit_abi_mismatch())
		fail(why);
	const char *wrong = nullptr;
	plain = without == "parameters";
	if (plain)
		without = "";
	if (!culprit_field_set_parse(without.c_str(), &unknown, &wrong))
		fail("no such field: " + without);
	// what this core never tells: writes have no latency, there are no wrong paths, and registers never run out
	unknown |= CULPRIT_FIELD_BIT(writes) | CULPRIT_FIELD_BIT(strays) | CULPRIT_FIELD_BIT(registers) |
		   CULPRIT_FIELD_BIT(window);
	machine.reset(culprit_machine_load(machineFile.c_str(), &err));
	if (!machine)
		fail(err.text);
	culprit_graph_params params;
	culprit_machine_graph(machine.get(), &params);
	if (!plain) { // what a machine file cannot say
		params.cracked = 2;
		params.fetch_asked = config.asked;
		params.decode_stages = config.fetchToDecode;
		params.decode_insns = config.decodeLatch;
	}
	costs.reset(culprit_analysis_create_graph("graph", machine.get(), &params, unknown, &err));
	check.reset(culprit_analysis_create_graph("check", machine.get(), &params, unknown, &err));
	const char *file = recordFile.c_str();
	if (*file)
		recording.reset(culprit_recording_create_graph(file, "twowide", machine.get(), &params, unknown, &err));
	if (!costs || !check || (*file && !recording))
		fail(err.text);
}

void Feed::take(const Uop &u)
{
	culprit_record r = {};
	r.seq = u.number;
	r.dispatch = u.dispatch;
	r.op_class = opClass(u);
	r.branch = branchKind(u.from.insn->op);
	r.dest = 64; // none: registers never run out
	fetchPart(r, u, any ? &before : nullptr, plain);
	issuePart(r, u);
	memoryPart(r, u);
	weights(r, u);
	before = u;
	any = true;
	if (!culprit_analysis_push(costs.get(), &r, 1))
		fail(culprit_analysis_error(costs.get()));
	if (!culprit_analysis_push(check.get(), &r, 1))
		fail(culprit_analysis_error(check.get()));
	if (recording && !culprit_recording_push(recording.get(), &r, 1))
		fail(culprit_recording_error(recording.get()));
}

void Feed::finish(uint64_t cycles)
{
	culprit_error err;
	cycles++; // the core tells the last commit's, and counts from cycle 0
	if (!culprit_analysis_finish(costs.get(), cycles, &err) || !culprit_analysis_finish(check.get(), cycles, &err))
		fail(err.text);
	if (recording && !culprit_recording_finish(recording.get(), cycles, &err))
		fail(err.text);
}

std::string Feed::checked() const
{
	char *text = culprit_analysis_json(check.get());
	std::string copy = text ? text : "";
	culprit_free(text);
	return copy;
}

} // namespace twowide
