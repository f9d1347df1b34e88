#include "simulate/media.hpp"

#include <algorithm>
#include <bit>

#include "base/random.hpp"

namespace tierscope::simulate {
namespace {
constexpr std::uint64_t MOST = 32 * LINE;  // bytes of a unit: a bit for each line of it
}

Unit Unit::of(const Section& media) {
  const auto bytes = media.bytes("unit", "256B");
  if (bytes < LINE || bytes > MOST || !std::has_single_bit(bytes))
    media.refuse("unit", std::to_string(bytes) + " is not a power of two from 64 B to 2 KiB");
  return {static_cast<unsigned>(std::countr_zero(bytes)), static_cast<std::uint32_t>(~0U >> (32 - bytes / LINE))};
}

Migration::Migration(const Section& section, std::uint64_t seed, std::uint64_t least)
    : writes_(section.count("writes", 1, std::uint64_t{1} << 40U)),
      seed_(seed),
      stall_(section.time("stall")),
      jitter_(section.real("jitter", 0, 0.9, "0")) {
  const auto unit = section.bytes("unit");
  if (unit < least || !std::has_single_bit(unit))
    section.refuse("unit", std::to_string(unit) + " is not a power of two of " + std::to_string(least) +
                               " B or more, which is the unit of the medium");
  shift_ = static_cast<unsigned>(std::countr_zero(unit));
  next();
}

void Migration::next() noexcept {
  const double share = static_cast<double>(random_word(seed_, drawn_++) >> 11U) * 0x1p-52 - 1;  // -1 to 1
  limit_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(writes_) * (1 + jitter_ * share)));
}

void Migration::wrote(std::uint64_t address, Time at) noexcept {
  if (limit_ == 0) return;
  const auto block = address >> shift_;
  if (votes_ == 0) candidate_ = block;
  votes_ += block == candidate_ ? 1 : std::uint64_t{0} - 1;
  if (votes_ < limit_) return;
  votes_ = 0;
  moving_ = block;
  until_ = at + stall_;
  ++moved;
  next();
}

Media::Media(const Section& section, Migration migration)
    : read_(section.time("read")),
      write_(section.time("write")),
      interval_(section.has("interval") ? section.time("interval") : read_),
      overlap_(section.time("overlap", "0ns")),
      ports_(section.count("ports", 1, 64, "1")),
      fetches_(ports_),
      migration_(migration) {}

}  // namespace tierscope::simulate
