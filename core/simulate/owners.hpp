/// The CPU that has ever touched a page. While it is only one, a line of the page needs no search in the caches of
/// others. Pages share the entries of a table of fixed size, so a page with one owner may be reported as "several".
/// This costs time but never changes the answer.
#pragma once
#include <vector>

#include "base/random.hpp"
#include "simulate/access.hpp"

namespace tierscope::simulate {

class Owners {
 public:
  static constexpr unsigned NOBODY = 0, SEVERAL = 0xFFFF;

  /// A single CPU owns all pages at no cost.
  explicit Owners(unsigned cpus) : table_(cpus > 1 ? ENTRIES : 0) {}
  /// Note that `cpu` takes a line in.
  void note(unsigned cpu, std::uint64_t line) noexcept {
    if (table_.empty()) return;
    auto& entry = table_[index(line)];
    if (entry == NOBODY) entry = rest_;
    own(entry, cpu);
  }
  /// Note that `cpu` may take in any line.
  void note_all(unsigned cpu) noexcept { own(rest_, cpu); }
  /// Return NOBODY, SEVERAL, or the number of the CPU plus 1.
  [[nodiscard]] unsigned of(std::uint64_t line) const noexcept {
    if (table_.empty()) return 1;
    const unsigned owner = table_[index(line)];
    return owner == NOBODY ? rest_ : owner;
  }
  /// Return whether a CPU other than this one may have the line.
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
  std::uint16_t rest_ = NOBODY;  // the owner of pages without an entry yet
  std::vector<std::uint16_t> table_;
};

}  // namespace tierscope::simulate
