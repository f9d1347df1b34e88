#include "bench/touched_lines.hpp"

#include <utility>

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
    flushed_ = NONE;
    const auto each = step(event.what);
    for (auto part = event.place / each; part <= (event.place + event.size - 1) / each; ++part)
      add(event.what, part * each, accesses);
  }
  return counts_;
}

std::uint64_t TouchedLines::step(What what) const noexcept {
  return what == What::load || what == What::store ? line_bytes_ : simulate::LINE;
}

void TouchedLines::add(What what, std::uint64_t place, std::vector<Access>& accesses) {
  const auto line = place / line_bytes_;
  const bool again = std::exchange(flushed_, what == What::flush ? line : NONE) == line;
  auto& flags = flags_.of(line);
  switch (what) {
    case What::load:
      counts_.read += (flags & READ) == 0 ? 1 : 0;
      flags |= READ;
      if (line != last_) put(Kind::load, place, accesses);
      return;
    case What::store:
      return store(place, false, accesses);
    case What::store_nt:
      return store(place, true, accesses);
    case What::flush:
      if ((flags & DIRTY) == 0 && !again) store(place, false, accesses);
      flags_.of(line) &= static_cast<std::uint8_t>(~DIRTY);
      if (!flushes_) return;
      ++counts_.flushed;
      put(Kind::clwb, place, accesses);
      return;
    case What::fence:
      return;
  }
}

void TouchedLines::store(std::uint64_t place, bool past_caches, std::vector<Access>& accesses) {
  const auto line = place / line_bytes_;
  auto& flags = flags_.of(line);
  counts_.written += (flags & WRITTEN) == 0 ? 1 : 0;
  flags |= WRITTEN;
  if (past_caches) {
    ++counts_.flushed;
    flags &= static_cast<std::uint8_t>(~DIRTY);
    return put(Kind::store_nt, place, accesses);
  }
  flags |= DIRTY;
  if (line != last_ || accesses.back().kind != Kind::store) put(Kind::store, place, accesses);
}

/// Adds an access of a line. Later bytes of the same line need no access of their own.
void TouchedLines::put(Kind kind, std::uint64_t place, std::vector<Access>& accesses) {
  accesses.push_back({place == NONE ? 0 : base_ + place, kind, kind == Kind::load});
  last_ = kind == Kind::load || kind == Kind::store ? place / line_bytes_ : NONE;
}

}  // namespace tierscope
