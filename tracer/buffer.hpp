// SPDX-License-Identifier: GPL-2.0-or-later
/// Events of one thread of the program, until they are a chunk of the stream.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "stream.hpp"

namespace tierscope::tracer {

/// Allocations of as many bytes are known to the reader at once, since other threads may use them.
constexpr std::uint64_t SHARED_BYTES = 4096;

constexpr unsigned LINE_SHIFT = 6;
constexpr std::uint64_t LINE = 1U << LINE_SHIFT;

/// Return the text in the arguments of a system call, up to its 0.
inline std::string text_of(std::span<const std::uint64_t> words) {
  const auto* text = reinterpret_cast<const char*>(words.data());
  return {text, ::strnlen(text, words.size_bytes())};
}

/// Events of one virtual CPU, which is one thread of the program.
class Buffer {
 public:
  Buffer(Stream& stream, std::uint32_t thread) : stream_(&stream), thread_(thread) {}
  void enter(std::uint32_t block, std::uint64_t generation) {
    runs(generation);
    block_ = block;
    if (!muted_) put(block_event(block));
  }
  void access(std::uint32_t block, Event event) {
    if (block == block_ && !muted_) put(event);
  }
  /// Add the line of an access, unless one of the last ones was of this line.
  void line(std::uint64_t address, bool store) {
    const auto line = address / LINE;
    auto& last = latest_[line % latest_.size()];
    const auto read = line << 1U | std::uint64_t{1} << 63U, written = read | 1U;
    if (last == written || (last == read && !store) || muted_) return;
    last = store ? written : read;
    put(access_event(line * LINE, DATA, store, LINE_SHIFT));
  }
  /// Add the lines of a block of instructions, in the same way.
  void code(std::uint64_t address, std::uint64_t lines) {
    for (auto line = address / LINE; lines > 0; ++line, --lines) {
      auto& last = latest_code_[line % latest_code_.size()];
      if (last == line || muted_) continue;
      last = line;
      put(access_event(line * LINE, CODE, false, LINE_SHIFT));
    }
  }
  /// From now on, events are lines; or blocks again.
  void lines(bool on) {
    const std::lock_guard lock(mutex_);
    write();
    lines_ = on;
    latest_.fill(0);
    latest_code_.fill(0);
  }
  void allocated(std::uint64_t address, std::uint64_t bytes, std::uint64_t place) {
    const std::lock_guard lock(mutex_);
    if (used_ + 2 > events_.size()) write();  // both are in one chunk
    for (const auto event : allocation_events(address, bytes, place)) events_[used_++] = event;
    if (bytes >= SHARED_BYTES) write();
  }
  void freed(std::uint64_t address) {
    const std::lock_guard lock(mutex_);
    if (used_ == events_.size()) write();
    events_[used_++] = free_event(address);
  }
  void mute(bool on) { muted_ = on; }
  [[nodiscard]] bool muted() const { return muted_; }
  /// Add a piece of a line that the library says; return the line at its end, else "".
  std::string add(std::span<const std::uint64_t> words) {
    const auto piece = text_of(words);
    line_ += piece;
    return piece.size() < words.size_bytes() ? std::exchange(line_, "") : "";
  }
  /// Write all events, each once: a thread may do so in a call to the system while another one begins a gap.
  void flush() {
    const std::lock_guard lock(mutex_);
    write();
  }
  void drop() { used_ = 0; }
  /// QEMU uses a list of callbacks of this generation of blocks for the thread (held_lists.hpp), and no older one.
  void takes_list(std::uint64_t generation) { list_.store(generation, std::memory_order_relaxed); }
  /// QEMU uses no list: the thread is in a call to the system, has not begun, or has ended.
  void takes_no_list() { takes_list(NO_LIST); }
  /// A block of this generation runs. QEMU may use a list of it, or still the one of before.
  void runs(std::uint64_t generation) {
    if (oldest_list() == NO_LIST) takes_list(generation);
  }
  /// Return the generation of the oldest list that QEMU may use.
  [[nodiscard]] std::uint64_t oldest_list() const { return list_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t NO_LIST = ~std::uint64_t{0};
  /// @pre the thread runs, so that no other one is here
  void put(Event event) {
    if (used_ == events_.size()) flush();
    events_[used_++] = event;
  }
  /// @pre locked
  void write() {
    if (used_ != 0) stream_->events(thread_, std::span(events_).first(used_), lines_);
    used_ = 0;
  }

  Stream* stream_;
  std::uint32_t thread_;
  std::uint32_t block_ = 0;                    // that runs
  std::atomic<std::uint64_t> list_ = NO_LIST;  // generation of the one that it used last
  bool lines_ = false;                         // of lines, and not of blocks
  bool muted_ = false;                         // it runs code that the library calls
  std::string line_;                           // that the library says
  std::size_t used_ = 0;
  std::mutex mutex_;
  std::array<Event, 16384> events_{};
  /// Lines that were used last, as many as the smallest nearest cache has: the others need not see them again.
  std::array<std::uint64_t, 512> latest_{}, latest_code_{};
};

}  // namespace tierscope::tracer
