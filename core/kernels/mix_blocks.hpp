/// Mixed traffic of blocks: of every R + W blocks, R are read from one array and W written to another, of each the
/// first `access` bytes of `element`. A load can therefore read and write one line of every few, in sequence or at
/// random, which the mixes of whole arrays cannot do. Reads are those of `read_blocks`, stores those of `flush_none`
/// and `flush_nt`. An operation reads all its blocks before it writes; it waits for none of them.
/// Blind to: a program that reads and writes the same line.
/// Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS, strided reads
/// and writes); Intel, "Memory Latency Checker" user guide (stride of a load).
#pragma once
#include "kernels/flush.hpp"

namespace tierscope::kernels::mix_blocks {

constexpr KernelInfo info_of(std::string_view name, std::string_view summary, unsigned reads, unsigned writes,
                             Store store) noexcept {
  return {.name = name,
          .summary = summary,
          .source =
              "Z. Wang et al., \"Characterizing and Modeling Non-Volatile Memory Systems\", MICRO 2020 (strided reads "
              "and writes)",
          .check = Check::replayed,
          .operands = {{{.lines = writes, .stores = true}, {.lines = reads, .loads = true}}},
          .store = store,
          .sums = true,
          .operation = "block",
          .orders = true};
}

/// Call `visit(n)` for the number of each block in the order of the pass, as if each block had one byte.
template <class Visit>
[[gnu::always_inline]] inline void walk_numbers(Pass& pass, Visit visit) noexcept {
  Pass numbers = pass;
  numbers.element = 1;
  const auto* const first = numbers.operand[0];
  blocks::walk(
      numbers,
      [&](const std::byte* at) __attribute__((always_inline)) { visit(static_cast<std::uint64_t>(at - first)); },
      [] {});
  pass.state = numbers.state;
}

template <class STORE, const KernelInfo& INFO>
inline std::uint64_t pass(Pass& pass) noexcept {
  using Pair [[gnu::vector_size(16), gnu::may_alias]] = std::uint64_t;
  constexpr std::uint64_t WRITES = INFO.operands[0].lines, READS = INFO.operands[1].lines;
  constexpr std::size_t PAIRS = LINE / sizeof(Pair);
  Pair sum[PAIRS]{};
  const auto size = pass.touched(), element = pass.element;
  walk_numbers(pass, [&](std::uint64_t number) __attribute__((always_inline)) {
    const auto* from = pass.operand[1] + number * READS * element;
    for (std::uint64_t r = 0; r < READS; ++r, from += element)
      for (std::uint64_t off = 0; off < size; off += LINE)
        for (std::size_t i = 0; i < PAIRS; ++i) sum[i] += reinterpret_cast<const Pair*>(from + off)[i];
    auto* to = pass.operand[0] + number * WRITES * element;
    const auto word = bytes::flush_word(pass.written++);
    const lines::Part value{word, word};
    for (std::uint64_t w = 0; w < WRITES; ++w, to += element)
      for (std::uint64_t off = 0; off < size; off += LINE) STORE::put(to + off, value);
  });
  const Pair all = sum[0] + sum[1] + (sum[2] + sum[3]);
  return all[0] + all[1];
}

/// Run in steps of 8 bytes.
template <const KernelInfo& INFO>
inline std::uint64_t reference(Pass& pass) noexcept {
  constexpr std::uint64_t WRITES = INFO.operands[0].lines, READS = INFO.operands[1].lines;
  std::uint64_t sum = 0;
  const auto words = pass.touched() / sizeof sum;
  walk_numbers(pass, [&](std::uint64_t number) {
    for (std::uint64_t r = 0; r < READS; ++r) {
      const auto* from = pass.operand[1] + (number * READS + r) * pass.element;
      for (std::uint64_t i = 0; i < words; ++i) sum += reinterpret_cast<const volatile std::uint64_t*>(from)[i];
    }
    const auto word = bytes::flush_word(pass.written++);
    for (std::uint64_t w = 0; w < WRITES; ++w) {
      auto* to = pass.operand[0] + (number * WRITES + w) * pass.element;
      for (std::uint64_t i = 0; i < words; ++i) reinterpret_cast<volatile std::uint64_t*>(to)[i] = word;
    }
  });
  return sum;
}

}  // namespace tierscope::kernels::mix_blocks
