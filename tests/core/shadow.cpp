/// Shadow images: which states a power failure may leave.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "folder.hpp"
#include "says.hpp"
#include "shadow/image.hpp"
#include "shadow/plan.hpp"
#include "shadow/stores.hpp"
#include "shadow_file.hpp"

using namespace tierscope;
using namespace tierscope::shadow;
using tests::error_of;
using tests::Folder;
using File = tests::ShadowFile;
using tests::SEEDS;

TEST_CASE("a flushed and fenced line is there after every power failure") {
  File file;
  file.store(3, 7);
  file.flush(3);
  file.image.fence(0);
  CHECK(file.count(3, 7) == SEEDS);
}

TEST_CASE("a flushed line without a fence is there after half of the power failures") {
  File file;
  file.store(3, 7);
  file.flush(3);
  const auto found = file.count(3, 7);
  CHECK(found > SEEDS * 4 / 10);
  CHECK(found < SEEDS * 6 / 10);
  CHECK(found + file.count(3, 0) == SEEDS);
}

TEST_CASE("a stored line without a flush is there after 30 % of the power failures, because caches evict") {
  File file;
  file.store(3, 7);
  const auto found = file.count(3, 7);
  CHECK(found > SEEDS * 2 / 10);
  CHECK(found < SEEDS * 4 / 10);
  CHECK(found + file.count(3, 0) == SEEDS);
}

TEST_CASE("a store after the flush is not part of it") {
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

TEST_CASE("a line whose stores are known is left after any of them, in their order") {
  File file;
  const Line empty{}, data{0, 5}, both{1, 5};
  file.store(3, 5, 1);
  file.store(3, 1, 0);
  file.image.stored(3, empty, data);
  file.image.stored(3, data, both);
  file.flush(3);
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  unsigned between = 0;
  for (unsigned seed = 0; seed < SEEDS; ++seed) {
    const std::pair<std::uint64_t, std::uint64_t> left{file.left(3, seed, 0), file.left(3, seed, 1)};
    seen.insert(left);
    between += left.first == 0 && left.second == 5 ? 1 : 0;
  }
  CHECK(seen == std::set<std::pair<std::uint64_t, std::uint64_t>>{{0, 0}, {0, 5}, {1, 5}});
  CHECK(between > SEEDS / 10);
  CHECK(between < SEEDS / 4);
  file.image.forget_stores();
  file.image.fence(0);
  CHECK(file.count(3, 1) == SEEDS);
}

TEST_CASE("one store arrives whole up to 16 bytes, and of more some of its parts of 16 bytes") {
  File file;
  Line small{}, large{};
  small[2] = small[3] = 7;
  large[2] = large[3] = large[4] = large[5] = 9;
  for (std::size_t word = 2; word < 6; ++word) {
    file.store(3, small[word], word);
    file.store(4, large[word], word);
  }
  file.image.stored(3, {}, small);
  file.image.stored(4, {}, large);
  std::set<std::pair<std::uint64_t, std::uint64_t>> halves;
  for (unsigned seed = 0; seed < SEEDS; ++seed) {
    CHECK(file.left(3, seed, 2) == file.left(3, seed, 3));
    CHECK(file.left(4, seed, 2) == file.left(4, seed, 3));
    CHECK(file.left(4, seed, 4) == file.left(4, seed, 5));
    halves.insert({file.left(4, seed, 2), file.left(4, seed, 4)});
  }
  CHECK(halves.size() == 4);
}

TEST_CASE("stores to a mapping are noted one by one, in their order, and the mapping works as before") {
  const Folder folder;
  folder.write("file", std::string(2 * PAGE, '\0'));
  const int descriptor = open(folder.at("file").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(descriptor >= 0);
  void* const mapped = mmap(nullptr, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  REQUIRE(mapped != MAP_FAILED);
  auto* const words = static_cast<volatile std::uint64_t*>(mapped);
  const auto begin = reinterpret_cast<std::uintptr_t>(words);
  const std::array mappings{Stores::Mapping{begin, begin + 2 * PAGE, 0}};
  Stores stores;
  if (stores.begin(mappings)) {
    words[9] = 1;
    words[8] = 2;
    words[PAGE / 8] = 3;
    words[9] = 1;  // as it was
    stores.end();
    words[9] = 4;
    const auto noted = stores.take();
    REQUIRE(noted.size() == 3);
    CHECK(noted[0].line == 1);
    CHECK(noted[0].after == Line{0, 1});
    CHECK(noted[1].before == Line{0, 1});
    CHECK(noted[1].after == Line{2, 1});
    CHECK(noted[2].line == PAGE / LINE);
    CHECK(noted[2].after == Line{3});
    CHECK(stores.take().empty());
    CHECK(words[9] == 4);
  }
  CHECK(munmap(mapped, 2 * PAGE) == 0);
  close(descriptor);
}

TEST_CASE("either of two lines may arrive first") {
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

TEST_CASE("an older flush of another thread cannot undo what persisted later") {
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

TEST_CASE("a line that was flushed back to its persistent content does not keep the content between") {
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

TEST_CASE("the content of the file at the start persists, and a file that grew persists zeros") {
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

TEST_CASE("truncated bytes do not return when the file grows again") {
  File file;
  file.start[2 * PAGE] = file.memory[2 * PAGE] = std::byte{1};
  file.store(PAGE / LINE, 7);
  file.image.flush(0, {0, 4 * PAGE});
  file.image.fence(0);
  file.image.look_at(std::span(file.memory).first(PAGE));
  std::ranges::fill(std::span(file.memory).subspan(PAGE), std::byte{0});
  file.look();
  CHECK(file.image.crash(1).empty());
  file.store(2 * PAGE / LINE, 5);
  file.flush(2 * PAGE / LINE);
  file.image.fence(0);
  CHECK(file.count(2 * PAGE / LINE, 5) == SEEDS);
}

TEST_CASE("pages that are marked as zeros are not read, and only the named parts are read") {
  File file;
  file.start.fill(std::byte{1});
  Image image{file.start, file.memory, {true, false, true, true}};
  const Range second{PAGE, PAGE};
  CHECK(image.crash(1, {&second, 1}).empty());
  file.store(PAGE / LINE, 7);
  unsigned found = 0;
  for (unsigned seed = 0; seed < SEEDS; ++seed) {
    const auto left = image.crash(seed, {&second, 1});
    for (const auto& each : left) CHECK(each.offset == PAGE);
    found += left.empty() ? 0 : 1;
  }
  CHECK(found > 0);
}

TEST_CASE("the same seed draws the same image, another seed another one") {
  File file;
  for (std::size_t line = 0; line < 64; ++line) file.store(line, line + 1);
  file.image.flush(0, {0, 32 * LINE});
  CHECK(file.image.crash(5) == file.image.crash(5));
  CHECK(file.image.crash(5) != file.image.crash(6));
}

TEST_CASE("a plan is read, and unknown parts are refused") {
  const Folder folder;
  folder.write("plan", "file=/a b/c=d\nseed=7\nstores=1\npoints=3,1,20\ndrop_flush=2\n");
  const auto plan = read_plan(folder.path());
  CHECK(plan.file == "/a b/c=d");
  CHECK(plan.seed == 7);
  CHECK(plan.stores);
  CHECK(plan.points == std::set<std::uint64_t>{1, 3, 20});
  CHECK(plan.drop_flush == 2);
  CHECK(plan.drop_fence == 0);
  CHECK(read_plan(folder.at("nowhere")).file.empty());
  folder.write("plan", "colour=red\n");
  CHECK(tests::holds(error_of([&] { read_plan(folder.path()); }), "BadPlan: shadow plan: unknown key colour"));
  folder.write("plan", "points=1,x\n");
  CHECK(tests::holds(error_of([&] { read_plan(folder.path()); }), "points=x is not a number"));
}
