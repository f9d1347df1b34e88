/// Parts that serve one request at a time. The state of a part is the time until which it is busy.
#pragma once
#include <algorithm>
#include <vector>

#include "simulate/access.hpp"

namespace tierscope::simulate {

/// `count` equal parts; a request takes the one that is free first.
class Ports {
 public:
  explicit Ports(std::size_t count) : until_(count, 0) {}
  /// Return the earliest start of the next request.
  [[nodiscard]] Time free() const noexcept {
    return until_.size() == 1 ? until_[0] : *std::ranges::min_element(until_);
  }
  /// Make a part busy for `length`, from `at` on or from when one is free. Return the start.
  Time take(Time at, Time length) noexcept {
    auto& until = until_.size() == 1 ? until_[0] : *std::ranges::min_element(until_);
    const Time start = std::max(at, until);
    until = start + length;
    return start;
  }
  /// Let the part that is free first be free earlier.
  void release(Time earlier) noexcept {
    (until_.size() == 1 ? until_[0] : *std::ranges::min_element(until_)) -= earlier;
  }

 private:
  std::vector<Time> until_;
};

/// `count` places. A request occupies one for a while, and places become free in the order in which they were taken:
/// credits, entries of a queue.
class Places {
 public:
  explicit Places(std::size_t count) : until_(count, 0) {}
  /// Return when a place is free for a request that comes at `at`.
  [[nodiscard]] Time wait(Time at) const noexcept { return std::max(at, until_[next_]); }
  /// Occupy the place until then.
  void hold(Time until) noexcept {
    until_[next_] = until;
    if (++next_ == until_.size()) next_ = 0;
  }

 private:
  std::vector<Time> until_;
  std::size_t next_ = 0;
};

}  // namespace tierscope::simulate
