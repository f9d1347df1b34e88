#include "bench/plan.hpp"

#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>
#include <system_error>

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "team/topology.hpp"

namespace tierscope {
namespace {

constexpr double MOST_BYTES = 0x1p56;  // all that five levels of page tables address: sums of sizes cannot wrap

using Setter = std::function<void(GroupPlan&, const std::string& key, const std::string& word)>;

template <class Number>
Setter bytes_into(Number GroupPlan::* field) {
  return [field](GroupPlan& plan, const std::string& key, const std::string& word) {
    plan.*field = parse_bytes(key, word);
  };
}
template <class Number>
Setter count_into(Number GroupPlan::* field) {
  return [field](GroupPlan& plan, const std::string& key, const std::string& word) {
    const auto value = parse_count(key, word);
    if (value > std::numeric_limits<Number>::max()) throw BadPlan(key + "=" + word + " is too large");
    plan.*field = static_cast<Number>(value);
  };
}
Setter text_into(std::string GroupPlan::* field) {
  return [field](GroupPlan& plan, const std::string&, const std::string& word) { plan.*field = word; };
}

/// %20 is a space: a word of a plan holds none. @throws BadPlan for a lone '%'
std::string percent_decoded(const std::string& key, const std::string& word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    unsigned code = 0;
    const char* const at = word.data() + i + 1;
    if (word[i] != '%') {
      text += word[i];
    } else if (word.size() - i > 2 && std::from_chars(at, at + 2, code, 16).ptr == at + 2 && code != 0) {
      text += static_cast<char>(code);
      i += 2;
    } else {
      throw BadPlan(key + "=" + word + " has a '%' without two hexadecimal digits behind; write %25 for '%' itself");
    }
  }
  return text;
}

void set_target(GroupPlan& plan, const std::string&, const std::string& word) {
  const auto colon = word.find(':');
  plan.target = word.substr(0, colon);
  plan.where = colon == std::string::npos ? "" : word.substr(colon + 1);
}

void set_shared(GroupPlan& plan, const std::string& key, const std::string& word) {
  if (word != "0" && word != "1") throw BadPlan(key + "=" + word + " is neither 0 nor 1");
  plan.shared = word == "1";
}

void set_fence(GroupPlan& plan, const std::string& key, const std::string& word) {
  using kernels::Fence;
  static const std::map<std::string, Fence> known{
      {"chunk", Fence::chunk}, {"line", Fence::line}, {"never", Fence::never}, {"region", Fence::region}};
  const auto found = known.find(word);
  if (found == known.end()) throw BadPlan(key + "=" + word + " is not known (known: chunk, line, never, region)");
  plan.fence = found->second;
}

void set_order(GroupPlan& plan, const std::string& key, const std::string& word) {
  using kernels::Order;
  static const std::map<std::string, Order> known{
      {"random", Order::random}, {"sequential", Order::sequential}, {"once", Order::once}};
  const auto found = known.find(word);
  if (found == known.end()) throw BadPlan(key + "=" + word + " is not known (known: random, sequential, once)");
  plan.order = found->second;
}

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> table{
      {"kernel", text_into(&GroupPlan::kernel)},
      {"isa", text_into(&GroupPlan::isa)},
      {"target", set_target},
      {"source", text_into(&GroupPlan::source)},
      {"pages", text_into(&GroupPlan::pages)},
      {"cpus",
       [](GroupPlan& plan, const std::string&, const std::string& word) { plan.cpus = topology::parse_list(word); }},
      {"footprint", bytes_into(&GroupPlan::footprint)},
      {"streams", count_into(&GroupPlan::streams)},
      {"unroll", count_into(&GroupPlan::unroll)},
      {"prefetch", bytes_into(&GroupPlan::prefetch)},
      {"prefetchw", bytes_into(&GroupPlan::prefetch_write)},
      {"interleave", bytes_into(&GroupPlan::interleave)},
      {"element", bytes_into(&GroupPlan::element)},
      {"access", bytes_into(&GroupPlan::access)},
      {"locality", bytes_into(&GroupPlan::locality)},
      {"pace", count_into(&GroupPlan::pace)},
      {"burst", bytes_into(&GroupPlan::burst)},
      {"skew", bytes_into(&GroupPlan::skew)},
      {"seed", count_into(&GroupPlan::seed)},
      {"per_block", count_into(&GroupPlan::per_block)},
      {"shared", set_shared},
      {"fence", set_fence},
      {"order", set_order},
      {"size", text_into(&GroupPlan::size)},
      {"operation", text_into(&GroupPlan::operation)},
      {"keys", text_into(&GroupPlan::keys)},
      {"sharing", text_into(&GroupPlan::sharing)},
      {"count", count_into(&GroupPlan::count)},
      {"value", bytes_into(&GroupPlan::value)},
      {"command", [](GroupPlan& plan, const std::string& key,
                     const std::string& word) { plan.command = percent_decoded(key, word); }},
      {"limit", [](GroupPlan& plan, const std::string& key,
                   const std::string& word) { plan.limit_s = parse_seconds(key, word); }},
  };
  return table;
}

[[noreturn]] void refuse_key(const std::string& key) {
  std::string known;
  for (const auto& [name, unused] : setters()) known += (known.empty() ? "" : ", ") + name;
  throw BadPlan("unknown key '" + key + "' (known: " + known + ")");
}

/// Where the comment starts: at a '#' that begins a word, since a path may hold one.
std::size_t comment(std::string_view text) {
  auto at = text.find('#');
  while (at != std::string_view::npos && at > 0 && text[at - 1] != ' ' && text[at - 1] != '\t')
    at = text.find('#', at + 1);
  return at;
}

}  // namespace

Line parse_line(std::string_view text) {
  Line line;
  std::istringstream words{std::string(text.substr(0, comment(text)))};
  words >> line.command;
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw BadPlan("'" + word + "' is not of the form key=value in: " + std::string(text));
    if (!line.words.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
      throw BadPlan("key '" + word.substr(0, equals) + "' twice in: " + std::string(text));
  }
  return line;
}

std::uint64_t parse_bytes(const std::string& key, const std::string& word) {
  const double value = quantity::bytes(key, word);
  if (value != std::floor(value) || value > MOST_BYTES)
    throw BadPlan(key + "=" + word + " is no whole number of bytes up to 64 PiB");
  return static_cast<std::uint64_t>(value);
}

double parse_seconds(const std::string& key, const std::string& word) { return quantity::seconds(key, word); }

std::uint64_t parse_count(const std::string& key, const std::string& word) {
  std::uint64_t value = 0;
  const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || at != word.data() + word.size() || value > (std::uint64_t{1} << 62U))
    throw BadPlan(key + "=" + word + " is no whole number");
  return value;
}

bool simulated(const GroupPlan& plan) { return plan.target == "sim" || plan.source.starts_with("sim:"); }

void read_words(const std::map<std::string, std::string>& words, GroupPlan& plan) {
  for (const auto& [key, word] : words) {
    const auto setter = setters().find(key);
    if (setter == setters().end()) refuse_key(key);
    setter->second(plan, key, word);
  }
}

}  // namespace tierscope
