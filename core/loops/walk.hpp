/// A loop of much code: its time shows how instructions come to a core. The code is cut into runs. Each run has some
/// lines of fillers, one addition, and a jump to the next run; the last one leads to the first again.
///
/// The runs of a group follow one another in random order, and so do the groups. So the page changes rarely, and no
/// stride leads to the next run. Runs of several lines have random lengths, and end in either half of their last line:
/// buffers of branch targets select a set by the address, and jumps at equal distances would fill only some of them.
/// One list of runs is the source of the machine code (walk_x86.cpp, walk_arm.cpp) and of the loop on a simulated core
/// (bench/tasks/code_simulated.cpp).
/// Source: A. Fog, "The microarchitecture of Intel, AMD and VIA CPUs", 2024, chapter 3 (buffers of branch targets, by
/// the number of jumps and their distance).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tierscope::loops {

constexpr std::uint64_t CODE_LINE = 64, CODE_PAGE = 4096;
constexpr std::uint64_t MOST_CODE = std::uint64_t{64} << 20U;  // bytes: a jump of AArch64 reaches 128 MiB
constexpr std::uint64_t ENDING = 24;                           // bytes at the end of a run, at most
constexpr std::uint64_t FILLED = 8;                            // bytes of one filler

struct Walk {
  std::uint64_t bytes = CODE_PAGE;  // of all runs: whole groups
  std::uint64_t straight = 1;       // lines of a run, on average
  std::uint64_t jumps = 1;          // runs in a line, 1 or 2; more than 1 only if straight is 1
  std::uint64_t seed = 0;           // of the order and of the lengths
  [[nodiscard]] std::uint64_t run_bytes() const noexcept { return straight * CODE_LINE / jumps; }
  [[nodiscard]] std::uint64_t runs() const noexcept { return bytes / run_bytes(); }
  /// Bytes of a group of runs, on average: at least a page.
  [[nodiscard]] std::uint64_t group() const noexcept { return std::max(CODE_PAGE, RUNS * run_bytes()); }

 private:
  static constexpr std::uint64_t RUNS = 16;
};

/// One run: its first byte, and its bytes up to the end of its jump at most.
struct Run {
  std::uint64_t begin, bytes;
  /// Short runs have none: their jumps are what takes time.
  [[nodiscard]] std::uint64_t fillers() const noexcept { return bytes > CODE_LINE ? (bytes - ENDING) / FILLED : 0; }
};

/// Return the runs in their order.
std::vector<Run> runs_of(const Walk& walk);

/// Return the bytes of a function (loops/code.hpp), for the processor of this build: a page that begins and ends the
/// loop, then the runs. @pre lacking() returns ""
std::vector<std::byte> assemble(const Walk& walk);

}  // namespace tierscope::loops
