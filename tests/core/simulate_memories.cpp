/// The memories without buffers of their own, and what puts several side by side.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "says.hpp"
#include "simulate/lru.hpp"
#include "simulate_made.hpp"

using namespace tierscope::simulate;
using tierscope::tests::counted;
using tierscope::tests::error_of;
using tierscope::tests::holds;
using tierscope::tests::memory_of;
using tierscope::tests::NS;
using tierscope::tests::rate;

namespace {

const std::string FLAT = "kind = \"flat\"\nread = \"100ns\"\nwrite = \"40ns\"\nbandwidth = \"64GB/s\"\n";
const std::string DRAM =
    "kind = \"dram\"\nchannels = 2\nbanks = 4\nrow = \"1KiB\"\nlatency = \"20ns\"\naccept = \"30ns\"\nrcd = \"10ns\"\n"
    "rp = \"11ns\"\ncas = \"12ns\"\nburst = \"3ns\"\nturnaround = \"5ns\"\nwrites = 4\n";

std::string cxl(const std::string& credits, const std::string& bandwidth) {
  return "kind = \"cxl\"\nlink = \"50ns\"\ncredits = " + credits + "\nbandwidth = \"" + bandwidth +
         "\"\n[behind]\nkind = \"flat\"\nread = \"100ns\"\nwrite = \"40ns\"\n";
}

}  // namespace

TEST_CASE("a flat memory takes its latency for every access") {
  const auto memory = memory_of(FLAT);
  CHECK(memory->read(0, 5 * NS) == 105 * NS);
  CHECK(memory->read(1 << 30, 200 * NS) == 300 * NS);
  CHECK(memory->write(0, 300 * NS) == 340 * NS);
  CHECK(counted(*memory, "reads") == 2);
  CHECK(counted(*memory, "writes") == 1);
}

TEST_CASE("the latency of a flat memory may vary, with the same mean") {
  for (const double spread : {0.1, 0.35, 1.0}) {
    const auto memory = memory_of(FLAT + "spread = " + std::to_string(spread) + "\n");
    double sum = 0, above = 0;
    Time least = 1000 * NS;
    constexpr int READS = 20000;
    for (int n = 0; n < READS; ++n) {
      const Time at = Time{n} * 2000 * NS, took = memory->read(0, at) - at;
      sum += static_cast<double>(took);
      above += took > 100 * NS ? 1 : 0;
      least = std::min(least, took);
    }
    CHECK(sum / READS == doctest::Approx(100 * NS).epsilon(0.03));
    CHECK(static_cast<double>(least) / NS - (1 - spread) * 100 == doctest::Approx(0).epsilon(0.06));
    CHECK(above / READS == doctest::Approx(std::exp(-1)).epsilon(0.05));
    CHECK(memory->write(0, Time{READS} * 2000 * NS) == Time{READS} * 2000 * NS + 40 * NS);
  }
}

TEST_CASE("the bandwidth of a flat memory is lines in flight over latency until its slots or its bus end that") {
  CHECK(rate(*memory_of(FLAT), 1, 4, 64, false) == doctest::Approx(4 * 64 / 100e-9).epsilon(0.01));
  CHECK(rate(*memory_of(FLAT + "slots = 2\n"), 1, 4, 64, false) == doctest::Approx(2 * 64 / 100e-9).epsilon(0.01));
  CHECK(rate(*memory_of(FLAT), 8, 64, 64, false) == doctest::Approx(64e9).epsilon(0.01));
}

TEST_CASE("DRAM pays for a closed row, less for an open one, more for another one") {
  const auto memory = memory_of(DRAM);
  CHECK(memory->read(0, 0) == (20 + 10 + 12 + 3) * NS);
  CHECK(memory->read(128, 1000 * NS) == 1000 * NS + (20 + 12 + 3) * NS);  // the next line of that channel
  // rows of one bank: two channels of 1 KiB rows, four banks; row 5 over all banks is number 1 of bank 5 ^ 1 = 4 = 0
  CHECK(memory->read(5 * 2048, 2000 * NS) == 2000 * NS + (20 + 11 + 10 + 12 + 3) * NS);
  CHECK(counted(*memory, "row_hits") == 1);
  CHECK(counted(*memory, "row_misses") == 2);
}

TEST_CASE("reads of open rows follow each other on the bus of their channel") {
  const auto memory = memory_of(DRAM);
  const Time first = memory->read(0, 0);
  CHECK(memory->read(128, 0) == first + 3 * NS);
  CHECK(memory->read(64, 0) == first);  // the other channel
}

TEST_CASE("a full write queue is written as a whole, and a store then waits for a free entry") {
  const auto memory = memory_of(DRAM);
  for (std::uint64_t w = 0; w < 4; ++w) CHECK(memory->write(w * 128, 0) == 30 * NS);
  CHECK(counted(*memory, "turns") == 1);
  CHECK(memory->write(4 * 128, 0) > 30 * NS);
}

TEST_CASE("sequential reads of DRAM approach the bandwidth of its buses, and random ones do not") {
  const double most = 2 * 64 / 3e-9;
  const double in_rows = rate(*memory_of(DRAM), 1, 64, 1 << 20, false);
  CHECK(in_rows > 0.9 * most);
  CHECK(in_rows < 1.001 * most);
  CHECK(rate(*memory_of(DRAM), 1, 64, 64, false) < 0.8 * in_rows);
}

TEST_CASE("a link adds its latency each way, and its credits bound the lines in flight") {
  const auto memory = memory_of(cxl("4", "32GB/s"));
  CHECK(memory->read(0, 0) == 200 * NS);
  CHECK(memory->write(0, 1000 * NS) == 1140 * NS);
  CHECK(rate(*memory, 1, 64, 64, false) == doctest::Approx(4 * 64 / 200e-9).epsilon(0.02));
  CHECK(rate(*memory_of(cxl("1024", "8GB/s")), 1, 512, 64, false) == doctest::Approx(8e9 * 64 / 80).epsilon(0.02));
}

TEST_CASE("interleaving spreads blocks over its ways and multiplies their bandwidth") {
  const std::string narrow = "kind = \"flat\"\nread = \"100ns\"\nwrite = \"40ns\"\nbandwidth = \"4GB/s\"\n";
  const double one = rate(*memory_of(narrow), 4, 64, 64, false);
  for (const int ways : {2, 3, 6, 12}) {
    const auto memory = memory_of(narrow + "ways = " + std::to_string(ways) + "\ngrain = \"4KiB\"\n");
    CHECK(rate(*memory, 16, 64, 64, false) == doctest::Approx(ways * one).epsilon(0.06));
  }
}

TEST_CASE("neighbours within a grain share a part, neighbours beyond it do not") {
  const auto memory = memory_of(FLAT + "slots = 1\nways = 3\ngrain = \"1KiB\"\n");
  CHECK(memory->read(0, 0) == 100 * NS);
  CHECK(memory->read(960, 0) == 200 * NS);      // part 0, whose slot is taken
  CHECK(memory->read(1024, 0) == 100 * NS);     // part 1
  CHECK(memory->read(2048, 0) == 100 * NS);     // part 2
  CHECK(memory->read(3 * 1024, 0) > 250 * NS);  // part 0 again
}

TEST_CASE("contradictions name the file and the key") {
  const auto refused = [](const std::string& text, const std::string& key) {
    const auto error = error_of([&] { (void)memory_of(text); });
    CHECK_MESSAGE(holds(error, "made.toml, " + key), error);
  };
  refused("kind = \"tape\"\n", "kind: 'tape' is none of cxl, dimm, dram, flat");
  refused("kind = \"flat\"\nread = \"-3ns\"\nwrite = \"1ns\"\n", "read: -3ns is negative");
  refused(FLAT + "ways = 0\n", "ways");
  refused(FLAT + "ways = 2\n", "grain");
  refused(FLAT + "ways = 2\ngrain = \"3KiB\"\n", "grain: 3072 is not a power of two");
  refused(FLAT + "colour = \"red\"\n", "colour: no such key");
  refused("kind = \"cxl\"\nlink = \"1ns\"\nbandwidth = \"1GB/s\"\ncredits = 1\n", "behind");
  auto odd = DRAM;
  odd.replace(odd.find("1KiB"), 4, "3KiB");
  refused(odd, "row: 3072 is not a power of two");
}

TEST_CASE("an LRU keeps the same lines as a plain list") {
  for (const std::size_t capacity : {1U, 2U, 3U, 16U, 100U}) {
    Lru lru(capacity);
    std::vector<std::uint64_t> plain;  // newest last
    std::mt19937_64 random(capacity);
    for (int i = 0; i < 20'000; ++i) {
      const auto key = random() % (2 * capacity + 1);
      const auto at = std::find(plain.begin(), plain.end(), key);
      auto* slot = lru.find(key);
      REQUIRE((slot != nullptr) == (at != plain.end()));
      if (at != plain.end()) plain.erase(at);
      if (plain.size() == capacity) {
        REQUIRE(lru.oldest().key == plain.front());
        plain.erase(plain.begin());
      }
      if (slot == nullptr) lru.insert(key);
      plain.push_back(key);
    }
  }
}
