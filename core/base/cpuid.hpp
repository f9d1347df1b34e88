/// The features and properties that the processor reports. Feature names are those of /proc/cpuinfo.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tierscope::cpu {

/// True if this CPU and this operating system support the feature, by the table (CPUID and XCR0, HWCAP, a try), or by
/// /proc/cpuinfo for one that the table does not have; "" is always present.
bool has(std::string_view feature);
/// Returns the names in `features`, joined by ' ', that are not present; joined by ", ".
std::string missing(std::string_view features);
/// Returns every present feature of the table.
std::vector<std::string> features();
/// Return whether the counter keeps its pace in every power state (CPUID 80000007h, EDX bit 8).
bool invariant_tsc();
std::string model();
/// vendor:family:model:stepping
std::string family();
/// "KVMKVMKVM"; "" on bare metal.
std::string hypervisor();
/// Bytes of the longest line of any processor served: what two threads write is so far apart.
inline constexpr std::size_t LONGEST_LINE = 256;
/// Bytes of the smallest line of the data caches, as the processor reports it to users; 0 if it does not.
std::size_t line_bytes() noexcept;
/// Bytes that one instruction sets to zero without a read (DC ZVA); 0 if users may not run it or its block is unknown.
std::size_t zeroing_bytes() noexcept;
const char* architecture();
/// Return whether a processor may skip the read of a line that plain stores fill: all but x86-64 may; of x86-64 those
/// with SpecI2M, which do while the bus is full. `its`: as `family()` states it.
/// Source: J. Laukemann et al., "CloverLeaf on Intel Multi-Core CPUs: A Case Study in Write-Allocate Evasion", 2023;
/// Linux, arch/x86/include/asm/intel-family.h (numbers of models).
bool streams_stores(std::string_view its);

}  // namespace tierscope::cpu
