// A prefetcher as it was written for ChampSim, as a plug-in:
//     c++ -std=c++17 -shared -fPIC -O2 -I include -o champsim_next_line.so examples/plugins/champsim_next_line.cc
//     culprit run --prefetcher l2=./champsim_next_line.so --set l2.line=64 -- PROG
#include <culprit/champsim.hpp> // in place of "modules.h" and "address.h"

struct next_line : public champsim::modules::prefetcher {
	using prefetcher::prefetcher;

	uint32_t prefetcher_cache_operate(champsim::address addr, champsim::address ip, uint8_t cache_hit,
					  bool useful_prefetch, access_type type, uint32_t metadata_in)
	{
		(void)ip, (void)type;
		if (!cache_hit || useful_prefetch)
			prefetch_line(champsim::address{champsim::block_number{addr} + 1}, true, metadata_in);
		return metadata_in;
	}
};

CULPRIT_CHAMPSIM_PREFETCHER(next_line, "ChampSim's next line")
