/// Right before fast, and it is noticed: every way to be wrong that a block could have.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/registry.hpp"
#include "bench/cycle.hpp"
#include "bench/group.hpp"

using namespace tierscope;
using kernels::LINE;

namespace {

/// A group on filled memory.
class Made {
 public:
  explicit Made(const std::string& words) {
    GroupPlan plan;
    read_words(parse_line("group cpus=0 isa=scalar " + words).words, plan);
    group_ = make_group(plan);
    buffer_ = Registry<TargetEntry>::find("target", "node").make({"0", "4k"})->map(group_.footprint());
    place(group_, buffer_.bytes(), {});
    fill(group_, 0, buffer_.bytes());
    remember(group_, 0);
  }
  Member& member() { return group_.members[0]; }
  Group& group() { return group_; }
  [[nodiscard]] const Group& group() const { return group_; }
  /// The kernel itself, over operations [begin, end).
  void run(std::uint64_t begin, std::uint64_t end) {
    auto& pass = member().pass;
    pass.begin = begin;
    pass.end = end;
    pass.repeats = 1;
    group_.variant.function(pass);
    member().done = std::max(member().done, end);
  }
  /// The kernel itself, as blocks of `block` operations walk the slice round and round.
  void walk(std::uint64_t operations, std::uint64_t block) {
    auto& its = member();
    for (std::uint64_t left = operations; left > 0;) {
      its.pass.begin = its.position;
      its.pass.end = std::min({its.position + block, its.position + left, its.end});
      its.pass.repeats = 1;
      group_.variant.function(its.pass);
      left -= its.pass.end - its.pass.begin;
      its.done += its.pass.end - its.pass.begin;
      its.position = its.pass.end == its.end ? its.begin : its.pass.end;
    }
  }
  void hop(std::uint64_t hops) {
    member().pass.repeats = hops;
    group_.variant.function(member().pass);
    member().done += hops;
  }
  std::byte& at(std::size_t operand, std::size_t byte) { return member().pass.operand[operand][byte]; }
  [[nodiscard]] double error() const { return verify(group_, 0); }

 private:
  Group group_;
  Buffer buffer_;
};

const std::vector<std::string> STORING{"write",    "copy",     "scale",  "add",   "triad",
                                       "mix_1r1w", "mix_3r1w", "memcpy", "memset"};

}  // namespace

TEST_CASE("a right answer has no difference") {
  for (const auto& kernel : STORING) {
    CAPTURE(kernel);
    Made made("kernel=" + kernel + " footprint=768KiB");
    made.run(0, made.group().operations);
    CHECK(made.error() == 0);
  }
}

TEST_CASE("blocks that have not run are not asked for") {
  CHECK(Made("kernel=triad footprint=768KiB").error() == 0);
  Made half("kernel=triad footprint=768KiB");
  half.run(0, 100);
  CHECK(half.error() == 0);
}

TEST_CASE("one wrong bit is detected in the first, the last and a middle line") {
  for (const auto& kernel : STORING) {
    CAPTURE(kernel);
    Made made("kernel=" + kernel + " footprint=96KiB");
    const auto lines = made.group().operations;
    const auto stored = lines * made.group().entry->info->operands[0].lines;
    for (const auto line : {std::uint64_t{0}, stored / 2, stored - 1}) {
      made.run(0, lines);
      REQUIRE(made.error() == 0);
      made.at(0, line * LINE + 13) ^= std::byte{1};
      CHECK(made.error() > 0);
    }
  }
}

TEST_CASE("one line that was left out is detected") {
  for (const auto& kernel : STORING) {
    CAPTURE(kernel);
    Made made("kernel=" + kernel + " footprint=96KiB");
    const auto lines = made.group().operations;
    made.run(0, lines / 2);
    made.run(lines / 2 + 1, lines);
    CHECK(made.error() > 1e-9);
  }
}

TEST_CASE("a line that was stored to another place is detected") {
  Made made("kernel=copy footprint=64KiB");
  made.run(0, made.group().operations);
  std::memcpy(&made.at(0, 5 * LINE), &made.at(0, 6 * LINE), LINE);
  CHECK(made.error() > 1e-9);
}

TEST_CASE("a value that is not a number is wrong") {
  Made made("kernel=triad footprint=96KiB");
  made.run(0, made.group().operations);
  const double none = std::nan("");
  std::memcpy(&made.at(0, 64), &none, 8);
  CHECK(made.error() == WRONG);
}

TEST_CASE("an old answer does not pass for a new one") {
  for (const auto& kernel : STORING) {
    CAPTURE(kernel);
    Made made("kernel=" + kernel + " footprint=768KiB");
    made.run(0, made.group().operations);
    stir(made.group(), 0);
    CHECK(made.error() > 1e-9);
    made.run(0, made.group().operations);
    CHECK(made.error() == 0);
  }
}

TEST_CASE("a stir does not change operands that are only read, or bytes outside of the slice") {
  Made made("kernel=mix_3r1w footprint=256KiB");
  const auto read = made.group().operations * 3 * LINE;
  const std::vector<std::byte> before(&made.at(1, 0), &made.at(1, 0) + read);
  stir(made.group(), 0);
  CHECK(std::memcmp(&made.at(1, 0), before.data(), read) == 0);
  made.member().begin = made.member().end;
  made.run(0, made.group().operations);
  stir(made.group(), 0);
  made.member().begin = 0;
  CHECK(made.error() == 0);
}

namespace {
/// Reads all but the first line.
std::uint64_t lazy_read(kernels::Pass& pass) noexcept {
  kernels::Pass less = pass;
  ++less.begin;
  return kernels::KernelEntry(Registry<kernels::KernelEntry>::find("kernel", "read/scalar")).table()[0].function(less);
}
}  // namespace

TEST_CASE("a sum that lacks a line is wrong") {
  Made made("kernel=read footprint=64KiB");
  made.run(0, made.group().operations);
  REQUIRE(made.error() == 0);
  made.group().variant.function = &lazy_read;
  CHECK(made.error() == WRONG);
}

TEST_CASE("the end of a chase is known, after any number of hops") {
  for (const std::string order : {"", " locality=4KiB", " element=256"}) {
    CAPTURE(order);
    Made made("kernel=chase footprint=64KiB" + order);
    for (const auto hops : {0, 1, 7, 255, 100'000}) {
      made.hop(static_cast<std::uint64_t>(hops));
      CHECK(made.error() == 0);
    }
  }
}

TEST_CASE("a chase that ends one hop off, or outside of its cycle, is wrong") {
  Made made("kernel=chase footprint=64KiB");
  made.hop(1000);
  ++made.member().done;
  CHECK(made.error() == WRONG);
  --made.member().done;
  made.member().pass.cursor += LINE;
  CHECK(made.error() == WRONG);
}

TEST_CASE("a chase whose pointers were changed ends elsewhere") {
  Made made("kernel=chase footprint=4KiB");
  auto* const start = reinterpret_cast<std::uint64_t*>(made.member().pass.cursor);
  *start = reinterpret_cast<std::uintptr_t>(start);
  made.hop(10);
  CHECK(made.error() == WRONG);
}

TEST_CASE("random hops are repeated with plain arithmetic") {
  Made made("kernel=probe footprint=64KiB");
  made.hop(1000);
  CHECK(made.error() == 0);
  for (std::size_t node = 0; node < 64 * 1024 / LINE; ++node) made.at(0, node * LINE) ^= std::byte{1};
  CHECK(made.error() == WRONG);
}

TEST_CASE("every node of every member points along one cycle in its own slice") {
  GroupPlan plan;
  read_words(parse_line("group kernel=chase footprint=60KiB element=128").words, plan);
  plan.cpus = {0, 1, 2};
  auto group = make_group(plan);
  const auto buffer = Registry<TargetEntry>::find("target", "node").make({"0", "4k"})->map(group.footprint());
  place(group, buffer.bytes(), {});
  for (std::size_t m = 0; m < 3; ++m) {
    fill(group, m, buffer.bytes());
    const auto* base = buffer.bytes().data() + m * (20 << 10U);
    auto at = group.members[m].pass.cursor;
    std::size_t hops = 0;
    do {
      REQUIRE(at >= reinterpret_cast<std::uintptr_t>(base));
      REQUIRE(at < reinterpret_cast<std::uintptr_t>(base) + (20 << 10U));
      std::memcpy(&at, reinterpret_cast<const void*>(at), 8);
      ++hops;
    } while (at != group.members[m].pass.cursor && hops < 1000);
    CHECK(hops == 160);
  }
}

namespace {

/// All kernels on vectors that update what they read.
std::vector<std::string> updating() {
  std::vector<std::string> names;
  for (const auto* entry : Registry<kernels::KernelEntry>::entries())
    if (entry->isa == "scalar" && entry->info->operation == "line" && entry->info->check == kernels::Check::recomputed)
      names.emplace_back(entry->kernel);
  return names;
}

/// Return whether it updates what a random sequence names, in a table of known numbers that is a power of two large.
bool draws(const Made& made) { return made.group().entry->info->draws != nullptr; }

std::string words_of_updating(const std::string& kernel, std::uint64_t lines) {
  std::uint64_t operands = 0;
  GroupPlan plan;
  read_words({{"kernel", kernel}}, plan);
  for (const auto& operand : find_kernel(plan)->info->operands) operands += operand.lines;
  return "kernel=" + kernel + " footprint=" + std::to_string(lines * operands * LINE) + "B";
}

}  // namespace

TEST_CASE("an updated array is right after any number of passes and of parts of a pass") {
  CHECK_FALSE(updating().empty());
  for (const auto& kernel : updating()) {
    CAPTURE(kernel);
    for (const std::uint64_t lines : {1U, 100U, 1000U, 40'000U}) {
      CAPTURE(lines);
      Made made(words_of_updating(kernel, lines));
      REQUIRE(made.group().operations == (draws(made) ? std::bit_floor(lines) : lines));
      CHECK(made.error() == 0);
      for (const auto done : {std::uint64_t{1}, lines / 3, lines, 2 * lines + 7}) {
        made.walk(done, lines / 4 + 1);
        CHECK(made.error() == 0);
      }
    }
  }
}

TEST_CASE("an updated array is right after more passes than all windows can repeat" * doctest::test_suite("slow")) {
  for (const auto& kernel : updating()) {
    CAPTURE(kernel);
    Made made(words_of_updating(kernel, 16));
    made.member().pass.begin = 0;
    made.member().pass.end = 16;
    made.member().pass.repeats = 3'000'001;
    made.group().variant.function(made.member().pass);
    made.member().done = 16 * 3'000'001;
    CHECK(made.error() == 0);
    made.member().done -= 16;
    CHECK(made.error() > 1e-9);
  }
}

TEST_CASE("a line of an updated array that one pass left out, or took twice, is detected") {
  for (const auto& kernel : updating()) {
    CAPTURE(kernel);
    for (const std::uint64_t lines : {64U, 32'768U})
      for (const std::uint64_t line : {std::uint64_t{0}, lines / 2, lines - 1}) {
        Made made(words_of_updating(kernel, lines));
        made.walk(3 * lines, lines);
        REQUIRE(made.error() == 0);
        made.run(line, line + 1);
        made.member().done = 3 * lines;
        CHECK(made.error() > 1e-9);
        made.run(0, line);
        made.run(line + 1, lines);
        made.member().done = 4 * lines;
        CHECK(made.error() == 0);
        made.member().done = 5 * lines;
        CHECK(made.error() > 1e-9);
      }
  }
}

TEST_CASE("one wrong bit of an updated array is detected, and so is content that was never remembered") {
  for (const auto& kernel : updating()) {
    CAPTURE(kernel);
    Made made(words_of_updating(kernel, 512));
    for (const std::size_t line : {0U, 256U, 511U}) {
      made.walk(512, 512);
      REQUIRE(made.error() == 0);
      made.at(0, line * LINE + 13) ^= std::byte{1};
      CHECK(made.error() > 0);
      made.at(0, line * LINE + 13) ^= std::byte{1};
    }
    if (draws(made))
      std::memset(&made.at(0, 0), 0, 512 * LINE);  // nothing is remembered of it: it begins with known numbers
    else
      made.member().first = FirstContent{};
    CHECK(made.error() == WRONG);
  }
}

TEST_CASE("a kernel that states why it is not checked is not checked, and a call without this reason is wrong") {
  Made made("kernel=noop target=null");
  CHECK(made.error() == 0);
  static kernels::KernelInfo silent = *made.group().entry->info;
  silent.check = kernels::Check::replayed;
  static kernels::KernelEntry entry = *made.group().entry;
  entry.info = &silent;
  made.group().entry = {std::shared_ptr<void>(), &entry};
  CHECK(made.error() == WRONG);
}
