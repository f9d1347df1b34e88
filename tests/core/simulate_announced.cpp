/// Announced accesses: the tables of large buffers are brought into the host's caches, and nothing else changes.
#include <doctest/doctest.h>

#include <random>

#include "simulate_made.hpp"

using namespace tierscope::simulate;
using tierscope::tests::memory_of;

namespace {

/// Two buffers. The far one has `units` units of 128 B, and the keys of `more`.
std::string dimm(std::uint64_t units, const std::string& more) {
  return "kind = \"dimm\"\naccept = \"90ns\"\nways = 3\ngrain = \"256B\"\norder = \"hash\"\n"
         "[[buffer]]\nsize = \"2KiB\"\nunit = \"64B\"\nlatency = \"20ns\"\n"
         "[[buffer]]\nunit = \"128B\"\nlatency = \"50ns\"\nsize = \"" +
         std::to_string(units * 128) + "B\"\n" + more +
         "\n[queue]\nwpq = 8\nentries = 5\n[media]\nread = \"70ns\"\nwrite = \"110ns\"\n";
}

/// Times of reads and writes of random lines in batches; the lines of a batch are announced first if `announced`.
std::vector<Time> times(Memory& memory, bool announced) {
  std::mt19937_64 random(7);
  std::vector<Time> found;
  Time at = 0;
  for (unsigned batch = 0; batch < 200; ++batch) {
    std::vector<std::uint64_t> lines(64);
    for (auto& line : lines) line = random() % 4000 * LINE;
    for (unsigned step = 0; announced && step < ANNOUNCED; ++step)
      for (const auto line : lines) memory.announce(line, step);
    for (const auto line : lines) {
      at = line % 5 == 0 ? memory.write(line, at) : memory.read(line, at);
      found.push_back(at);
    }
  }
  return found;
}

}  // namespace

TEST_CASE("an announced access takes as long and counts as much as another, for each kind of buffer") {
  for (const std::string policy : {"lru", "clock", "fifo", "random"})
    for (const std::string sets : {"", "ways = 8\n", "ways = 8\nindex = \"hash\"\n"}) {
      CAPTURE(policy);
      CAPTURE(sets);
      const auto text = dimm(512, "policy = \"" + policy + "\"\n" + sets);
      const auto one = memory_of(text), other = memory_of(text);
      CHECK(times(*one, true) == times(*other, false));
      Counters announced, plain;
      one->count("", announced);
      other->count("", plain);
      CHECK(announced == plain);
      CHECK(plain.at("buffer1.hits") > 0);
    }
}

TEST_CASE("only memories with large tables ask for announcements") {
  CHECK(memory_of(dimm(1 << 20, ""))->announced());
  CHECK(memory_of(dimm(1 << 20, "policy = \"fifo\"\nways = 4\n"))->announced());
  CHECK_FALSE(memory_of(dimm(512, ""))->announced());
}
