/// The content of a mapped file after a power failure. A store counts once its line was flushed and the flushing thread
/// fenced after that (ADR). The rest may have arrived anyway: a flushed line at any moment before the fence, and any
/// other line because a cache evicts what it likes. So an image is what persists for certain, some of the flushed
/// lines, and some of those whose memory is newer still. A line arrives whole: the memory controller takes 64 bytes
/// together, so what is drawn is a snapshot of a line that existed. If each store between two fences is known
/// (shadow/stores.hpp), a line may also be what it was after any of them: stores to one line persist in the order in
/// which they are made. One store of more than 16 bytes is torn at multiples of 16 bytes, in any order: aligned stores
/// of 8 bytes are atomic, and of 16 on every processor with AVX; nothing is promised of longer ones.
/// Blind to: other states of a line between two fences that were neither flushed nor the last; stores by a system call
/// (write). Source: A. Rudoff, "Persistent Memory Programming", USENIX ;login: 42(2), 2017 (ADR, flush and fence); P.
/// Lantz et al., "Yat: A Validation Framework for Persistent Memory Software", USENIX ATC 2014 (subsets of unfenced
/// lines); A. Raad et al., "Persistency Semantics of the Intel-x86 Architecture", POPL 2020 (order within a line);
/// Intel, Software Developer's Manual, volume 3, section "Guaranteed Atomic Operations".
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tierscope::shadow {

constexpr std::size_t LINE = 64, PAGE = 4096;

/// The content of one line, as its 8-byte words.
using Line = std::array<std::uint64_t, LINE / sizeof(std::uint64_t)>;

/// A part of the file, in bytes from its start.
struct Range {
  std::size_t offset;
  std::size_t size;
  /// Lines that it touches.
  [[nodiscard]] constexpr std::size_t lines() const noexcept {
    return size == 0 ? 0 : (offset + size - 1) / LINE - offset / LINE + 1;
  }
};

/// A line that differs from the file at the start.
struct Changed {
  std::uint64_t offset;
  Line content;
  bool operator==(const Changed&) const = default;
};

class Image {
 public:
  /// Both from the start of the file, in whole pages: `start` is what persisted then, `memory` what it contains now.
  /// `kept` states for each page of `start` whether it is more than zeros, and others are not read, since reading a
  /// hole of a file on tmpfs fills it; empty: all may be.
  Image(std::span<const std::byte> start, std::span<const std::byte> memory, std::vector<bool> kept = {})
      : start_(start), memory_(memory), kept_(std::move(kept)) {}
  /// Takes over a file that has another size or place. New bytes persist as zeros, also where the file was truncated
  /// before.
  void look_at(std::span<const std::byte> memory);

  /// The lines' present content is on its way. `lane` is who flushes: fences of others do not wait for it.
  void flush(unsigned lane, Range range);
  /// The lines that this lane flushed have arrived, and nothing older can arrive any more.
  void fence(unsigned lane);
  /// One store to a line, since the last fence of any lane; `before` is what it was stored over.
  void stored(std::size_t line, const Line& before, const Line& after);
  /// These stores are now older than a fence: a power failure cannot separate them any more.
  void forget_stores() noexcept { stored_.clear(); }
  /// Return the lines that a power failure at this moment leaves, by offset. It keeps half of the lines on their way,
  /// and 30 % of those that are newer than their last flush. In 30 % of the lines whose stores are known, it keeps what
  /// one of them left. The same for the same seed and history. Memory is looked at in `parts`, whole pages; the rest of
  /// it is zeros that nobody stored.
  [[nodiscard]] std::vector<Changed> crash(std::uint64_t seed, std::span<const Range> parts) const;
  [[nodiscard]] std::vector<Changed> crash(std::uint64_t seed) const {
    const Range all{0, memory_.size()};
    return crash(seed, {&all, 1});
  }

 private:
  struct OnItsWay {
    unsigned lane;
    Line content;
    bool operator==(const OnItsWay&) const = default;
  };
  struct Step {
    Line before, after;
  };
  using Page = std::array<std::byte, PAGE>;

  using Lines = std::map<std::size_t, Line>;

  [[nodiscard]] const std::byte* started(std::size_t number) const noexcept;
  [[nodiscard]] const std::byte* page(std::size_t number) const noexcept;
  [[nodiscard]] Line persisted(std::size_t line) const noexcept;
  [[nodiscard]] Line newest(std::size_t line) const noexcept;
  void persist(std::size_t line, const Line& content);
  void leave_persisted(Lines& left) const;
  void leave_evicted(Lines& left, std::size_t number, std::uint64_t seed) const;
  void leave_between(Lines& left, std::uint64_t seed) const;

  std::span<const std::byte> start_, memory_;
  std::vector<bool> kept_;
  std::unordered_map<std::size_t, Page> changed_;                        // page -> what persists of it
  std::unordered_map<std::size_t, std::vector<OnItsWay>> on_their_way_;  // line -> in the order of flushes
  std::unordered_map<unsigned, std::vector<std::size_t>> flushed_;       // lane -> lines since its last fence
  std::unordered_map<std::size_t, std::vector<Step>> stored_;            // line -> in the order of stores
};

}  // namespace tierscope::shadow
