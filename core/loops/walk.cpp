#include "loops/walk.hpp"

#include <algorithm>

#include "base/permutation.hpp"
#include "base/random.hpp"

namespace tierscope::loops {

std::vector<std::uint32_t> order_of(const Walk& walk) {
  const auto group = std::max<std::uint64_t>(CODE_PAGE / walk.run_bytes(), 1), groups = walk.runs() / group;
  const Permutation pages(groups, walk.seed);
  std::vector<std::uint32_t> order;
  order.reserve(walk.runs());
  for (std::uint64_t p = 0; p < groups; ++p) {
    const Permutation own(group, random_word(walk.seed, p));
    for (std::uint64_t r = 0; r < group; ++r)
      order.push_back(static_cast<std::uint32_t>(pages.at(p) * group + own.at(r)));
  }
  return order;
}

}  // namespace tierscope::loops
