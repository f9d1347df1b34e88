/// Clock, processor, system calls, registry and errors.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "base/cpuid.hpp"
#include "base/registry.hpp"
#include "base/syscall.hpp"
#include "says.hpp"

using namespace tierscope;
using tests::error_of;
using tests::holds;

TEST_CASE("ticks are seconds of CLOCK_MONOTONIC_RAW") {
  const auto& clock = Clock::get();
  const auto outer = raw_nanoseconds();
  const auto first = clock.now();
  const auto inner = raw_nanoseconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto inner_end = raw_nanoseconds();
  const auto last = clock.now();
  const auto outer_end = raw_nanoseconds();
  const double took = clock.seconds(last - first) * 1e9;
  // nested reads are valid on a busy machine; 0.2 % is what the calibration over 5 ms can be wrong
  CHECK(took >= static_cast<double>(inner_end - inner) * 0.998);
  CHECK(took <= static_cast<double>(outer_end - outer) * 1.002);
}

TEST_CASE("the clock never goes backwards and names its source") {
  const auto& clock = Clock::get();
  auto before = clock.now();
  for (int i = 0; i < 10'000; ++i) {
    const auto now = clock.now();
    REQUIRE(now >= before);
    before = now;
  }
  CHECK(clock.hz() > 0);
  CHECK(clock.resolution() > 0);
  CHECK(clock.read_cost() > 0);
  CHECK(clock.ticks(clock.seconds(1'000'000)) == doctest::Approx(1'000'000).epsilon(1e-5));
  const std::string source = clock.source();
  CHECK((source == "tsc" || source == "cntvct" || source == "monotonic_raw"));
  if (source == "monotonic_raw") CHECK(clock.hz() == 1e9);
}

TEST_CASE("processors that may stream plain stores are known by their family") {
  const bool other = std::string(cpu::architecture()) != "x86_64";
  CHECK(cpu::streams_stores("GenuineIntel:6:106:6"));          // Ice Lake-SP
  CHECK(cpu::streams_stores("GenuineIntel:6:143:8"));          // Sapphire Rapids
  CHECK(cpu::streams_stores("GenuineIntel:6:85:7") == other);  // Cascade Lake
  CHECK(cpu::streams_stores("AuthenticAMD:25:1:1") == other);
}

TEST_CASE("a missing CPU feature is named") {
  CHECK(cpu::has(""));
  CHECK_FALSE(cpu::has("warp_drive"));
  CHECK(cpu::missing("").empty());
  CHECK(cpu::missing("warp_drive") == "warp_drive");
  CHECK(cpu::missing("warp_drive flux") == "warp_drive, flux");
  for (const auto& feature : cpu::features()) {
    CHECK(cpu::has(feature));
    CHECK(cpu::missing(feature + " flux") == "flux");
  }
  CHECK_FALSE(std::string(cpu::architecture()).empty());
}

TEST_CASE("a CPU feature outside of the table is looked up in the list of Linux") {
  const std::string architecture = cpu::architecture();
  const std::string common = architecture == "x86_64" ? "fpu" : architecture == "aarch64" ? "fp" : "zicsr";
  const auto named = cpu::features();
  CHECK(std::find(named.begin(), named.end(), common) == named.end());
  std::ifstream file("/proc/cpuinfo");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const bool there = text.find(architecture == "riscv64" ? "_zicsr_" : ' ' + common + ' ') != std::string::npos;
  CHECK(cpu::has(common) == there);
  CHECK(cpu::missing(common + " flux") == (there ? "flux" : common + ", flux"));
  CHECK_FALSE(cpu::has(common.substr(1)));
}

TEST_CASE("a thread runs on the CPU that it is pinned to") {
  const auto allowed = sys::allowed_cpus();
  REQUIRE_FALSE(allowed.empty());
  std::thread([&] {
    for (const auto cpu : allowed) {
      CHECK(sys::pin(cpu) == 0);
      CHECK(sys::current_cpu() == cpu);
      CHECK(sys::allowed_cpus() == std::vector<unsigned>{cpu});
    }
    CHECK(sys::pin(8191) == -1);
    CHECK(sys::pin(8192) == -1);
    CHECK(errno == EINVAL);
  }).join();
}

TEST_CASE("a sleep is a context switch of this thread") {
  const auto before = sys::context_switches();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(sys::context_switches() > before);
}

TEST_CASE("no memory is bound to a node that cannot be") {
  std::array<std::byte, 1> byte{};
  CHECK(sys::mbind(byte, 1024) == -1);
  CHECK(errno == EINVAL);
}

namespace {
struct Fruit {
  std::string_view name;
};
constexpr Fruit pear{"pear"}, apple{"apple"}, fig{"fig"};
}  // namespace

TEST_CASE("a registry is sorted by name, and names all when asked for another") {
  CHECK(error_of([] { Registry<Fruit>::find("fruit", "apple"); }) == "BadPlan: unknown fruit 'apple' (known: )");
  for (const auto* fruit : {&pear, &apple, &fig}) Registry<Fruit>::add(*fruit);
  CHECK(&Registry<Fruit>::find("fruit", "fig") == &fig);
  CHECK(error_of([] { Registry<Fruit>::find("fruit", "kiwi"); }) ==
        "BadPlan: unknown fruit 'kiwi' (known: apple, fig, pear)");
}

TEST_CASE("an error states the request and the result") {
  CHECK(error_of([] { throw SystemError("open x", ENOENT); }) == "SystemError: open x: No such file or directory");
  CHECK(error_of([] { throw Unsupported("no"); }) == "Unsupported: no");
  CHECK(error_of([] {}).empty());
  CHECK_FALSE(holds("a", "b"));
}
