/// One cycle through all nodes of a slice, in closed form. Nodes are `element` bytes apart. The cycle visits every node
/// of a window of `locality` bytes before the next window starts. A window of the whole slice is a global order, where
/// each hop may miss the TLB. In a window of one page 63 of 64 hops stay in the page. In a window of 128 bytes each
/// line is followed by its neighbour, which an adjacent-line prefetcher has already fetched.
/// The order within a window is random. Windows follow one another at random or, `in_order`, by address.
/// With `spacing` above 1, the nodes of a window are that many nodes apart, and as many windows share a block. All of
/// them have the same order. In order, the windows of a block are passes over the same places, one node further each.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include "base/permutation.hpp"

namespace tierscope {

class Cycle {
 public:
  /// The last nodes are left out if they do not fill a block.
  Cycle(std::uint64_t nodes, std::uint64_t window, std::uint64_t seed, bool in_order = false,
        std::uint64_t spacing = 1) noexcept
      : window_(std::clamp<std::uint64_t>(window == 0 ? nodes : window, 1, std::max<std::uint64_t>(nodes, 1))),
        spacing_(std::max<std::uint64_t>(spacing, 1)),
        windows_(nodes / window_ / spacing_ * spacing_),
        seed_(seed),
        in_order_(in_order),
        outer_(windows_, seed) {}
  [[nodiscard]] std::uint64_t nodes() const noexcept { return window_ * windows_; }
  /// The node at one step of the cycle, step < nodes().
  [[nodiscard]] std::uint64_t at(std::uint64_t step) const noexcept {
    const auto window = in_order_ ? step / window_ : outer_.at(step / window_);
    return placed(window, inner(window).at(step % window_));
  }
  /// The nodes at the steps from `first` on; first + to.size() <= nodes(). It is faster than one after the other.
  void at(std::uint64_t first, std::span<std::uint64_t> to) const noexcept {
    while (!to.empty()) {
      const auto start = first % window_;
      const auto window = in_order_ ? first / window_ : outer_.at(first / window_);
      const auto part = to.first(std::min<std::uint64_t>(window_ - start, to.size()));
      std::iota(part.begin(), part.end(), start);
      inner(window).at(part);
      for (auto& node : part) node = placed(window, node);
      first += part.size();
      to = to.subspan(part.size());
    }
  }
  [[nodiscard]] std::uint64_t successor(std::uint64_t node) const noexcept {
    const auto place = node / spacing_;
    const auto window = place / window_ * spacing_ + node % spacing_;
    const auto order = inner(window);
    const auto step = order.inverse(place % window_) + 1;
    if (step < window_) return placed(window, order.at(step));
    return after(window);
  }
  /// The successors of the nodes from `first` on; first + to.size() <= nodes().
  void successors(std::uint64_t first, std::span<std::uint64_t> to) const noexcept {
    if (spacing_ > 1) {
      for (auto& node : to) node = successor(first++);
      return;
    }
    while (!to.empty()) {
      const auto window = first / window_, start = first % window_;
      const auto part = to.first(std::min<std::uint64_t>(window_ - start, to.size()));
      const auto order = inner(window);
      std::iota(part.begin(), part.end(), start);
      order.inverse(part);
      const auto last = std::ranges::find(part, window_ - 1);
      for (auto& step : part) ++step;
      if (last != part.end()) *last = 0;
      order.at(part);
      for (auto& node : part) node += window * window_;
      if (last != part.end()) *last = after(window);
      first += part.size();
      to = to.subspan(part.size());
    }
  }

 private:
  /// The first node of the window that follows this one.
  [[nodiscard]] std::uint64_t after(std::uint64_t window) const noexcept {
    const auto next = (in_order_ ? window : outer_.inverse(window)) + 1;
    return at((next < windows_ ? next : 0) * window_);
  }
  /// The node at a place of a window.
  [[nodiscard]] std::uint64_t placed(std::uint64_t window, std::uint64_t place) const noexcept {
    return (window / spacing_ * window_ + place) * spacing_ + window % spacing_;
  }
  [[nodiscard]] Permutation inner(std::uint64_t window) const noexcept {
    return {window_, mixed(seed_ ^ ~(window / spacing_))};
  }
  std::uint64_t window_, spacing_, windows_, seed_;
  bool in_order_;
  Permutation outer_;
};

}  // namespace tierscope
