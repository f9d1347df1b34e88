/// The lock of a structure that simulated threads share. It is given in the order of asking.
/// Blind to: the lock's own line, which takes no time; who waits asleep and is woken.
#pragma once
#include <deque>

#include "simulate/access.hpp"

namespace tierscope {

class KeyedLock {
 public:
  /// Whether it is `who`'s from now on; else `who` stands in line.
  bool ask(const void* who) {
    if (holder_ == nullptr) holder_ = who;
    if (holder_ != who) line_.push_back(who);
    return holder_ == who;
  }
  [[nodiscard]] bool held_by(const void* who) const noexcept { return holder_ == who; }
  /// The holder leaves it to the next in line.
  void leave(simulate::Time at) {
    holder_ = line_.empty() ? nullptr : line_.front();
    if (holder_ != nullptr) line_.pop_front();
    given_ = next_ = at;
  }
  /// When the last one left it.
  [[nodiscard]] simulate::Time given() const noexcept { return given_; }
  /// The holder's next access: before that it is not free.
  void goes_on(simulate::Time at) noexcept { next_ = at; }
  /// When it is worth to look again.
  [[nodiscard]] simulate::Time look() const noexcept { return next_ + 1; }

 private:
  const void* holder_ = nullptr;
  std::deque<const void*> line_;
  simulate::Time given_ = 0, next_ = 0;
};

}  // namespace tierscope
