#include "simulate/touches.hpp"

namespace tierscope::simulate {
namespace {

/// Count in steps of a fixed length, which compilers turn into vectors.
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

void add(std::array<std::uint64_t, 3>& events, const Kinds& kinds) noexcept {
  events[static_cast<std::size_t>(Use::load)] += kinds.loads;
  events[static_cast<std::size_t>(Use::store)] += kinds.stores;
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
  Kinds came{};
  if (habit_.ask()) {
    came = without_repeats(lineup.cache(cpu, 0).sets(), touches);
  } else {
    came = kinds_of(touches);
  }
  for (unsigned k = 0; k < lineup.depth_; ++k) {
    auto& events = lineup.levels_[k].events;
    add(events.uses, came);
    came = pass(lineup.cache(cpu, k), k == 0, came.stores + came.backs == 0, touches);
    add(events.misses, came);
    events.writebacks += came.backs;
  }
  ask(below, touches);
}

Kinds Touches::without_repeats(std::uint64_t sets, std::span<const Touch>& touches) {
  Latest latest(sets);
  std::uint64_t stores = 0;
  const auto* end = latest.others(touches, near_.data(), stores);
  const auto left = static_cast<std::size_t>(end - near_.data()), all = touches.size();
  habit_.learn(all - left, all);
  touches = {near_.data(), left};
  return {all - stores, stores, 0};
}

Kinds Touches::pass(Cache& cache, bool nearest, bool loads, std::span<const Touch>& touches) {
  const auto passed = with_ways(cache, [&](auto ways) {
    if (nearest && loads) return pass_nearest<true>(ways, touches, far_.data());
    if (nearest) return pass_nearest<false>(ways, touches, far_.data());
    return loads ? pass_farther<true>(ways, touches, far_.data()) : pass_farther<false>(ways, touches, far_.data());
  });
  touches = {far_.data(), static_cast<std::size_t>(passed.end - far_.data())};
  std::swap(near_, far_);
  if (loads) return {touches.size() - passed.backs, 0, passed.backs};
  return kinds_of(touches);
}

}  // namespace tierscope::simulate
