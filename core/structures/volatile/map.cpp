/// `map`: the ordered map of the C++ library; a red-black tree in libstdc++ and libc++. Every build has it; it is the
/// yardstick of the trees in pools.
/// Source: ISO/IEC 14882:2020, [map]; libstdc++ or libc++, depending on the build.
#include <map>

#include "structures/volatile/volatile_map.hpp"

namespace tierscope::structures {
namespace {

using Map = std::map<std::uint64_t, Value>;

constexpr StructureEntry entry{"map",
                               "ordered map of the C++ library, in volatile memory",
                               "ISO/IEC 14882:2020, [map]",
                               false,
                               "",
                               &open_structure<VolatileMap<Map>>,
                               &no_pool,
                               "its tree is balanced inside libstdc++, whose accesses are not recorded"};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::structures
