/// The next event of a simulated core: loads, in any order; stores, which become ready in the order of the program;
/// and two kinds of fill buffers that become free. At one time, loads come first, in the order of the program, then
/// buffers, then stores.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "simulate/access.hpp"

namespace tierscope::simulate {

class Starts {
 public:
  enum class What : std::uint8_t { load, release_of_stores, release, store };
  struct Start {
    Time at;
    std::uint64_t number;  // of the load, of the store
    What what;
  };

  /// Return when the next one begins; NEVER if there is none.
  [[nodiscard]] Time soonest() const noexcept { return soonest_; }
  [[nodiscard]] bool empty() const noexcept { return soonest_ == NEVER; }
  void add_load(Time at, std::uint64_t number) {
    soonest_ = std::min(soonest_, at);
    const Load load{at, number};
    const bool none = first_.at == NEVER;
    if (none ? !loads_.empty() && loads_.front() < load : first_ < load) return push(load);
    if (!none) push(first_);
    first_ = load;
  }
  /// Add the store behind the one that was added last; it begins no earlier.
  void add_store(Time at) {
    soonest_ = std::min(soonest_, at);
    if (end_ - begin_ == stores_.size()) grow();
    stores_[end_++ & (stores_.size() - 1)] = at;
  }
  /// Add the time at which buffers of this kind become free. @pre there is none
  void add_release(Time at, bool of_stores) noexcept {
    soonest_ = std::min(soonest_, at);
    releases_[of_stores] = at;
  }
  /// Remove the next one and return it. @pre not empty
  Start take() {
    const auto start = taken();
    find_soonest();
    return start;
  }
  /// Remove the loads from this number on.
  void drop_loads(std::uint64_t from) {
    std::erase_if(loads_, [from](const Load& load) { return load.number >= from; });
    std::ranges::make_heap(loads_, std::greater<>());
    if (first_.number >= from) first_.at = NEVER;
    find_soonest();
  }

 private:
  struct Load {
    Time at = NEVER;
    std::uint64_t number = 0;
    bool operator<(const Load& other) const noexcept { return at != other.at ? at < other.at : number < other.number; }
    bool operator>(const Load& other) const noexcept { return other < *this; }
  };
  static constexpr bool OF_STORES = true;

  void find_soonest() noexcept {
    soonest_ = std::min({first_.at, loads_.empty() ? NEVER : loads_.front().at, releases_[0], releases_[1], store()});
  }
  [[nodiscard]] Time store() const noexcept { return begin_ == end_ ? NEVER : stores_[begin_ & (stores_.size() - 1)]; }
  Start taken() {
    const Time at = soonest_;
    if (first_.at == at) {
      first_.at = NEVER;
      return {at, first_.number, What::load};
    }
    if (!loads_.empty() && loads_.front().at == at) return {at, pop(), What::load};
    for (const bool of_stores : {OF_STORES, !OF_STORES})
      if (releases_[of_stores] == at) {
        releases_[of_stores] = NEVER;
        return {at, 0, of_stores ? What::release_of_stores : What::release};
      }
    return {at, begin_++, What::store};
  }
  void push(const Load& load) {
    loads_.push_back(load);
    std::ranges::push_heap(loads_, std::greater<>());
  }
  std::uint64_t pop() {
    std::ranges::pop_heap(loads_, std::greater<>());
    const auto number = loads_.back().number;
    loads_.pop_back();
    return number;
  }
  void grow() {
    std::vector<Time> more(stores_.size() * 2);
    for (auto number = begin_; number != end_; ++number)
      more[number & (more.size() - 1)] = stores_[number & (stores_.size() - 1)];
    stores_.swap(more);
  }
  Time soonest_ = NEVER;
  Load first_;               // before all of loads_; NEVER: none
  std::vector<Load> loads_;  // a heap
  std::array<Time, 2> releases_{NEVER, NEVER};
  std::vector<Time> stores_ = std::vector<Time>(64);  // by number
  std::uint64_t begin_ = 0, end_ = 0;                 // of the stores
};

}  // namespace tierscope::simulate
