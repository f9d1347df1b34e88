/// The persistent-memory DIMM: its paths by hand, its curves against closed forms.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "folder.hpp"
#include "says.hpp"
#include "simulate/media.hpp"
#include "simulate/write_queue.hpp"
#include "simulate_made.hpp"

using namespace tierscope::simulate;
using tierscope::tests::chase_ns;
using tierscope::tests::counted;
using tierscope::tests::error_of;
using tierscope::tests::holds;
using tierscope::tests::memory_of;
using tierscope::tests::NS;
using tierscope::tests::rate;

namespace {

constexpr std::uint64_t KIB = 1024, MIB = KIB * KIB;

std::string buffer(const std::string& size, const std::string& unit, const std::string& latency,
                   const std::string& more = "") {
  return "[[buffer]]\nsize = \"" + size + "\"\nunit = \"" + unit + "\"\nlatency = \"" + latency + "\"\n" + more + "\n";
}

/// With the head of a section, then its buffers and its other tables.
std::string dimm(const std::string& buffers, const std::string& more = "", int entries = 52) {
  return "kind = \"dimm\"\naccept = \"90ns\"\n" + buffers + "[queue]\nwpq = 8\nentries = " + std::to_string(entries) +
         "\n[media]\nread = \"70ns\"\nwrite = \"110ns\"\ninterval = \"40ns\"\n" + more;
}

/// A medium with a table of migration.
Media media_of(const std::string& migration) {
  const tierscope::tests::Folder folder;
  folder.write("made.toml", "[media]\nread = \"70ns\"\nwrite = \"110ns\"\n[migration]\n" + migration);
  const auto root = read_config(folder.at("made.toml"));
  return {root.section("media"), Migration(root.section("migration"), 1, 256)};
}

const std::string TWO = buffer("16KiB", "256B", "130ns") + buffer("1MiB", "4KiB", "170ns", "holds = \"addresses\"");

/// Probability that a unit visited `visits` times at random within a region of n units was evicted between two visits,
/// as the share of reads that miss: an LRU of `held` units, units of `lines` lines, each visited once.
double miss_share(double region, double unit, double size) {
  // mean over the gaps between visits to one unit: a gap of g lines touches n (1 - (1 - g / N)^k) other units
  const double lines = region / 64, k = unit / 64, n = region / unit;
  if (n <= size / unit) return 1 / k;
  double hits = 0;
  for (double g = 1; g < lines; ++g) {
    const double gap = k / lines * std::pow(1 - g / lines, k - 1);  // density of the distance to the next visit
    if (n * (1 - std::pow(1 - g / lines, k)) < size / unit) hits += gap;
  }
  return 1 - hits * (k - 1) / k / (1 - std::pow(1 / lines, k - 1));
}

}  // namespace

TEST_CASE("a read passes the buffers to the medium and is then in them") {
  const auto memory = memory_of(dimm(TWO));
  CHECK(memory->read(0, 0) == (130 + 170 + 70) * NS);
  CHECK(memory->read(64, 1000 * NS) == 1130 * NS);   // its line of the medium
  CHECK(memory->read(256, 2000 * NS) == 2300 * NS);  // its page's address
  CHECK(memory->read(4096, 3000 * NS) == 3370 * NS);
  CHECK(counted(*memory, "buffer0.hits") == 1);
  CHECK(counted(*memory, "buffer1.hits") == 1);
  CHECK(counted(*memory, "media_reads") == 3);
}

TEST_CASE("a read of a line in flight waits for it") {
  const auto memory = memory_of(dimm(TWO));
  CHECK(memory->read(0, 0) == 370 * NS);
  CHECK(memory->read(64, 10 * NS) == 370 * NS);
  CHECK(memory->read(64, 300 * NS) == 430 * NS);
}

TEST_CASE("a DIMM without buffers reads its medium for each line") {
  const auto memory = memory_of(dimm("latency = \"5ns\"\n"));
  CHECK(memory->read(0, 0) == 75 * NS);
  CHECK(memory->read(0, 1000 * NS) == 1075 * NS);
  CHECK(counted(*memory, "media_reads") == 2);
}

TEST_CASE("a buffer of data with large units fetches all of a unit") {
  const auto memory = memory_of(dimm(buffer("16KiB", "256B", "100ns") + buffer("1MiB", "4KiB", "50ns")));
  CHECK(memory->read(0, 0) == 220 * NS);
  CHECK(memory->read(2048, 1000 * NS) == 1150 * NS);
  CHECK(counted(*memory, "media_reads") == 16);
}

TEST_CASE("one, two or three levels of any size are found by a chase at their latencies") {
  for (const std::string size : {"16KiB", "24KiB", "48KiB"}) {
    const auto memory = memory_of(dimm(buffer(size, "64B", "100ns")));
    const auto held = static_cast<std::uint64_t>(std::stoi(size)) * KIB;
    for (const auto region : {held, held + 64}) {
      Time at = 0, from = 0;
      for (int pass = 0; pass < 4; ++pass) {
        if (pass == 2) from = at;
        for (std::uint64_t a = 0; a < region; a += LINE) at = memory->read(a, at);
      }
      const auto mean = static_cast<double>(at - from) / NS / static_cast<double>(2 * region / LINE);
      CHECK(mean == doctest::Approx(region == held ? 100 : 170));  // cyclic over an LRU: all or nothing
    }
  }
  const auto three =
      memory_of(dimm(buffer("4KiB", "64B", "10ns") + buffer("64KiB", "256B", "20ns") + buffer("1MiB", "4KiB", "30ns")));
  CHECK(three->read(0, 0) == 130 * NS);
  CHECK(three->read(1024, 1000 * NS) == 1060 * NS);
  CHECK(three->read(64, 2000 * NS) == 2030 * NS);
  CHECK(three->read(64, 3000 * NS) == 3010 * NS);
}

TEST_CASE("the time of a chase over fresh regions is the closed form of its misses") {
  for (const auto region : {8 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB}) {
    const auto memory = memory_of(dimm(TWO));
    const double near = miss_share(static_cast<double>(region), 256, 16 * KIB);
    const double far = miss_share(static_cast<double>(region), 4096, MIB);
    CAPTURE(region);
    CHECK(chase_ns(*memory, region, 200'000) == doctest::Approx(130 + near * 170 + far * 70).epsilon(0.02));
  }
}

TEST_CASE("the bandwidth is reads in flight over their latency, up to the limit of the medium's port") {
  CHECK(rate(*memory_of(dimm("")), 1, 1, 64, false) == doctest::Approx(64 / 70e-9).epsilon(0.001));
  CHECK(rate(*memory_of(dimm(TWO)), 1, 4, 64, false) == doctest::Approx(4 * 64 / 370e-9).epsilon(0.02));
  CHECK(rate(*memory_of(dimm(TWO)), 4, 16, 64, false) == doctest::Approx(64 / 40e-9).epsilon(0.001));
  CHECK(rate(*memory_of(dimm(TWO)), 4, 16, 4096, false) == doctest::Approx(256 / 40e-9).epsilon(0.001));
}

TEST_CASE("a group fetches its neighbours, and a line that is written twice begins a new group") {
  WriteQueue queue(6, {8, 15});
  queue.add(0, 1);
  queue.add(1024, 2);
  queue.add(64, 3);
  queue.add(0, 4);
  CHECK(queue.holds(1024));
  CHECK_FALSE(queue.holds(1088));
  const auto first = queue.take();
  CHECK(first.number == 0);
  CHECK(first.lines == 3);
  CHECK(queue.take().number == 4);
  const auto again = queue.take();
  CHECK(again.number == 0);
  CHECK(again.lines == 1);
  CHECK(queue.oldest().lines == 0);
}

TEST_CASE("the controller accepts its eight lines immediately, and the ninth waits for the medium") {
  const auto memory = memory_of(dimm("", "", 4));
  for (std::uint64_t w = 0; w < 12; ++w) CHECK(memory->write(w * 4096, 0) == 90 * NS);
  CHECK(memory->write(12 * 4096, 0) == 200 * NS);
  CHECK(memory->write(13 * 4096, 0) == 310 * NS);
  CHECK(counted(*memory, "stalls") == 2);
}

TEST_CASE("lines above those that the queue keeps leave while the port is idle, so a burst finds space") {
  const auto last_ns = [](const std::string& kept, std::uint64_t lines) {
    const auto memory = memory_of("kind = \"dimm\"\naccept = \"90ns\"\n[queue]\nwpq = 8\nentries = 52\n" + kept +
                                  "[media]\nread = \"70ns\"\nwrite = \"110ns\"\n");
    for (std::uint64_t line = 0; line < 200; ++line) memory->write(line * 256, static_cast<Time>(line) * 10 * NS);
    const Time from = 100'000 * NS;
    Time end = 0;
    for (std::uint64_t line = 0; line < lines; ++line) end = memory->write((1000 + line) * 256, from) - from;
    return static_cast<double>(end) / NS;
  };
  CHECK(last_ns("kept = 20\n", 52 - 20 + 8) == 90);
  CHECK(last_ns("kept = 20\n", 52 - 20 + 8 + 1) > 90);
  CHECK(last_ns("", 8) == 90);
  CHECK(last_ns("", 8 + 1) > 90);
}

TEST_CASE("a read waits for a group that could have begun before it, and for no group that could not") {
  const auto read_ns = [](Time at) {
    const auto memory = memory_of(dimm(""));
    for (std::uint64_t line = 0; line < 4; ++line) memory->write(line * LINE, 0);  // a whole group, at 0
    return static_cast<double>(memory->read(4096, at) - at) / NS;
  };
  CHECK(read_ns(0) == 70);
  CHECK(read_ns(10 * NS) == 100 + 70);
  CHECK(read_ns(200 * NS) == 70);
}

TEST_CASE("writes of whole lines of the medium go at its pace, of parts at a quarter of it") {
  CHECK(rate(*memory_of(dimm(TWO)), 1, 8, 256, true) == doctest::Approx(256 / 110e-9).epsilon(0.01));
  CHECK(rate(*memory_of(dimm(TWO)), 1, 8, 64, true) == doctest::Approx(64 / 110e-9).epsilon(0.01));
  CHECK(rate(*memory_of(dimm(TWO, "", 0)), 1, 8, 256, true) == doctest::Approx(64 / 110e-9).epsilon(0.01));
}

TEST_CASE("a part of a line costs a read and a write of the medium, and a whole line a write alone") {
  const auto memory = memory_of(dimm("", "", 1));
  constexpr std::uint64_t WRITES = 1000;
  for (std::uint64_t w = 0; w < WRITES; ++w) memory->write(w * 4096, 0);
  CHECK(counted(*memory, "media_writes") == WRITES - 1);  // one still waits
  CHECK(counted(*memory, "media_reads") == WRITES - 1);
  const auto whole = memory_of(dimm("", "", 8));
  for (std::uint64_t w = 0; w < WRITES; ++w) whole->write(w * LINE, 0);
  CHECK(counted(*whole, "media_writes") * 4 <= WRITES);
  CHECK(counted(*whole, "media_writes") * 4 >= WRITES - 8);
  CHECK(counted(*whole, "media_reads") == 0);
}

TEST_CASE("halves of lines merge in the nearest buffer while both fit in it") {
  const auto writes_per_line = [](std::uint64_t lines) {
    const auto memory = memory_of(dimm(TWO, "", 4));
    Time at = 0;
    constexpr std::uint64_t ROUNDS = 20;
    for (std::uint64_t round = 0; round < ROUNDS; ++round)
      for (std::uint64_t half = 0; half < 4; half += 2)
        for (std::uint64_t line = 0; line < lines; ++line)
          for (std::uint64_t part = half; part < half + 2; ++part)
            at = memory->write(line * 256 + part * LINE, at + 1000 * NS);
    return static_cast<double>(counted(*memory, "media_writes")) / static_cast<double>(ROUNDS * lines);
  };
  CHECK(writes_per_line(60) == doctest::Approx(1).epsilon(0.05));
  CHECK(writes_per_line(80) == doctest::Approx(2).epsilon(0.1));
}

TEST_CASE("a read finds a line that waits in the write queue") {
  const auto memory = memory_of(dimm(TWO));
  memory->write(64, 0);
  CHECK(memory->read(64, 1000 * NS) == 1130 * NS);
  CHECK(memory->read(128, 2000 * NS) == 2370 * NS);  // its neighbour was not written
  CHECK(counted(*memory, "forwards") == 1);
}

TEST_CASE("a block that is written too often moves, and one among many does not") {
  const std::string moving = "[migration]\nunit = \"64KiB\"\nwrites = 1000\nstall = \"50us\"\n";
  const auto longest_of = [&](std::uint64_t region, std::uint64_t& moves) {
    const auto memory = memory_of(dimm(TWO, moving));
    Time longest = 0, at = 0;
    for (std::uint64_t w = 0; w < 4 * 20'000; ++w) {
      const Time done = memory->write(w * LINE % region, at);
      longest = std::max(longest, done - at);
      at = done;
    }
    moves = counted(*memory, "migrations");
    return longest;
  };
  std::uint64_t moves = 0;
  CHECK(longest_of(256, moves) < 51'000 * NS);
  CHECK(longest_of(256, moves) > 40'000 * NS);  // less what the queue takes meanwhile
  CHECK(moves == 19);                           // of 20000 lines; the last lines wait
  CHECK(longest_of(64 * KIB, moves) > 40'000 * NS);
  CHECK(longest_of(MIB, moves) < 1000 * NS);
  CHECK(moves == 0);
}

TEST_CASE("the key of the medium's unit sets how many lines are joined, and the other lines are read") {
  for (const auto& asked : std::map<std::string, std::uint64_t>{{"64B", 1}, {"512B", 8}, {"2KiB", 32}}) {
    const std::string& unit = asked.first;
    const std::uint64_t lines = asked.second;
    CAPTURE(unit);
    const auto text = dimm(buffer("16KiB", unit, "130ns"));
    const auto memory = memory_of(std::string(text).insert(text.find("[media]") + 8, "unit = \"" + unit + "\"\n"));
    Time at = 0;
    for (std::uint64_t line = 0; line < 256; ++line) at = memory->write(line * LINE, at);
    for (std::uint64_t line = 0; line < 256; ++line) at = memory->write((64 + line * 32) * MIB, at);
    const std::uint64_t left = 52;  // wait in the queue
    CHECK(counted(*memory, "media_writes") <= 256 / lines + 256);
    CHECK(counted(*memory, "media_writes") >= 256 / lines + (lines == 1 ? 256 - left - 8 : 0));
    CHECK(counted(*memory, "media_reads") == (lines == 1 ? 0 : 256 - left));
  }
  CHECK(holds(
      error_of([] { memory_of(std::string(dimm("")).replace(dimm("").find("[media]"), 7, "[media]\nunit=\"96B\"")); }),
      "media.unit: 96 is not a power of two"));
}

TEST_CASE("accesses to a block that moves wait, and no others") {
  Media media = media_of("unit = \"64KiB\"\nwrites = 3\nstall = \"50us\"\n");
  for (int w = 0; w < 3; ++w) media.wrote(0, 1000 * NS);
  CHECK(media.moved() == 1);
  media.wrote(64 * KIB, 2000 * NS);  // the next candidate
  CHECK(media.put(64 * KIB, 3000 * NS) < 10'000 * NS);
  CHECK(media.put(0, 3000 * NS) > 51'000 * NS);
}

TEST_CASE("a block moves again and again, however often its limit is drawn below one write") {
  Media media = media_of("unit = \"64KiB\"\nwrites = 1\njitter = 0.9\nstall = \"1us\"\n");
  for (int w = 0; w < 100; ++w) media.wrote(0, 0);
  CHECK(media.moved() == 100);
}

TEST_CASE("many threads lose the neighbourhood of lines, one thread does not") {
  const std::string crowd = "[crowd]\nreads = 150\nread_places = 88\nwrites = 1024\nwrite_places = 46\n";
  for (const bool writes : {false, true}) {
    const double few = rate(*memory_of(dimm(TWO, crowd)), 4, writes ? 8 : 16, 4096, writes);
    const double many = rate(*memory_of(dimm(TWO, crowd)), 24, writes ? 8 : 16, 4096, writes);
    CHECK(many < 0.75 * few);
    const double lines = rate(*memory_of(dimm(TWO, crowd)), 24, writes ? 8 : 16, 64, writes);
    CHECK(lines == doctest::Approx(64 / (writes ? 110e-9 : 40e-9)).epsilon(0.03));  // nothing to lose
  }
}

TEST_CASE("requests that find a place keep their order") {
  const auto of = [](bool writes, const std::string& places) {
    const std::string crowd =
        "[crowd]\nreads = 1024\nwrites = 1024\nread_places = " + places + "\nwrite_places = " + places;
    return rate(*memory_of(dimm(TWO, crowd + "\n")), 8, writes ? 8 : 16, 4096, writes);
  };
  for (const bool writes : {false, true}) {
    const double none = rate(*memory_of(dimm(TWO)), 8, writes ? 8 : 16, 4096, writes);
    CHECK(of(writes, "512") == doctest::Approx(none).epsilon(0.01));
    CHECK(of(writes, "8") < 0.8 * none);
    CHECK(of(writes, "48") > 1.1 * of(writes, "8"));  // the loss grows with those outside, step by step
  }
}

TEST_CASE("a full memory delays requests for another one of its controller, and for no other") {
  const std::string crowd = "[crowd]\nreads = 64\nwrites = 64\nread_places = 16\nwrite_places = 16\n";
  for (const bool writes : {false, true})
    for (const bool shared : {false, true}) {
      const auto memory = memory_of(std::string("ways = 2\ngrain = \"4KiB\"\nper_controller = ") +
                                    (shared ? "2" : "1") + "\n" + dimm(TWO, crowd));
      const auto request = [&](std::uint64_t address, Time at) {
        return writes ? memory->write(address, at) : memory->read(address, at);
      };
      const Time alone = request(4 * KIB, 0);
      const Time at = 100'000 * NS;
      for (std::uint64_t i = 0; i < 400; ++i) (void)request(8 * KIB * (i + 1), at);
      const Time other = request(4 * KIB + 8 * MIB, at) - at;
      CHECK((other > 3 * alone) == shared);
    }
}

TEST_CASE("the same seed gives the same times, and another one others") {
  const std::string text = dimm(TWO, "[crowd]\nreads = 100\nread_places = 20\n");
  const double first = rate(*memory_of(text, 1), 16, 16, 4096, false);
  CHECK(rate(*memory_of(text, 1), 16, 16, 4096, false) == first);
  CHECK(rate(*memory_of(text, 2), 16, 16, 4096, false) != first);
}

TEST_CASE("a DIMM that contradicts itself is refused by file and key") {
  const auto refused = [](const std::string& text, const std::string& key) {
    const auto error = error_of([&] { (void)memory_of(text); });
    CHECK_MESSAGE(holds(error, "made.toml, " + key), error);
  };
  refused(dimm(buffer("16KiB", "32KiB", "1ns")), "buffer.0.size: 16384 is not a multiple of the unit of 32768 bytes");
  refused(dimm(buffer("16KiB", "100B", "1ns")), "buffer.0.unit: 100 is not a multiple of 64 B");
  refused(dimm(buffer("16KiB", "256B", "-1ns")), "buffer.0.latency: -1ns is negative");
  refused(dimm(buffer("1MiB", "4KiB", "1ns") + buffer("1MiB", "256B", "1ns")), "buffer.1.unit: is smaller");
  refused(dimm(buffer("1MiB", "4KiB", "1ns", "holds = \"addresses\"") + buffer("1MiB", "4KiB", "1ns")),
          "buffer.1.holds: data behind");
  refused(dimm(buffer("1MiB", "4KiB", "1ns", "holds = \"hope\"")), "buffer.0.holds: 'hope'");
  refused(dimm("", "[migration]\nunit = \"3KiB\"\nwrites = 1\nstall = \"1us\"\n"), "migration.unit");
  refused(dimm("", "[migration]\nunit = \"4KiB\"\nwrites = 0\nstall = \"1us\"\n"), "migration.writes");
  refused(dimm("", "[media2]\n\nports = 1\n"), "media2.ports: no such key");
}
