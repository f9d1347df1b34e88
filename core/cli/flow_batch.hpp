/// Steps of a traced thread that all machines run one after the other. A machine then finds its state in the host's
/// caches, and what is the same for all of them is done once. A batch ends where the program changes from instructions
/// that warm caches to those that are timed.
///   FlowBatch batch;
///   if (batch.takes(step)) batch.add(step);
/// A step that it does not take goes to the machines alone, behind those of the batch: a gap, a phase, the first step
/// of a second thread, and all behind that.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "simulate/flow.hpp"
#include "simulate/operations.hpp"

namespace tierscope {

class FlowBatch {
 public:
  using Step = simulate::flow::Step;

  [[nodiscard]] bool takes(const Step& step) {
    if (step.gap != nullptr) warm_ = step.gap->warm;
    if (step.block == nullptr) return false;
    if (!began_) thread_ = step.thread;
    began_ = true;
    several_ = several_ || step.thread != thread_;
    return !several_;
  }
  /// @pre it takes the step, and is not full
  void add(const Step& step) {
    const auto instructions = step.block->size();
    instructions_ += instructions;
    if (warm_ == 0) decoder_.decode(step, operations_);
    ends_.push_back({accesses_.size() + step.accesses.size(), operations_.list.size(), operations_.distances.size()});
    accesses_.insert(accesses_.end(), step.accesses.begin(), step.accesses.end());
    steps_.push_back(step);
    full_ = instructions_ >= MOST || accesses_.size() >= MOST || (warm_ != 0 && warm_ <= instructions);
    warm_ -= std::min<std::uint64_t>(warm_, instructions);
  }
  [[nodiscard]] bool full() const noexcept { return full_; }
  [[nodiscard]] bool empty() const noexcept { return steps_.empty(); }
  /// Make its steps complete: they do not depend on the stream any more.
  void close() {
    std::size_t first = 0;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      steps_[s].accesses = std::span(accesses_).subspan(first, ends_[s].accesses - first);
      first = ends_[s].accesses;
    }
  }
  void clear() {
    steps_.clear();
    ends_.clear();
    accesses_.clear();
    operations_.clear();
    instructions_ = 0;
    full_ = false;
  }
  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }
  /// Return the operations of a step that is timed.
  [[nodiscard]] simulate::OperationsOf operations(std::size_t step) const {
    const End begin = step == 0 ? End{} : ends_[step - 1];
    return {std::span(operations_.list).subspan(begin.operations, ends_[step].operations - begin.operations),
            operations_.distances.data() + begin.distances};
  }
  /// Return what decoded all timed steps of batches.
  [[nodiscard]] const simulate::Decoder& decoder() const noexcept { return decoder_; }

 private:
  static constexpr std::uint64_t MOST = 1U << 16U;  // instructions, accesses: some megabytes, as the state of a machine
  /// Where a step ends in the accesses, operations and distances.
  struct End {
    std::size_t accesses = 0, operations = 0, distances = 0;
  };
  std::vector<Step> steps_;
  std::vector<End> ends_;
  std::vector<simulate::flow::Access> accesses_;
  simulate::Operations operations_;
  simulate::Decoder decoder_;
  std::uint64_t instructions_ = 0, warm_ = 0;  // in it; that warm caches from here on
  std::uint32_t thread_ = 0;
  bool began_ = false, several_ = false, full_ = false;
};

}  // namespace tierscope
