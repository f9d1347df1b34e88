/// Parts that serve one request at a time, as the time until which they are busy.
#pragma once
#include <algorithm>
#include <vector>

#include "simulate/access.hpp"

namespace tierscope::simulate {

/// `count` parts alike; a request takes the one that is free first.
class Ports {
 public:
  explicit Ports(std::size_t count) : until_(count, 0) {}
  /// When the next request could start.
  [[nodiscard]] Time free() const noexcept {
    return until_.size() == 1 ? until_[0] : *std::ranges::min_element(until_);
  }
  /// Busy for `length` from `at` on, or from when one is free. Returns the start.
  Time take(Time at, Time length) noexcept {
    auto& until = until_.size() == 1 ? until_[0] : *std::ranges::min_element(until_);
    const Time start = std::max(at, until);
    until = start + length;
    return start;
  }

 private:
  std::vector<Time> until_;
};

/// `count` places that are held for a while each and given on in the order in which they were taken: credits, entries
/// of a queue.
class Places {
 public:
  explicit Places(std::size_t count) : until_(count, 0) {}
  /// When there is a place for what comes at `at`.
  [[nodiscard]] Time wait(Time at) const noexcept { return std::max(at, until_[next_]); }
  /// It is held until then.
  void hold(Time until) noexcept {
    until_[next_] = until;
    if (++next_ == until_.size()) next_ = 0;
  }

 private:
  std::vector<Time> until_;
  std::size_t next_ = 0;
};

}  // namespace tierscope::simulate
