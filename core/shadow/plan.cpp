#include "shadow/plan.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/error.hpp"

namespace tierscope::shadow {
namespace {

std::uint64_t number(const std::string& key, std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc{} || end != word.data() + word.size())
    throw BadPlan("shadow plan: " + key + "=" + std::string(word) + " is not a number");
  return value;
}

std::set<std::uint64_t> numbers(const std::string& key, std::string_view words) {
  std::set<std::uint64_t> found;
  while (!words.empty()) {
    const auto comma = std::min(words.find(','), words.size());
    found.insert(number(key, words.substr(0, comma)));
    words.remove_prefix(std::min(comma + 1, words.size()));
  }
  return found;
}

void take(Plan& plan, const std::string& key, const std::string& word) {
  if (key == "file")
    plan.file = word;
  else if (key == "seed")
    plan.seed = number(key, word);
  else if (key == "drop_flush")
    plan.drop_flush = number(key, word);
  else if (key == "drop_fence")
    plan.drop_fence = number(key, word);
  else if (key == "stores")
    plan.stores = number(key, word) != 0;
  else if (key == "points")
    plan.points = numbers(key, word);
  else
    throw BadPlan("shadow plan: unknown key " + key + "; known: file, seed, drop_flush, drop_fence, stores, points");
}

}  // namespace

Plan read_plan(const std::string& folder) {
  Plan plan{.folder = folder, .file = {}, .points = {}};
  std::ifstream lines(folder + "/plan");
  for (std::string line; std::getline(lines, line);) {
    const auto equals = std::min(line.find('='), line.size());
    take(plan, line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
  }
  return plan;
}

}  // namespace tierscope::shadow
