#include "base/cpuid.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace tierscope::cpu {
namespace {

struct Feature {
  std::string_view name;
  bool present;
};

#if defined(__x86_64__)
struct Leaf {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Leaf leaf(unsigned number, unsigned sub = 0) {
  Leaf l;
  const auto last = static_cast<unsigned>(__get_cpuid_max(number & 0x80000000U, nullptr));  // an int in Clang's header
  if (number > last && (number & 0xF0000000U) != 0x40000000U) return l;
  __cpuid_count(number, sub, l.eax, l.ebx, l.ecx, l.edx);
  return l;
}

std::uint64_t enabled_state() {
  if ((leaf(1).ecx >> 27 & 1U) == 0) return 0;  // OSXSAVE: the system lets XGETBV be read
  unsigned low = 0;
  unsigned high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low | static_cast<std::uint64_t>(high) << 32U;
}

std::string text(std::initializer_list<unsigned> words) {
  std::string out;
  for (unsigned word : words) {
    std::array<char, 4> bytes{};
    std::memcpy(bytes.data(), &word, 4);
    out.append(bytes.data(), 4);
  }
  out.resize(std::strlen(out.c_str()));  // the words end in zeros
  const auto first = out.find_first_not_of(' ');
  return first == std::string::npos ? "" : out.substr(first);
}

const std::vector<Feature>& table() {
  static const auto list = [] {
    const auto one = leaf(1);
    const auto seven = leaf(7);
    const auto state = enabled_state();
    const bool ymm = (state & 0x6U) == 0x6U;
    const bool zmm = (state & 0xE6U) == 0xE6U;
    const auto bit = [](unsigned word, unsigned at) { return (word >> at & 1U) != 0; };
    return std::vector<Feature>{{"avx2", ymm && bit(seven.ebx, 5)},
                                {"fma", ymm && bit(one.ecx, 12)},
                                {"avx512f", zmm && bit(seven.ebx, 16)},
                                {"avx512dq", zmm && bit(seven.ebx, 17)},
                                {"erms", bit(seven.ebx, 9)},
                                {"fsrm", bit(seven.edx, 4)},
                                {"movdir64b", bit(seven.ecx, 28)},
                                {"clflush", bit(one.edx, 19)},
                                {"clflushopt", bit(seven.ebx, 23)},
                                {"clwb", bit(seven.ebx, 24)},
                                {"prefetchw", bit(leaf(0x80000001).ecx, 8)}};
  }();
  return list;
}
#elif defined(__aarch64__)
const std::vector<Feature>& table() {
  static const std::vector<Feature> list{{"asimd", (getauxval(AT_HWCAP) & HWCAP_ASIMD) != 0},
                                         {"sve", (getauxval(AT_HWCAP) & HWCAP_SVE) != 0},
                                         {"dcpop", (getauxval(AT_HWCAP) & HWCAP_DCPOP) != 0}};
  return list;
}
#endif

}  // namespace

bool has(std::string_view feature) {
  if (feature.empty()) return true;
  return std::any_of(table().begin(), table().end(), [&](const Feature& f) { return f.name == feature && f.present; });
}

std::string missing(std::string_view features) {
  std::string lacking;
  while (!features.empty()) {
    const auto feature = features.substr(0, features.find(' '));
    if (!has(feature)) lacking += (lacking.empty() ? "" : ", ") + std::string(feature);
    features.remove_prefix(std::min(feature.size() + 1, features.size()));
  }
  return lacking;
}

std::vector<std::string> features() {
  std::vector<std::string> names;
  for (const auto& feature : table())
    if (feature.present) names.emplace_back(feature.name);
  return names;
}

#if defined(__x86_64__)
bool invariant_tsc() { return (leaf(0x80000007).edx >> 8 & 1U) != 0; }

std::string model() {
  const auto a = leaf(0x80000002), b = leaf(0x80000003), c = leaf(0x80000004);
  return text({a.eax, a.ebx, a.ecx, a.edx, b.eax, b.ebx, b.ecx, b.edx, c.eax, c.ebx, c.ecx, c.edx});
}

std::string family() {
  const auto zero = leaf(0);
  const unsigned signature = leaf(1).eax;
  const unsigned base = signature >> 8 & 0xFU;
  const unsigned family = base == 0xF ? base + (signature >> 20 & 0xFFU) : base;
  const unsigned extended = base == 6 || base == 0xF ? (signature >> 16 & 0xFU) << 4 : 0;
  return text({zero.ebx, zero.edx, zero.ecx}) + ":" + std::to_string(family) + ":" +
         std::to_string(extended + (signature >> 4 & 0xFU)) + ":" + std::to_string(signature & 0xFU);
}

std::string hypervisor() {
  if ((leaf(1).ecx >> 31 & 1U) == 0) return "";
  const auto l = leaf(0x40000000);
  const auto name = text({l.ebx, l.ecx, l.edx});
  return name.empty() ? "unnamed" : name;
}

const char* architecture() { return "x86_64"; }
#else
bool invariant_tsc() { return true; }
std::string model() { return "aarch64"; }
std::string family() { return "aarch64"; }
std::string hypervisor() { return ""; }
const char* architecture() { return "aarch64"; }
#endif

}  // namespace tierscope::cpu
