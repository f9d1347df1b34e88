/// What a kernel does to memory, line by line, made from its descriptors alone: operands, shape, walk, kind of store,
/// flush and fence. No kernel has a line of its own here, so that hardware and simulation cannot drift apart
/// (tests/core/bench_streams.cpp compares with what the kernels really touch). Each task has a Stream of its own.
/// Loads of one operation come before its stores, operand by operand; where stores are non-temporal, those of a batch
/// of operations (core/kernels/walk.hpp).
/// Has no form for: calls of a library or of microcode, hand-overs between caches, tasks.
#pragma once
#include <array>
#include <vector>

#include "bench/group.hpp"
#include "simulate/access.hpp"

namespace tierscope {

using Bases = std::array<std::uint64_t, kernels::OPERANDS>;

/// "" or why a kernel cannot be told by its descriptors alone.
std::string no_simulated_form(const kernels::KernelEntry& entry);
/// The same of a kernel of a task that has a form: its stores and flushes.
std::string no_simulated_stores(const kernels::KernelEntry& entry);

class Stream {
 public:
  Stream(const Group& group, const Member& member);
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  /// Appends the accesses of the next operations, about `wanted`, at least 1; returns how many operations they are.
  virtual std::uint64_t next(std::uint64_t wanted, std::vector<simulate::Access>& to) = 0;
  /// Back to the first operation.
  virtual void rewind() = 0;
  /// Loads and stores of one operation that the descriptors promise; a flush is no access of the program.
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
