// SPDX-License-Identifier: GPL-2.0-or-later
#include "held_calls.hpp"

#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include "redirect.hpp"

namespace tierscope::tracer {
namespace {

using Free = void(void* memory);
Free* library = nullptr;
thread_local bool drops = false;
std::mutex mutex;
/// The memory that was freed in this drop, in the last one, and in the one before.
std::array<std::vector<void*>, 3> kept;

void hold(void* memory) {
  if (!drops || memory == nullptr) return library(memory);
  const std::lock_guard lock(mutex);
  kept[0].push_back(memory);
}

}  // namespace

void hold_calls() { library = reinterpret_cast<Free*>(redirect("g_free", reinterpret_cast<void*>(hold))); }

void begin_drop() { drops = true; }

void end_drop() {
  drops = false;
  const std::lock_guard lock(mutex);
  for (void* memory : kept[2]) library(memory);
  kept[2].clear();
  std::swap(kept[1], kept[2]);
  std::swap(kept[0], kept[1]);
}

}  // namespace tierscope::tracer
