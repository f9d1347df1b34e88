/// The actions of one operation of a structure, as accesses of single lines.
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
  /// base: simulated address of place 0.
  TouchedLines(std::uint64_t base, bool flushes) : base_(base), flushes_(flushes) {}
  /// Replaces `accesses` by those of one operation.
  LineCounts take(std::span<const recorded::Event> events, std::vector<simulate::Access>& accesses);

 private:
  void add(recorded::What what, std::uint64_t line, std::vector<simulate::Access>& accesses);
  void put(simulate::Kind kind, std::uint64_t line, std::vector<simulate::Access>& accesses);
  void store(std::uint64_t line, bool past_caches, std::vector<simulate::Access>& accesses);

  std::uint64_t base_;
  bool flushes_;
  std::uint64_t last_ = ~std::uint64_t{0};  // line of the access before
  LineFlags flags_;
  LineCounts counts_;
};

}  // namespace tierscope
