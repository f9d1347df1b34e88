/// A loop of much code: its time shows how instructions come to a core. The code is cut into runs. Each run has some
/// lines of fillers, one addition, and a jump to the next run; the last one leads to the first again.
///
/// Runs of a page of 4 KiB follow one another in random order, and so do the pages. So the page changes rarely, and no
/// stride leads to the next run. One list of runs is the source of the machine code (walk_x86.cpp, walk_arm.cpp) and of
/// the loop on a simulated core (bench/tasks/code_simulated.cpp).
/// Source: A. Fog, "The microarchitecture of Intel, AMD and VIA CPUs", 2024, chapter 3 (buffers of branch targets, by
/// the number of jumps and their distance).
#pragma once
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
  std::uint64_t bytes = CODE_PAGE;  // of all runs: whole pages
  std::uint64_t straight = 1;       // lines of a run
  std::uint64_t jumps = 1;          // runs in a line, 1 or 2; more than 1 only if straight is 1
  std::uint64_t seed = 0;           // of the order
  [[nodiscard]] std::uint64_t run_bytes() const noexcept { return straight * CODE_LINE / jumps; }
  [[nodiscard]] std::uint64_t runs() const noexcept { return bytes / run_bytes(); }
  [[nodiscard]] std::uint64_t lines() const noexcept { return bytes / CODE_LINE; }
  /// Fillers of a run. Short runs have none: their jumps are what takes time.
  [[nodiscard]] std::uint64_t fillers() const noexcept { return straight == 1 ? 0 : (run_bytes() - ENDING) / FILLED; }
};

/// Return the runs in their order, each as its number from the first byte of the code on.
std::vector<std::uint32_t> order_of(const Walk& walk);

/// Return the bytes of a function (loops/code.hpp), for the processor of this build: a page that begins and ends the
/// loop, then the runs. @pre lacking() returns ""
std::vector<std::byte> assemble(const Walk& walk);

}  // namespace tierscope::loops
