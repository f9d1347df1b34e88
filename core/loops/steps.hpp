/// A loop of instructions whose time shows what a core can do at the same time: loads along chains of pointers, loads
/// of lines next to them, and fillers between. One list of steps is the source of the machine code (loops/code.cpp) and
/// of the loop on a simulated core (bench/tasks/loop_simulated.cpp), so that both run the same.
///
///     chain c   each load returns the address of the next one; chains do not wait for each other
///     filler    a number of instructions behind the loads of each chain; all instructions of a loop without chains
///
/// Source: H. Wong, "Measuring Reorder Buffer Capacity", 2013 (two loads that miss, fillers between them).
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace tierscope::loops {

constexpr unsigned CHAINS = 8;         // cursors in registers
constexpr unsigned STORE_LINES = 32;   // lines that stores visit in a cycle: half of the smallest first-level cache
constexpr unsigned FILLERS = 1 << 14;  // at most, of one gap: 64 KiB of code and more

enum class Filler : std::uint8_t {
  nop,
  integer,  // additions of a constant that wait for nothing: some cores rename their results, and need no unit
  vector,   // the same in vector registers
  mix,      // integer and vector alternately: a register file is full after twice as many
  result,   // additions of two registers that wait for nothing: each result takes a register
  sum,      // additions; each waits for the one before
  load,     // loads of 8 bytes from the lines that stores visit, which nothing waits for
  store,    // stores of 8 bytes, each to the next of some lines
  guess,    // a number is drawn, and a branch depends on it
};

/// The content of one iteration.
struct Shape {
  unsigned chains = 0;  // 0: only fillers
  unsigned beside = 0;  // loads of other lines at each hop, which nothing waits for
  Filler filler = Filler::nop;
  unsigned fillers = 0;        // behind the loads of each chain
  std::uint64_t distance = 0;  // bytes from a node to the first of its lines `beside`, and between these
};

enum class Does : std::uint8_t {
  hop,   // load the cursor of chain `which` from the place that it points to
  look,  // load the line `which` next to the last hop's node
  nop,
  integer,
  result,
  vector,
  sum,
  load,   // from line `which` of the frame
  store,  // to line `which`
  draw,   // state = state * MULTIPLIER + ADDED, in two instructions where the processor has no other
  mask,   // the condition of the branch: the state under a mask that is all or nothing of the upper bit
  turn,   // over one nop if the upper bit is set
  count,  // one iteration less
  back,   // to the first step, unless that was the last one
};
struct Step {
  Does does;
  unsigned which = 0;
  unsigned chain = 0;
};

/// The generator of `draw`. Source: G. Steele, S. Vigna, "Computationally easy, spectrally good multipliers for
/// congruential pseudorandom number generators", Software: Practice and Experience 52, 2022.
constexpr std::uint64_t MULTIPLIER = 0xD1342543DE82EF95U, ADDED = 0x9E3779B97F4A7C15U;

/// Return the steps of one iteration. The two that end it count as fillers of the last gap, if that gap has at least
/// two of the kinds that wait for nothing.
std::vector<Step> steps_of(const Shape& shape);

/// The input and the output of a loop. The first part contains the cursors of the chains, or the sum, or the state of
/// the draws; then come the lines that it stores to.
struct alignas(64) Frame {
  std::array<std::uint64_t, CHAINS> cursors{};
  std::uint64_t added = ADDED, multiplier = MULTIPLIER, mask = 0;
  std::array<std::uint64_t, 5> unused{};
  std::array<std::array<std::uint64_t, 8>, STORE_LINES> lines{};
};
static_assert(sizeof(Frame) == 128 + STORE_LINES * 64);

/// Return the first cursor behind `count` sums or draws.
std::uint64_t behind(Filler filler, std::uint64_t first, std::uint64_t count);

}  // namespace tierscope::loops
