/// The calls of a program to libpmem, for programs that count them for their own operations. Nothing is linked:
/// the function is there (its address is not null) while libtierscope-shadow.so is preloaded.
#pragma once
#include <cstdint>

namespace tierscope::shadow {

struct Counts {
  std::uint64_t flushes = 0;  ///< calls that flush; msync and fsync are one each
  std::uint64_t lines = 0;    ///< of 64 bytes, in all flushes but fsync; a line counts each time
  std::uint64_t fences = 0;   ///< calls that wait for flushes; msync and fsync are one each
  std::uint64_t syncs = 0;    ///< msync and fsync
};

}  // namespace tierscope::shadow

/// Everything since the last call, by all threads; then from zero again.
extern "C" [[gnu::weak]] void tierscope_shadow_take(tierscope::shadow::Counts* counts);
