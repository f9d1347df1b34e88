/// How instructions come to a simulated core: through a cache of instructions, whose misses go to the second cache of
/// the machine and those behind it.
///
/// The front end takes one line in a cycle, and begins a new one behind a taken branch. On demand (`ahead = 0`), it
/// asks for a line when the core has dispatched all before it. Else it asks for up to `ahead` lines before they are
/// needed, along the path that it predicts. It begins again after a wrong guess, and behind a taken branch whose target
/// it does not know: `redirect` cycles after the line of the branch has come. Lines that are not in the cache of
/// instructions come at least `between` cycles apart.
///
/// A page is looked up when the line before was of another one: in `pages` entries, then in the second level of the
/// TLBs.
///
/// The order of the program alone decides what is there of lines, pages and targets, and time does not.
/// Blind to: the width of decoding and of fetching, caches of decoded instructions, lines that a wrong path fetches,
/// lines that cores fetch since they are next, code that another CPU wrote. Threads of one CPU have caches of
/// instructions of their own.
/// Source: G. Reinman, B. Calder, T. Austin, "Fetch Directed Instruction Prefetching", MICRO 1999.
#pragma once
#include <cstdint>
#include <vector>

#include "simulate/cache.hpp"
#include "simulate/flow.hpp"
#include "simulate/lru.hpp"
#include "simulate/machine.hpp"

namespace tierscope::simulate {

class Fetch {
 public:
  Fetch(Machine& machine, unsigned cpu);
  /// Return whether this core has a cache of instructions; else they are there when they are needed.
  [[nodiscard]] bool on() const noexcept { return limits_.bytes != 0; }
  /// Return whether the bytes of an instruction are those that came last.
  [[nodiscard]] bool has(const flow::Instruction& one) const noexcept {
    return one.address == brought_ || (one.address / LINE == line_ && one.address % LINE + one.length <= LINE);
  }
  /// Return when an instruction can be dispatched that is needed at `at`. `base`: of the program's addresses.
  Time bring(const flow::Instruction& one, std::uint64_t base, Time at);
  /// Use a line without a core that waits for it, and return when it comes.
  Time use(std::uint64_t address, std::uint64_t base, Time at) { return line(address / LINE, base, at); }
  /// The core continues at another block. @param last  the instruction before; null: not known
  void enter(const flow::Block& block, const flow::Instruction* last);
  /// The front end begins again at `at`, since a guess was wrong.
  void restart(Time at) noexcept { front_ = std::max(front_, at); }
  /// The core begins or continues at `at`, and nothing is known of the lines before.
  void begin(Time at);
  /// Take what another thread's core knows that ran the same blocks. @pre both machines have `caches_like`
  void copy(const Fetch& from);

 private:
  Time line(std::uint64_t line, std::uint64_t base, Time at);
  [[nodiscard]] std::uint64_t target_key(std::uint64_t address) const noexcept;
  Time translated(std::uint64_t address, Time at);
  Machine* machine_;
  unsigned cpu_;
  FetchLimits limits_;
  Time cycle_;
  Cache lines_, targets_;
  Lru pages_;
  static constexpr std::uint64_t NOTHING = ~std::uint64_t{0};
  std::uint64_t line_ = NOTHING, page_ = NOTHING;  // that came last
  std::uint64_t brought_ = NOTHING;                // the instruction that came last, with a new line
  bool unknown_ = false;                           // target of the branch before
  Time front_ = 0, came_ = 0;                      // when the next line may be asked for; the last
  Time filled_ = 0;                                // when the last line from behind its cache came
  std::vector<Time> needed_;                       // of the last `ahead` lines
  std::size_t next_ = 0;
};

}  // namespace tierscope::simulate
