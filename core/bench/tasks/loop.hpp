/// What groups on loops of instructions take of a plan: what one iteration is, and where its chains lead.
#pragma once
#include <array>
#include <utility>

#include "bench/group.hpp"
#include "loops/steps.hpp"

namespace tierscope {

/// Whether a window of a page begins at a line with an even or an odd number, or wherever it lies.
enum class Parity : std::uint8_t { any, even, odd };

inline constexpr std::array<std::pair<const char*, loops::Filler>, 7> FILLS{{{"guess", loops::Filler::guess},
                                                                             {"integer", loops::Filler::integer},
                                                                             {"mix", loops::Filler::mix},
                                                                             {"nop", loops::Filler::nop},
                                                                             {"store", loops::Filler::store},
                                                                             {"sum", loops::Filler::sum},
                                                                             {"vector", loops::Filler::vector}}};
inline constexpr std::array<std::pair<const char*, Parity>, 3> PARITIES{
    {{"any", Parity::any}, {"even", Parity::even}, {"odd", Parity::odd}}};

struct Loops final : WorkOf<Loops> {
  std::uint64_t footprint = 0;
  std::uint64_t chains = 0, beside = 0, fillers = 0;
  std::optional<loops::Filler> filler;  // nop where it is not given
  std::uint64_t random = 0;             // 1: the branch of a guess goes by the number drawn; 0: it is never taken
  // With `train` above 0 the one chain walks windows of pages of 4 KiB: `train` lines `stride` apart, then the line
  // `ahead` lines behind the last of them; `windows` of them side by side.
  std::uint64_t train = 0, stride = 0, ahead = 0, windows = 0;
  std::uint64_t apart = 0;       // 1: instead of the last line one of another page
  std::uint64_t down = 0;        // 1: by falling addresses
  std::optional<Parity> parity;  // of a window's first line
  static std::span<const Key<Loops>> table();
  [[nodiscard]] loops::Filler fills() const { return filler.value_or(loops::Filler::nop); }
};

}  // namespace tierscope
