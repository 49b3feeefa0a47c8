// Tags only: does a cache have the line? Sets of ways, least recently used out first.
#pragma once
#include <cstdint>
#include <vector>

namespace twowide
{

class Cache
{
      public:
	Cache(uint64_t bytes, unsigned ways_, unsigned line_)
	    : sets(bytes / line_ / ways_), ways(ways_), line(line_), tags(sets * ways)
	{
	}

	// Brings the line in. True: it was there.
	bool access(uint64_t address)
	{
		uint64_t tag = address / line + 1;
		uint64_t *set = &tags[(address / line) % sets * ways];
		unsigned at = 0;
		while (at + 1 < ways && set[at] != tag)
			at++;
		bool hit = set[at] == tag;
		for (; at; at--)
			set[at] = set[at - 1];
		set[0] = tag;
		return hit;
	}

      private:
	uint64_t sets;
	unsigned ways, line;
	std::vector<uint64_t> tags;
};

} // namespace twowide
