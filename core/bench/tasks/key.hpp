/// The keys that groups on the keys of a structure take.
#pragma once
#include "bench/work.hpp"

namespace tierscope {

struct Keys final : WorkOf<Keys> {
  std::string operation = "get";  // as in bench/operations.hpp
  std::string drawn = "uniform";  // also there: the key `keys`
  std::string sharing = "own";    // own: each thread has a structure; one: they share one
  std::uint64_t count = 0;        // keys of all threads
  std::uint64_t value = 16;       // bytes of each value
  static std::span<const Key<Keys>> table();
};

}  // namespace tierscope
