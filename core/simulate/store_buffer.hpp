/// The stores and flushes of a thread that have begun and not ended. They leave in the order of the program:
///
///     store   asks for its line when it begins, and ends when the line has come and all before it have written theirs
///     flush   leaves the core when all stores before it have written their lines; it ends when the memory has the line
///     fence   behind it none of them writes a line or leaves before all those in front have ended
///
/// A line that comes from memory for a store, and one that a flush takes there, occupy the core's way for `transfer`
/// each, one after the other. A flush waits for the way, a line that comes does not.
///
/// So a flush that begins now reaches the caches and the memory later, and what the thread asks for in between comes
/// first. Source: Intel, "64 and IA-32 Architectures Software Developer's Manual", volume 3, 12.2 (memory ordering).
#pragma once
#include <algorithm>
#include <bit>
#include <vector>

#include "simulate/access.hpp"

namespace tierscope::simulate {

class StoreBuffer {
 public:
  StoreBuffer(unsigned size, Time transfer)
      : ends_(size, 0), waiting_(std::bit_ceil(2 * std::size_t{size})), transfer_(transfer) {}
  /// Return when a store or a flush may take a place; NEVER as long as that depends on a flush that has not left.
  [[nodiscard]] Time free() const noexcept {
    if (places_waiting_ == 0) return ends_[next_];
    if (places_waiting_ == ends_.size()) return NEVER;
    const auto place = next_ + places_waiting_;
    return ends_[place < ends_.size() ? place : place - ends_.size()];
  }
  /// Return when all so far have ended. @pre none waits
  [[nodiscard]] Time latest() const noexcept { return latest_; }
  [[nodiscard]] bool waits() const noexcept { return first_ != last_; }
  /// Return when the flush that is next leaves; NEVER if none waits.
  [[nodiscard]] Time due() const noexcept { return due_; }
  /// Return when a store past the caches may begin; NEVER as long as that depends on a flush that has not left.
  [[nodiscard]] Time fenced() const noexcept { return fences_waiting_ != 0 ? NEVER : fenced_; }
  /// Return whether a flush of this line has not left.
  [[nodiscard]] bool flushes(std::uint64_t address) const noexcept {
    for (std::size_t i = first_; i != last_; ++i)
      if ((at(i).address ^ address) < LINE) return true;
    return false;
  }
  /// Add a store whose line comes at `ready`.
  void store(Time ready) {
    if (waits()) return wait({What::store, Kind::store, NONE, ready});
    end(committed_ = std::max({committed_, ready, fenced_}));
  }
  /// Note that a store that begins at `at` asks memory for its line.
  void miss(Time at) noexcept { occupy(at); }
  /// Add a flush that may leave from `from` on.
  void flush(std::uint64_t address, Kind kind, Time from) {
    wait({What::flush, kind, address, from});
    if (last_ - first_ == 1) due_ = leaves(at(first_));
  }
  /// Add a fence; stores past the caches before it end at `others`.
  void fence(Time others) {
    if (waits()) return wait_fence(others);
    fenced_ = std::max({fenced_, latest_, others});
  }
  struct Flush {
    std::uint64_t address;
    Kind kind;
  };
  /// Return the flush that leaves. @pre waits
  [[nodiscard]] Flush next() const noexcept { return {at(first_).address, at(first_).kind}; }
  /// Note that it ends at `done`. @pre waits
  void left(Time done) {
    occupy(due_);
    if (at(first_).kind == Kind::clflush) flushed_ = done;
    remove();
    end(done);
    settle();
  }

 private:
  static constexpr std::uint64_t NONE = ~std::uint64_t{0};  // no line
  enum class What : std::uint8_t { store, flush, fence };
  struct Waiting {
    What what;
    Kind kind;
    std::uint64_t address;
    Time time;  // when it begins, or its line comes, or stores past the caches end
  };
  [[nodiscard]] Waiting& at(std::size_t number) noexcept { return waiting_[number & (waiting_.size() - 1)]; }
  [[nodiscard]] const Waiting& at(std::size_t number) const noexcept {
    return waiting_[number & (waiting_.size() - 1)];
  }
  void wait(Waiting one) noexcept {
    (one.what == What::fence ? fences_waiting_ : places_waiting_) += 1;
    at(last_++) = one;
  }
  /// Two fences with nothing between them are one. So there are no more of them than of the others.
  void wait_fence(Time others) noexcept {
    auto& before = at(last_ - 1);
    if (before.what != What::fence) return wait({What::fence, Kind::sfence, NONE, others});
    before.time = std::max(before.time, others);
  }
  void remove() noexcept {
    (at(first_).what == What::fence ? fences_waiting_ : places_waiting_) -= 1;
    ++first_;
  }
  [[nodiscard]] Time leaves(const Waiting& flush) const noexcept {
    return std::max({flush.time, committed_, fenced_, passed_, flush.kind == Kind::clflush ? flushed_ : 0});
  }
  void occupy(Time from) noexcept { passed_ = std::max(passed_, from) + transfer_; }
  void end(Time done) noexcept {
    latest_ = std::max(latest_, done);
    ends_[next_] = done;
    next_ = next_ + 1 == ends_.size() ? 0 : next_ + 1;
  }
  /// End stores and fences up to the next flush.
  void settle() {
    due_ = NEVER;
    while (waits()) {
      const auto one = at(first_);
      if (one.what == What::flush) {
        due_ = leaves(one);
        return;
      }
      remove();
      if (one.what == What::store) {
        end(committed_ = std::max({committed_, one.time, fenced_}));
      } else {
        fenced_ = std::max({fenced_, latest_, one.time});
      }
    }
  }
  std::vector<Time> ends_;        // of the places, in the order in which they are taken
  std::vector<Waiting> waiting_;  // a ring, from first_ to last_: a flush, and what came after it
  std::size_t next_ = 0, first_ = 0, last_ = 0, places_waiting_ = 0, fences_waiting_ = 0;
  Time due_ = NEVER, latest_ = 0;
  Time committed_ = 0;          // when the last store writes its line
  Time fenced_ = 0;             // when all before the last fence had ended
  Time flushed_ = 0;            // when the last clflush ended
  Time transfer_, passed_ = 0;  // until passed_ the way is occupied
};

}  // namespace tierscope::simulate
