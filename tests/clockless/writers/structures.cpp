/// A writer on a structure in a pool, and its check. Operation i is drawn by i alone, so the check plays to where the
/// log ends, and demands what was there then or one operation later.
///     make POOL NAME | write POOL NAME OPERATIONS | check POOL NAME LOG
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>

#include "base/random.hpp"
#include "structures/structure.hpp"

using namespace tierscope;

namespace {

constexpr std::uint64_t KEYS = 400;
constexpr std::size_t WORDS = 5;  // of a value: in more than one line, and too long for a slot
using Value = std::array<std::uint64_t, WORDS>;
using Model = std::map<std::uint64_t, Value>;

struct Operation {
  std::uint64_t key;
  bool inserts;
  Value value;
};

/// Grows for 300 operations, then comes and goes.
Operation drawn(std::uint64_t i) {
  const auto word = random_word(6, i);
  Operation one{word % KEYS, (word >> 40U) % 16 < (i < 300 ? 13U : 8U), {}};
  for (std::size_t w = 0; w < WORDS; ++w) one.value[w] = random_word(word, w);
  return one;
}

void play(Model& model, const Operation& one) {
  if (one.inserts)
    model.emplace(one.key, one.value);
  else
    model.erase(one.key);
}

int refuse(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  return 1;
}

int write(Structure& structure, std::uint64_t operations) {
  for (std::uint64_t i = 0; i < operations; ++i) {
    const auto one = drawn(i);
    const auto outcome = one.inserts ? structure.insert(one.key, one.value.data()) : structure.erase(one.key);
    if (outcome == Outcome::full) return refuse("no room at " + std::to_string(i));
    std::printf("%llu\n", static_cast<unsigned long long>(i + 1));
    if (structure.rehash_due()) structure.rehash();
  }
  return 0;
}

/// "", or the first key that differs.
std::string difference(const Structure& structure, const Model& model) {
  if (structure.count() != model.size())
    return "the count is " + std::to_string(structure.count()) + " of " + std::to_string(model.size());
  for (std::uint64_t key = 0; key < KEYS; ++key) {
    const auto at = model.find(key);
    const auto* value = structure.find(key);
    if ((value != nullptr) != (at != model.end()))
      return "key " + std::to_string(key) + (value ? " is there" : " is lost");
    if (value != nullptr && std::memcmp(value, at->second.data(), sizeof(Value)) != 0)
      return "key " + std::to_string(key) + " has another value";
  }
  return "";
}

int check(Structure& structure, std::uint64_t completed) {
  auto wrong = structure.check();
  if (!wrong.empty()) return refuse(wrong);
  Model model;
  for (std::uint64_t i = 0; i < completed; ++i) play(model, drawn(i));
  const auto before = difference(structure, model);
  play(model, drawn(completed));
  const auto after = difference(structure, model);
  if (!before.empty() && !after.empty()) return refuse(before);
  const auto count = structure.count();
  if (structure.insert(KEYS + 7, drawn(0).value.data()) != Outcome::done) return refuse("no insert is possible");
  if (structure.rehash_due()) structure.rehash();
  if (structure.count() != count + 1 || structure.find(KEYS + 7) == nullptr) return refuse("one more insert is lost");
  wrong = structure.check();
  return wrong.empty() ? 0 : refuse(wrong + " after one more insert");
}

/// The last number that the writer printed; 0 without any.
std::uint64_t last_of(const char* log) {
  std::ifstream file(log);
  std::uint64_t last = 0, number = 0;
  while (file >> number) last = number;
  return last;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return 2;
  const bool makes = std::strcmp(words[1], "make") == 0;
  try {
    const auto& entry = Registry<StructureEntry>::find("structure", words[3]);
    const auto structure =
        entry.open({.path = words[2], .make = makes, .keys = KEYS + 1, .value_bytes = sizeof(Value)});
    if (makes) return 0;
    if (std::strcmp(words[1], "write") == 0) return write(*structure, std::strtoull(words[4], nullptr, 10));
    return check(*structure, last_of(words[4]));
  } catch (const Error& error) {
    return refuse(error.what());
  }
}
