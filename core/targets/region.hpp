/// Persistent memory as the NVDIMM driver lists it, read from sysfs: no library, no root.
/// Blind to: properties that the firmware does not report to the driver. Firmware of NVDIMM-N and legacy memory often
/// names no persistence domain.
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
  std::string domain;           // the driver's text: memory_controller, cpu_cache; "" if not reported
  int numa_node = -1;           // the nearest with CPUs; -1: not reported
  int target_node = -1;         // the number it would get as memory of the system
  bool of_kernel_line = false;  // DRAM set aside by memmap=SIZE!START
};

/// Return the folder of a device, by its number and kind ("block", "char"); "" if there is none.
std::filesystem::path device_folder(const std::string& kind, dev_t number, const std::filesystem::path& root = "/");
/// Return the region of a device, through partitions and the device mapper.
std::optional<Region> of_device(const std::filesystem::path& folder, const std::filesystem::path& root = "/");
/// Return the meaning of persist there.
Persistence persistence_of(const std::optional<Region>& found);
/// Return the text of a file of one line; "" if there is none.
std::string text_in(const std::filesystem::path& path);
/// Return the number in such a file.
std::optional<long> number_in(const std::filesystem::path& path);

}  // namespace tierscope::region
