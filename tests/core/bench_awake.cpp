/// Memory that rests is read once before the next blocks; the smaller group of a larger mapping reads its own part.
#include "bench/awake.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "base/syscall.hpp"
#include "bench/bench.hpp"

using namespace tierscope;

namespace {

constexpr std::size_t PAGE = 4096;

GroupPlan plan_of(const std::string& words) {
  GroupPlan plan;
  plan.pages = "4k";
  read_words(parse_line("group kernel=read footprint=" + words).words, plan);
  plan.cpus = {sys::allowed_cpus()[0]};
  return plan;
}

/// Drops all pages of a range, as a host may. The next access to each of them is its first one.
void drop(std::span<std::byte> range) { REQUIRE(madvise(range.data(), range.size(), MADV_DONTNEED) == 0); }

std::size_t resident(std::span<std::byte> range) {
  std::vector<unsigned char> pages((range.size() + PAGE - 1) / PAGE);
  REQUIRE(mincore(range.data(), range.size(), pages.data()) == 0);
  return static_cast<std::size_t>(std::ranges::count_if(pages, [](unsigned char page) { return (page & 1) != 0; }));
}

/// Two blocks of the shortest length, which read a few pages of 64 MiB.
void measure(Bench& bench) { bench.measure(1e-6, 1e-6, {}, nullptr); }

}  // namespace

TEST_CASE("all pages of a group are there before its first block") {
  Bench bench;
  bench.prepare({plan_of("64MiB")});
  const auto memory = bench.store(0).target.buffer.bytes();
  drop(memory);
  REQUIRE(resident(memory) == 0);
  measure(bench);
  CHECK(resident(memory) == memory.size() / PAGE);
}

TEST_CASE("they are read again after a rest") {
  Bench bench;
  bench.prepare({plan_of("64MiB")});
  measure(bench);
  std::this_thread::sleep_for(std::chrono::duration<double>(2 * RESTED_S));
  const auto memory = bench.store(0).target.buffer.bytes();
  drop(memory);
  measure(bench);
  CHECK(resident(memory) == memory.size() / PAGE);
}

TEST_CASE("a group that uses a part of a larger mapping reads this part") {
  Bench bench;
  bench.prepare({plan_of("64MiB")});
  bench.set(0, plan_of("8MiB"));
  const auto memory = bench.store(0).target.buffer.bytes();
  REQUIRE(memory.size() == 64U << 20U);
  drop(memory);
  measure(bench);
  CHECK(resident(memory.first(8U << 20U)) == (8U << 20U) / PAGE);
  CHECK(resident(memory.subspan(8U << 20U)) == 0);
}
