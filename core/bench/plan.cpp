#include "bench/plan.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "team/topology.hpp"

namespace tierscope {
namespace {

constexpr double MOST_BYTES = 0x1p56;  // all that five levels of page tables address: sums of sizes cannot wrap

/// A key of a group: how its word is read, and how its value becomes a word again.
struct Key {
  std::function<void(GroupPlan&, const std::string& key, const std::string& word)> read;
  std::function<std::string(const GroupPlan&)> word;
};

template <class Number>
Key bytes_of(Number GroupPlan::* field) {
  return {[field](GroupPlan& plan, const std::string& key, const std::string& word) {
            plan.*field = parse_bytes(key, word);
          },
          [field](const GroupPlan& plan) { return std::to_string(plan.*field); }};
}
template <class Number>
Key count_of(Number GroupPlan::* field) {
  return {[field](GroupPlan& plan, const std::string& key, const std::string& word) {
            const auto value = parse_count(key, word);
            if (value > std::numeric_limits<Number>::max()) throw BadPlan(key + "=" + word + " is too large");
            plan.*field = static_cast<Number>(value);
          },
          [field](const GroupPlan& plan) { return std::to_string(plan.*field); }};
}
Key text_of(std::string GroupPlan::* field) {
  return {[field](GroupPlan& plan, const std::string&, const std::string& word) { plan.*field = word; },
          [field](const GroupPlan& plan) { return plan.*field; }};
}

/// One of some words, or none of them. names: each value at its place.
template <class Value, std::size_t N>
Key choice_of(std::optional<Value> GroupPlan::* field, const std::array<std::pair<const char*, Value>, N>& names) {
  return {[=](GroupPlan& plan, const std::string& key, const std::string& word) {
            std::string known;
            for (const auto& [name, value] : names) {
              if (word == name) return void(plan.*field = value);
              known += (known.empty() ? "" : ", ") + std::string(name);
            }
            throw BadPlan(key + "=" + word + " is not known (known: " + known + ")");
          },
          [=](const GroupPlan& plan) -> std::string {
            for (const auto& [name, value] : names)
              if (plan.*field == value) return name;
            return "";
          }};
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

/// Its inverse.
std::string percent_encoded(const std::string& text) {
  constexpr const char* digits = "0123456789ABCDEF";
  std::string word;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (code > ' ' && letter != '%')
      word += letter;
    else
      word += {'%', digits[code / 16], digits[code % 16]};
  }
  return word;
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

std::string target_of(const GroupPlan& plan) { return plan.target + (plan.where.empty() ? "" : ":" + plan.where); }

std::string cpus_of(const GroupPlan& plan) {
  std::string list;
  for (const auto cpu : plan.cpus) list += (list.empty() ? "" : ",") + std::to_string(cpu);
  return list;
}

std::string limit_of(const GroupPlan& plan) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), plan.limit_s).ptr;
  return std::string(digits.data(), end) + "s";
}

using kernels::Fence;
using kernels::Order;
constexpr std::array<std::pair<const char*, Fence>, 4> FENCES{
    {{"chunk", Fence::chunk}, {"line", Fence::line}, {"never", Fence::never}, {"region", Fence::region}}};
constexpr std::array<std::pair<const char*, Order>, 3> ORDERS{
    {{"random", Order::random}, {"sequential", Order::sequential}, {"once", Order::once}}};

/// Every key of a group. A key has both ways, so none can be read and then be left out of the words of a plan.
const std::map<std::string, Key>& keys() {
  static const std::map<std::string, Key> table{
      {"kernel", text_of(&GroupPlan::kernel)},
      {"isa", text_of(&GroupPlan::isa)},
      {"target", {set_target, target_of}},
      {"source", text_of(&GroupPlan::source)},
      {"pages", text_of(&GroupPlan::pages)},
      {"cpus",
       {[](GroupPlan& plan, const std::string&, const std::string& word) { plan.cpus = topology::parse_list(word); },
        cpus_of}},
      {"footprint", bytes_of(&GroupPlan::footprint)},
      {"streams", count_of(&GroupPlan::streams)},
      {"unroll", count_of(&GroupPlan::unroll)},
      {"prefetch", bytes_of(&GroupPlan::prefetch)},
      {"prefetchw", bytes_of(&GroupPlan::prefetch_write)},
      {"interleave", bytes_of(&GroupPlan::interleave)},
      {"element", bytes_of(&GroupPlan::element)},
      {"access", bytes_of(&GroupPlan::access)},
      {"locality", bytes_of(&GroupPlan::locality)},
      {"pace", count_of(&GroupPlan::pace)},
      {"burst", bytes_of(&GroupPlan::burst)},
      {"skew", bytes_of(&GroupPlan::skew)},
      {"seed", count_of(&GroupPlan::seed)},
      {"per_block", count_of(&GroupPlan::per_block)},
      {"shared", {set_shared, [](const GroupPlan& plan) { return std::to_string(plan.shared ? 1 : 0); }}},
      {"fence", choice_of(&GroupPlan::fence, FENCES)},
      {"order", choice_of(&GroupPlan::order, ORDERS)},
      {"size", text_of(&GroupPlan::size)},
      {"operation", text_of(&GroupPlan::operation)},
      {"keys", text_of(&GroupPlan::keys)},
      {"sharing", text_of(&GroupPlan::sharing)},
      {"count", count_of(&GroupPlan::count)},
      {"value", bytes_of(&GroupPlan::value)},
      {"command",
       {[](GroupPlan& plan, const std::string& key, const std::string& word) {
          plan.command = percent_decoded(key, word);
        },
        [](const GroupPlan& plan) { return percent_encoded(plan.command); }}},
      {"limit",
       {[](GroupPlan& plan, const std::string& key, const std::string& word) {
          plan.limit_s = parse_seconds(key, word);
        },
        limit_of}},
  };
  return table;
}

[[noreturn]] void refuse_key(const std::string& key) {
  std::string known;
  for (const auto& [name, unused] : keys()) known += (known.empty() ? "" : ", ") + name;
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

std::string words_of(const GroupPlan& plan) {
  static const GroupPlan usual;
  std::string words;
  for (const auto& [name, key] : keys())
    if (const auto word = key.word(plan); word != key.word(usual))
      words += (words.empty() ? "" : " ") + name + "=" + word;
  return words;
}

void read_words(const std::map<std::string, std::string>& words, GroupPlan& plan) {
  for (const auto& [name, word] : words) {
    const auto found = keys().find(name);
    if (found == keys().end()) refuse_key(name);
    found->second.read(plan, name, word);
  }
}

}  // namespace tierscope
