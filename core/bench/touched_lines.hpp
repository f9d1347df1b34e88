/// The actions of one operation of a structure, as accesses of single lines of the simulated machine. Lines are counted
/// as that machine has them. Flushes and stores past the caches go in steps of 64 bytes whatever the line, as libpmem's
/// do, and each step counts: of a line of 128 bytes that is flushed whole, 2.
/// A load of another line than the previous access waits for the previous load, since pointers are followed; more loads
/// of the same line come with it. A line that is flushed without a store was stored just before, by libpmemobj: a call
/// of it shows its flushes alone. Where caches persist (eADR) no line is flushed.
/// Blind to: which loads do not wait for another; so the time of an operation is an upper bound.
#pragma once
#include <span>
#include <vector>

#include "bench/line_counts.hpp"
#include "bench/line_flags.hpp"
#include "recorded/recorder.hpp"
#include "simulate/access.hpp"

namespace tierscope {

class TouchedLines {
 public:
  /// base: simulated address of place 0; line_bytes: a power of two of 64 or more.
  TouchedLines(std::uint64_t base, std::uint64_t line_bytes, bool flushes)
      : base_(base), line_bytes_(line_bytes), flushes_(flushes) {}
  /// Replaces `accesses` by those of one operation.
  LineCounts take(std::span<const recorded::Event> events, std::vector<simulate::Access>& accesses);

 private:
  [[nodiscard]] std::uint64_t step(recorded::What what) const noexcept;
  void add(recorded::What what, std::uint64_t place, std::vector<simulate::Access>& accesses);
  void put(simulate::Kind kind, std::uint64_t place, std::vector<simulate::Access>& accesses);
  void store(std::uint64_t place, bool past_caches, std::vector<simulate::Access>& accesses);

  std::uint64_t base_, line_bytes_;
  bool flushes_;
  std::uint64_t last_ = ~std::uint64_t{0};  // line of the access before
  std::uint64_t flushed_ = last_;           // line that the same event flushed last
  LineFlags flags_;
  LineCounts counts_;
};

}  // namespace tierscope
