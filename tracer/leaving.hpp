// SPDX-License-Identifier: GPL-2.0-or-later
/// A thread that ends and a drop of all blocks wait for each other. QEMU up to 7.2 frees the table of a thread's latest
/// blocks while a drop may still clear it, and the heap of QEMU is then damaged.
/// Source: E. Cota, QEMU 8.0, "cpu: free cpu->tb_jmp_cache with RCU", which lets QEMU free it later.
#pragma once
#include <atomic>
#include <cstdint>

namespace tierscope::tracer {

/// Threads that end, and at most one drop, which begins only where no thread ends.
class Leaving {
 public:
  /// Return whether the caller may ask for a drop: none is asked for, and no thread ends.
  [[nodiscard]] bool ask() {
    std::uint64_t none = 0;
    return state_.compare_exchange_strong(none, ASKED);
  }
  /// The drop has ended: threads may end again.
  void served() {
    state_.fetch_and(~ASKED);
    state_.notify_all();
  }
  /// This thread ends, and has ended for QEMU when its own variables end. Waits for a drop that is asked for.
  void leave() {
    thread_local Left left;
    if (left.from != nullptr) return;  // a call to the system that QEMU makes again
    for (auto now = state_.load();;) {
      if ((now & ASKED) != 0) {
        state_.wait(now);
        now = state_.load();
      } else if (state_.compare_exchange_weak(now, now + 1)) {
        break;
      }
    }
    left.from = this;
  }
  /// In a child process, which has one thread.
  void forget() { state_ = 0; }

 private:
  static constexpr std::uint64_t ASKED = std::uint64_t{1} << 63U;
  struct Left {
    Leaving* from = nullptr;
    ~Left() {
      if (from != nullptr) from->state_.fetch_sub(1);
    }
  };
  std::atomic<std::uint64_t> state_ = 0;  // threads that end, or ASKED
};

}  // namespace tierscope::tracer
