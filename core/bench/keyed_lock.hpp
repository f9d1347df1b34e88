/// The lock of a structure that simulated threads share. Threads get it in the order in which they ask.
/// Blind to: the lock's own line, which takes no time; threads that sleep and are woken.
#pragma once
#include <deque>

#include "simulate/access.hpp"

namespace tierscope {

class KeyedLock {
 public:
  /// Returns whether it is `who`'s from now on; else `who` is added to the queue.
  bool ask(const void* who) {
    if (holder_ == nullptr) holder_ = who;
    if (holder_ != who) line_.push_back(who);
    return holder_ == who;
  }
  [[nodiscard]] bool held_by(const void* who) const noexcept { return holder_ == who; }
  /// The owner passes it to the next in the queue.
  void leave(simulate::Time at) {
    holder_ = line_.empty() ? nullptr : line_.front();
    if (holder_ != nullptr) line_.pop_front();
    given_ = next_ = at;
  }
  /// The time of the last release.
  [[nodiscard]] simulate::Time given() const noexcept { return given_; }
  /// Sets the owner's next access: before that the lock is not free.
  void goes_on(simulate::Time at) noexcept { next_ = at; }
  /// The earliest time at which another look can succeed.
  [[nodiscard]] simulate::Time look() const noexcept { return next_ + 1; }

 private:
  const void* holder_ = nullptr;
  std::deque<const void*> line_;
  simulate::Time given_ = 0, next_ = 0;
};

}  // namespace tierscope
