/// `ctree`: a crit-bit tree, one bit of the key at each inner node; each change is a transaction.
/// Source: PMDK, libpmemobj_tx(7); D. J. Bernstein, "Crit-bit trees", 2004; the name is that of PMDK's map.
#include "structures/persistent/trie.hpp"

namespace tierscope::structures {
namespace {

constexpr std::string_view NAME = "ctree";
constexpr unsigned BITS = 1;

std::unique_ptr<Structure> open(const StructureOptions& asked) { return make_structure<trie::Trie<BITS>>(asked, NAME); }

constexpr StructureEntry entry{NAME,
                               "crit-bit tree on libpmemobj's transactions",
                               "D. J. Bernstein, Crit-bit trees, 2004",
                               true,
                               "",
                               &open,
                               &trie::pool_bytes<BITS>};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::structures
