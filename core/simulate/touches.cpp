#include "simulate/touches.hpp"

namespace tierscope::simulate {
namespace {

struct Kinds {
  std::uint64_t loads, stores, backs;
};
/// In steps of a fixed length, which compilers turn into vectors.
Kinds kinds_of(std::span<const Touch> touches) noexcept {
  constexpr std::size_t STEP = 16;
  std::uint64_t stores = 0, backs = 0;
  const auto add = [&](Touch touch) {
    stores += touch & STORE;
    backs += touch & BACK;
  };
  const std::size_t whole = touches.size() / STEP * STEP;
  for (std::size_t i = 0; i < whole; i += STEP)
    for (std::size_t j = 0; j < STEP; ++j) add(touches[i + j]);
  for (const auto touch : touches.subspan(whole)) add(touch);
  stores /= STORE;
  backs /= BACK;
  return {touches.size() - stores - backs, stores, backs};
}

void ask(Memory& below, std::span<const Touch> touches) {
  for (const auto touch : touches) {
    if ((touch & BACK) != 0) {
      below.write(touch & ADDRESS, 0);
    } else {
      below.read(touch & ADDRESS, 0);
    }
  }
}

}  // namespace

bool Touches::suffice(const Lineup& lineup, unsigned cpu) {
  for (unsigned k = 0; k < lineup.depth_; ++k) {
    const auto& level = lineup.levels_[k];
    if (level.inclusive || !level.prefetchers.empty()) return false;
    for (const auto& cache : level.caches)
      if (cache.used() && &cache != &lineup.cache(cpu, k)) return false;
  }
  return lineup.depth_ != 0;
}

void Touches::run(Lineup& lineup, unsigned cpu, std::span<const Touch> touches, Memory& below) {
  near_.resize(LIST * (lineup.depth_ + 1) + AHEAD);
  far_.resize(near_.size());
  lineup.owners_.note_all(cpu);
  for (; touches.size() > LIST; touches = touches.subspan(LIST)) run_list(lineup, cpu, touches.first(LIST), below);
  if (!touches.empty()) run_list(lineup, cpu, touches, below);
}

void Touches::run_list(Lineup& lineup, unsigned cpu, std::span<const Touch> touches, Memory& below) {
  auto came = kinds_of(touches);
  for (unsigned k = 0; k < lineup.depth_; ++k) {
    auto& cache = lineup.cache(cpu, k);
    const auto* end = with_ways(cache, [&](auto ways) {
      return k == 0 ? pass_nearest(ways, cache.sets(), habit_, touches, far_.data())
                    : pass_farther(ways, touches, far_.data());
    });
    touches = {far_.data(), static_cast<std::size_t>(end - far_.data())};
    std::swap(near_, far_);
    auto& events = lineup.levels_[k].events;
    events.uses[static_cast<std::size_t>(Use::load)] += came.loads;
    events.uses[static_cast<std::size_t>(Use::store)] += came.stores;
    came = kinds_of(touches);
    events.misses[static_cast<std::size_t>(Use::load)] += came.loads;
    events.misses[static_cast<std::size_t>(Use::store)] += came.stores;
    events.writebacks += came.backs;
  }
  ask(below, touches);
}

}  // namespace tierscope::simulate
