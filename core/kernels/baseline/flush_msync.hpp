/// Stores of blocks, each written back by msync(2) of the pages that it touches: the way to persist bytes of a mapped
/// file without DAX. The system call is what is measured. `fence=line` calls it for each line; `fence=never` uses
/// MS_ASYNC, which waits for nothing. Blind to: memory without a file, where the call does nothing. A failed call does
/// not increment the count of stores, so that the check finds blocks out of step. Source: POSIX.1-2017, msync; Linux,
/// msync(2).
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/blocks.hpp"

namespace tierscope::kernels::flush_msync {
inline constexpr KernelInfo info{.name = "flush_msync",
                                 .summary = "stores of blocks, then msync of their pages",
                                 .source = "POSIX.1-2017, msync; Linux, msync(2)",
                                 .check = Check::recomputed,
                                 .operands = bytes::WRITTEN,
                                 .store = Store::plain,
                                 .operation = "block",
                                 .flushes = true,
                                 .orders = true,
                                 .flush = Flush::msync,
                                 .wait = Wait::file};
inline constexpr std::string_view isa = "scalar";

inline bool write_back(std::byte* at, std::size_t size, std::uintptr_t page, int how) noexcept {
  const auto inside = reinterpret_cast<std::uintptr_t>(at) % page;
  return msync(at - inside, size + inside, how) == 0;
}

inline void store(std::byte* at, std::size_t size, std::uint64_t word) noexcept {
  for (std::size_t off = 0; off < size; off += sizeof word) std::memcpy(at + off, &word, sizeof word);
}

/// Store and write back one block, in parts of a line or as a whole. @returns false if it could not be written back
inline bool block(std::byte* at, const Pass& pass, std::uintptr_t page) noexcept {
  const auto part = pass.fence == Fence::line ? LINE : pass.touched();
  const int how = pass.fence == Fence::never ? MS_ASYNC : MS_SYNC;
  bool good = true;
  for (std::size_t off = 0; off < pass.touched(); off += part) {
    store(at + off, part, bytes::flush_word(pass.written));
    good = write_back(at + off, part, page, how) && good;
  }
  return good;
}

inline std::uint64_t pass(Pass& pass) noexcept {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  blocks::walk(pass, [&](std::byte* at) { pass.written += block(at, pass, page) ? 1 : 0; }, [] {});
  return 0;
}
/// bench/tasks/block_check.cpp knows the content of every block.
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::flush_msync
