/// The instructions for the library that is preloaded before libpmem: a file of `key=value` lines, named `plan`, in the
/// folder that TIERSCOPE_SHADOW names. Without the variable it does nothing; without the file it only counts.
#pragma once
#include <cstdint>
#include <set>
#include <string>

namespace tierscope::shadow {

struct Plan {
  std::string folder;              ///< where everything is left
  std::string file;                ///< the mapped file whose images are wanted; "" counts alone
  std::uint64_t seed = 0;          ///< of the draws of all images
  std::uint64_t drop_flush = 0;    ///< every n-th flush of the file is lost; 0: none
  std::uint64_t drop_fence = 0;    ///< likewise for fences
  bool stores = false;             ///< each store to the file is seen between the fences where the power fails
  std::set<std::uint64_t> points;  ///< fences before whose effect the power fails, from 1
};

/// @throws BadPlan for a key that is not known or a number that is none
Plan read_plan(const std::string& folder);

}  // namespace tierscope::shadow
