/// One machine warms the caches of all others that have the same ones.
#include <doctest/doctest.h>

#include <random>

#include "folder.hpp"
#include "simulate/guesses.hpp"
#include "simulate/machine.hpp"

using tierscope::simulate::Kind;
using tierscope::simulate::LINE;
using tierscope::simulate::Machine;
using tierscope::simulate::Time;

namespace {

std::string text(const std::string& policy, const std::string& prefetch, unsigned entries, const std::string& read) {
  return "name = \"made\"\nsummary = \"\"\nsource = \"\"\n[cpu]\ncount = 2\n[pages]\nbytes = \"4KiB\"\n"
         "[[cache]]\nname = \"L1d\"\nsize = \"4KiB\"\nways = 4\npolicy = \"" +
         policy +
         "\"\nlatency = \"1ns\"\n"
         "[[cache]]\nname = \"L2\"\nsize = \"256KiB\"\nways = 16\nlatency = \"4ns\"\nprefetch = \"" +
         prefetch + "\"\nshared = 2\n[[tlb]]\nname = \"DTLB\"\nentries = " + std::to_string(entries) +
         "\nlatency = \"0ns\"\n[walk]\nbase = \"5ns\"\n[memory.m]\nkind = \"flat\"\nsize = \"1GiB\"\nread = \"" + read +
         "\"\nwrite = \"100ns\"\n";
}

struct Made {
  Made(const std::string& policy, const std::string& prefetch, unsigned entries, const std::string& read) {
    folder.write("made.toml", text(policy, prefetch, entries, read));
    machine = std::make_unique<Machine>(folder.at("made.toml"));
  }
  /// Accesses that miss, hit and replace; return the time of each.
  std::vector<Time> run(std::uint64_t seed, int count) {
    std::mt19937_64 draw(seed);
    std::vector<Time> times;
    for (int n = 0; n < count; ++n) {
      const auto line = n % 3 == 0 ? static_cast<std::uint64_t>(n) : draw() % 8192;
      const Time done = machine->access(0, line * LINE, n % 5 == 0 ? Kind::store : Kind::load, now);
      times.push_back(done - now);
      now = done;
    }
    return times;
  }
  tierscope::tests::Folder folder;
  std::unique_ptr<Machine> machine;
  Time now = 0;
};

}  // namespace

TEST_CASE("a machine with the content of another one's caches takes the same times") {
  for (const auto* policy : {"lru", "tree-plru", "nru", "random"}) {
    for (const auto* prefetch : {"none", "next-line", "stride"}) {
      CAPTURE(policy);
      CAPTURE(prefetch);
      Made warmed(policy, prefetch, 64, "100ns"), cold(policy, prefetch, 64, "100ns");
      REQUIRE(cold.machine->caches_like(*warmed.machine));
      cold.run(1, 500);  // something else, which is forgotten
      warmed.run(2, 20'000);
      cold.now = warmed.now += 1'000'000;  // nothing is on its way
      cold.machine->copy_caches(0, *warmed.machine);
      CHECK(cold.run(3, 5'000) == warmed.run(3, 5'000));
    }
  }
}

TEST_CASE("only what decides the content of caches and TLBs makes machines differ") {
  Made one("lru", "stride", 64, "100ns");
  CHECK(one.machine->caches_like(*Made("lru", "stride", 64, "300ns").machine));
  CHECK_FALSE(one.machine->caches_like(*Made("tree-plru", "stride", 64, "100ns").machine));
  CHECK_FALSE(one.machine->caches_like(*Made("lru", "none", 64, "100ns").machine));
  CHECK_FALSE(one.machine->caches_like(*Made("lru", "next-line", 64, "100ns").machine));
  CHECK_FALSE(one.machine->caches_like(*Made("lru", "stride", 32, "100ns").machine));
}

TEST_CASE("branches are predicted once for all machines, for each thread by itself") {
  namespace flow = tierscope::simulate::flow;
  flow::Instruction branch{};
  branch.kind = flow::Class::branch;
  branch.address = 100;
  branch.length = 2;
  flow::Instruction behind = branch, elsewhere = branch;
  behind.address = 102;
  elsewhere.address = 200;
  behind.kind = elsewhere.kind = flow::Class::integer;
  const flow::Block first{branch}, next{behind}, other{elsewhere};
  tierscope::simulate::Guesses guesses;
  const auto guess = [&](std::uint32_t thread, const flow::Block& block) {
    flow::Step step{thread, &block, {}, nullptr};
    guesses.take(step);
    return step.guess;
  };
  CHECK(guess(0, first) == flow::Guess::unknown);  // no branch before it
  for (int n = 0; n < 100; ++n) {
    guess(0, other);
    guess(0, first);
  }
  CHECK(guess(1, first) == flow::Guess::unknown);
  CHECK(guess(0, other) == flow::Guess::right);
  guess(0, first);
  CHECK(guess(0, next) == flow::Guess::wrong);
  CHECK(guess(0, next) == flow::Guess::unknown);
}
