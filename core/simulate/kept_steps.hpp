/// Steps of the right path that a core was given while it ran a wrong one, in their order.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "simulate/operations.hpp"

namespace tierscope::simulate {

/// How a core continues at a step: the branch before it was guessed right or wrongly, or wrongly with a wrong path
/// that meets the right one.
enum class Path : std::uint8_t { right, wrong, meets };

class KeptSteps {
 public:
  void add(Path path, const flow::Block* block, const OperationsOf& operations) {
    const auto& [list, distances] = operations;
    std::size_t sources = 0;
    for (const auto& one : list) sources += one.sources;
    steps_.push_back(
        {path, block, gone_ + operations_.list.size(), list.size(), gone_distances_ + operations_.distances.size()});
    operations_.list.insert(operations_.list.end(), list.begin(), list.end());
    operations_.distances.insert(operations_.distances.end(), distances, distances + sources);
  }
  [[nodiscard]] bool empty() const noexcept { return steps_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return steps_.size(); }
  /// Return the path to a step.
  [[nodiscard]] Path path(std::size_t step) const noexcept { return steps_[step].path; }
  [[nodiscard]] const flow::Block& block(std::size_t step) const noexcept { return *steps_[step].block; }
  /// Return the operations of a step, valid until another one is added or removed.
  [[nodiscard]] OperationsOf operations(std::size_t step) const {
    const auto& one = steps_[step];
    return {std::span(operations_.list).subspan(one.first - gone_, one.count),
            operations_.distances.data() + (one.distance - gone_distances_)};
  }
  void remove_first() {
    steps_.pop_front();
    if (steps_.empty()) {
      clear_before(operations_.list.size() + gone_, operations_.distances.size() + gone_distances_);
    } else if (steps_.front().first - gone_ >= MOST_GONE) {
      clear_before(steps_.front().first, steps_.front().distance);
    }
  }

 private:
  static constexpr std::size_t MOST_GONE = 4096;  // operations in front of the first step: they leave together
  struct Step {
    Path path;
    const flow::Block* block;
    std::size_t first, count, distance;  // of operations, of the first distance; as if none had left
  };
  void clear_before(std::size_t operation, std::size_t distance) {
    auto& [list, distances] = operations_;
    list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(operation - gone_));
    distances.erase(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(distance - gone_distances_));
    gone_ = operation;
    gone_distances_ = distance;
  }
  Operations operations_;
  std::deque<Step> steps_;
  std::size_t gone_ = 0, gone_distances_ = 0;
};

}  // namespace tierscope::simulate
