/// The data of one thread's block, and its pace. Tasks choose one of the manners of blocks (below). Each manner is a
/// template argument of BlockRunner, so that a timed block contains no lookup and no virtual call.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>

#include "bench/group.hpp"
#include "bench/throttle.hpp"
#include "isa/scalar.hpp"

namespace tierscope {

struct Turn {
  Turn(const Group& its_group, Member& its_member, unsigned thread, Ceilings& ceilings);
  const Group& group;
  Member& member;
  Throttle throttle;
  bool answers;           // the second thread of a hand-over
  bool weak;              // stores bypass the caches: a fence orders them
  std::uint64_t granule;  // operations that a block is a multiple of

  /// One call of the kernel, or a call for each burst where it is paced or its tier emulated. SLICES: of a slice.
  template <bool SLICES>
  std::uint64_t walk(std::uint64_t begin, std::uint64_t end, std::uint64_t repeats) noexcept {
    if (group.plan.pace > 0 || throttle.any())
      return SLICES ? walk_in_bursts(begin, end, repeats) : repeat_one_by_one(repeats);
    auto& pass = member.pass;
    pass.begin = begin;
    pass.end = end;
    pass.repeats = repeats;
    return group.variant.function(pass);
  }
  /// To be called after the work of a block of `operations`.
  void end(std::uint64_t operations) noexcept {
    if (weak) isa::Scalar::fence();
    member.done += operations;
  }

 private:
  std::uint64_t walk_in_bursts(std::uint64_t begin, std::uint64_t end, std::uint64_t repeats) noexcept;
  std::uint64_t repeat_one_by_one(std::uint64_t repeats) noexcept;
  [[nodiscard]] std::uint64_t burst() const noexcept;
  void pause(std::uint64_t operations) noexcept;  // after a burst of this length
};

namespace blocks {

/// The most frequent manner: a kernel's function on as many operations as fit.
struct Sized {
  static constexpr bool WHOLE = false;
  static constexpr bool READIES = false;       // something is prepared before each block, outside of its time
  static constexpr std::uint64_t ANSWERS = 0;  // operations of a block of a thread that only answers
  static void ready(Turn&) noexcept {}
  [[nodiscard]] static bool goes_on(Turn&, bool wanted) noexcept { return wanted; }
  static void fit(Turn&) noexcept {}
};

/// Parts of a slice that is walked from end to end: whole passes of a small slice, or the next part of a large one. A
/// pass that was begun in parts is ended first: checks require blocks that follow one another cyclically.
struct Slices : Sized {
  static std::uint64_t walk(Turn& turn) noexcept {
    auto& member = turn.member;
    const auto block = member.block;
    if (const auto slice = member.end - member.begin; block >= slice && member.position == member.begin) {
      turn.walk<true>(member.begin, member.end, block / slice);
      return block / slice * slice;
    }
    const auto begin = member.position, end = std::min(begin + block, member.end);
    turn.walk<true>(begin, end, 1);
    member.position = end == member.end ? member.begin : end;
    return end - begin;
  }
  static std::uint64_t work(Turn& turn) noexcept {
    const auto operations = walk(turn);
    turn.end(operations);
    return operations;
  }
  /// Parts of equal size, so that no block is a stub; or whole passes.
  static void fit(Turn& turn) noexcept {
    auto& block = turn.member.block;
    const auto slice = turn.member.end - turn.member.begin;
    if (block >= slice) {
      block = block / slice * slice;
      return;
    }
    const auto parts = (slice + block - 1) / block;
    block = ((slice + parts - 1) / parts + turn.granule - 1) / turn.granule * turn.granule;
  }
};

/// The same, followed by a fence that waits for all stores. The clock waits for none: it showed 62 ns for a memset of
/// 8 KB while all lines were still in the core.
struct FencedSlices : Slices {
  static std::uint64_t work(Turn& turn) noexcept {
    const auto operations = walk(turn);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    turn.end(operations);
    return operations;
  }
};

/// A number of operations one after the other, wherever the kernel is.
struct Repeats : Sized {
  static std::uint64_t work(Turn& turn) noexcept {
    const auto operations = turn.member.block;
    turn.walk<false>(0, 0, operations);
    turn.end(operations);
    return operations;
  }
};

/// The same, followed by a fence that waits for all stores.
struct FencedRepeats : Repeats {
  static std::uint64_t work(Turn& turn) noexcept {
    const auto operations = turn.member.block;
    turn.walk<false>(0, 0, operations);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    turn.end(operations);
    return operations;
  }
};

/// Round trips between two threads. A hand-over counts once, where it was timed from start to end.
struct RoundTrips : Sized {
  static constexpr std::uint64_t ANSWERS = 1U << 14U;  // 1 to 2 ms
  static std::uint64_t work(Turn& turn) noexcept {
    const auto operations = turn.member.block + turn.member.block % 2;
    turn.walk<false>(0, 0, operations);
    turn.end(operations);
    return turn.answers ? 0 : operations;
  }
};

/// Lines that another thread prepares before each block. The block reads all of them once.
struct Prepared : Sized {
  static constexpr bool READIES = true;
  static constexpr std::uint64_t ANSWERS = 1;
  static void ready(Turn& turn) noexcept {
    if (turn.answers) return;
    turn.member.pass.repeats = 0;
    turn.group.variant.function(turn.member.pass);
  }
  static std::uint64_t work(Turn& turn) noexcept {
    const auto operations = turn.granule;
    turn.member.pass.repeats = operations;
    turn.group.variant.function(turn.member.pass);
    if (turn.answers) return 0;
    turn.end(operations);
    return operations;
  }
  static void fit(Turn& turn) noexcept { turn.member.block = turn.granule; }
};

/// A whole task of a victim, or a round of a structure.
struct Whole {
  static constexpr bool WHOLE = true;
  static constexpr bool READIES = true;
  static constexpr std::uint64_t ANSWERS = 0;
  static void ready(Turn& turn) noexcept { turn.member.victim->ready(); }
  static std::uint64_t work(Turn& turn) noexcept {
    turn.member.victim->run();
    return turn.member.victim->operations();
  }
  [[nodiscard]] static bool goes_on(Turn& turn, bool wanted) noexcept { return turn.member.victim->goes_on(wanted); }
  static void fit(Turn&) noexcept {}
};

}  // namespace blocks
}  // namespace tierscope
