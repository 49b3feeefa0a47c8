/* Prefetchers written for ChampSim as plug-ins: a module's class (`struct mine : public
 * champsim::modules::prefetcher`), with prefetcher_cache_operate and whichever of prefetcher_initialize,
 * prefetcher_cache_fill, prefetcher_cycle_operate and prefetcher_final_stats it has. Include this in place of
 * ChampSim's headers and end with
 *
 *     CULPRIT_CHAMPSIM_PREFETCHER(mine, "mine")
 *
 * Addresses may be champsim::address or uint64_t, the type access_type or a number. Older code that defines members of
 * CACHE becomes a class by renaming them. What differs: addresses are virtual; prefetch_line fills this cache also when
 * it is asked to fill the one below; metadata does not travel between levels; lines are of the machine's size
 * (BLOCK_SIZE is 64, as there); prefetcher_cycle_operate is called at each access, once for each cycle since the last,
 * but for 256 cycles at most. */
#ifndef CULPRIT_CHAMPSIM_HPP
#define CULPRIT_CHAMPSIM_HPP

#include <culprit/plugin.h>

#include <new>
#include <type_traits>
#include <utility>

constexpr unsigned LOG2_BLOCK_SIZE = 6, BLOCK_SIZE = 64, LOG2_PAGE_SIZE = 12, PAGE_SIZE = 4096;

enum class access_type : unsigned { LOAD = 0, RFO, PREFETCH, WRITE, TRANSLATION, NUM_TYPES };

namespace champsim
{

/* An address or a part of one, above `shift` bits. */
template <unsigned shift> class address_slice
{
	uint64_t whole;

      public:
	using difference_type = int64_t;
	constexpr address_slice() : whole(0)
	{
	}
	constexpr explicit address_slice(uint64_t part) : whole(part << shift)
	{
	}
	template <unsigned other>
	constexpr explicit address_slice(address_slice<other> a) : whole(a.bytes() >> shift << shift)
	{
	}
	constexpr uint64_t bytes() const
	{
		return whole;
	}
	template <class T> constexpr T to() const
	{
		return static_cast<T>(whole >> shift);
	}
	constexpr address_slice operator+(int64_t n) const
	{
		return address_slice((whole >> shift) + static_cast<uint64_t>(n));
	}
	constexpr address_slice operator-(int64_t n) const
	{
		return *this + -n;
	}
	constexpr address_slice &operator+=(int64_t n)
	{
		return *this = *this + n;
	}
	constexpr address_slice &operator++()
	{
		return *this += 1;
	}
	constexpr bool operator==(address_slice o) const
	{
		return whole == o.whole;
	}
	constexpr bool operator!=(address_slice o) const
	{
		return whole != o.whole;
	}
	constexpr bool operator<(address_slice o) const
	{
		return whole < o.whole;
	}
};

using address = address_slice<0>;
using block_number = address_slice<LOG2_BLOCK_SIZE>;
using page_number = address_slice<LOG2_PAGE_SIZE>;

template <unsigned shift> constexpr int64_t offset(address_slice<shift> from, address_slice<shift> to)
{
	return static_cast<int64_t>(to.template to<uint64_t>() - from.template to<uint64_t>());
}

namespace modules
{

class prefetcher
{
	uint64_t *asked = nullptr;
	uint32_t room = 0, used = 0;

      public:
	prefetcher() = default;
	void culprit_collect(uint64_t *to, uint32_t size)
	{
		asked = to;
		room = size;
		used = 0;
	}
	uint32_t culprit_collected() const
	{
		return used;
	}
	bool prefetch_line(uint64_t addr, bool, uint32_t)
	{
		if (used == room)
			return false;
		asked[used++] = addr;
		return true;
	}
	bool prefetch_line(address addr, bool this_level, uint32_t metadata)
	{
		return prefetch_line(addr.bytes(), this_level, metadata);
	}
};

} // namespace modules
} // namespace champsim

namespace culprit
{

/* What a module is given, whichever type it takes. */
struct champsim_any {
	uint64_t value;
	template <class T> operator T() const
	{
		return static_cast<T>(value);
	}
};

template <class M, class = void> struct has_initialize : std::false_type {
};
template <class M>
struct has_initialize<M, std::void_t<decltype(std::declval<M>().prefetcher_initialize())>> : std::true_type {
};
template <class M, class = void> struct has_final_stats : std::false_type {
};
template <class M>
struct has_final_stats<M, std::void_t<decltype(std::declval<M>().prefetcher_final_stats())>> : std::true_type {
};
template <class M, class = void> struct has_cycle : std::false_type {
};
template <class M>
struct has_cycle<M, std::void_t<decltype(std::declval<M>().prefetcher_cycle_operate())>> : std::true_type {
};
template <class M, class = void> struct has_fill : std::false_type {
};
template <class M>
struct has_fill<M, std::void_t<decltype(std::declval<M>().prefetcher_cache_fill(
			   champsim_any{}, 0, 0, uint8_t{}, champsim_any{}, 0u))>> : std::true_type {
};
template <class M, class = void> struct has_useful : std::false_type {
};
template <class M>
struct has_useful<M, std::void_t<decltype(std::declval<M>().prefetcher_cache_operate(
			     champsim_any{}, champsim_any{}, uint8_t{}, false, champsim_any{}, 0u))>> : std::true_type {
};

template <class Module> class champsim_plugin
{
	Module module;
	uint64_t cycle = 0;

	static champsim_plugin &of(void *self)
	{
		return *static_cast<champsim_plugin *>(self);
	}

	static void *create(const char *, const culprit_plugin_cache *cache, const char **why)
	{
		if (cache->line != BLOCK_SIZE) {
			*why = "ChampSim's lines are of 64 bytes, and this cache's are not: --set CACHE.line=64";
			return nullptr;
		}
		champsim_plugin *p = new (std::nothrow) champsim_plugin;
		if (!p)
			return nullptr;
		if constexpr (has_initialize<Module>::value)
			p->module.prefetcher_initialize();
		return p;
	}

	static void destroy(void *self)
	{
		if constexpr (has_final_stats<Module>::value)
			of(self).module.prefetcher_final_stats();
		delete &of(self);
	}

	void pass_time(uint64_t now)
	{
		(void)now;
		if constexpr (has_cycle<Module>::value) {
			if (now > cycle + 256)
				cycle = now - 256;
			for (; cycle < now; cycle++)
				module.prefetcher_cycle_operate();
		}
	}

	static uint32_t access(void *self, const culprit_plugin_access *a, uint64_t *addresses, uint32_t room)
	{
		Module &m = of(self).module;
		const auto type = static_cast<unsigned>(a->store ? access_type::RFO : access_type::LOAD);
		m.culprit_collect(addresses, room);
		of(self).pass_time(a->cycle);
		if constexpr (has_useful<Module>::value)
			m.prefetcher_cache_operate(champsim_any{a->addr}, champsim_any{a->pc}, a->hit, a->first_use,
						   champsim_any{type}, 0);
		else
			m.prefetcher_cache_operate(champsim_any{a->addr}, champsim_any{a->pc}, a->hit,
						   champsim_any{type}, 0);
		const uint32_t count = m.culprit_collected();
		m.culprit_collect(nullptr, 0);
		return count;
	}

	static void fill(void *self, const culprit_plugin_fill *f)
	{
		(void)self;
		(void)f;
		if constexpr (has_fill<Module>::value)
			of(self).module.prefetcher_cache_fill(champsim_any{f->addr}, 0, 0, f->prefetch,
							      champsim_any{f->evicted}, 0);
	}

      public:
	static const culprit_prefetcher_plugin *table()
	{
		static const culprit_prefetcher_plugin calls = {create, destroy, access, fill};
		return &calls;
	}
};

} // namespace culprit

#define CULPRIT_CHAMPSIM_PREFETCHER(Module, name)                                                                   \
	extern "C" const struct culprit_plugin *culprit_plugin(void)                                                \
	{                                                                                                           \
		static const struct culprit_plugin plugin = {CULPRIT_PLUGIN_ABI, name, "a prefetcher for ChampSim", \
							     nullptr, culprit::champsim_plugin<Module>::table()};   \
		return &plugin;                                                                                     \
	}

#endif
