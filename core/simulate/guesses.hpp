/// Predicts the branches of a traced program once for all machines that replay it. A predictor sees the branches of one
/// thread in the order of the program, so that cores of other sizes and other memories do not change what it learns.
#pragma once
#include <map>

#include "simulate/flow.hpp"
#include "simulate/predictor.hpp"

namespace tierscope::simulate {

/// Return whether the block behind an instruction depends on data.
inline bool decides(flow::Class kind) {
  return kind == flow::Class::branch || kind == flow::Class::jump_indirect || kind == flow::Class::call_indirect;
}

/// Return whether the predictor was right about a branch, and let it learn; `next`: address of the block behind it.
inline bool predicted(Predictor& predictor, const flow::Instruction& branch, std::uint64_t next) {
  return branch.kind == flow::Class::branch ? predictor.branch(branch.address, next != branch.address + branch.length)
                                            : predictor.indirect(branch.address, next);
}

class Guesses {
 public:
  /// Set `guess` of a step, in the order of the stream.
  void take(flow::Step& step) {
    if (step.block == nullptr) return;
    auto& one = threads_[step.thread];
    if (one.branch != nullptr)
      step.guess =
          predicted(one.predictor, *one.branch, step.block->front().address) ? flow::Guess::right : flow::Guess::wrong;
    const auto& last = step.block->back();
    one.branch = decides(last.kind) ? &last : nullptr;
  }

 private:
  struct Thread {
    Predictor predictor;
    const flow::Instruction* branch = nullptr;  // at the end of its last block
  };
  std::map<std::uint32_t, Thread> threads_;
};

}  // namespace tierscope::simulate
