#include "bench/operations.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "base/error.hpp"
#include "base/permutation.hpp"
#include "base/random.hpp"
#include "base/zipf.hpp"

namespace tierscope::operations {
namespace {

constexpr unsigned MOST_WEIGHT = 1'000'000;
constexpr double EXPONENT = 0.99;  // of a plain "zipf": that of YCSB, B. F. Cooper et al., SoCC 2010
constexpr double MOST_EXPONENT = 10;

[[noreturn]] void refuse(const std::string& word, const std::string& why) {
  throw BadPlan("operation=" + word + ": " + why +
                "; write get, insert, remove, or shares such as get:8+insert:1+remove:1");
}

unsigned weight(const std::string& word, const std::string& number) {
  unsigned value = 0;
  const auto [at, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc{} || at != number.data() + number.size() || value < 1 || value > MOST_WEIGHT)
    refuse(word, "'" + number + "' is not a share from 1 to " + std::to_string(MOST_WEIGHT));
  return value;
}

void add(Mix& mix, const std::string& word, const std::string& part) {
  const auto colon = part.find(':');
  const auto name = part.substr(0, colon);
  auto* share = name == "get" ? &mix.get : name == "insert" ? &mix.insert : name == "remove" ? &mix.remove : nullptr;
  if (share == nullptr) refuse(word, "'" + name + "' is not an operation");
  if (*share > 0) refuse(word, name + " is there twice");
  *share = colon == std::string::npos ? 1 : weight(word, part.substr(colon + 1));
}

}  // namespace

Mix parse_mix(const std::string& word) {
  Mix mix;
  for (std::size_t begin = 0; begin <= word.size();) {
    const auto end = std::min(word.find('+', begin), word.size());
    add(mix, word, word.substr(begin, end - begin));
    begin = end + 1;
  }
  return mix;
}

double parse_draw(const std::string& key, const std::string& word) {
  if (word == "uniform") return 0;
  if (word == "zipf") return EXPONENT;
  const auto number = word.starts_with("zipf:") ? word.substr(5) : "";
  double value = 0;
  const auto [at, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc{} || at != number.data() + number.size() || !(value > 0 && value <= MOST_EXPONENT))
    throw BadPlan(key + "=" + word + " is not known; write uniform, or zipf:EXPONENT with one above 0 up to 10");
  return value;
}

bool Sequence::starts_with(std::uint64_t index) const noexcept {
  const auto changes = mix_.insert + mix_.remove;
  if (mix_.insert == 0) return true;
  if (mix_.alone()) return false;
  const auto inserts = mix_.remove == 0 ? 1U : mix_.insert;
  return mixed(~seed_ + index) % (mix_.remove == 0 ? 2 : changes) < inserts;
}

void Sequence::draw(std::uint64_t round, std::span<Step> steps) const noexcept {
  const auto keys = end_ - begin_;
  const auto seed = random_word(seed_ + begin_, round);
  const bool each = exponent_ == 0 && (mix_.alone() || !mix_.changes());
  const Permutation order(keys, seed), places(keys, seed_);
  const Zipf ranks(keys, exponent_ == 0 ? 1 : exponent_);
  std::uint64_t drawn = 0;
  const auto word = [&]() noexcept { return random_word(seed, drawn++); };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto part = mix_.alone() ? 0 : word() % mix_.sum();
    const auto action = part < mix_.get ? Action::get : part < mix_.get + mix_.insert ? Action::insert : Action::remove;
    const auto chosen = each ? order.at(i % keys)
                        : exponent_ == 0
                            ? static_cast<std::uint64_t>((static_cast<unsigned __int128>(word()) * keys) >> 64U)
                            : places.at(ranks.draw(word));
    steps[i] = Step::of(begin_ + chosen, action);
  }
}

}  // namespace tierscope::operations
