#include "simulate/media.hpp"

#include <algorithm>
#include <bit>

#include "base/random.hpp"

namespace tierscope::simulate {

Migration::Migration(const Section& section, std::uint64_t seed)
    : writes_(section.count("writes", 1, std::uint64_t{1} << 40U)),
      seed_(seed),
      stall_(section.time("stall")),
      jitter_(section.real("jitter", 0, 0.9, "0")) {
  const auto unit = section.bytes("unit");
  if (unit < MEDIA_LINE || !std::has_single_bit(unit))
    section.refuse("unit", std::to_string(unit) + " is no power of two of 256 B or more");
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
      ports_(section.count("ports", 1, 64, "1")),
      fetches_(ports_),
      migration_(migration) {}

}  // namespace tierscope::simulate
