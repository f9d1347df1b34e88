/// Steps of a traced program that all machines run one after the other. A machine then finds its state in the host's
/// caches, and what is the same for all of them is done once. A batch ends where the program changes from instructions
/// that warm caches to those that are timed.
///   FlowBatches batches;
///   if (auto whole = batches.add(step)) run(whole);
///   if (auto begun = batches.close()) run(begun);  // before a step without a block, and after the last one
/// A machine may keep a batch until it has run all its steps: threads of a program alternate.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "simulate/flow.hpp"
#include "simulate/operations.hpp"

namespace tierscope {

class FlowBatch {
 public:
  using Step = simulate::flow::Step;

  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }
  /// Return the last step of each thread that has one.
  [[nodiscard]] const std::map<std::uint32_t, Step>& last() const noexcept { return last_; }
  [[nodiscard]] std::uint64_t instructions() const noexcept { return instructions_; }
  /// Return whether its steps are timed; else they only warm the caches.
  [[nodiscard]] bool timed() const noexcept { return timed_; }
  /// Return the operations of a step that is timed.
  [[nodiscard]] simulate::OperationsOf operations(std::size_t step) const {
    const End begin = step == 0 ? End{} : ends_[step - 1];
    return {std::span(operations_.list).subspan(begin.operations, ends_[step].operations - begin.operations),
            operations_.distances.data() + begin.distances};
  }

 private:
  friend class FlowBatches;
  /// Where a step ends in the accesses, operations and distances.
  struct End {
    std::size_t accesses = 0, operations = 0, distances = 0;
  };
  void add(const Step& step, simulate::Decoder* decoder) {
    instructions_ += step.block->size();
    timed_ = decoder != nullptr;
    if (timed_) decoder->decode(step, operations_);
    ends_.push_back({accesses_.size() + step.accesses.size(), operations_.list.size(), operations_.distances.size()});
    accesses_.insert(accesses_.end(), step.accesses.begin(), step.accesses.end());
    steps_.push_back(step);
  }
  [[nodiscard]] bool full(std::uint64_t most) const noexcept {
    return instructions_ >= most || accesses_.size() >= most;
  }
  /// Make its steps complete: they do not depend on the stream any more.
  void close() {
    std::size_t first = 0;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      steps_[s].accesses = std::span(accesses_).subspan(first, ends_[s].accesses - first);
      first = ends_[s].accesses;
      if (s + 1 == steps_.size() || steps_[s].thread != steps_[s + 1].thread) last_[steps_[s].thread] = steps_[s];
    }
  }
  void clear() {
    steps_.clear();
    last_.clear();
    ends_.clear();
    accesses_.clear();
    operations_.clear();
    instructions_ = 0;
  }
  std::vector<Step> steps_;
  std::map<std::uint32_t, Step> last_;
  std::vector<End> ends_;
  std::vector<simulate::flow::Access> accesses_;
  simulate::Operations operations_;
  std::uint64_t instructions_ = 0;
  bool timed_ = false;
};

using SharedBatch = std::shared_ptr<const FlowBatch>;

/// Makes batches of a stream.
class FlowBatches {
 public:
  static constexpr std::uint64_t MANY = 1U << 16U;  // some megabytes, as the state of a machine
  /// `most`: instructions of a batch, and accesses, beyond which it ends.
  explicit FlowBatches(std::uint64_t most = MANY) : most_(most) {}
  /// Add a step with a block, and return the batch that it completes; null: it is not complete yet.
  SharedBatch add(const FlowBatch::Step& step) {
    if (batch_ == nullptr) batch_ = free_one();
    const auto instructions = step.block->size();
    batch_->add(step, warm_ == 0 ? &decoders_[step.thread] : nullptr);
    const bool ends = warm_ != 0 && warm_ <= instructions;
    warm_ -= std::min<std::uint64_t>(warm_, instructions);
    return ends || batch_->full(most_) ? close() : nullptr;
  }
  /// Return the batch that has begun; null: none has. A later step comes after it.
  SharedBatch close() {
    if (batch_ != nullptr) batch_->close();
    return std::exchange(batch_, nullptr);
  }
  /// This number of instructions from here on only warms the caches. @pre closed
  void warm(std::uint64_t instructions) noexcept { warm_ = instructions; }

 private:
  /// Return an empty batch: the oldest one, if no machine needs it any more.
  std::shared_ptr<FlowBatch> free_one() {
    auto one = made_.empty() || made_.front().use_count() > 1 ? std::make_shared<FlowBatch>() : made_.front();
    if (!made_.empty() && one == made_.front()) made_.pop_front();
    one->clear();
    return made_.emplace_back(std::move(one));
  }
  std::uint64_t most_, warm_ = 0;
  std::deque<std::shared_ptr<FlowBatch>> made_;  // oldest first
  std::shared_ptr<FlowBatch> batch_;             // the one that has begun
  std::map<std::uint32_t, simulate::Decoder> decoders_;
};

}  // namespace tierscope
