/// Persistent memory as the NVDIMM driver lists it, read from sysfs: no library, no root.
/// Blind to: what the driver was not told. Firmware of NVDIMM-N and legacy memory often names no persistence domain.
/// Source: Linux, Documentation/driver-api/nvdimm/nvdimm.rst, Documentation/ABI/testing/sysfs-bus-nvdimm.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "targets/target.hpp"

namespace tierscope::region {

struct Region {
  std::string name;             // "region0"
  std::string provider;         // of its bus: "ACPI.NFIT", "e820"
  std::string domain;           // as it stands there: memory_controller, cpu_cache; "" where not told
  int numa_node = -1;           // the nearest with CPUs; -1: not told
  int target_node = -1;         // the number it would get as memory of the system
  bool of_kernel_line = false;  // DRAM set aside by memmap=SIZE!START
};

/// The folder of a device, by its number and kind ("block", "char"); "" where there is none.
std::filesystem::path device_folder(const std::string& kind, dev_t number, const std::filesystem::path& root = "/");
/// The region that a device lies on, through partitions and the device mapper.
std::optional<Region> of_device(const std::filesystem::path& folder, const std::filesystem::path& root = "/");
/// What persist means there.
Persistence persistence_of(const std::optional<Region>& found);
/// One word or line of a file; "" where there is none.
std::string text_in(const std::filesystem::path& path);
/// Likewise a number.
std::optional<long> number_in(const std::filesystem::path& path);

}  // namespace tierscope::region
