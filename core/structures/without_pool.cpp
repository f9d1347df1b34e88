/// The structures in pools where they are absent: listed with the reason, as target pool is (targets/without_pool.cpp).
#include "base/error.hpp"
#include "base/registry.hpp"
#include "structures/structure.hpp"

namespace tierscope::structures {
namespace {

constexpr std::string_view LACKING =
    "only in tierscope-core-pmdk, built where libpmemobj is: sudo apt-get install -y libpmemobj-dev, then ./tierscope";

std::unique_ptr<Structure> refuse(const StructureOptions&) {
  throw Unsupported("a structure in a pool is " + std::string(LACKING));
}
std::size_t no_bytes(std::uint64_t, std::size_t) { return 0; }

constexpr StructureEntry absent(std::string_view name, std::string_view summary, std::string_view source) {
  return {name, summary, source, true, LACKING, &refuse, &no_bytes};
}

constexpr StructureEntry atomic =
    absent("hashmap_atomic", "hash map on libpmemobj's atomic lists", "PMDK, pmemobj_list_insert(3)");
constexpr StructureEntry tx = absent("hashmap_tx", "hash map on libpmemobj's transactions", "PMDK, libpmemobj_tx(7)");
constexpr StructureEntry rp =
    absent("hashmap_rp", "Robin Hood hash map on libpmemobj's reserved and published steps", "PMDK, pmemobj_action(3)");
const Registration of_atomic{atomic}, of_tx{tx}, of_rp{rp};

}  // namespace
}  // namespace tierscope::structures
