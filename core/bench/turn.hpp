/// What one thread's block works on, and how it is paced. The manners of blocks (below) are what tasks choose from:
/// each is a template argument of BlockRunner, so that within a timed block nothing is looked up and nothing is
/// virtual.
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
  bool weak;              // stores pass the caches by: a fence orders them
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
  /// Behind the work of a block that lasts `operations`.
  void end(std::uint64_t operations) noexcept {
    if (weak) isa::Scalar::fence();
    member.done += operations;
  }

 private:
  std::uint64_t walk_in_bursts(std::uint64_t begin, std::uint64_t end, std::uint64_t repeats) noexcept;
  std::uint64_t repeat_one_by_one(std::uint64_t repeats) noexcept;
  [[nodiscard]] std::uint64_t burst() const noexcept;
  void pause(std::uint64_t operations) noexcept;  // behind a burst of so many
};

namespace blocks {

/// What most blocks are: a kernel's function on as many operations as fit.
struct Sized {
  static constexpr bool WHOLE = false;
  static constexpr bool READIES = false;       // something is made ready before each block, in no time of it
  static constexpr std::uint64_t ANSWERS = 0;  // operations of a block of a thread that only answers
  static void ready(Turn&) noexcept {}
  [[nodiscard]] static bool goes_on(Turn&, bool wanted) noexcept { return wanted; }
  static void fit(Turn&) noexcept {}
};

/// Parts of a slice that is walked from end to end: whole passes of a small slice, or the next part of a large one. A
/// pass that was begun in parts is ended first: checks count on blocks that follow one another round and round.
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

/// The same, behind which a fence waits for all stores: the clock waits for none, and a memset of 8 KB took 62 ns by
/// it, with all lines still in the core.
struct FencedSlices : Slices {
  static std::uint64_t work(Turn& turn) noexcept {
    const auto operations = walk(turn);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    turn.end(operations);
    return operations;
  }
};

/// So many operations, one after the other, wherever the kernel is.
struct Repeats : Sized {
  static std::uint64_t work(Turn& turn) noexcept {
    const auto operations = turn.member.block;
    turn.walk<false>(0, 0, operations);
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

/// Lines that another thread prepares before each block, and all of which are read once in it.
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
