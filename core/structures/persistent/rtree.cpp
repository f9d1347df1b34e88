/// `rtree`: a radix tree, four bits of the key at each inner node; each change is a transaction. Four bits keep an
/// inner node in three lines; PMDK's map of this name takes eight, which makes a node of 4 KiB. Source: PMDK,
/// libpmemobj_tx(7); D. R. Morrison, "PATRICIA", JACM 15(4), 1968.
#include "structures/persistent/trie.hpp"

namespace tierscope::structures {
namespace {

constexpr std::string_view NAME = "rtree";
constexpr unsigned BITS = 4;

std::unique_ptr<Structure> open(const StructureOptions& asked) { return make_structure<trie::Trie<BITS>>(asked, NAME); }

constexpr StructureEntry entry{NAME,
                               "radix tree on libpmemobj's transactions",
                               "D. R. Morrison, PATRICIA, JACM 15(4), 1968",
                               true,
                               "",
                               &open,
                               &trie::pool_bytes<BITS>};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::structures
