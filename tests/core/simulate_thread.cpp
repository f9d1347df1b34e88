/// One thread of a simulated machine: what stores, flushes and fences wait for.
#include <doctest/doctest.h>

#include <vector>

#include "folder.hpp"
#include "simulate/thread.hpp"

using namespace tierscope::simulate;

namespace {

constexpr Time NS = 1000, READ = 300 * NS, WRITE = 80 * NS, CACHE = 20 * NS, ISSUE = 1 * NS;

/// A machine with one cache and one flat memory.
struct Made {
  tierscope::tests::Folder folder;
  Machine machine;
  Thread thread;
  explicit Made(const std::string& cpu = "") : machine(written(cpu)), thread(machine, 0) {}
  std::string written(const std::string& cpu) {
    folder.write("made.toml",
                 "name = \"made\"\nsummary = \"\"\nsource = \"\"\n[cpu]\ncount = 1\nissue = \"1ns\"\nstores = 16\n" +
                     cpu +
                     "\n[[cache]]\nname = \"L1d\"\nsize = \"32KiB\"\nways = 8\nlatency = \"20ns\"\n"
                     "[memory.flat]\nkind = \"flat\"\nsize = \"1GiB\"\nread = \"300ns\"\nwrite = \"80ns\"\n");
    return folder.at("made.toml");
  }
  /// Make the accesses in order; return the start of the last one.
  Time make(const std::vector<Access>& accesses) {
    Time at = 0;
    for (const auto& access : accesses) at = thread.run(access);
    return at;
  }
};

Access store(std::uint64_t line) { return {line * LINE, Kind::store, false}; }
Access clwb(std::uint64_t line) { return {line * LINE, Kind::clwb, false}; }
Access store_nt(std::uint64_t line) { return {line * LINE, Kind::store_nt, false}; }
const Access SFENCE{0, Kind::sfence, false}, MFENCE{0, Kind::mfence, false};

}  // namespace

TEST_CASE("a flush ends after the line of its store came") {
  Made made;
  CHECK(made.make({store(0), clwb(0), MFENCE}) >= CACHE + READ + CACHE + WRITE);
}

TEST_CASE("lines of stores behind sfence come while it waits, and nothing leaves before its end") {
  Made made;
  const Time one = CACHE + READ + CACHE + WRITE;
  const Time two = made.make({store(0), clwb(0), SFENCE, store(1), clwb(1), MFENCE});
  CHECK(two >= one + CACHE + WRITE);
  CHECK(two < one + CACHE + WRITE + 10 * ISSUE);  // the second line came with the first
}

TEST_CASE("a load does not wait behind sfence, but behind mfence") {
  Made made, other;
  CHECK(made.make({store(0), SFENCE, {1024, Kind::load, false}}) < 10 * ISSUE);
  CHECK(other.make({store(0), MFENCE, {1024, Kind::load, false}}) >= READ);
}

TEST_CASE("a store past the caches waits behind sfence, and takes the time of its way") {
  Made made, slow("bypass = \"54ns\"");
  CHECK(made.make({store_nt(0), SFENCE, store_nt(1)}) == WRITE);
  CHECK(slow.make({store_nt(0), SFENCE, store_nt(1)}) == WRITE + 54 * NS);
}

TEST_CASE("lines of later stores are asked for before an earlier flush reaches the memory") {
  Made made;
  std::vector<std::pair<std::uint64_t, bool>> seen;
  made.machine.watch([&](std::uint64_t address, bool write) { seen.emplace_back(address / LINE, write); });
  made.make({store(0), clwb(0), store(1), clwb(1), MFENCE});
  CHECK(seen == std::vector<std::pair<std::uint64_t, bool>>{{0, false}, {1, false}, {0, true}, {1, true}});
}

TEST_CASE("a line that is stored again while a flush of it waits is flushed twice") {
  Made made;
  std::vector<std::pair<std::uint64_t, bool>> seen;
  made.machine.watch([&](std::uint64_t address, bool write) { seen.emplace_back(address / LINE, write); });
  made.make({store(0), clwb(0), store(0), clwb(0), MFENCE});
  CHECK(seen == std::vector<std::pair<std::uint64_t, bool>>{{0, false}, {0, true}, {0, true}});
}

TEST_CASE("a store waits for a place until the flush before it has ended") {
  Made made;
  std::vector<Access> accesses;
  for (std::uint64_t line = 0; line < 8; ++line) accesses.insert(accesses.end(), {store(line), clwb(line)});
  accesses.push_back(store(8));  // the first store has ended when its line came
  CHECK(made.make(accesses) < CACHE + READ + 20 * ISSUE);
  CHECK(made.make({store(9)}) >= CACHE + READ + CACHE + WRITE);  // the first flush ends with the acceptance
}

TEST_CASE("what is left of flushes is in the memory when all is drained") {
  Made made;
  std::size_t writes = 0;
  made.machine.watch([&](std::uint64_t, bool write) { writes += write ? 1 : 0; });
  made.make({store(0), clwb(0), SFENCE, store(1), clwb(1), SFENCE});
  CHECK(writes == 0);
  CHECK(made.thread.drained() >= CACHE + READ + 2 * (CACHE + WRITE));
  CHECK(writes == 2);
}

TEST_CASE("lines for stores and lines of flushes pass the way to memory one after the other") {
  const auto each_ns = [](bool from_memory) {
    Made made("transfer = \"27ns\"");
    std::vector<Access> accesses;
    constexpr std::uint64_t LINES = 400;
    for (std::uint64_t i = 0; i < LINES; ++i) {
      const auto line = from_memory ? i : i % 8;
      accesses.insert(accesses.end(), {store(line), clwb(line)});
    }
    accesses.push_back(MFENCE);
    return static_cast<double>(made.make(accesses)) / LINES / NS;
  };
  CHECK(each_ns(true) == doctest::Approx(54).epsilon(0.05));
  CHECK(each_ns(false) == doctest::Approx(27).epsilon(0.05));
}
