/// Distinct lines that operations on a structure touch, on average: of its objects in a pool, or of its memory.
///     lines NAME POOL KEYS OPERATIONS ROUNDS        a line for each operation: its name and the lines
/// Keys are drawn evenly; an insert and an erase take turns, so the structure keeps its size. A get reads its value.
/// Each round has keys and a structure of its own.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "structures/structure.hpp"
#include "touched.hpp"

using namespace tierscope;

namespace {

constexpr std::size_t VALUE_BYTES = 16;
constexpr std::uint64_t SEED = 1995;

void insert(Structure& structure, std::uint64_t key) {
  const std::uint64_t value[VALUE_BYTES / 8] = {key, 9};
  if (structure.insert(key, value) != Outcome::done) throw Unsupported("no room");
}

void settle(Structure& structure) {
  while (structure.rehash_due() && structure.rehash() != 0) continue;
}

/// The pool's own addresses; of a structure in volatile memory all but the stack.
void watch(const std::string& pool) {
  std::uintptr_t low = UINTPTR_MAX, high = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (pool.empty() ? line.find("[stack]") == std::string::npos : line.find(pool) == std::string::npos) continue;
    char* end = nullptr;
    low = std::min<std::uintptr_t>(low, std::strtoull(line.c_str(), &end, 16));
    high = std::max<std::uintptr_t>(high, std::strtoull(end + 1, nullptr, 16));
  }
  if (pool.empty()) high = low, low = 4096;
  touched::within(reinterpret_cast<void*>(low), reinterpret_cast<void*>(high));
}

struct Sums {
  std::size_t get = 0, insert = 0, remove = 0;
};

/// Fills a structure with its first keys; then each new one takes the place of one drawn evenly.
void play(Structure& structure, std::uint64_t seed, std::vector<std::uint64_t> keys, std::uint64_t operations,
          const std::string& pool, Sums& sums) {
  for (const auto key : keys) insert(structure, key), settle(structure);
  watch(pool);
  for (std::uint64_t i = 0; i < operations; ++i) {
    auto& one = keys[random_word(~seed, i) % keys.size()];
    touched::begin();
    touched::note(structure.find(one), VALUE_BYTES);
    sums.get += touched::end();
    const auto fresh = random_word(seed, keys.size() + i);
    touched::begin();
    insert(structure, fresh);
    sums.insert += touched::end();
    settle(structure);
    touched::begin();
    const auto gone = structure.erase(one);
    sums.remove += touched::end();
    if (gone != Outcome::done) throw Unsupported("a key was lost");
    settle(structure);
    one = fresh;
  }
}

/// In volatile memory each begins at another quarter of a line, in turns; what lies elsewhere stays, out of the way.
std::unique_ptr<Structure> open(const StructureEntry& entry, const StructureOptions& asked, std::uint64_t round) {
  static std::vector<std::unique_ptr<Structure>> aside;
  static std::vector<std::unique_ptr<char[]>> gaps;
  auto opened = entry.open(asked);
  for (int tries = 0; !entry.persistent && tries < 200; ++tries) {
    if (reinterpret_cast<std::uintptr_t>(opened.get()) / 16 % 4 == round % 4) break;
    gaps.emplace_back(new char[8 + 16 * static_cast<std::size_t>(tries % 7)]);
    aside.push_back(std::move(opened));
    opened = entry.open(asked);
  }
  return opened;
}

Sums play_all(const std::string& name, const std::string& pool, std::uint64_t number, std::uint64_t operations,
              std::uint64_t rounds) {
  Sums sums;
  const auto& entry = Registry<StructureEntry>::find("structure", name);
  std::vector<std::unique_ptr<Structure>> before;  // in volatile memory they stay, so that each lies elsewhere
  for (std::uint64_t round = 0; round < rounds; ++round) {
    StructureOptions asked{.keys = number + 2, .value_bytes = VALUE_BYTES, .seed = SEED + round};
    if (entry.persistent) asked.path = pool + std::to_string(round);
    std::vector<std::uint64_t> keys(number);
    for (std::uint64_t i = 0; i < number; ++i) keys[i] = random_word(asked.seed, i);
    before.push_back(open(entry, asked, round));
    play(*before.back(), asked.seed, keys, operations, asked.path, sums);
    if (!entry.persistent) continue;
    before.clear();
    std::filesystem::remove(asked.path);
  }
  return sums;
}

}  // namespace

int main(int, char** words) {
  const auto number = [&](int i) { return std::strtoull(words[i], nullptr, 10); };
  try {
    const auto sums = play_all(words[1], words[2], number(3), number(4), number(5));
    const auto mean = [&](std::size_t sum) {
      return static_cast<double>(sum) / static_cast<double>(number(4) * number(5));
    };
    std::printf("get %.4f\ninsert %.4f\nremove %.4f\n", mean(sums.get), mean(sums.insert), mean(sums.remove));
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
