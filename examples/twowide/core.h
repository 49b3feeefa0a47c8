// twowide: a small out-of-order core. Fetch, dispatch, issue and commit move two instructions a cycle.
// Decode finds taken branches that the BTB did not have, and redirects fetch. A store is cracked at dispatch
// into a micro-operation for its data and one for its address. A branch on what the addition in front of it makes
// is fused with it: both share a dispatch slot, a ROB entry and a commit slot, and issue one by one. A jump is done
// at dispatch: it takes no place in the scheduler and no unit. One scheduler queue serves all units. Fetch
// waits behind a branch that was predicted wrong: there are no wrong paths. It waits for each line in turn, or
// (Config::asked) asks for the lines of so many instructions ahead. A cycle goes from commit back to fetch, so
// what one stage frees another takes in the same cycle.
#pragma once
#include "caches.h"
#include "program.h"

#include <deque>
#include <unordered_map>

namespace twowide
{

constexpr uint64_t Never = UINT64_MAX;

struct Config {
	unsigned width = 2;
	unsigned asked = 0;	  // instructions that wait for their lines at once; 0: fetch waits for each
	unsigned fetchQueue = 8;  // instructions between fetch and decode
	unsigned decodeLatch = 4; // ... between decode and dispatch; as many as two fused pairs are decoded in a cycle
	unsigned fetchToDecode = 2, decodeToDispatch = 1;
	unsigned rob = 40, scheduler = 20, loadQueue = 12, storeQueue = 8;
	unsigned alus = 2, loadHit = 2, mulLatency = 3, divLatency = 14;
	unsigned mispredictPenalty = 2; // from completion of the branch to the next fetch
	unsigned l2Latency = 10, memoryLatency = 80;
	unsigned lineBytes = 64;
};

// What is idealised.
struct Ideal {
	bool dl1 = false, win = false, bw = false, bmisp = false, dmiss = false, shalu = false, lgalu = false,
	     imiss = false;
};

struct Fetched {
	const Insn *insn;
	uint64_t ask = 0, fetch, decode = Never; // ask: for its line
	bool mispredicted = false, late = false; // late: taken, and only decode knew
	bool fused = false;			 // with the instruction in front
	unsigned fetchMiss = 0, level = 0;	 // culprit: cycles that its line took, and from where
	unsigned parts = 0;			 // dispatched
};

enum class Part : uint8_t { Whole, Data, Address };
enum class Unit : uint8_t { Alu, Mul, Div, Load, Store, Count };

struct Uop {
	Fetched from;
	Part part;
	Unit unit;
	uint64_t number;		// among micro-operations
	uint64_t producers[2] = {0, 0}; // numbers + 1
	uint64_t dispatch, issue = Never, complete = Never, commit = Never;
	unsigned latency = 0, miss = 0, missLevel = 0;
	uint64_t data = 0; // number + 1: the store that a load takes its data from
	bool forwarded = false;
	uint64_t ready = Never; // culprit: the first cycle in which it could have issued
	uint64_t line = 0;	// culprit: number + 1: the load that brings its line
	uint64_t ordered = 0;	// culprit: number + 1: a store whose address it waited for
	uint64_t waited = 0;	// culprit: number + 1: a younger micro-operation that had the divider
};

class Feed; // culprit

class Core
{
      public:
	Core(const Config &config, const Ideal &ideal, const std::vector<Insn> &trace);
	uint64_t run(Feed *feed = nullptr); // cycles; culprit: feed

      private:
	const Config c;
	const Ideal ideal;
	const std::vector<Insn> &trace;
	uint64_t now = 0;
	size_t fetched = 0, dispatched = 0, committed = 0; // instructions; micro-operations

	// front end
	std::deque<Fetched> front; // in fetch order: the first `decoded` of them are decoded
	size_t decoded = 0;
	uint64_t fetchAt = 0;				 // not before
	bool waitsFor = false, waitsForDecode = false;	 // for a mispredicted branch; for one that decode knows
	std::deque<std::pair<Fetched, uint64_t>> asking; // with Config::asked: and when the line is there
	uint64_t fetchLine = Never, missFrom = 0, missUntil = 0;
	unsigned missLevel = 0;
	Cache icache, dcache, l2;
	std::vector<uint8_t> direction = std::vector<uint8_t>(4096, 1);
	std::vector<uint64_t> btb = std::vector<uint64_t>(128, 0);
	uint32_t history = 0;

	// back end
	std::deque<Uop> rob;
	uint64_t firstNumber = 0;    // of rob.front()
	unsigned entries = 0;	     // of the ROB that are taken: fused micro-operations share one
	std::vector<uint64_t> queue; // numbers, oldest first
	unsigned loads = 0, stores = 0;
	uint64_t writer[64] = {}; // number + 1
	std::unordered_map<uint64_t, std::pair<uint64_t, uint64_t>>
		flights; // line -> when it arrives, for whom (number + 1)
	uint64_t dividerFree = 0, dividerBy = 0;

	unsigned large(unsigned size) const
	{
		return ideal.win ? size * 20 : size;
	}
	unsigned wide(unsigned width) const
	{
		return ideal.bw ? 1u << 20 : width;
	}
	unsigned frontRoom() const;
	Uop &uop(uint64_t number)
	{
		return rob[number - firstNumber];
	}
	bool done(uint64_t plusOne) const;

	void commit(Feed *feed); // culprit: feed
	void issue();
	bool isReady(Uop &u);
	bool start(Uop &u);
	void startLoad(Uop &u);
	void dispatch();
	bool place(Fetched &f);
	void decode();
	void fetch();
	void ask();
	unsigned leave(unsigned n);
	Fetched next();
	unsigned latched() const // do not count in the fetch queue
	{
		return ideal.bw ? 0 : static_cast<unsigned>(decoded);
	}
	bool mayFetch(size_t waiting, size_t room, unsigned already) const;
	bool goOn(Fetched &f);
	bool predict(Fetched &f);
	bool fuses(const Insn &insn) const;
	bool fetchLineOf(const Insn &insn);
};

} // namespace twowide
