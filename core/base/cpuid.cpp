#include "base/cpuid.hpp"

#include <algorithm>

#include "base/cpu_features.hpp"

namespace tierscope::cpu {

bool has(std::string_view feature) {
  if (feature.empty()) return true;
  return std::any_of(table().begin(), table().end(), [&](const Feature& f) { return f.name == feature && f.present; });
}

std::string missing(std::string_view features) {
  std::string lacking;
  while (!features.empty()) {
    const auto feature = features.substr(0, features.find(' '));
    if (!has(feature)) lacking += (lacking.empty() ? "" : ", ") + std::string(feature);
    features.remove_prefix(std::min(feature.size() + 1, features.size()));
  }
  return lacking;
}

std::vector<std::string> features() {
  std::vector<std::string> names;
  for (const auto& feature : table())
    if (feature.present) names.emplace_back(feature.name);
  return names;
}

}  // namespace tierscope::cpu
