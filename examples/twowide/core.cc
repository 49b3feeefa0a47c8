#include "core.h"

#include "feed.h" // culprit

#include <algorithm>

namespace twowide
{

Core::Core(const Config &config, const Ideal &ideal_, const std::vector<Insn> &trace_)
    : c(config), ideal(ideal_), trace(trace_), icache(8 << 10, 2, c.lineBytes), dcache(16 << 10, 8, c.lineBytes),
      l2(128 << 10, 8, c.lineBytes)
{
}

uint64_t Core::run(Feed *feed)
{
	uint64_t last = 0;
	for (; fetched < trace.size() || !asking.empty() || !front.empty() || !rob.empty(); now++) {
		size_t before = committed;
		commit(feed);
		issue();
		dispatch();
		decode();
		fetch();
		last = committed != before ? now : last;
	}
	return last;
}

// --- commit ---

void Core::commit(Feed *feed)
{
	for (unsigned n = 0; !rob.empty() && rob.front().complete < now;) {
		Uop &u = rob.front();
		if (!u.from.fused && n >= wide(c.width))
			return;
		n += !u.from.fused;
		u.commit = now;
		if (u.part == Part::Address) {
			if (!dcache.access(u.from.insn->address))
				l2.access(u.from.insn->address);
			stores--;
		}
		loads -= u.unit == Unit::Load;
		if (feed)	       // culprit
			feed->take(u); // culprit
		rob.pop_front();
		entries -= rob.empty() || !rob.front().from.fused; // the last that shares an entry frees it
		firstNumber++;
		committed++;
	}
}

// --- issue ---

bool Core::done(uint64_t plusOne) const
{
	if (plusOne <= firstNumber)
		return true;
	const Uop &u = rob[plusOne - 1 - firstNumber];
	return u.issue != Never && u.issue + u.latency + u.miss <= now;
}

// Loads wait for the addresses of all older stores, and for the data of the last one to their own address.
bool Core::isReady(Uop &u)
{
	if (u.dispatch + 1 > now || !done(u.producers[0]) || !done(u.producers[1]))
		return false;
	if (u.unit != Unit::Load)
		return true;
	u.data = 0;
	for (uint64_t i = u.number; i-- > firstNumber;) {
		Uop &older = uop(i);
		if (older.part != Part::Address)
			continue;
		if (!done(older.number + 1)) {
			u.ordered = older.number + 1; // culprit
			return false;
		}
		if (!u.data && older.from.insn->address == u.from.insn->address)
			u.data = older.number; // its data are the micro-operation in front: number - 1, plus one
	}
	return done(u.data);
}

void Core::startLoad(Uop &u)
{
	uint64_t address = u.from.insn->address, line = address / c.lineBytes;
	u.forwarded = u.data != 0;
	u.latency = ideal.dl1 ? 0 : c.loadHit;
	if (u.forwarded)
		return;
	auto flight = flights.find(line);
	uint64_t hit = now + u.latency;
	if (!dcache.access(address)) {
		u.missLevel = l2.access(address) ? 2 : 3;
		u.miss = c.l2Latency + (u.missLevel == 3 ? c.memoryLatency : 0);
		u.miss = ideal.dmiss ? 0 : u.miss;
		flights[line] = {hit + u.miss, u.number + 1};
	} else if (flight != flights.end() && flight->second.first > hit) {
		u.miss = static_cast<unsigned>(flight->second.first - hit);
		u.line = flight->second.second; // culprit
		u.missLevel = 2;
	}
}

// False: its unit is busy.
bool Core::start(Uop &u)
{
	Op op = u.from.insn->op;
	bool isDiv = op == Op::Div, isLong = isDiv || op == Op::Mul;
	if (u.unit == Unit::Div && dividerFree > now && !ideal.bw) {
		u.waited = dividerBy > u.number + 1 ? dividerBy : u.waited; // culprit
		return false;
	}
	u.issue = now;
	if (u.unit == Unit::Load)
		startLoad(u);
	else if (isLong)
		u.latency = ideal.lgalu ? 0 : isDiv ? c.divLatency : c.mulLatency;
	else
		u.latency = ideal.shalu ? 0 : 1;
	u.complete = now + u.latency + u.miss;
	if (isDiv && !ideal.lgalu) {
		dividerFree = now + c.divLatency;
		dividerBy = u.number + 1;
	}
	if (u.from.mispredicted) {
		uint64_t resolved = std::max(u.complete, now + 1);
		fetchAt = resolved + c.mispredictPenalty;
		waitsFor = false;
	}
	return true;
}

void Core::issue()
{
	unsigned used[static_cast<size_t>(Unit::Count)] = {}, count = 0;
	const unsigned units[] = {c.alus, 1, 1, 1, 1};
	for (uint64_t number : queue) {
		Uop &u = uop(number);
		if (!isReady(u))
			continue;
		u.ready = std::min(u.ready, now); // culprit
		unsigned &busy = used[static_cast<size_t>(u.unit)];
		if (count >= wide(c.width) || busy >= wide(units[static_cast<size_t>(u.unit)]) || !start(u))
			continue;
		busy++;
		count++;
	}
	queue.erase(std::remove_if(queue.begin(), queue.end(), [this](uint64_t n) { return uop(n).issue != Never; }),
		    queue.end());
}

// --- dispatch: stores are cracked here ---

bool Core::place(Fetched &f)
{
	const Insn &i = *f.insn;
	bool isStore = i.op == Op::Store, isAddress = isStore && f.parts == 1;
	bool eliminated = i.op == Op::Jump;
	if ((entries >= large(c.rob) && !f.fused) || (queue.size() >= large(c.scheduler) && !eliminated))
		return false;
	if ((i.op == Op::Load && loads >= large(c.loadQueue)) || (isAddress && stores >= large(c.storeQueue)))
		return false;
	Uop u = {};
	u.from = f;
	u.part = !isStore ? Part::Whole : isAddress ? Part::Address : Part::Data;
	u.unit = i.op == Op::Load  ? Unit::Load
		 : isAddress	   ? Unit::Store
		 : i.op == Op::Mul ? Unit::Mul
		 : i.op == Op::Div ? Unit::Div
				   : Unit::Alu;
	u.number = dispatched++;
	u.ready = u.issue = u.complete = u.commit = Never;
	u.dispatch = now;
	if (isStore) {
		u.producers[0] = writer[i.src[isAddress ? 0 : 1]];
	} else {
		u.producers[0] = writer[i.src[0]];
		u.producers[1] = writer[i.src[1]];
	}
	if (i.dest)
		writer[i.dest] = u.number + 1;
	loads += u.unit == Unit::Load;
	stores += isAddress;
	entries += !f.fused || rob.empty();
	if (eliminated)
		u.ready = u.issue = u.complete = now + 1;
	else
		queue.push_back(u.number);
	rob.push_back(u);
	f.parts++;
	return true;
}

void Core::dispatch()
{
	for (unsigned n = 0; decoded;) {
		Fetched &f = front.front();
		if ((n >= wide(c.width) && !f.fused) || f.decode + c.decodeToDispatch > now || !place(f))
			return;
		n += !f.fused;
		if (f.parts < (f.insn->op == Op::Store ? 2 : 1))
			continue;
		front.pop_front();
		decoded--;
	}
}

// --- decode ---

void Core::decode()
{
	for (unsigned n = 0; n < wide(c.decodeLatch) && decoded < wide(c.decodeLatch) && decoded < front.size(); n++) {
		Fetched &f = front[decoded];
		if (f.fetch + c.fetchToDecode > now)
			return;
		f.decode = now;
		decoded++;
		if (f.late) {
			fetchAt = now + 1;
			waitsForDecode = false;
		}
	}
}

// --- fetch ---

unsigned Core::frontRoom() const
{
	return ideal.bw ? (c.fetchToDecode + c.decodeToDispatch + 1) * large(c.rob) : c.fetchQueue;
}

// A line that is not there takes time before its first instruction comes.
bool Core::fetchLineOf(const Insn &insn)
{
	uint64_t line = insn.pc / c.lineBytes;
	if (line != fetchLine) {
		fetchLine = line;
		missLevel = icache.access(insn.pc) ? 0 : l2.access(insn.pc) ? 2 : 3;
		missLevel = ideal.imiss ? 0 : missLevel;
		missFrom = now;
		missUntil = now + (missLevel ? c.l2Latency : 0) + (missLevel == 3 ? c.memoryLatency : 0);
	}
	return now >= missUntil;
}

// Predictor and BTB learn in the order of the program. True: fetch goes on at the right place.
bool Core::predict(Fetched &f)
{
	const Insn &i = *f.insn;
	bool taken = i.taken;
	if (i.op == Op::Branch) {
		uint8_t &counter = direction[(i.pc / 4 ^ history) % direction.size()];
		taken = counter > 1;
		counter = static_cast<uint8_t>(i.taken ? std::min(counter + 1, 3) : std::max(counter - 1, 0));
		history = history << 1 | i.taken;
	}
	uint64_t &entry = btb[i.pc / 4 % btb.size()];
	bool known = entry == i.pc || i.op == Op::Return;
	if (i.taken)
		entry = i.pc;
	f.mispredicted = taken != i.taken && !ideal.bmisp;
	f.late = !f.mispredicted && i.taken && !known && !ideal.bmisp;
	return !f.mispredicted && !f.late;
}

// With the instruction in front?
bool Core::fuses(const Insn &i) const
{
	const Insn *front = fetched ? &trace[fetched - 1] : nullptr;
	return i.op == Op::Branch && front && front->op == Op::Add && front->dest == i.src[0] && front->pc + 4 == i.pc;
}

// Is fetch at the next instruction, and is there room for it?
bool Core::mayFetch(size_t waiting, size_t room, unsigned already) const
{
	if (fetched == trace.size() || waitsFor || waitsForDecode || now < fetchAt || waiting >= room)
		return false;
	return !already || ideal.bw || trace[fetched].pc / c.lineBytes == fetchLine; // a group ends with its line
}

// Behind the instruction: does the group go on?
bool Core::goOn(Fetched &f)
{
	bool right = !isBranch(f.insn->op) || predict(f);
	waitsFor = f.mispredicted;
	waitsForDecode = f.late;
	fetched++;
	return right && (!f.insn->taken || ideal.bw);
}

// The next instruction, with what its line takes if it is the first of one that is not there.
Fetched Core::next()
{
	Fetched f = {};
	f.insn = &trace[fetched];
	f.ask = f.fetch = now;
	f.fused = fuses(*f.insn);
	f.level = missLevel;							   // culprit
	f.fetchMiss = missLevel ? static_cast<unsigned>(missUntil - missFrom) : 0; // culprit
	missLevel = 0;
	return f;
}

void Core::fetch()
{
	if (c.asked) {
		unsigned left = leave(0);
		ask();
		leave(left);
		return;
	}
	for (unsigned n = 0; n < wide(c.width) && mayFetch(front.size() - latched(), frontRoom(), n); n++) {
		if (!fetchLineOf(trace[fetched]))
			return;
		Fetched f = next();
		f.ask -= f.fetchMiss;
		bool more = goOn(f);
		front.push_back(f);
		if (!more)
			return;
	}
}

// Instructions come in with their lines on the way ...
void Core::ask()
{
	size_t room = ideal.bw ? frontRoom() : c.asked;
	for (unsigned n = 0; n < wide(c.width) && mayFetch(asking.size(), room, n); n++) {
		fetchLineOf(trace[fetched]);
		Fetched f = next();
		bool more = goOn(f);
		asking.emplace_back(f, missUntil);
		if (!more)
			return;
	}
}

// ... and leave in order, when these are there; `n` have left in this cycle.
unsigned Core::leave(unsigned n)
{
	for (; n < wide(c.width) && !asking.empty() && asking.front().second <= now; n++) {
		if (front.size() - latched() >= frontRoom())
			break;
		front.push_back(asking.front().first);
		front.back().fetch = now;
		asking.pop_front();
	}
	return n;
}

} // namespace twowide
