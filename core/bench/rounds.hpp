/// Threads that run rounds together: all begin a round at the same time, and all stop after the same one.
/// Between rounds a thread sleeps here; nothing of this is timed.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace tierscope {

class Rounds {
 public:
  explicit Rounds(std::size_t threads) : threads_(threads) {}
  /// Returns when all threads have called it; true if all of them passed `yes`.
  bool agree(bool yes) noexcept {
    std::unique_lock guard(lock_);
    all_yes_ = all_yes_ && yes;
    if (++here_ == threads_) {
      answer_ = all_yes_;
      all_yes_ = true;
      here_ = 0;
      ++meetings_;
      met_.notify_all();
      return answer_;
    }
    met_.wait(guard, [this, before = meetings_] { return meetings_ != before; });
    return answer_;
  }

 private:
  std::mutex lock_;
  std::condition_variable met_;
  std::size_t threads_, here_ = 0, meetings_ = 0;
  bool all_yes_ = true, answer_ = true;
};

}  // namespace tierscope
