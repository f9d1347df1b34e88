#include "simulate/level.hpp"

#include <bit>

namespace tierscope::simulate {
namespace {

constexpr std::uint64_t LARGEST_CACHE = std::uint64_t{1} << 36U;  // 64 GiB: its entries take an eighth of that
constexpr unsigned MOST_TREE_WAYS = 64;                           // a tree is one 8-byte value

Policy policy_of(const Section& section, unsigned ways) {
  const auto word = section.choice("policy", {"lru", "tree-plru", "nru", "random"}, "lru");
  if (word == "lru") return Policy::lru;
  if (word == "random") return Policy::random;
  if (word == "nru" && ways > MOST_TREE_WAYS)
    section.refuse("policy", "nru needs up to 64 ways, not " + std::to_string(ways) + "; try policy = \"lru\"");
  if (word == "nru") return Policy::nru;
  if (!std::has_single_bit(ways) || ways > MOST_TREE_WAYS)
    section.refuse("policy", "tree-plru needs ways that are a power of two up to 64, not " + std::to_string(ways) +
                                 "; try policy = \"lru\"");
  return Policy::tree_plru;
}

CacheFacts facts_of(const Section& section, unsigned cpus, std::uint64_t line) {
  CacheFacts facts;
  facts.name = section.word("name");
  facts.size = section.bytes("size");
  facts.ways = static_cast<unsigned>(section.count("ways", 1, Cache::MOST_WAYS));
  facts.latency = section.time("latency");
  facts.shared = static_cast<unsigned>(section.count("shared", 1, cpus, "1"));
  const std::uint64_t row = line * facts.ways;
  if (facts.size == 0 || facts.size > LARGEST_CACHE) section.refuse("size", "is not between one set and 64 GiB");
  if (facts.size % row != 0)
    section.refuse("ways", std::to_string(facts.ways) + " of " + std::to_string(line) +
                               "-byte lines do not divide the size of " + std::to_string(facts.size) + " bytes");
  facts.keep = section.time("keep", "0ns");
  if (cpus % facts.shared != 0)
    section.refuse(
        "shared", std::to_string(facts.shared) + " does not divide the " + std::to_string(cpus) + " CPUs of cpu.count");
  return facts;
}

/// Refuse what contradicts the level before it.
void check_after(const Section& section, const CacheFacts& facts, const std::vector<Level>& nearer) {
  for (const auto& level : nearer)
    if (level.facts.name == facts.name) section.refuse("name", "'" + facts.name + "' is the name of two caches");
  if (nearer.empty()) {
    if (facts.keep != 0) section.refuse("keep", "needs a cache before this one");
    return;
  }
  const auto& last = nearer.back().facts;
  if (facts.shared % last.shared != 0)
    section.refuse("shared", std::to_string(facts.shared) + " is not a multiple of the " + std::to_string(last.shared) +
                                 " of " + last.name + ", which is nearer");
  if (last.keep != 0) section.refuse("name", "is behind " + last.name + ", which has `keep`; only the last cache can");
  if (facts.latency < last.latency) section.refuse("latency", "is below that of " + last.name + ", which is nearer");
}

/// Check that an inclusive level can contain all lines of the caches before it.
void check_inclusive(const Section& section, const CacheFacts& facts, const CacheFacts& nearer) {
  const auto before = nearer.size * (facts.shared / nearer.shared);
  if (facts.size < before)
    section.refuse("inclusive", "has " + std::to_string(facts.size) + " bytes, fewer than the " +
                                    std::to_string(before) + " of " + nearer.name + " before it");
}

void add_prefetchers(Level& level, const Section& section, std::uint64_t line) {
  const auto word = section.choice("prefetch", {"none", "next-line", "stride"}, "none");
  const auto depth = static_cast<unsigned>(section.count("depth", 1, 63, "4"));  // a page has 64 lines
  const bool pair = section.flag("pair", false);
  if (word == "none" && !pair) return;
  const auto kind = word == "stride" ? Prefetch::stride : word == "next-line" ? Prefetch::next_line : Prefetch::none;
  level.prefetchers.assign(level.caches.size(), Prefetcher(kind, depth, line, pair));
}

}  // namespace

std::vector<Level> read_levels(const std::vector<Section>& sections, unsigned cpus, std::uint64_t seed,
                               std::uint64_t line) {
  std::vector<Level> levels;
  for (const auto& section : sections) {
    Level level;
    level.facts = facts_of(section, cpus, line);
    check_after(section, level.facts, levels);
    level.inclusive = section.flag("inclusive", false);
    if (level.inclusive && !levels.empty()) check_inclusive(section, level.facts, levels.back().facts);
    const auto policy = policy_of(section, level.facts.ways);
    const auto sets = level.facts.size / line / level.facts.ways;
    for (unsigned c = 0; c < cpus / level.facts.shared; ++c)
      level.caches.emplace_back(sets, level.facts.ways, policy, random_word(seed, levels.size() << 32U | c));
    add_prefetchers(level, section, line);
    levels.push_back(std::move(level));
  }
  return levels;
}

void count_events(const Level& level, Counters& counters) {
  const auto& events = level.events;
  const auto add = [&](const char* name, std::uint64_t value) { counters[level.facts.name + "." + name] += value; };
  add("loads", events.uses[static_cast<std::size_t>(Use::load)]);
  add("load_misses", events.misses[static_cast<std::size_t>(Use::load)]);
  add("stores", events.uses[static_cast<std::size_t>(Use::store)]);
  add("store_misses", events.misses[static_cast<std::size_t>(Use::store)]);
  add("prefetches", events.misses[static_cast<std::size_t>(Use::prefetch)]);
  add("prefetch_uses", events.prefetch_uses);
  add("writebacks", events.writebacks);
  add("flushes", events.flushes);
  add("invalidations", events.invalidations);
  add("transfers", events.transfers);
}

}  // namespace tierscope::simulate
