/// Random updates of a table: the start of a member's sequence, the expected content of its table, and its accesses.
/// The check repeats the updates, as that of HPCC does, but for a window of the table and without its memory. HPCC
/// allows 1 % of wrong words, since its processes update one table without locks. Here each thread has a table of its
/// own, and no word may be wrong. Blind to: updates that are lost outside of the window, 64 Ki words of each table.
/// Source: P. Luszczek et al., "Introduction to the HPC Challenge Benchmark Suite", 2005.
#pragma once
#include "bench/streams.hpp"

namespace tierscope {

/// Sets where the sequence of a member begins; does nothing for a kernel without draws.
void place_draws(Group& group, std::size_t member);
/// Returns 0, or infinity if a word of the window differs from the result of the updates so far.
double verify_draws(const Group& group, const Member& member);

class DrawStream final : public Stream {
 public:
  DrawStream(const Group& group, const Member& member, std::uint64_t base);
  std::uint64_t next(std::uint64_t wanted, std::vector<simulate::Access>& to) override;
  void rewind() override;

 private:
  const kernels::Draws* draws_;
  std::uint64_t base_, elements_, state_;
  std::array<std::uint64_t, kernels::ELEMENTS> words_{};
};

}  // namespace tierscope
