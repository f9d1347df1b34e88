/// The accesses of a kernel to memory, line by line, made from its descriptors alone: operands, shape, walk, kind of
/// store, flush and fence. No kernel has code of its own here, so hardware and simulation cannot drift apart
/// (tests/core/bench_streams.cpp compares with the lines that the kernels really touch). Each task has its own Stream.
/// Loads of one operation come before its stores, operand by operand. For non-temporal stores, this order applies to a
/// batch of operations (core/kernels/walk.hpp).
/// Not covered: calls of a library or of microcode, hand-overs between caches, tasks.
#pragma once
#include <array>
#include <vector>

#include "bench/group.hpp"
#include "simulate/access.hpp"

namespace tierscope {

using Bases = std::array<std::uint64_t, kernels::OPERANDS>;

/// Returns "", or why descriptors alone do not describe a kernel.
std::string no_simulated_form(const kernels::KernelEntry& entry);
/// The same for the stores and flushes of a kernel whose task has a simulated form.
std::string no_simulated_stores(const kernels::KernelEntry& entry);

class Stream {
 public:
  Stream(const Group& group, const Member& member);
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  /// Appends the accesses of the next operations, about `wanted`, at least 1; returns the number of operations.
  virtual std::uint64_t next(std::uint64_t wanted, std::vector<simulate::Access>& to) = 0;
  /// Back to the first operation.
  virtual void rewind() = 0;
  /// Loads and stores of one operation that the descriptors state; a flush is not an access of the program.
  [[nodiscard]] std::uint64_t accesses() const noexcept { return accesses_; }

 protected:
  [[nodiscard]] const kernels::KernelInfo& info() const noexcept { return *group_->entry->info; }

  const Group* group_;
  std::uint64_t begin_, end_;  // operations of the slice
  simulate::Kind store_;

 private:
  std::uint64_t accesses_;
};

/// `bases`: address of each operand's first byte, of the whole group. @throws Unsupported for a kernel without a form
std::unique_ptr<Stream> make_stream(const Group& group, std::size_t member, const Bases& bases);

}  // namespace tierscope
