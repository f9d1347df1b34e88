/// The keys of groups on loops of instructions: the content of one iteration, and the route of its chains.
#pragma once
#include <array>
#include <utility>

#include "bench/group.hpp"
#include "loops/steps.hpp"

namespace tierscope {

/// Whether a window of a page begins at a line with an even number, with an odd number, or at any line.
enum class Parity : std::uint8_t { any, even, odd };

inline constexpr std::array<std::pair<const char*, loops::Filler>, 9> FILLS{{{"guess", loops::Filler::guess},
                                                                             {"integer", loops::Filler::integer},
                                                                             {"load", loops::Filler::load},
                                                                             {"mix", loops::Filler::mix},
                                                                             {"nop", loops::Filler::nop},
                                                                             {"result", loops::Filler::result},
                                                                             {"store", loops::Filler::store},
                                                                             {"sum", loops::Filler::sum},
                                                                             {"vector", loops::Filler::vector}}};
inline constexpr std::array<std::pair<const char*, Parity>, 3> PARITIES{
    {{"any", Parity::any}, {"even", Parity::even}, {"odd", Parity::odd}}};

struct Loops final : WorkOf<Loops> {
  std::uint64_t footprint = 0;
  std::uint64_t element = 64;  // bytes of a line, or more: chains visit one place of each
  std::uint64_t chains = 0, beside = 0, fillers = 0;
  std::optional<loops::Filler> filler;  // nop if it is not set
  std::uint64_t random = 0;             // 1: the branch of a guess depends on the number drawn; 0: it is never taken
  // With `train` above 0 the one chain walks windows of pages of 4 KiB, `windows` of them side by side. It visits
  // `train` lines, `stride` apart, then the line that is `ahead` lines after the last of them.
  std::uint64_t train = 0, stride = 0, ahead = 0, windows = 0;
  std::uint64_t apart = 0;       // 1: instead of the last line one of another page
  std::uint64_t down = 0;        // 1: in the order of falling addresses
  std::optional<Parity> parity;  // of a window's first line
  static std::span<const Key<Loops>> table();
  [[nodiscard]] loops::Filler fills() const { return filler.value_or(loops::Filler::nop); }
};

}  // namespace tierscope
