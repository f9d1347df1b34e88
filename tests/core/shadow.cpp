/// Shadow images: which states a power cut may leave, and that the flush kernels leave what they promise.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/cpuid.hpp"
#include "folder.hpp"
#include "says.hpp"
#include "shadow/image.hpp"
#include "shadow/plan.hpp"
#if defined(__x86_64__)
#include "kernels/x86/flush_clflush.hpp"
#include "kernels/x86/flush_clflushopt.hpp"
#include "kernels/x86/flush_clwb.hpp"
#include "kernels/x86/flush_movdir64b.hpp"
#endif

using namespace tierscope;
using namespace tierscope::shadow;
using tests::error_of;
using tests::Folder;

namespace {

constexpr unsigned SEEDS = 400;  // a share of 30 or 50 % lies within 10 % of it in all but one of 20 000 such tests

/// Four pages of a mapped file, zeros at first.
class File {
 public:
  File() { look(); }
  void look() { image.look_at(memory); }
  /// Stores to a word of a line.
  void store(std::size_t line, std::uint64_t value, std::size_t word = 0) {
    std::memcpy(memory.data() + line * LINE + word * sizeof value, &value, sizeof value);
  }
  void flush(std::size_t line, unsigned lane = 0) { image.flush(lane, {line * LINE, 1}); }
  /// The word that a cut leaves.
  [[nodiscard]] std::uint64_t left(std::size_t line, std::uint64_t seed, std::size_t word = 0) const {
    for (const auto& each : image.crash(seed))
      if (each.offset == line * LINE) return each.content.at(word);
    return 0;
  }
  /// How often, of SEEDS cuts, the line holds the value.
  [[nodiscard]] unsigned count(std::size_t line, std::uint64_t value) const {
    unsigned found = 0;
    for (unsigned seed = 0; seed < SEEDS; ++seed) found += left(line, seed) == value ? 1 : 0;
    return found;
  }

  alignas(PAGE) std::array<std::byte, 4 * PAGE> start{}, memory{};
  Image image{start, memory};
};

}  // namespace

TEST_CASE("what was flushed and fenced is there after every cut") {
  File file;
  file.store(3, 7);
  file.flush(3);
  file.image.fence(0);
  CHECK(file.count(3, 7) == SEEDS);
}

TEST_CASE("what was flushed and not fenced is there after half of the cuts") {
  File file;
  file.store(3, 7);
  file.flush(3);
  const auto found = file.count(3, 7);
  CHECK(found > SEEDS * 4 / 10);
  CHECK(found < SEEDS * 6 / 10);
  CHECK(found + file.count(3, 0) == SEEDS);
}

TEST_CASE("what was only stored is there after 30 % of the cuts, since caches evict") {
  File file;
  file.store(3, 7);
  const auto found = file.count(3, 7);
  CHECK(found > SEEDS * 2 / 10);
  CHECK(found < SEEDS * 4 / 10);
  CHECK(found + file.count(3, 0) == SEEDS);
}

TEST_CASE("a store after the flush does not ride on it") {
  File file;
  file.store(3, 7);
  file.flush(3);
  file.store(3, 8);
  file.image.fence(0);
  CHECK(file.count(3, 7) + file.count(3, 8) == SEEDS);
  CHECK(file.count(3, 8) < SEEDS / 2);
}

TEST_CASE("the stores to one line arrive together or not at all") {
  File file;
  for (std::size_t word = 0; word < 8; ++word) file.store(5, 9, word);
  for (unsigned seed = 0; seed < SEEDS; ++seed)
    for (std::size_t word = 1; word < 8; ++word) CHECK(file.left(5, seed, word) == file.left(5, seed));
}

TEST_CASE("of two lines either may arrive first") {
  File file;
  file.store(1, 7);
  file.store(2, 7);
  file.flush(1);
  file.flush(2);
  std::set<std::pair<bool, bool>> seen;
  for (unsigned seed = 0; seed < SEEDS; ++seed) seen.insert({file.left(1, seed) == 7, file.left(2, seed) == 7});
  CHECK(seen.size() == 4);
}

TEST_CASE("a fence waits for the flushes of its own thread alone") {
  File file;
  file.store(3, 7);
  file.flush(3, 1);
  file.image.fence(2);
  CHECK(file.count(3, 7) < SEEDS);
  file.image.fence(1);
  CHECK(file.count(3, 7) == SEEDS);
}

TEST_CASE("an older flush of another thread cannot undo what has persisted since") {
  File file;
  file.store(3, 7);
  file.flush(3, 1);
  file.store(3, 8);
  file.flush(3, 2);
  file.image.fence(2);
  CHECK(file.count(3, 8) == SEEDS);
  file.image.fence(1);
  CHECK(file.count(3, 8) == SEEDS);
}

TEST_CASE("a line that was flushed back to what persists is not left at what it was between") {
  File file;
  file.store(3, 7);
  file.flush(3);
  file.store(3, 0);
  file.flush(3);
  file.image.fence(0);
  CHECK(file.count(3, 0) == SEEDS);
}

TEST_CASE("a flush of bytes takes all lines that they touch, and none beyond the file") {
  File file;
  for (std::size_t line = 0; line < 4; ++line) file.store(line, 7);
  file.image.flush(0, {LINE + 63, 2});
  file.image.flush(0, {4 * PAGE - 1, 100});
  file.image.flush(0, {9 * PAGE, 100});
  file.image.fence(0);
  CHECK(file.count(0, 7) < SEEDS);
  CHECK(file.count(1, 7) == SEEDS);
  CHECK(file.count(2, 7) == SEEDS);
  CHECK(file.count(3, 7) < SEEDS);
  CHECK(Range{63, 2}.lines() == 2);
  CHECK(Range{64, 64}.lines() == 1);
  CHECK(Range{64, 0}.lines() == 0);
}

TEST_CASE("what the file held at the start persists, and a file that grew persists zeros") {
  std::array<std::byte, PAGE> start{};
  std::array<std::byte, 2 * PAGE> memory{};
  start.fill(std::byte{1});
  std::ranges::copy(start, memory.begin());
  Image image{start, std::span(memory).first(PAGE)};
  CHECK(image.crash(1).empty());
  memory[0] = memory[PAGE] = std::byte{2};
  image.look_at(memory);
  image.flush(0, {0, 1});
  image.flush(0, {PAGE, 1});
  image.fence(0);
  const auto left = image.crash(1);
  REQUIRE(left.size() == 2);
  CHECK(left[0].content[0] == 0x0101010101010102U);
  CHECK(left[1].offset == PAGE);
  CHECK(left[1].content[0] == 2);
}

TEST_CASE("the same seed draws the same image, another seed another one") {
  File file;
  for (std::size_t line = 0; line < 64; ++line) file.store(line, line + 1);
  file.image.flush(0, {0, 32 * LINE});
  CHECK(file.image.crash(5) == file.image.crash(5));
  CHECK(file.image.crash(5) != file.image.crash(6));
}

TEST_CASE("a plan is read, and what it does not know is refused") {
  const Folder folder;
  folder.write("plan", "file=/a b/c=d\nseed=7\npoints=3,1,20\ndrop_flush=2\n");
  const auto plan = read_plan(folder.path());
  CHECK(plan.file == "/a b/c=d");
  CHECK(plan.seed == 7);
  CHECK(plan.points == std::set<std::uint64_t>{1, 3, 20});
  CHECK(plan.drop_flush == 2);
  CHECK(plan.drop_fence == 0);
  CHECK(read_plan(folder.at("nowhere")).file.empty());
  folder.write("plan", "colour=red\n");
  CHECK(tests::holds(error_of([&] { read_plan(folder.path()); }), "BadPlan: shadow plan: unknown key colour"));
  folder.write("plan", "points=1,x\n");
  CHECK(tests::holds(error_of([&] { read_plan(folder.path()); }), "points=x is no number"));
}

#if defined(__x86_64__)
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

/// A kernel's own flush, told to the image.
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
/// Stores that go to memory by themselves: each is on its way as soon as it is made.
template <class Real>
struct Direct {
  static void put(std::byte* line, __m128i value) noexcept {
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
