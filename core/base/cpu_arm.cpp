/// The features and the name of an AArch64 processor. Sources of them: the auxiliary vector, identification registers
/// that Linux emulates for users, and instructions that are tried, because an emulator or a hypervisor may promise
/// instructions that it does not run. Source: Linux, Documentation/arm64/elf_hwcaps.rst, cpu-feature-registers.rst,
/// arch/arm64/include/asm/cputype.h (names of parts); Arm, "Arm Architecture Reference Manual for A-profile
/// architecture", MIDR_EL1, DC CVAP, DC CVADP.
#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <map>
#include <system_error>

#include "base/cpu_features.hpp"
#include "base/cpuid.hpp"
#include "base/hex.hpp"
#include "base/tried.hpp"

namespace tierscope::cpu {
namespace {

void civac(void* line) { asm volatile("dc civac, %0" : : "r"(line) : "memory"); }
void cvac(void* line) { asm volatile("dc cvac, %0" : : "r"(line) : "memory"); }
void cvap(void* line) { asm volatile("sys #3, c7, c12, #1, %0" : : "r"(line) : "memory"); }   // DC CVAP
void cvadp(void* line) { asm volatile("sys #3, c7, c13, #1, %0" : : "r"(line) : "memory"); }  // DC CVADP

std::uint64_t zva_state() {
  std::uint64_t state = 0;
  asm("mrs %0, dczid_el0" : "=r"(state));
  return state;
}

/// Returns the bits of a vector that the kernel grants this process; 0 without SVE.
long sve_bits() {
  const int granted = prctl(PR_SVE_GET_VL);
  return granted < 0 ? 0 : static_cast<long>(granted & PR_SVE_VL_LEN_MASK) * 8;
}

/// Returns 0 for a file that is absent.
std::uint64_t number(const std::filesystem::path& path, std::ios_base& (*base)(std::ios_base&)) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  file >> base >> value;
  return value;
}

/// Returns MIDR_EL1 of each kind of core, the largest cores first. The register is that of the CPU that runs this,
/// which may be another one the next time: files state it of all.
std::vector<std::uint64_t> kinds() {
  std::map<std::uint64_t, std::uint64_t> capacities;
  std::error_code none;
  for (const auto& cpu : std::filesystem::directory_iterator("/sys/devices/system/cpu", none))
    if (const auto id = number(cpu.path() / "regs/identification/midr_el1", std::hex); id != 0)
      capacities[id] = std::max(capacities[id], number(cpu.path() / "cpu_capacity", std::dec));
  std::vector<std::uint64_t> ids;
  for (const auto& [id, capacity] : capacities) ids.push_back(id);
  std::ranges::stable_sort(ids, std::greater{}, [&](auto id) { return capacities[id]; });
  if (ids.empty() && (getauxval(AT_HWCAP) & HWCAP_CPUID) != 0) asm("mrs %0, midr_el1" : "=r"(ids.emplace_back()));
  return ids;
}

struct Part {
  unsigned vendor, number;
  std::string_view name;
};
constexpr Part PARTS[] = {
    {0x41, 0xd03, "Cortex-A53"},  {0x41, 0xd04, "Cortex-A35"},    {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd07, "Cortex-A57"},  {0x41, 0xd08, "Cortex-A72"},    {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},  {0x41, 0xd0b, "Cortex-A76"},    {0x41, 0xd0c, "Neoverse-N1"},
    {0x41, 0xd0d, "Cortex-A77"},  {0x41, 0xd40, "Neoverse-V1"},   {0x41, 0xd41, "Cortex-A78"},
    {0x41, 0xd44, "Cortex-X1"},   {0x41, 0xd46, "Cortex-A510"},   {0x41, 0xd47, "Cortex-A710"},
    {0x41, 0xd48, "Cortex-X2"},   {0x41, 0xd49, "Neoverse-N2"},   {0x41, 0xd4f, "Neoverse-V2"},
    {0x41, 0xd84, "Neoverse-V3"}, {0x41, 0xd8e, "Neoverse-N3"},   {0x46, 0x001, "A64FX"},
    {0x48, 0xd01, "Kunpeng-920"}, {0x6d, 0xd49, "Cobalt-100"},    {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1A"},   {0x41, 0xd4a, "Neoverse-E1"},   {0x41, 0xd4d, "Cortex-A715"},
    {0x41, 0xd4e, "Cortex-X3"},   {0x41, 0xd80, "Cortex-A520"},   {0x41, 0xd81, "Cortex-A720"},
    {0x41, 0xd82, "Cortex-X4"},   {0x41, 0xd83, "Neoverse-V3AE"}, {0x43, 0x0af, "ThunderX2"},
    {0x4e, 0x004, "Carmel"},      {0x61, 0x022, "M1 Icestorm"},   {0x61, 0x023, "M1 Firestorm"},
};

std::string name_of(std::uint64_t id) {
  for (const auto& part : PARTS)
    if (part.vendor == (id >> 24U & 0xFFU) && part.number == (id >> 4U & 0xFFFU)) return std::string(part.name);
  return "aarch64, implementer " + hex(id >> 24U & 0xFFU) + ", part " + hex(id >> 4U & 0xFFFU);
}

}  // namespace

const std::vector<Feature>& table() {
  static const std::vector<Feature> list = [] {
    const auto one = getauxval(AT_HWCAP), two = getauxval(AT_HWCAP2);
    const long bits = (one & HWCAP_SVE) != 0 ? sve_bits() : 0;
    return std::vector<Feature>{{"asimd", (one & HWCAP_ASIMD) != 0},
                                {"sve", bits > 0},
                                {"sve128", bits == 128},
                                {"sve256", bits == 256},
                                {"sve512", bits == 512},
                                {"civac", runs(&civac)},
                                {"cvac", runs(&cvac)},
                                {"dcpop", (one & HWCAP_DCPOP) != 0 && runs(&cvap)},
                                {"dcpodp", (two & HWCAP2_DCPODP) != 0 && runs(&cvadp)},
                                {"zva", (zva_state() & 0x10U) == 0}};  // bit 4: prohibited
  }();
  return list;
}

/// The generic timer never stops and never changes its pace.
bool invariant_tsc() { return true; }

std::string model() {
  std::string names;
  for (const auto id : kinds())
    if (const auto name = name_of(id); names.find(name) == std::string::npos)
      names += (names.empty() ? "" : " and ") + name;
  return names.empty() ? "aarch64" : names;
}

/// That of the largest cores, which plans use.
std::string family() {
  const auto ids = kinds();
  if (ids.empty()) return "aarch64";
  const auto id = ids.front();
  return hex(id >> 24U & 0xFFU) + ":" + std::to_string(id >> 16U & 0xFU) + ":" + hex(id >> 4U & 0xFFFU) + ":r" +
         std::to_string(id >> 20U & 0xFU) + "p" + std::to_string(id & 0xFU);
}

/// Users can read no register with it; Linux names a KVM host in the device tree or DMI, which `inspect` reads.
std::string hypervisor() { return ""; }
/// Reads CTR_EL0.DminLine, the logarithm of the number of words of four bytes.
std::size_t line_bytes() noexcept {
  static const std::size_t bytes = [] {
    std::uint64_t ctr = 0;
    asm("mrs %0, ctr_el0" : "=r"(ctr));
    return std::size_t{4} << (ctr >> 16U & 0xFU);
  }();
  return bytes;
}
std::size_t zeroing_bytes() noexcept { return (zva_state() & 0x10U) == 0 ? std::size_t{4} << (zva_state() & 0xFU) : 0; }
std::string_view listing() { return "Features"; }
const char* architecture() { return "aarch64"; }

}  // namespace tierscope::cpu
#endif
