/// The objects of a program on a machine: the memory of each, and the time that the core waits for it.
///   wait of an object    time for which a load of it is the oldest instruction and has not come back, once its address
///                        is known; and for which its store is the oldest in a full store buffer
/// Waits of all objects together are less than the time of the program: the rest does not wait for data. A wait is
/// moved, not saved, if another load behind it takes as long: the difference of two memories counts.
/// Source: S. Eyerman et al., "A Performance Counter Architecture for Computing Accurate CPI Components", ASPLOS 2006
/// (the oldest instruction is charged).
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "simulate/access.hpp"
#include "simulate/objects.hpp"

namespace tierscope::simulate {

class Placement {
 public:
  struct Use {
    Time wait = 0;
    std::uint64_t reads = 0, writes = 0;  // lines, of the memory
  };

  /// Objects are in the memory whose addresses begin at `base`; those with a name in `moved`, in the one of `other`.
  explicit Placement(std::uint64_t base, std::uint64_t other = 0, std::set<std::string> moved = {})
      : base_(base), other_(other), moved_(std::move(moved)) {
    bases_.push_back(moved_.contains("rest\t") ? other_ : base_);
    uses_.resize(1);
  }
  /// Take the names of objects that are new. An object is there from the first allocation on.
  void learn(const Objects& objects) {
    const auto& known = objects.known();
    for (auto next = bases_.size(); next < known.size(); ++next) {
      if (known[next].name.empty()) break;
      bases_.push_back(moved_.contains(known[next].name) ? other_ : base_);
    }
    if (uses_.size() < known.size()) uses_.resize(known.size());
  }
  [[nodiscard]] std::uint64_t base(Object object) const noexcept {
    return object < bases_.size() ? bases_[object] : base_;
  }
  void wait(Object object, Time time) noexcept {
    if (object < uses_.size() && time > 0) uses_[object].wait += time;
  }
  void request(Object object, bool write) noexcept {
    if (object < uses_.size()) ++(write ? uses_[object].writes : uses_[object].reads);
  }
  [[nodiscard]] const std::vector<Use>& uses() const noexcept { return uses_; }

 private:
  std::uint64_t base_, other_;
  std::set<std::string> moved_;
  std::vector<std::uint64_t> bases_;  // by object
  std::vector<Use> uses_;
};

}  // namespace tierscope::simulate
