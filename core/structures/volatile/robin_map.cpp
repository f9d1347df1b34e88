/// `robin_map`: a hash map that is among the fastest, with Robin Hood hashing as hashmap_rp has it.
/// Source: T. Goetghebuer-Planchon, robin-map 1.2, https://github.com/Tessil/robin-map (MIT).
#include "structures/structure.hpp"

#ifdef TIERSCOPE_ROBIN_MAP
#include <tsl/robin_map.h>

#include "base/random.hpp"
#include "structures/volatile/volatile_map.hpp"
#endif

namespace tierscope::structures {
namespace {

#ifdef TIERSCOPE_ROBIN_MAP
constexpr std::string_view LACKING;

/// It takes the low bits of a hash, and that of libstdc++ is the key itself.
struct Mixed {
  std::size_t operator()(std::uint64_t key) const noexcept { return mixed(key); }
};
using Map = tsl::robin_map<std::uint64_t, Value, Mixed>;
constexpr auto OPEN = &open_structure<VolatileMap<Map>>;

#else
constexpr std::string_view LACKING =
    "built where tsl/robin_map.h is: sudo apt-get install -y robin-map-dev, then ./tierscope";

std::unique_ptr<Structure> refuse(const StructureOptions&) {
  throw Unsupported("structure robin_map is " + std::string(LACKING));
}
constexpr auto OPEN = &refuse;
#endif

constexpr StructureEntry entry{"robin_map",
                               "hash map of the library robin-map, in volatile memory",
                               "T. Goetghebuer-Planchon, robin-map 1.2",
                               false,
                               LACKING,
                               OPEN,
                               &no_pool};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::structures
