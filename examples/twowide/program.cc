#include "program.h"

namespace twowide
{

const std::vector<Mix> &mixes()
{
	static const std::vector<Mix> all = {
		// name, blocks, length, loads, stores, muls, divs, chase, far, reach, onData, odds, chains
		{"branches", 24, 6, 20, 8, 2, 0, 0, 10, 1 << 14, 60, 40, 30},
		{"chase", 12, 8, 30, 5, 2, 0, 50, 60, 1 << 21, 10, 20, 30},
		{"stream", 8, 12, 30, 20, 5, 0, 0, 5, 1 << 18, 5, 20, 10},
		{"code", 700, 7, 20, 10, 2, 0, 0, 20, 1 << 15, 25, 15, 30},
		{"long", 16, 10, 15, 8, 20, 3, 0, 10, 1 << 14, 10, 10, 60},
		{"stores", 20, 8, 28, 26, 2, 0, 5, 40, 1 << 9, 25, 20, 40},
		{"mixed", 120, 8, 25, 12, 5, 1, 10, 30, 1 << 17, 30, 25, 40},
	};
	return all;
}

namespace
{

enum { Registers = 32, Depth = 8 };
enum class End : uint8_t { Loop, OnData, Jump, Call };
enum class Walk : uint8_t { Stream, Far, Chase };

struct Static {
	Op op;
	uint8_t dest, src[2];
	Walk walk;
	uint64_t at; // of a stream
};

struct Block {
	uint64_t pc;
	std::vector<Static> code;
	End end;
	unsigned target, rounds;
	uint8_t src;
};

class Maker
{
      public:
	Maker(const Mix &m, uint64_t seed) : mix(m), state(seed * 2 + 1)
	{
		makeBlocks();
	}

	std::vector<Insn> run(size_t instructions)
	{
		std::vector<unsigned> returns, left(blocks.size());
		for (unsigned at = 0; trace.size() < instructions;) {
			Block &b = blocks[at];
			for (Static &s : b.code)
				execute(s);
			at = finish(b, at, returns, left);
		}
		return trace;
	}

      private:
	const Mix &mix;
	uint64_t state, pc = 0, pointer = 0;
	std::vector<Block> blocks;
	std::vector<Insn> trace;

	uint64_t draw(uint64_t below)
	{
		state = state * 6364136223846793005u + 1442695040888963407u;
		return (state >> 33) % below;
	}
	bool chance(unsigned percent)
	{
		return draw(100) < percent;
	}
	uint8_t someRegister()
	{
		return static_cast<uint8_t>(1 + draw(Registers - 1));
	}

	Static makeStatic(uint8_t &last)
	{
		Static s = {};
		unsigned k = static_cast<unsigned>(draw(100));
		auto of = [&k](unsigned share) {
			bool is = k < share;
			k -= is ? 0 : share;
			return is;
		};
		s.op = of(mix.loads)	? Op::Load
		       : of(mix.stores) ? Op::Store
		       : of(mix.muls)	? Op::Mul
		       : of(mix.divs)	? Op::Div
					: Op::Add;
		for (uint8_t &r : s.src)
			r = chance(mix.chains) ? last : someRegister();
		s.walk = chance(mix.chase) ? Walk::Chase : chance(mix.far) ? Walk::Far : Walk::Stream;
		s.dest = s.op == Op::Store ? 0 : someRegister();
		if (s.op == Op::Load && s.walk == Walk::Chase)
			s.dest = s.src[0] = Registers; // the pointer
		if (s.op == Op::Load && s.walk != Walk::Chase)
			s.src[1] = 0;
		s.at = 0x10000000 + draw(64) * 4160;
		last = s.dest ? s.dest : last;
		return s;
	}

	void makeBlocks()
	{
		uint64_t at = 0x10000;
		uint8_t last = 1;
		for (unsigned i = 0; i < mix.blocks; i++) {
			Block b = {at, {}, End::Loop, 0, 0, someRegister()};
			for (unsigned n = 2 + static_cast<unsigned>(draw(2 * mix.blockLength - 3)); n; n--)
				b.code.push_back(makeStatic(last));
			b.end = chance(mix.onData) ? End::OnData
				: chance(40)	   ? End::Loop
				: chance(60)	   ? End::Jump
						   : End::Call;
			b.target = static_cast<unsigned>(draw(mix.blocks));
			if (b.end == End::Jump && b.target <= i) // no circle without a branch on data
				b.target = (i + 1) % mix.blocks;
			b.rounds = 2 + static_cast<unsigned>(draw(12));
			b.src = chance(70) ? last : b.src;
			at += 4 * (b.code.size() + 1);
			blocks.push_back(b);
		}
	}

	void put(Op op, uint8_t dest, uint8_t a, uint8_t b, uint64_t address, bool taken, uint64_t next)
	{
		trace.push_back({pc, next, address, dest, {a, b}, op, taken});
		pc = next;
	}

	uint64_t place(Static &s)
	{
		if (s.walk == Walk::Far)
			return 0x20000000 + draw(mix.reach / 8) * 8;
		if (s.walk == Walk::Chase)
			return pointer = 0x30000000 + (pointer * 1103515245 + 12345 + draw(64)) % (mix.reach / 8) * 8;
		return s.at += 8;
	}

	void execute(Static &s)
	{
		bool memory = s.op == Op::Load || s.op == Op::Store;
		put(s.op, s.dest, s.src[0], s.src[1], memory ? place(s) : 0, false, pc + 4);
	}

	// The block's last instruction; a call's target returns when its own end is reached.
	unsigned finish(Block &b, unsigned at, std::vector<unsigned> &returns, std::vector<unsigned> &left)
	{
		unsigned next = (at + 1) % blocks.size();
		Op op = Op::Branch;
		bool taken = true;
		unsigned to = b.target;
		if (b.end == End::Loop) {
			left[at] = left[at] ? left[at] - 1 : b.rounds;
			taken = left[at] != 0;
			to = at;
		} else if (b.end == End::OnData) {
			taken = chance(mix.odds);
		} else if (!returns.empty() && chance(60)) {
			op = Op::Return;
			to = returns.back();
			returns.pop_back();
		} else if (b.end == End::Call && returns.size() < Depth) {
			op = Op::Call;
			returns.push_back(next);
		} else {
			op = Op::Jump;
		}
		unsigned goes = taken ? to : next;
		put(op, 0, op == Op::Branch ? b.src : 0, 0, 0, taken, taken ? blocks[goes].pc : pc + 4);
		if (!taken && !next) // behind the last block
			put(Op::Jump, 0, 0, 0, 0, true, blocks[0].pc);
		return goes;
	}

	friend std::vector<Insn> twowide::makeProgram(const Mix &, size_t, uint64_t);
};

} // namespace

std::vector<Insn> makeProgram(const Mix &mix, size_t instructions, uint64_t seed)
{
	Maker maker(mix, seed);
	maker.pc = maker.blocks[0].pc;
	return maker.run(instructions);
}

} // namespace twowide
