/// Which CPU has ever touched a page: as long as it is one alone, nobody else's caches need be searched for its lines.
/// Pages share the entries of a table of fixed size, so "several" may be said of a page that has one owner: this costs
/// time, never the right answer.
#pragma once
#include <vector>

#include "base/random.hpp"
#include "simulate/access.hpp"

namespace tierscope::simulate {

class Owners {
 public:
  static constexpr unsigned NOBODY = 0, SEVERAL = 0xFFFF;

  /// One CPU owns all and pays nothing.
  explicit Owners(unsigned cpus) : table_(cpus > 1 ? ENTRIES : 0) {}
  /// `cpu` takes a line in.
  void note(unsigned cpu, std::uint64_t line) noexcept {
    if (table_.empty()) return;
    auto& entry = table_[index(line)];
    if (entry == NOBODY) entry = rest_;
    own(entry, cpu);
  }
  /// `cpu` may take in any line.
  void note_all(unsigned cpu) noexcept { own(rest_, cpu); }
  /// NOBODY, SEVERAL, or the number of the CPU and 1.
  [[nodiscard]] unsigned of(std::uint64_t line) const noexcept {
    if (table_.empty()) return 1;
    const unsigned owner = table_[index(line)];
    return owner == NOBODY ? rest_ : owner;
  }
  /// Whether a CPU other than this one may hold it.
  [[nodiscard]] bool others(unsigned cpu, std::uint64_t line) const noexcept {
    if (table_.empty()) return false;
    const unsigned owner = of(line);
    return owner != cpu + 1 && owner != NOBODY;
  }

 private:
  static constexpr std::size_t ENTRIES = std::size_t{1} << 20U;  // 4 GiB of pages before half of them collide
  static std::size_t index(std::uint64_t line) noexcept { return mixed(line >> 12U) & (ENTRIES - 1); }
  static void own(std::uint16_t& entry, unsigned cpu) noexcept {
    entry = static_cast<std::uint16_t>(entry == NOBODY || entry == cpu + 1 ? cpu + 1 : SEVERAL);
  }
  std::uint16_t rest_ = NOBODY;  // of pages that have no entry yet
  std::vector<std::uint16_t> table_;
};

}  // namespace tierscope::simulate
