/// The features and the name of a 64-bit RISC-V processor. They are from the system call riscv_hwprobe where Linux has
/// it, and from instructions that are tried.
/// Source: Linux, Documentation/arch/riscv/hwprobe.rst; RISC-V International, "RISC-V Base Cache Management Operation
/// ISA Extensions", 1.0.
#if defined(__riscv) && __riscv_xlen == 64
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/cbo.hpp"
#include "base/cpu_features.hpp"
#include "base/cpuid.hpp"
#include "base/hex.hpp"
#include "base/tried.hpp"

namespace tierscope::cpu {
namespace {

struct Pair {
  std::int64_t key;
  std::uint64_t value;
};
constexpr long HWPROBE = 258;  // the number of the call; C libraries of 2022 have no name for it
constexpr std::int64_t VENDOR = 0, ARCHITECTURE = 1, IMPLEMENTATION = 2;

/// The value of one key that all CPUs share; none before Linux 6.4.
std::optional<std::uint64_t> probed(std::int64_t key) {
  Pair pair{key, 0};
  if (syscall(HWPROBE, &pair, 1, 0, nullptr, 0) != 0 || pair.key != key) return std::nullopt;
  return pair.value;
}

}  // namespace

const std::vector<Feature>& table() {
  static const std::vector<Feature> list{{"zicboz", runs(&cbo::zero)}};
  return list;
}

/// The specification requires a constant pace of `time`.
bool invariant_tsc() { return true; }

std::string model() {
  const auto vendor = probed(VENDOR), architecture = probed(ARCHITECTURE);
  if (!vendor || !architecture) return "riscv64";
  return "riscv64, vendor " + hex(*vendor) + ", architecture " + hex(*architecture);
}

std::string family() {
  const auto vendor = probed(VENDOR), architecture = probed(ARCHITECTURE), implementation = probed(IMPLEMENTATION);
  if (!vendor || !architecture || !implementation) return "riscv64";
  return hex(*vendor) + ":" + hex(*architecture) + ":" + hex(*implementation);
}

std::string hypervisor() { return ""; }
/// Users can read no register with it; the C library has it from the device tree, or 0.
std::size_t line_bytes() noexcept {
  const long bytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}
std::size_t zeroing_bytes() noexcept { return 0; }
std::string_view listing() { return "isa"; }
const char* architecture() { return "riscv64"; }

}  // namespace tierscope::cpu
#endif
