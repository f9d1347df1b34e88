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
constexpr StructureEntry ctree =
    absent("ctree", "crit-bit tree on libpmemobj's transactions", "D. J. Bernstein, Crit-bit trees, 2004");
constexpr StructureEntry rtree =
    absent("rtree", "radix tree on libpmemobj's transactions", "D. R. Morrison, PATRICIA, JACM 15(4), 1968");
constexpr StructureEntry btree =
    absent("btree", "B-tree on libpmemobj's transactions",
           "R. Bayer, E. McCreight, Organization and Maintenance of Large Ordered Indices, 1972");
constexpr StructureEntry rbtree =
    absent("rbtree", "red-black tree on libpmemobj's transactions",
           "L. J. Guibas, R. Sedgewick, A Dichromatic Framework for Balanced Trees, FOCS 1978");
constexpr StructureEntry skiplist =
    absent("skiplist", "skip list on libpmemobj's transactions", "W. Pugh, Skip Lists, CACM 33(6), 1990");
const Registration of_atomic{atomic}, of_tx{tx}, of_rp{rp}, of_ctree{ctree}, of_rtree{rtree}, of_btree{btree},
    of_rbtree{rbtree}, of_skiplist{skiplist};

}  // namespace
}  // namespace tierscope::structures
