#include "loops/walk.hpp"

#include <algorithm>

#include "base/permutation.hpp"
#include "base/random.hpp"

namespace tierscope::loops {
namespace {

/// The runs by rising address. They use all lines.
std::vector<Run> rising(const Walk& walk) {
  std::vector<Run> found;
  found.reserve(walk.runs());
  if (walk.straight == 1) {
    for (std::uint64_t r = 0; r < walk.runs(); ++r) found.push_back({r * walk.run_bytes(), walk.run_bytes()});
    return found;
  }
  const auto lines = walk.bytes / CODE_LINE;
  const Permutation drawn(lines - 1, walk.seed);
  std::vector<std::uint64_t> first{0};
  for (std::uint64_t r = 0; r + 1 < walk.runs(); ++r) first.push_back(1 + drawn.at(r));
  std::ranges::sort(first);
  first.push_back(lines);
  for (std::uint64_t r = 0; r < walk.runs(); ++r) {
    const auto spare = (random_word(walk.seed, r) & 1U) * CODE_LINE / 2;
    found.push_back({first[r] * CODE_LINE, (first[r + 1] - first[r]) * CODE_LINE - spare});
  }
  return found;
}

}  // namespace

std::vector<Run> runs_of(const Walk& walk) {
  const auto runs = rising(walk);
  const auto each = walk.group() / walk.run_bytes(), groups = walk.runs() / each;
  const Permutation places(groups, walk.seed);
  std::vector<Run> all;
  all.reserve(runs.size());
  for (std::uint64_t g = 0; g < groups; ++g) {
    const Permutation order(each, random_word(walk.seed, g));
    for (std::uint64_t r = 0; r < each; ++r) all.push_back(runs[places.at(g) * each + order.at(r)]);
  }
  return all;
}

}  // namespace tierscope::loops
