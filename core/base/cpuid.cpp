#include "base/cpuid.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/cpu_features.hpp"

namespace tierscope::cpu {
namespace {

/// The features that Linux lists for the first CPU, between ' '; RISC-V writes '_' between them.
const std::string& listed() {
  static const auto text = [] {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with(listing()) || line.find(':') == std::string::npos) continue;
      std::replace(line.begin(), line.end(), '_', ' ');
      return line.substr(line.find(':') + 1) + ' ';
    }
    return std::string();
  }();
  return text;
}

}  // namespace

bool has(std::string_view feature) {
  if (feature.empty()) return true;
  const auto known = std::find_if(table().begin(), table().end(), [&](const Feature& f) { return f.name == feature; });
  if (known != table().end()) return known->present;
  return listed().find(' ' + std::string(feature) + ' ') != std::string::npos;
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

bool streams_stores(std::string_view its) {
  // Ice Lake-SP and -D, Sapphire, Emerald and Granite Rapids, Granite Rapids-D
  constexpr std::string_view KNOWN[]{"GenuineIntel:6:106:", "GenuineIntel:6:108:", "GenuineIntel:6:143:",
                                     "GenuineIntel:6:207:", "GenuineIntel:6:173:", "GenuineIntel:6:174:"};
  if (std::string_view(architecture()) != "x86_64") return true;
  return std::any_of(std::begin(KNOWN), std::end(KNOWN), [&](auto known) { return its.starts_with(known); });
}

std::vector<std::string> features() {
  std::vector<std::string> names;
  for (const auto& feature : table())
    if (feature.present) names.emplace_back(feature.name);
  return names;
}

}  // namespace tierscope::cpu
