#include "bench/touched_lines.hpp"

namespace tierscope {
namespace {

using recorded::What;
using simulate::Access;
using simulate::Kind;

constexpr std::uint8_t READ = 1, WRITTEN = 2, DIRTY = 4;
constexpr std::uint64_t NONE = ~std::uint64_t{0};

}  // namespace

LineCounts TouchedLines::take(std::span<const recorded::Event> events, std::vector<Access>& accesses) {
  accesses.clear();
  flags_.clear();
  counts_ = {};
  last_ = NONE;
  for (const auto& event : events) {
    if (event.what == What::fence) {
      ++counts_.fences;
      put(Kind::sfence, NONE, accesses);
      continue;
    }
    const auto end = (event.place + event.size - 1) / simulate::LINE;
    for (auto line = event.place / simulate::LINE; line <= end; ++line) add(event.what, line, accesses);
  }
  return counts_;
}

void TouchedLines::add(What what, std::uint64_t line, std::vector<Access>& accesses) {
  auto& flags = flags_.of(line);
  switch (what) {
    case What::load:
      counts_.read += (flags & READ) == 0 ? 1 : 0;
      flags |= READ;
      if (line != last_) put(Kind::load, line, accesses);
      return;
    case What::store:
      return store(line, false, accesses);
    case What::store_nt:
      return store(line, true, accesses);
    case What::flush:
      if ((flags & DIRTY) == 0) store(line, false, accesses);
      flags_.of(line) &= static_cast<std::uint8_t>(~DIRTY);
      if (!flushes_) return;
      ++counts_.flushed;
      put(Kind::clwb, line, accesses);
      return;
    case What::fence:
      return;
  }
}

void TouchedLines::store(std::uint64_t line, bool past_caches, std::vector<Access>& accesses) {
  auto& flags = flags_.of(line);
  counts_.written += (flags & WRITTEN) == 0 ? 1 : 0;
  flags |= WRITTEN;
  if (past_caches) {
    ++counts_.flushed;
    flags &= static_cast<std::uint8_t>(~DIRTY);
    return put(Kind::store_nt, line, accesses);
  }
  flags |= DIRTY;
  if (line != last_ || accesses.back().kind != Kind::store) put(Kind::store, line, accesses);
}

/// Adds an access of a line. Later bytes of the same line need no access of their own.
void TouchedLines::put(Kind kind, std::uint64_t line, std::vector<Access>& accesses) {
  accesses.push_back({line == NONE ? 0 : base_ + line * simulate::LINE, kind, kind == Kind::load});
  last_ = kind == Kind::load || kind == Kind::store ? line : NONE;
}

}  // namespace tierscope
