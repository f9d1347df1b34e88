/// Distinct lines that operations on a structure touch, on average: of its objects in a pool, or of its memory; next to
/// them lines flushed and fences, as the recorder has them, or the shadow library where that is preloaded.
///
///     lines NAME POOL KEYS OPERATIONS ROUNDS [LINE]  a line for each operation: its name and the three numbers
///
/// LINE is the bytes of a line, 64 by default. libpmem flushes in steps of 64 on every processor, so the other two
/// numbers do not depend on it. Keys are drawn evenly; an insert and an erase alternate, so the structure keeps its
/// size. A get reads its value. Each round has keys and a structure of its own.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "recorded/recorder.hpp"
#include "shadow/counts.hpp"
#include "structures/structure.hpp"

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

struct Sum {
  std::uint64_t lines = 0, flushed = 0, fences = 0;
};
struct Sums {
  Sum get, insert, remove;
};

constexpr std::uint64_t FLUSHED = 64;
std::uint64_t line_bytes = 64;

std::uint64_t steps_of(const recorded::Event& event, std::uint64_t bytes) {
  return (event.place + event.size - 1) / bytes - event.place / bytes + 1;
}

/// Adds what an operation does. Libpmemobj's own work counts only if it flushes or waits.
template <class Operation>
void count(Sum& sum, const Operation& operation) {
  shadow::Counts shadow;
  if (tierscope_shadow_take != nullptr) tierscope_shadow_take(&shadow);
  recorded::begin();
  operation();
  std::set<std::uint64_t> lines;
  for (const auto& event : recorded::end()) {
    const bool flushes = event.what == recorded::What::flush || event.what == recorded::What::store_nt;
    if (event.what == recorded::What::fence) ++sum.fences;
    if (flushes) sum.flushed += steps_of(event, FLUSHED);
    if (event.library || event.size == 0) continue;
    const auto first = event.place / line_bytes;
    for (std::uint64_t i = 0; i < steps_of(event, line_bytes); ++i) lines.insert(first + i);
  }
  sum.lines += lines.size();
  if (tierscope_shadow_take == nullptr) return;
  tierscope_shadow_take(&shadow);
  sum.flushed += shadow.lines;
  sum.fences += shadow.fences;
}

/// Fills a structure with its first keys; then each new one takes the place of one drawn evenly.
void play(Structure& structure, std::uint64_t seed, std::vector<std::uint64_t> keys, std::uint64_t operations,
          Sums& sums) {
  for (const auto key : keys) insert(structure, key), settle(structure);
  for (std::uint64_t i = 0; i < operations; ++i) {
    auto& one = keys[random_word(~seed, i) % keys.size()];
    count(sums.get, [&] { recorded::note(recorded::What::load, structure.find(one), VALUE_BYTES); });
    const auto fresh = random_word(seed, keys.size() + i);
    count(sums.insert, [&] { insert(structure, fresh); });
    settle(structure);
    auto gone = Outcome::absent;
    count(sums.remove, [&] { gone = structure.erase(one); });
    if (gone != Outcome::done) throw Unsupported("a key was lost");
    settle(structure);
    one = fresh;
  }
}

/// In volatile memory each begins at another sixteen bytes of a line, alternately; structures elsewhere stay, out of
/// the way.
std::unique_ptr<Structure> open(const StructureEntry& entry, const StructureOptions& asked, std::uint64_t round) {
  static std::vector<std::unique_ptr<Structure>> aside;
  static std::vector<std::unique_ptr<char[]>> gaps;
  auto opened = entry.open(asked);
  for (int tries = 0; !entry.persistent && tries < 200; ++tries) {
    if (reinterpret_cast<std::uintptr_t>(opened.get()) / 16 % (line_bytes / 16) == round % (line_bytes / 16)) break;
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
  if (!entry.persistent) recorded::use_heap(0);
  std::vector<std::unique_ptr<Structure>> before;  // in volatile memory they stay, so that each is elsewhere
  for (std::uint64_t round = 0; round < rounds; ++round) {
    StructureOptions asked{.keys = number + 2, .value_bytes = VALUE_BYTES, .seed = SEED + round};
    if (entry.persistent) asked.path = pool + std::to_string(round);
    std::vector<std::uint64_t> keys(number);
    for (std::uint64_t i = 0; i < number; ++i) keys[i] = random_word(asked.seed, i);
    before.push_back(open(entry, asked, round));
    play(*before.back(), asked.seed, keys, operations, sums);
    if (!entry.persistent) continue;
    before.clear();
    std::filesystem::remove(asked.path);
  }
  return sums;
}

}  // namespace

int main(int count, char** words) {
  const auto number = [&](int i) { return std::strtoull(words[i], nullptr, 10); };
  try {
    if (count > 6) line_bytes = number(6);
    const auto sums = play_all(words[1], words[2], number(3), number(4), number(5));
    const auto print = [&](const char* name, const Sum& sum) {
      const auto mean = [&](std::uint64_t all) {
        return static_cast<double>(all) / static_cast<double>(number(4) * number(5));
      };
      std::printf("%s %.4f %.4f %.4f\n", name, mean(sum.lines), mean(sum.flushed), mean(sum.fences));
    };
    print("get", sums.get);
    print("insert", sums.insert);
    print("remove", sums.remove);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
