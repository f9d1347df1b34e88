/// The features and the name of an x86-64 processor, by CPUID.
/// Source: Intel, "64 and IA-32 Architectures Software Developer's Manual", volume 2, CPUID and XGETBV.
#if defined(__x86_64__)
#include <cpuid.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "base/cpu_features.hpp"
#include "base/cpuid.hpp"

namespace tierscope::cpu {
namespace {

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

}  // namespace

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

/// CPUID.1:EBX[15:8], in units of 8 bytes: what CLFLUSH takes.
std::size_t line_bytes() noexcept { return (leaf(1).ebx >> 8 & 0xFFU) * std::size_t{8}; }
std::size_t zeroing_bytes() noexcept { return 0; }
std::string_view listing() { return "flags"; }
const char* architecture() { return "x86_64"; }

}  // namespace tierscope::cpu
#endif
