/// Random updates of a table: how a member begins, what its table must hold, and its accesses.
/// The table is checked as HPCC does it, by doing the updates once more, but for a window of the table and without its
/// memory. HPCC allows 1 % of wrong words, since its processes update one table without locks; here each thread has a
/// table of its own, and no word may be wrong. Blind to: updates that are lost outside of the window, 64 Ki words of
/// each table. Source: P. Luszczek et al., "Introduction to the HPC Challenge Benchmark Suite", 2005.
#pragma once
#include "bench/streams.hpp"

namespace tierscope {

/// Where the sequence of a member begins; nothing for a kernel that draws nothing.
void place_draws(Group& group, std::size_t member);
/// 0, or infinity if a word of the window is not what the updates so far leave.
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
