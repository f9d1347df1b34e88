/// What a kernel does to memory, line by line, made from its descriptors alone: operands, shape, walk, kind of store,
/// flush and fence. No kernel has a line of its own here, so that hardware and simulation cannot drift apart
/// (tests/core/bench_streams.cpp compares with what the kernels really touch).
/// Loads of one operation come before its stores, operand by operand; where stores are non-temporal, those of a batch
/// of operations (core/kernels/walk.hpp).
/// Has no form for: calls of a library or of microcode, hand-overs between caches, tasks.
#pragma once
#include <array>
#include <vector>

#include "base/shuffle.hpp"
#include "bench/cycle.hpp"
#include "bench/group.hpp"
#include "simulate/access.hpp"

namespace tierscope {

/// "" or why a kernel cannot be told by its descriptors alone.
const char* no_simulated_form(const kernels::KernelEntry& entry);

class Stream {
 public:
  /// `bases`: address of each operand's first byte, of the whole group. @throws Unsupported for a kernel without a form
  Stream(const Group& group, std::size_t member, const std::array<std::uint64_t, kernels::OPERANDS>& bases);
  /// Appends the accesses of the next operations, about `wanted`, at least 1; returns how many operations they are.
  std::uint64_t next(std::uint64_t wanted, std::vector<simulate::Access>& to);
  /// Back to the first operation.
  void rewind();
  /// Loads and stores of one operation that the descriptors promise; a flush is no access of the program.
  [[nodiscard]] std::uint64_t accesses() const noexcept;

 private:
  std::uint64_t step_lines(std::vector<simulate::Access>& to);
  void hop(std::vector<simulate::Access>& to);
  void block(std::vector<simulate::Access>& to);
  void operations(std::uint64_t from, std::uint64_t distance, std::size_t first, std::size_t count,
                  std::vector<simulate::Access>& to) const;
  void fetch(std::uint64_t operation, std::vector<simulate::Access>& to) const;
  std::uint64_t next_block();

  const Group* group_;
  std::array<std::uint64_t, kernels::OPERANDS> bases_;
  std::uint64_t begin_, end_, window_, first_state_, done_ = 0, state_ = 0;
  std::uint64_t at_, off_ = 0, stop_ = 0, cut_ = 0, distance_ = 0;  // of lines: range, place, its end, all ranges' end
  simulate::Kind store_;
  Cycle cycle_;
  std::uint64_t region_ = ~std::uint64_t{0};  // of blocks: the one whose order is at hand
  Shuffle order_{1, 0};
};

}  // namespace tierscope
