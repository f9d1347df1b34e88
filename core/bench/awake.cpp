#include "bench/awake.hpp"

#include <algorithm>

#include "bench/task.hpp"

namespace tierscope {
namespace {

void wake(const Group& group, std::size_t member, const Arena& arena, bool source) noexcept {
  const auto bytes = arena.buffer.bytes();
  const auto used = bytes.first(std::min<std::uint64_t>(bytes.size(), group.bytes_needed(source)));
  const auto part = part_of(group, member, used);
  for (std::size_t at = 0; at < part.size(); at += kernels::PAGE)
    static_cast<void>(*static_cast<const volatile std::byte*>(part.data() + at));
}

}  // namespace

void wake(const Group& group, std::size_t member, const Store& store) noexcept {
  wake(group, member, store.target, false);
  wake(group, member, store.source, true);
}

}  // namespace tierscope
