// SPDX-License-Identifier: GPL-2.0-or-later
/// A thread that ends and a drop of all blocks wait for each other. QEMU up to 7.2 frees the table of a thread's latest
/// blocks while a drop may still clear it, and the heap of QEMU is then damaged.
/// Source: E. Cota, QEMU 8.0, "cpu: free cpu->tb_jmp_cache with RCU", which lets QEMU free it later.
#pragma once
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace tierscope::tracer {

/// Threads that end, and at most one drop, which begins only where no thread ends.
class Leaving {
 public:
  Leaving() {
    ::pthread_key_create(&key_, [](void* from) { --static_cast<Leaving*>(from)->state_; });
  }
  /// Return whether the caller may ask for a drop: none is asked for, and no thread ends. Else threads that end wait
  /// for a moment, so that one can be asked for.
  [[nodiscard]] bool ask() {
    auto now = state_.load();
    if ((now & ASKED) != 0) return false;
    if ((now & ~WANTED) == 0) return state_.compare_exchange_strong(now, ASKED);
    state_ |= WANTED;
    return false;
  }
  /// The drop has ended: threads may end again.
  void served() { state_ &= ~(ASKED | WANTED); }
  /// This thread ends, and has ended for QEMU when its own variables end. Waits for a drop that is asked for.
  void leave() {
    if (leaves()) return;  // a call to the system that QEMU makes again
    for (unsigned waited = 0;;) {
      auto now = state_.load();
      const bool wanted = (now & WANTED) != 0 && waited < LONGEST;  // the others may wait for this thread
      if ((now & ASKED) == 0 && !wanted && state_.compare_exchange_weak(now, now + 1)) break;
      if ((now & ASKED) != 0 || wanted) ::usleep(STEP);
      waited += wanted ? STEP : 0;
    }
    ::pthread_setspecific(key_, this);
  }
  /// This thread goes on: a signal came before its end.
  void stay() {
    if (!leaves()) return;
    ::pthread_setspecific(key_, nullptr);
    --state_;
  }
  /// In a child process, which has one thread.
  void forget() {
    ::pthread_setspecific(key_, nullptr);
    state_ = 0;
  }

 private:
  static constexpr std::uint64_t ASKED = std::uint64_t{1} << 63U, WANTED = ASKED >> 1U;
  static constexpr unsigned STEP = 50, LONGEST = 10'000;  // us
  [[nodiscard]] bool leaves() const { return ::pthread_getspecific(key_) != nullptr; }
  std::atomic<std::uint64_t> state_ = 0;  // threads that end, or ASKED; WANTED: a drop had to wait for them
  pthread_key_t key_{};                   // of a thread that ends; those of C++ do not end with the first thread
};

}  // namespace tierscope::tracer
