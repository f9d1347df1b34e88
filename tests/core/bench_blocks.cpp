/// Blocks of one thread: what the kernel is asked to do, and what is written down of it. Nothing here waits for a
/// clock.
#include "bench/blocks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <thread>

#include "base/syscall.hpp"
#include "kernels/walk.hpp"
#include "spy.hpp"

using namespace tierscope;
namespace spy = tests::spy;

namespace {

/// One group of one member on memory of its own, with room for 1000 blocks.
class Made {
 public:
  explicit Made(const std::string& words) : group_(make_group(plan_of(words))), memory_(group_.footprint()) {
    place(group_, memory_, {});
    spy::calls().clear();
  }
  Group& group() { return group_; }
  Member& member() { return group_.members[0]; }
  BlockRunner runner(double seconds = 1e-4, double block_s = 1e-6) {
    batch_.number = 7;
    batch_.seconds = seconds;
    batch_.block_s = block_s;
    batch_.sizing = batch_.leading = 1;
    return {group_, member(), 3, 5, batch_};
  }

 private:
  static GroupPlan plan_of(const std::string& words) {
    GroupPlan plan;
    read_words(parse_line("group " + words).words, plan);
    plan.cpus = {sys::allowed_cpus().front()};
    return plan;
  }
  struct alignas(kernels::LINE) Line {
    std::byte bytes[kernels::LINE];
  };
  class Memory {
   public:
    explicit Memory(std::size_t bytes) : lines_(bytes / kernels::LINE) {}
    operator std::span<std::byte>() { return {lines_.front().bytes, lines_.size() * kernels::LINE}; }

   private:
    std::vector<Line> lines_;
  };
  Group group_;
  Memory memory_;
  Batch batch_;
};

std::uint64_t done_by(const std::vector<spy::Call>& calls) {
  std::uint64_t sum = 0;
  for (const auto& call : calls) sum += (call.end - call.begin) * call.repeats;
  return sum;
}

}  // namespace

TEST_CASE("blocks follow each other through the slice, in whole granules, and start over at its end") {
  for (const std::string shape : {"streams=1 unroll=1", "streams=2 unroll=4", "streams=4 unroll=1 interleave=4KiB"}) {
    CAPTURE(shape);
    Made made("kernel=spy footprint=1000KiB " + shape);
    auto& member = made.member();
    const auto granule = made.group().variant.shape.granule();
    member.block = 3 * granule;
    auto runner = made.runner();
    runner.run();
    const auto& calls = spy::calls();
    REQUIRE(calls.size() == runner.blocks().size());
    std::uint64_t at = member.begin;
    for (const auto& call : calls) {
      REQUIRE(call.begin == at);
      REQUIRE(call.end == std::min(at + member.block, member.end));
      REQUIRE((call.end - call.begin) % granule == 0);
      REQUIRE(call.repeats == 1);
      at = call.end == member.end ? member.begin : call.end;
    }
    CHECK(member.position == at);
    CHECK(member.done == done_by(calls));
  }
}

TEST_CASE("a slice smaller than a block is passed over in whole passes") {
  Made made("kernel=spy footprint=4KiB");
  made.member().block = 5 * 32 + 7;
  auto runner = made.runner();
  runner.run();
  for (const auto& call : spy::calls()) REQUIRE(call == spy::Call{0, 32, 5});
  for (const auto& block : runner.blocks()) REQUIRE(block.operations == 160);
}

TEST_CASE("a block states its thread, its time and its operations") {
  Made made("kernel=spy footprint=64KiB");
  made.member().block = 64;
  auto runner = made.runner();
  runner.run();
  REQUIRE(runner.blocks().size() > 1);
  std::uint64_t before = 0;
  for (const auto& block : runner.blocks()) {
    REQUIRE(block.group == 3);
    REQUIRE(block.thread == 5);
    REQUIRE(block.batch == 7);
    REQUIRE(block.operations == 64);
    REQUIRE(block.start_ticks >= before);
    REQUIRE(block.stop_ticks >= block.start_ticks);
    REQUIRE((block.flags & SIZING) == 0);
    REQUIRE(((block.flags & PREEMPTED) != 0) == (block.switches > 0));
    REQUIRE(((block.flags & MIGRATED) != 0) == (block.cpu != made.member().cpu));
    before = block.stop_ticks;
  }
}

TEST_CASE("blocks never outgrow the memory that was reserved for them") {
  Made made("kernel=spy footprint=4KiB");
  made.member().block = 1;  // far shorter than asked
  auto runner = made.runner(1e-3, 1e-4);
  const auto* room = runner.blocks().data();
  runner.run();
  CHECK(runner.blocks().data() == room);
  CHECK(runner.blocks().size() <= runner.blocks().capacity());
}

TEST_CASE("sizing marks its blocks, and a second batch keeps the size") {
  Made made("kernel=spy footprint=1MiB");
  auto first = made.runner(1e-3, 1e-4);
  first.size();
  REQUIRE_FALSE(first.blocks().empty());
  for (const auto& block : first.blocks()) REQUIRE((block.flags & SIZING) != 0);
  CHECK(made.member().block >= 1);
  CHECK(made.member().done == done_by(spy::calls()));
}

namespace {
/// Every third pass is interrupted for some twenty blocks.
std::uint64_t interrupted_pass(kernels::Pass& pass) noexcept {
  static int calls = 0;
  if (++calls % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return spy::pass(pass);
}
}  // namespace

TEST_CASE("interruptions do not make blocks short") {
  constexpr double BLOCK_S = 1e-4;
  Made quiet("kernel=spy footprint=1MiB"), busy("kernel=spy footprint=1MiB");
  const auto sized = [](Made& made) {
    made.member().block = 0;
    made.runner(1e-3, BLOCK_S).size();
    return made.member().block;
  };
  busy.group().variant.function = &interrupted_pass;
  const auto is_whole = [&] {
    const auto before = sized(quiet), between = sized(busy), after = sized(quiet);
    return between >= std::min(before, after) / 8;  // a machine that others use is slower; 20 where it counts a pass
  };
  for (int batch = 0; batch < 5; ++batch) CHECK((is_whole() || is_whole() || is_whole()));  // others may come between
}

TEST_CASE("a paced pass moves burst by burst, and covers the same lines as an unpaced one") {
  for (const std::string shape : {"streams=1 unroll=1", "streams=2 unroll=4", "streams=4 unroll=1 interleave=4KiB"}) {
    CAPTURE(shape);
    Made made("kernel=spy footprint=1000KiB pace=1 burst=2KiB " + shape);
    const auto its = made.group().variant.shape;
    auto& member = made.member();
    member.block = 5 * its.granule();
    made.runner().run();
    const auto slice = member.end - member.begin;
    std::vector<unsigned> visits(slice);
    for (const auto& call : spy::calls()) {
      REQUIRE((call.end - call.begin) % its.unroll == 0);
      REQUIRE((call.end - call.begin) * its.streams <= 16);  // 2 KiB of 128 program bytes each
      for (unsigned stream = 0; stream < its.streams; ++stream)
        for (auto line = call.begin; line < call.end; ++line) ++visits[line + stream * call.distance];
    }
    CHECK(member.done == std::accumulate(visits.begin(), visits.end(), std::uint64_t{0}));
    const auto passes = static_cast<unsigned>(member.done / slice), rest = static_cast<unsigned>(member.done % slice);
    for (std::size_t line = 0; line < slice; ++line) REQUIRE(visits[line] == passes + (line < rest ? 1 : 0));
  }
}

TEST_CASE("the streams of a burst are as far apart as without bursts") {
  Made made("kernel=spy footprint=1000KiB streams=2 unroll=4 pace=1 burst=1KiB");
  made.member().block = 400;
  made.runner().run();
  CHECK(spy::calls()[0].distance == kernels::distance_of({.streams = 2, .unroll = 4}, 400));
  CHECK(spy::calls()[0].distance > 100);
}

TEST_CASE("a burst contains at least the bytes that were asked for, and a step of each stream") {
  for (const auto& one : std::map<std::string, std::uint64_t>{{"64B", 8}, {"1KiB", 8}, {"1088B", 16}}) {
    const std::string& burst = one.first;  // names of their own: Clang 14 lets no lambda capture a structured binding
    const std::uint64_t lines = one.second;
    CAPTURE(burst);
    Made made("kernel=spy footprint=1000KiB streams=2 unroll=4 pace=1 burst=" + burst);
    made.member().block = 4000;
    made.runner().run();
    CHECK(2 * (spy::calls()[0].end - spy::calls()[0].begin) == lines);
  }
}

TEST_CASE("a paced chase moves hop by hop") {
  Made made("kernel=chase footprint=4KiB pace=1");
  fill(made.group(), 0, {});
  made.member().block = 10;
  auto runner = made.runner();
  runner.run();
  for (const auto& block : runner.blocks()) REQUIRE(block.operations == 10);
  CHECK(verify(made.group(), 0) == 0);
}
