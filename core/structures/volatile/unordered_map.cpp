/// `unordered_map`: the map of the C++ library; it has chains, as the maps in pools do, and is in every build.
/// Source: ISO/IEC 14882:2020, [unord.map]; libstdc++ or libc++, depending on the build.
#include <unordered_map>

#include "structures/volatile/volatile_map.hpp"

namespace tierscope::structures {
namespace {

using Map = std::unordered_map<std::uint64_t, Value>;

constexpr StructureEntry entry{"unordered_map",
                               "hash map of the C++ library, in volatile memory",
                               "ISO/IEC 14882:2020, [unord.map]",
                               false,
                               "",
                               &open_structure<VolatileMap<Map>>,
                               &no_pool};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::structures
