/// Requests that wait outside of a full queue and enter it at random. With too many requests in flight from the cores
/// of a machine, the controller receives them in no particular order. Requests for lines of one buffer unit are then
/// far apart.
#pragma once
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "simulate/access.hpp"

namespace tierscope::simulate {

template <class Request>
class Crowd {
 public:
  struct Waiting {
    Request request;
    Time at;
  };
  /// @param most  requests among which chance decides; 0 keeps all in order
  Crowd(std::size_t most, std::uint64_t seed) : requests_(most), times_(most), seed_(seed) {}
  [[nodiscard]] std::size_t most() const noexcept { return requests_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool any() const noexcept { return size_ > 0; }
  [[nodiscard]] bool full() const noexcept { return size_ == requests_.size(); }
  /// @pre not full
  void add(const Request& request, Time at) noexcept {
    requests_[size_] = request;
    const auto place = first_ + size_++;
    times_[place < times_.size() ? place : place - times_.size()] = at;
  }
  /// Remove one of them at random; the one that has waited longest takes its place. @pre not empty
  Waiting draw() noexcept {
    const auto chosen = (random_word(seed_, drawn_++) >> 32U) * size_ >> 32U;
    const Waiting one{requests_[chosen], times_[first_]};
    requests_[chosen] = requests_[--size_];
    if (++first_ == times_.size()) first_ = 0;
    return one;
  }

 private:
  std::vector<Request> requests_;
  std::vector<Time> times_;  // a ring, oldest at first_
  std::size_t first_ = 0, size_ = 0;
  std::uint64_t seed_, drawn_ = 0;
};

/// A running mean over about the last SPAN values, which begins with the first one.
class Mean {
 public:
  void add(Time value) noexcept { sum_ = sum_ == 0 ? value * SPAN : sum_ + value - sum_ / SPAN; }
  [[nodiscard]] Time get() const noexcept { return sum_ / SPAN; }

 private:
  static constexpr Time SPAN = 1024;
  Time sum_ = 0;
};

}  // namespace tierscope::simulate
