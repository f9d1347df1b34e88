/// Steal time as /proc/stat shows it.
#include "probes/steal.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "base/syscall.hpp"

using tierscope::StealMeter;

namespace {

/// The same number, read another way: the eighth of the CPU's counters.
std::uint64_t steal_of(unsigned cpu) {
  std::ifstream stat("/proc/stat");
  for (std::string line; std::getline(stat, line);) {
    std::istringstream words(line);
    std::string label;
    words >> label;
    if (label != "cpu" + std::to_string(cpu)) continue;
    std::uint64_t value = 0;
    for (int column = 0; column < 8; ++column) words >> value;
    return value;
  }
  return 0;
}

}  // namespace

TEST_CASE("the meter reads the steal column of its CPU") {
  for (const auto cpu : tierscope::sys::allowed_cpus()) {
    StealMeter meter(cpu);
    const auto before = steal_of(cpu);
    const auto read = meter.read();
    CHECK(read >= before);
    CHECK(read <= steal_of(cpu));
  }
}

TEST_CASE("a CPU that is not there has no steal") { CHECK(StealMeter(8191).read() == 0); }
