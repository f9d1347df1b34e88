/// A plan on a simulated machine, and the blocks of it.
#pragma once
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "bench/simulation.hpp"
#include "folder.hpp"

namespace tierscope::tests {

inline GroupPlan plan_of(const std::string& words) {
  GroupPlan plan;
  read_words(parse_line("group " + words).words, plan);
  return plan;
}

/// The blocks of one batch.
inline std::vector<Block> measured(Stage& stage, double seconds = 2e-3, double block_s = 50e-6,
                                   const std::vector<unsigned>& groups = {}) {
  constexpr std::size_t HEADER = 384;  // of the samples file
  const Folder folder;
  const auto path = folder.at("blocks.npy");
  SampleFile samples(path);
  const auto rows = stage.measure(seconds, block_s, groups, &samples);
  const auto text = folder.read("blocks.npy");
  std::vector<Block> blocks(rows);
  REQUIRE(text.size() == HEADER + rows * sizeof(Block));
  std::memcpy(blocks.data(), text.data() + HEADER, rows * sizeof(Block));
  return blocks;
}

inline double seconds_of(const Block& block) {
  return static_cast<double>(block.stop_ticks - block.start_ticks) / simulate::TICKS_PER_S;
}

/// Operations per second of all threads.
inline double rate(const std::vector<Block>& blocks, std::size_t threads) {
  double operations = 0, seconds = 0;
  for (const auto& block : blocks) {
    operations += static_cast<double>(block.operations);
    seconds += seconds_of(block);
  }
  return operations / seconds * static_cast<double>(threads);
}

}  // namespace tierscope::tests
