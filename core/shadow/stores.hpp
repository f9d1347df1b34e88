/// The stores of the program to a mapped file between two fences, one by one and in the order in which it makes them.
/// The file's pages are made read-only; a store faults, is let through alone (single step), and what it changed is
/// noted. Nothing is guessed: each state of a line that is noted was there. It costs some 40 us for each store on a
/// virtual machine of 2023. So it is done only between the two fences where the power fails, and at most for MOST of
/// them. Blind to: stores by the system (a read into the file fails with EFAULT meanwhile), and processors other than
/// x86-64. Stores of other threads to a page while it is open are noted as one with the store that opened it. Source:
/// Intel, Software Developer's Manual, volume 3, section "Single-Stepping" (TF); sigaction(2).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shadow/image.hpp"

namespace tierscope::shadow {

/// A line before and after one store, or after several that could not be distinguished.
struct Stored {
  std::size_t line;
  Line before, after;
};

/// One at a time in a process: it takes SIGSEGV and SIGTRAP while it watches, and passes on what is not its own.
class Stores {
 public:
  static constexpr std::size_t MOST = 8192;        ///< noted lines of one watch: a third of a second
  static constexpr std::size_t MOST_PAGES = 2048;  ///< that it can follow
  /// A place where the file is mapped.
  struct Mapping {
    std::uintptr_t begin, end;
    std::size_t offset;
    bool operator==(const Mapping&) const = default;
  };

  Stores() = default;
  Stores(const Stores&) = delete;
  Stores& operator=(const Stores&) = delete;
  ~Stores() { end(); }

  /// Begins now; a mapping that the program may not write itself is left unchanged.
  /// @returns false where this processor, or this system, cannot
  bool begin(std::span<const Mapping> mappings);
  /// The pages are as they were. More than once does no harm.
  void end() noexcept;
  [[nodiscard]] bool watching() const noexcept { return watching_; }
  /// In the order of time.
  [[nodiscard]] std::vector<Stored> take();

 private:
  bool watching_ = false;
};

}  // namespace tierscope::shadow
