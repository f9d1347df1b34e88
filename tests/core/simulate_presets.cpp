/// The machines that are built in: each can be made, and optane100 is scored against what was measured.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "simulate/machine.hpp"
#include "simulate/thread.hpp"
#include "simulate_made.hpp"

using namespace tierscope::simulate;
using tierscope::tests::chase_ns;
using tierscope::tests::NS;
using tierscope::tests::rate;

namespace {

using Rows = std::vector<std::vector<std::string>>;

/// The rows of a table of src/tierscope/reference.
Rows reference(const std::string& name) {
  const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  std::ifstream file(root / "src/tierscope/reference" / ("optane100_" + name + ".csv"));
  REQUIRE(file);
  Rows rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  rows.erase(rows.begin());  // the names of the columns
  return rows;
}

/// Its caches are left out: 25 ns to the end of them come on top of each read.
constexpr double CACHES_NS = 25;
std::unique_ptr<Memory> one_dimm(const std::string& more = "") {
  return make_memory_of(read_config("optane100" + more).section("memory").section("pmem"), 1);
}

/// Mean of |simulated / measured - 1| of read chases over regions up to 64 MiB, every third of them.
double error_of_reads(const std::string& name, const std::string& more) {
  double sum = 0;
  int count = 0, row = 0;
  for (const auto& cells : reference(name)) {
    const auto region = std::stoull(cells[0]);
    if (region < 512 || region > std::uint64_t{64} << 20U || ++row % 3 != 0) continue;
    const double found = CACHES_NS + chase_ns(*one_dimm(more), region, 100'000);
    sum += std::abs(found / std::stod(cells[2]) - 1);
    ++count;
  }
  REQUIRE(count > 10);
  return sum / count;
}

/// The same for bandwidths; a read occupies its place for the way through the caches, too.
double error_of_bandwidth(const std::string& kind, unsigned depth) {
  double sum = 0;
  int count = 0, row = 0;
  for (const auto& cells : reference("bandwidth")) {
    const auto size = std::stoull(cells[2]);
    const auto threads = static_cast<unsigned>(std::stoul(cells[3]));
    if (cells[0] != "random" || cells[1] != kind || size > 4096 || ++row % 2 != 0) continue;
    sum += std::abs(rate(*one_dimm(), threads, depth, size, kind != "read") / 1e9 / std::stod(cells[4]) - 1);
    ++count;
  }
  REQUIRE(count > 10);
  return sum / count;
}

}  // namespace

TEST_CASE("every machine that is built in can be made, and each of its memories answers") {
  for (const auto& preset : presets()) {
    CAPTURE(preset.name);
    CHECK(preset.summary.size() > 20);
    CHECK(preset.source.size() > 20);
    Machine machine(preset.name);
    CHECK(machine.name() == preset.name);
    for (std::uint64_t region = 0; region < machine.regions().size(); ++region) {
      const Time took = machine.access(0, (region << MEMORY_BIT) + 4096, Kind::load, 1'000'000 * NS) - 1'000'000 * NS;
      CHECK(took > 20 * NS);
      CHECK(took < 2000 * NS);
    }
  }
}

TEST_CASE("memories of built-in machines state what persists there") {
  for (const auto& preset : presets()) {
    if (preset.name == "blank") continue;  // made, and asked of nothing but its structure
    const Machine machine(preset.name);
    for (const auto& region : machine.regions()) {
      CAPTURE(preset.name);
      CHECK(region.persistence == (region.name == "pmem" ? "adr" : "none"));
    }
  }
}

TEST_CASE("pages of every size that a plan may ask for have a TLB in each machine that is built in") {
  for (const auto& preset : presets()) {
    const auto stated = pages_of(read_config(preset.name));
    for (const std::uint64_t pages : {stated.base, stated.large, std::uint64_t{1} << 30U})
      CHECK_NOTHROW(
          Machine(preset.name + (preset.name == "flat" ? "" : ",pages.bytes=" + std::to_string(pages) + "B")));
  }
}

TEST_CASE("optane100 reads one DIMM within 3 % of the measurements, and six within 3 % without a change" *
          doctest::skip(TIERSCOPE_SANITIZED)) {
  CHECK(error_of_reads("read_latency", "") < 0.03);
  CHECK(error_of_reads("read_latency_interleaved", ",memory.pmem.ways=6,memory.pmem.grain=4KiB") < 0.03);
}

TEST_CASE("optane100 has the bandwidths that were measured within 15 % over threads and access size" *
          doctest::skip(TIERSCOPE_SANITIZED)) {
  CHECK(error_of_bandwidth("read", 16) < 0.15);
  CHECK(error_of_bandwidth("nt_write", 8) < 0.15);
}

TEST_CASE("optane100 writes one DIMM within 5 % of the measurements" * doctest::skip(TIERSCOPE_SANITIZED)) {
  double sum = 0;
  int count = 0, row = 0;
  for (const auto& cells : reference("write_latency")) {
    const auto region = std::stoull(cells[0]);
    if (region < 512 || region > std::uint64_t{64} << 20U || ++row % 3 != 0) continue;
    const auto memory = one_dimm();
    sum += std::abs(tierscope::tests::writes_ns(*memory, region, 100'000) / std::stod(cells[2]) - 1);
    ++count;
  }
  REQUIRE(count > 10);
  CHECK(sum / count < 0.05);
}

TEST_CASE("one thread of optane100 stores and flushes line after line within 5 % of the measurements") {
  constexpr std::uint64_t LINES = 40'000;
  for (const auto& cells : reference("bandwidth")) {
    if (cells[0] != "sequential" || cells[1] != "store_clwb" || cells[3] != "1") continue;
    Machine machine("optane100");
    Thread thread(machine, 0);
    const std::uint64_t base = std::uint64_t{machine.region("pmem")} << MEMORY_BIT;
    for (std::uint64_t line = 0; line < LINES; ++line)
      for (const auto kind : {Kind::store, Kind::clwb}) {
        const Access access{base + line * LINE, kind, false};
        thread.run(access);
      }
    const double seconds = static_cast<double>(thread.drained()) / TICKS_PER_S;
    CHECK(LINES * double{LINE} / seconds / 1e9 == doctest::Approx(std::stod(cells[4])).epsilon(0.05));
  }
}
