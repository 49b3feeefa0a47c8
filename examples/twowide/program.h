// Programs for the core: made-up code, executed once into a trace. Code has blocks that end with a loop branch,
// a branch on data, a jump, a call or a return. Loads walk through memory, jump about in it, or follow
// pointers. All is drawn from a seed.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace twowide
{

enum class Op : uint8_t { Add, Mul, Div, Load, Store, Branch, Jump, Call, Return };

// One executed instruction: four bytes of code; register 0 is none.
struct Insn {
	uint64_t pc, next;    // next: where the program goes on
	uint64_t address;     // of a load or store: eight bytes
	uint8_t dest, src[2]; // of a store: src[0] address, src[1] data
	Op op;
	bool taken; // jumps always
};

inline bool isBranch(Op op)
{
	return op >= Op::Branch;
}

struct Mix {
	const char *name;
	unsigned blocks, blockLength;	    // of static code
	unsigned loads, stores, muls, divs; // of a hundred instructions
	unsigned chase, far;   // of a hundred loads: that follow pointers; that go to `reach` instead of a stream
	uint64_t reach;	       // bytes
	unsigned onData, odds; // of a hundred block ends: branches on data, and how often these are taken
	unsigned chains;       // of a hundred operands: the last result
};

const std::vector<Mix> &mixes();
std::vector<Insn> makeProgram(const Mix &mix, size_t instructions, uint64_t seed);

} // namespace twowide
