/// The features that some kernel or ISA asks about, and whether this CPU and this system support them. Each processor
/// family fills the table in a file of its own.
#pragma once
#include <string_view>
#include <vector>

namespace tierscope::cpu {

struct Feature {
  std::string_view name;
  bool present;
};

/// The table; it is made at the first call.
const std::vector<Feature>& table();

}  // namespace tierscope::cpu
