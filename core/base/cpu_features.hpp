/// The features that kernels and ISAs of this build ask about, and whether this CPU and this system support them. Each
/// processor family fills the table in a file of its own. A feature outside of the table needs no line there: Linux
/// lists it or not.
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
/// The first word of the line in /proc/cpuinfo that lists the features of this processor family.
std::string_view listing();

}  // namespace tierscope::cpu
