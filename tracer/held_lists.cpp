// SPDX-License-Identifier: GPL-2.0-or-later
#include "held_lists.hpp"

#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "redirect.hpp"

namespace tierscope::tracer {
namespace {

using Free = char*(void* array, int data_too);
Free* library = nullptr;
std::mutex mutex;
std::vector<void*> freed;                                       // since the last drop
std::deque<std::pair<std::uint64_t, std::vector<void*>>> held;  // by generation of blocks

char* hold(void* array, int data_too) {
  if (array == nullptr || data_too == 0) return library(array, data_too);
  const std::lock_guard lock(mutex);
  freed.push_back(array);
  return nullptr;  // as of the library, if it frees the data
}

}  // namespace

void hold_lists() { library = reinterpret_cast<Free*>(redirect("g_array_free", reinterpret_cast<void*>(hold))); }

void release_lists(std::uint64_t dropped, std::uint64_t oldest) {
  const std::lock_guard lock(mutex);
  held.emplace_back(dropped, std::move(freed));
  freed.clear();
  for (; !held.empty() && held.front().first < oldest; held.pop_front())
    for (void* array : held.front().second) library(array, 1);
}

}  // namespace tierscope::tracer
