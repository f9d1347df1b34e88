/// The features that some kernel or ISA asks about, and whether this CPU and this system run them. One processor family
/// fills the table in a file of its own.
#pragma once
#include <string_view>
#include <vector>

namespace tierscope::cpu {

struct Feature {
  std::string_view name;
  bool present;
};

/// Made at the first call.
const std::vector<Feature>& table();

}  // namespace tierscope::cpu
