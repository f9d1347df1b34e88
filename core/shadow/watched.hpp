/// A file while a program maps it: where it is mapped, the image behind it, and what is written of that. It leaves
/// files in the plan's folder. `start` is the file when it was mapped first, with holes for zeros. `fence-N` is written
/// for each point that was reached, as little-endian words. The first are the size of the file and its smallest size so
/// far (the part of `start` behind it is gone). Then follow the size of what the program had printed into a file as its
/// standard output, and the number of lines. Offset and eight words of each line that differs from `start` come last.
/// `shared` marks that another process used the file, too. Stores are read through a separate mapping, so what is
/// unmapped before it is flushed is not lost.
#pragma once
#include <sys/stat.h>

#include <optional>
#include <utility>
#include <vector>

#include "shadow/image.hpp"
#include "shadow/plan.hpp"
#include "shadow/stores.hpp"

namespace tierscope::shadow {

class Watched {
 public:
  explicit Watched(Plan plan) : plan_(std::move(plan)) {}

  /// Is this descriptor the file? @throws SystemError where the file is, and cannot be followed
  bool is(int file);
  void mapped(const void* at, std::size_t size, std::size_t offset);
  /// The file may have another size now.
  void refresh();
  void unmapped(const void* at, std::size_t size);
  void moved(const void* from, std::size_t old_size, const void* to, std::size_t size);
  [[nodiscard]] bool any() const noexcept { return image_.has_value(); }
  /// Return whether any of the addresses are mapped.
  [[nodiscard]] bool holds(const void* at, std::size_t size) const { return !ours(at, size).empty(); }
  /// Note that another process has the file, too.
  void leave_word() const;
  /// Mappings or their rights are about to change: what was stored until now is noted, and what follows is not.
  void look_away();

  /// Flush the parts of the addresses that are mapped. @returns whether there are any
  bool flush(unsigned lane, const void* at, std::size_t size);
  void flush_all(unsigned lane);
  /// @throws SystemError if an image cannot be written
  void fence(unsigned lane);
  [[nodiscard]] std::uint64_t fences() const noexcept { return fences_; }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }
  [[nodiscard]] std::uint64_t flushes() const noexcept { return flushes_; }
  /// Changes of lines that were observed one by one.
  [[nodiscard]] std::uint64_t stores() const noexcept { return seen_; }

 private:
  using Mapping = Stores::Mapping;

  bool begin(int file);
  /// Observe the stores from here to the next fence, because the power may fail before it.
  void watch_stores();
  [[nodiscard]] std::vector<Range> ours(const void* at, std::size_t size) const;
  void write_image();
  [[nodiscard]] bool lost(std::uint64_t number, std::uint64_t every) noexcept;

  Plan plan_;
  std::vector<Mapping> mappings_;
  std::optional<Image> image_;
  int file_ = -1;
  struct stat its_{};
  std::size_t smallest_ = 0;
  std::span<const std::byte> memory_;
  std::uint64_t flushes_ = 0, fences_ = 0, dropped_ = 0, seen_ = 0;
  Stores stores_;
  bool foreign_ = false;  // another process has it
};

}  // namespace tierscope::shadow
