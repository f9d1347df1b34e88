/// A branch predictor: a table of two-bit counters by address, and four tagged tables by address and increasingly long
/// histories. The longest history that knows the branch answers. An indirect jump is predicted to the last target with
/// the same history; returns are always right.
/// Source: A. Seznec, P. Michaud, "A Case for (Partially) TAgged GEometric History Length Branch Prediction", Journal
/// of Instruction-Level Parallelism 8, 2006. The sizes are ours, near those of one processor core of 2015.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace tierscope::simulate {

class Predictor {
 public:
  /// Return whether a conditional branch was predicted correctly, and learn its outcome.
  bool branch(std::uint64_t address, bool taken) {
    const auto slots = slots_of(address);
    int best = -1, other = -1;
    for (int t = TABLES - 1; t >= 0 && other < 0; --t)
      if (table(t)[slots[index(t)]].tag == tag_of(address, t)) (best < 0 ? best : other) = t;
    auto& base = base_[(address ^ address >> 14U) % base_.size()];
    const bool plain = base >= 0;
    const bool second = other >= 0 ? table(other)[slots[index(other)]].counter >= 0 : plain;
    const bool guess = best >= 0 ? table(best)[slots[index(best)]].counter >= 0 : plain;
    if (best >= 0) {
      auto& used = table(best)[slots[index(best)]];
      learn(used.counter, taken, 3);
      if (guess != second) used.useful = guess == taken ? std::uint8_t{1} : std::uint8_t{0};
    } else {
      learn(base, taken, 1);
    }
    if (guess != taken) allocate(address, slots, best, taken);
    remember(taken);
    return guess == taken;
  }
  /// Return whether an indirect jump or call was predicted correctly, and learn its target.
  bool indirect(std::uint64_t address, std::uint64_t target) {
    auto& known = targets_[(address ^ history_ * 0x9E3779B97F4A7C15U >> 40U) % targets_.size()];
    const bool right = known == target;
    known = target;
    remember((target >> 4U & 1U) != 0);
    return right;
  }

 private:
  static constexpr int TABLES = 4;
  static constexpr std::array<unsigned, TABLES> LENGTHS{5, 14, 34, 64};
  struct Entry {
    std::uint16_t tag = 0;
    std::int8_t counter = 0;
    std::uint8_t useful = 0;
  };
  using Slots = std::array<std::size_t, TABLES>;
  static std::size_t index(int t) { return static_cast<std::size_t>(t); }
  std::vector<Entry>& table(int t) { return tables_[index(t)]; }
  [[nodiscard]] std::uint64_t past(int t) const {
    const auto bits = LENGTHS[index(t)];
    return bits == 64 ? history_ : history_ & ((std::uint64_t{1} << bits) - 1);
  }
  [[nodiscard]] std::uint64_t mixed_with(std::uint64_t address, int t) const {
    return (past(t) + 0x632BE59BD9B4E019U * index(t + 1)) * 0x9E3779B97F4A7C15U ^ address * 0xC2B2AE3D27D4EB4FU;
  }
  [[nodiscard]] Slots slots_of(std::uint64_t address) const {
    Slots slots{};
    for (int t = 0; t < TABLES; ++t) slots[index(t)] = mixed_with(address, t) >> 20U & (ENTRIES - 1);
    return slots;
  }
  [[nodiscard]] std::uint16_t tag_of(std::uint64_t address, int t) const {
    return static_cast<std::uint16_t>((mixed_with(address, t) >> 48U) | 1U);
  }
  static void learn(std::int8_t& counter, bool taken, int most) {
    if (taken && counter < most) ++counter;
    if (!taken && counter > -most - 1) --counter;
  }
  void allocate(std::uint64_t address, const Slots& slots, int best, bool taken) {
    for (int t = best + 1; t < TABLES; ++t) {
      auto& entry = table(t)[slots[index(t)]];
      if (entry.useful != 0) {
        entry.useful = 0;
        continue;
      }
      entry = {tag_of(address, t), static_cast<std::int8_t>(taken ? 0 : -1), 0};
      return;
    }
  }
  void remember(bool bit) { history_ = history_ << 1U | std::uint64_t{bit}; }

  static constexpr std::size_t ENTRIES = 2048;
  std::uint64_t history_ = 0;
  std::vector<std::int8_t> base_ = std::vector<std::int8_t>(16384, 0);
  std::array<std::vector<Entry>, TABLES> tables_{std::vector<Entry>(ENTRIES), std::vector<Entry>(ENTRIES),
                                                 std::vector<Entry>(ENTRIES), std::vector<Entry>(ENTRIES)};
  std::vector<std::uint64_t> targets_ = std::vector<std::uint64_t>(4096, 0);
};

}  // namespace tierscope::simulate
