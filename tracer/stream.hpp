// SPDX-License-Identifier: GPL-2.0-or-later
/// Writes the stream that README.md defines to a pipe: definitions of blocks at once, events of a thread in chunks.
#pragma once
#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "instruction.hpp"

namespace tierscope::tracer {

using Event = std::uint64_t;

/// In a gap, the line of an access is of data or of instructions: instruction 0 or 1 of no block.
constexpr unsigned DATA = 0, CODE = 1;

/// A block of instructions begins. Bits 0-31: its number.
constexpr Event block_event(std::uint32_t block) { return block; }
/// Bits 0-47 address, 48-56 instruction of the block, 57 store, 58-60 log2 of the bytes, 61 set.
constexpr Event access_event(std::uint64_t address, unsigned instruction, bool store, unsigned shift) {
  constexpr std::uint64_t ADDRESS = (std::uint64_t{1} << 48U) - 1;
  return (address & ADDRESS) | std::uint64_t{instruction & 511U} << 48U | std::uint64_t{store} << 57U |
         std::uint64_t{shift & 7U} << 58U | std::uint64_t{1} << 61U;
}

/// A place of the program allocated these bytes: bits 0-47 address, 62 set; then 0-47 bytes, 48-63 place.
constexpr std::array<Event, 2> allocation_events(std::uint64_t address, std::uint64_t bytes, std::uint64_t place) {
  constexpr std::uint64_t LOW = (std::uint64_t{1} << 48U) - 1;
  return {(address & LOW) | std::uint64_t{1} << 62U, (bytes & LOW) | place << 48U};
}
/// Bits 0-47 address of an allocation that ends; 62 and 63 set.
constexpr Event free_event(std::uint64_t address) {
  return (address & ((std::uint64_t{1} << 48U) - 1)) | std::uint64_t{3} << 62U;
}

class Stream {
 public:
  /// What a chunk contains.
  enum class Chunk : std::uint32_t {
    block = 1,
    events = 2,
    note = 3,
    end = 4,
    gap = 5,
    place = 6,
    phase = 7,
    lines = 8
  };

  /// goes_on: behind what another process wrote.
  void open(int descriptor, bool goes_on);
  void define(std::uint32_t block, std::span<const Instruction> instructions);
  /// lines: they are lines of a gap, not blocks.
  void events(std::uint32_t thread, std::span<const Event> events, bool lines);
  /// A line of text: what the reader should tell its user, such as "exec".
  void note(std::uint32_t thread, std::string_view text);
  /// The number of a place of the program that allocates, and its call stack.
  void place(std::uint32_t thread, std::string_view text);
  /// The program begins a part of its work, after so many untraced instructions of the gap that it is in.
  void phase(std::uint32_t thread, std::uint64_t untraced, std::string_view name);
  /// So many instructions ran untraced; so many of the next are there to warm caches. stated: the lines of those before
  /// were written.
  void gap(std::uint64_t instructions, std::uint64_t warm, bool stated);
  void end();
  /// In a child process: nothing more is written, so that the parent's stream stays whole.
  void mute() { descriptor_ = -1; }
  [[nodiscard]] bool muted() const { return descriptor_ < 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  void chunk(Chunk what, std::uint32_t thread, std::span<const std::byte> payload);
  void write_all(const void* bytes, std::size_t size);
  int descriptor_ = -1;
  std::mutex mutex_;
};

}  // namespace tierscope::tracer
