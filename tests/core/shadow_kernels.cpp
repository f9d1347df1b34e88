/// The flush kernels leave what they promise after each fence, by the shadow image of what they flush.
#if defined(__x86_64__)
#include <doctest/doctest.h>

#include <cstring>

#include "base/cpuid.hpp"
#include "kernels/x86/flush_clflush.hpp"
#include "kernels/x86/flush_clflushopt.hpp"
#include "kernels/x86/flush_clwb.hpp"
#include "kernels/x86/flush_movdir64b.hpp"
#include "shadow_file.hpp"

using namespace tierscope;
using namespace tierscope::shadow;
using File = tests::ShadowFile;

namespace {

using kernels::Fence;
using kernels::Pass;

/// The file of the recorders below, and what a cut after a fence left of it.
File* recorded = nullptr;
unsigned fences = 0, wrong = 0;

bool holds_all_memory(const File& file, std::uint64_t seed) {
  auto left = file.start;
  for (const auto& line : file.image.crash(seed)) std::memcpy(left.data() + line.offset, line.content.data(), LINE);
  return left == file.memory;
}

/// A kernel's own flush, reported to the image.
template <class Real>
struct Recorded {
  static constexpr bool any = Real::any;
  static void line(std::byte* at) noexcept {
    Real::line(at);
    recorded->image.flush(0, {static_cast<std::size_t>(at - recorded->memory.data()), LINE});
  }
  static void fence() noexcept {
    _mm_sfence();
    recorded->image.fence(0);
    ++fences;
    for (std::uint64_t seed = 0; seed < 8; ++seed) wrong += holds_all_memory(*recorded, seed) ? 0 : 1;
  }
};
/// Stores that go to memory by themselves: each is on its way immediately.
template <class Real>
struct Direct {
  static void put(std::byte* line, kernels::lines::Part value) noexcept {
    Real::put(line, value);
    recorded->image.flush(0, {static_cast<std::size_t>(line - recorded->memory.data()), LINE});
  }
};

/// Cuts after each fence of blocks of 512 bytes over the whole file, that left something else than what was stored.
template <class Store, class FlushLine>
unsigned lost_by(Fence fence) {
  File file;
  recorded = &file;
  fences = wrong = 0;
  Pass pass;
  pass.operand[0] = file.memory.data();
  pass.element = 512;
  pass.nodes = pass.end = file.memory.size() / pass.element;
  pass.fence = fence;
  kernels::flush::pass<Store, Recorded<FlushLine>>(pass);
  CHECK(fences == (fence == Fence::chunk ? pass.end : file.memory.size() / LINE));
  return wrong;
}

}  // namespace

TEST_CASE_TEMPLATE("a kernel that flushes has its blocks in memory after each fence", Kernel,
                   kernels::flush_clflush::FlushLine, kernels::flush_clflushopt::FlushLine,
                   kernels::flush_clwb::FlushLine) {
  if (!cpu::has("clflushopt") || !cpu::has("clwb")) return;
  CHECK(lost_by<kernels::flush::Plain, Kernel>(Fence::chunk) == 0);
  CHECK(lost_by<kernels::flush::Plain, Kernel>(Fence::line) == 0);
}

TEST_CASE("stores that pass the caches are in memory after each fence") {
  using kernels::flush::NonTemporal, kernels::flush::Nothing;
  CHECK(lost_by<Direct<NonTemporal>, Nothing>(Fence::chunk) == 0);
  if (cpu::has("movdir64b")) CHECK(lost_by<Direct<kernels::flush_movdir64b::Store64>, Nothing>(Fence::chunk) == 0);
}

TEST_CASE("stores without a flush are missing after a fence: the recorders can see it") {
  CHECK(lost_by<kernels::flush::Plain, kernels::flush::Nothing>(Fence::chunk) > 0);
}
#endif
