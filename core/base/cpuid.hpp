/// What the processor says of itself. Feature names are those of /proc/cpuinfo.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tierscope::cpu {

/// True if this CPU and this operating system (XCR0 for AVX state) run the feature; "" is always there.
bool has(std::string_view feature);
/// Those of `features`, joined by ' ', that are not there; joined by ", ".
std::string missing(std::string_view features);
/// Every feature that some kernel or ISA asks about, of those present.
std::vector<std::string> features();
/// The counter keeps its pace in every power state (CPUID 80000007h, EDX bit 8).
bool invariant_tsc();
std::string model();
/// vendor:family:model:stepping
std::string family();
/// "KVMKVMKVM", "" on bare metal.
std::string hypervisor();
/// Bytes of the smallest line of the data caches, as the processor states it to users; 0 where it does not.
std::size_t line_bytes() noexcept;
/// Bytes that one instruction sets to zero without a read (DC ZVA); 0 where users have none, or its block is not told.
std::size_t zeroing_bytes() noexcept;
const char* architecture();

}  // namespace tierscope::cpu
