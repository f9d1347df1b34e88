#include "base/quantity.hpp"

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "base/error.hpp"

namespace tierscope::quantity {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit BYTES[] = {{"", 1},         {"B", 1},    {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30},
                          {"TiB", 0x1p40}, {"KB", 1e3}, {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12}};
constexpr Unit SECONDS[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

template <std::size_t N>
double number_with_unit(const std::string& key, const std::string& word, const Unit (&units)[N]) {
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc{} || !std::isfinite(value) || value < 0)
    throw BadPlan(key + "=" + word + " is not a number with a unit");
  const std::string_view name(at, static_cast<std::size_t>(end - at));
  std::string known;
  for (const auto& unit : units) {
    if (unit.name == name) return value * unit.factor;
    known += (unit.name.empty() || known.empty() ? "" : ", ") + std::string(unit.name);
  }
  throw BadPlan("unknown unit '" + std::string(name) + "' in " + key + "=" + word + " (known: " + known + ")");
}

}  // namespace

double bytes(const std::string& key, const std::string& word) { return number_with_unit(key, word, BYTES); }

double seconds(const std::string& key, const std::string& word) { return number_with_unit(key, word, SECONDS); }

}  // namespace tierscope::quantity
