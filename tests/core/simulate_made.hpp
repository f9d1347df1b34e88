/// A simulated memory that a text describes, and how it is asked for lines.
#pragma once
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "folder.hpp"
#include "simulate/interleave.hpp"

namespace tierscope::tests {

constexpr simulate::Time NS = 1000;

/// @param text  as a section [memory.m]
inline std::unique_ptr<simulate::Memory> memory_of(const std::string& text, std::uint64_t seed = 1) {
  const Folder folder;
  folder.write("made.toml", text);
  const auto section = simulate::read_config(folder.at("made.toml"));
  auto memory = simulate::make_memory_of(section, seed);
  section.refuse_rest();
  return memory;
}

inline std::uint64_t counted(const simulate::Memory& memory, const std::string& name) {
  simulate::Counters counters;
  memory.count("m.", counters);
  return counters.at("m." + name);
}

/// Time of a line, in ns, where each line of fresh regions is visited once, in random order.
/// @param visit  (address, at) -> when the next one may start
template <class Visit>
double fresh_ns(std::uint64_t region, std::uint64_t lines, const Visit& visit) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> order(region / simulate::LINE);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  simulate::Time at = 0, from = 0;
  std::uint64_t done = 0;
  for (std::uint64_t base = 0; done < lines || base <= region; base += region) {
    if (base == region) from = at, done = 0;  // the first region only warms
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (const auto line : order) at = visit(base + line * simulate::LINE, at);
    done += order.size();
  }
  return static_cast<double>(at - from) / NS / static_cast<double>(done);
}

/// The time of reads; each waits for the one before.
inline double chase_ns(simulate::Memory& memory, std::uint64_t region, std::uint64_t lines) {
  return fresh_ns(region, lines, [&](auto address, auto at) { return memory.read(address, at); });
}

/// The time of writes; eight may be in flight.
inline double writes_ns(simulate::Memory& memory, std::uint64_t region, std::uint64_t lines) {
  simulate::Time under_way[8] = {};
  std::size_t next = 0;
  return fresh_ns(region, lines, [&](auto address, auto at) {
    at = std::max(at, under_way[next]);
    under_way[next] = memory.write(address, at);
    next = (next + 1) % 8;
    return at;
  });
}

/// Bytes/s of readers (or writers) that have `depth` lines each in flight, at random multiples of `size` in 2 GiB of
/// their own.
inline double rate(simulate::Memory& memory, unsigned threads, unsigned depth, std::uint64_t size, bool writes) {
  struct Turn {
    simulate::Time at;
    unsigned thread;
    bool operator<(const Turn& other) const { return at > other.at; }
  };
  std::vector<Turn> turns;
  for (unsigned i = 0; i < threads * depth; ++i) turns.push_back({i * 40, i % threads});
  std::make_heap(turns.begin(), turns.end());
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> next(threads), left(threads);
  simulate::Time from = 0, at = 0;
  constexpr int LINES = 60'000;
  for (int i = 0; i < LINES; ++i) {
    std::pop_heap(turns.begin(), turns.end());
    auto& turn = turns.back();
    const auto t = turn.thread;
    at = turn.at;
    if (i == LINES / 3) from = at;
    if (left[t] == 0) {
      left[t] = size / simulate::LINE;
      next[t] = (std::uint64_t{t} << 31U) + random() % ((std::uint64_t{1} << 31U) / size) * size;
    }
    turn.at = writes ? memory.write(next[t], at) : memory.read(next[t], at);
    next[t] += simulate::LINE;
    --left[t];
    std::push_heap(turns.begin(), turns.end());
  }
  return (LINES - LINES / 3) * double{simulate::LINE} / (static_cast<double>(at - from) / simulate::TICKS_PER_S);
}

}  // namespace tierscope::tests
