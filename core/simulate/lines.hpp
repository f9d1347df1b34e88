/// Lines of 64, 128 or 256 bytes. Caches know a line by its number times 64, whatever its size, so that the bits below
/// are free for its state. Memories transfer 64 bytes. A line of 128 bytes is therefore two transfers of neighbours,
/// and has arrived when both have. A store past the caches is 64 bytes wide on every processor here, also with longer
/// lines.
/// Source: Arm, "Arm Architecture Reference Manual for A-profile architecture", CTR_EL0 (lines of any power of two).
#pragma once
#include <algorithm>
#include <bit>

#include "simulate/memory.hpp"

namespace tierscope::simulate {

/// The addresses that a machine's caches use, computed from those of the program.
class Lines {
 public:
  /// `bytes`: a power of two of at least 64
  explicit Lines(std::uint64_t bytes = LINE) noexcept : shift_(static_cast<unsigned>(std::countr_zero(bytes / LINE))) {}
  [[nodiscard]] std::uint64_t bytes() const noexcept { return LINE << shift_; }
  [[nodiscard]] bool wide() const noexcept { return shift_ != 0; }
  /// Bits 0 to 5 are not cleared.
  [[nodiscard]] std::uint64_t number64(std::uint64_t address) const noexcept { return address >> shift_; }
  [[nodiscard]] std::uint64_t address(std::uint64_t number64) const noexcept { return number64 << shift_; }

 private:
  unsigned shift_;
};

/// A memory whose requests are whole lines by their number times 64.
class LineMemory final : public Memory {
 public:
  LineMemory(Lines lines, Memory& below) noexcept : lines_(lines), below_(below) {}
  Time read(std::uint64_t number64, Time at) override {
    if (!lines_.wide()) return below_.read(number64, at);
    return each(number64, at, [&](std::uint64_t part) { return below_.read(part, at); });
  }
  Time write(std::uint64_t number64, Time at) override {
    if (!lines_.wide()) return below_.write(number64, at);
    return each(number64, at, [&](std::uint64_t part) { return below_.write(part, at); });
  }
  /// Write 64 bytes at an address of the program.
  Time write_part(std::uint64_t address, Time at) { return below_.write(address & ~(LINE - 1), at); }
  void count(const std::string& prefix, Counters& counters) const override { below_.count(prefix, counters); }
  void reset_counters() override { below_.reset_counters(); }
  [[nodiscard]] std::uint64_t reach() const override { return below_.reach(); }

 private:
  template <class Ask>
  Time each(std::uint64_t number64, Time at, Ask ask) {
    Time done = at;
    const auto first = lines_.address(number64);
    for (std::uint64_t part = 0; part < lines_.bytes(); part += LINE) done = std::max(done, ask(first + part));
    return done;
  }
  Lines lines_;
  Memory& below_;
};

}  // namespace tierscope::simulate
