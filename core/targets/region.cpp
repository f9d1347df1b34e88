#include "targets/region.hpp"

#include <sys/sysmacros.h>

#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>

namespace tierscope::region {
namespace {

namespace fs = std::filesystem;

/// Find ".../ndbus0/region0" on the way up from a device; a region of CXL has no such bus above it.
fs::path region_above(const fs::path& device) {
  for (auto at = device; at.has_relative_path(); at = at.parent_path())
    if (at.filename().string().starts_with("region") && at.parent_path().filename().string().starts_with("ndbus"))
      return at;
  return {};
}

/// "memmap=1G!4G" sets DRAM aside and calls it persistent. Source: Linux, kernel-parameters.txt.
bool set_aside(const std::string& command_line) {
  std::istringstream words(command_line);
  for (std::string word; words >> word;)
    if (word.starts_with("memmap=") && word.find('!') != std::string::npos) return true;
  return false;
}

Region read(const fs::path& folder, const fs::path& root) {
  const auto provider = text_in(folder.parent_path() / "provider");
  return {folder.filename().string(),
          provider,
          text_in(folder / "persistence_domain"),
          static_cast<int>(number_in(folder / "numa_node").value_or(-1)),
          static_cast<int>(number_in(folder / "target_node").value_or(-1)),
          provider == "e820" && set_aside(text_in(root / "proc/cmdline"))};
}

}  // namespace

std::string text_in(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::optional<long> number_in(const fs::path& path) {
  const auto text = text_in(path);
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end != text.data() ? std::optional(value) : std::nullopt;
}

fs::path device_folder(const std::string& kind, dev_t number, const fs::path& root) {
  std::error_code none;
  return fs::canonical(root / "sys/dev" / kind / (std::to_string(major(number)) + ":" + std::to_string(minor(number))),
                       none);
}

std::optional<Region> of_device(const fs::path& folder, const fs::path& root) {
  if (folder.empty()) return std::nullopt;
  if (const auto found = region_above(folder); !found.empty()) return read(found, root);
  std::error_code none;
  for (const auto& below : fs::directory_iterator(folder / "slaves", none))
    if (const auto found = of_device(fs::canonical(below.path(), none), root)) return found;
  return std::nullopt;
}

Persistence persistence_of(const std::optional<Region>& found) {
  if (!found) return {"adr", "unknown: no region of the NVDIMM driver is found below it; flushes are needed at least"};
  const auto file = "/sys/bus/nd/devices/" + found->name + "/persistence_domain";
  if (found->domain == "cpu_cache") return {"eadr", file + ": cpu_cache"};
  if (found->domain == "memory_controller") return {"adr", file + ": memory_controller"};
  return {"adr", "not stated by " + file + "; flushes are needed at least"};
}

}  // namespace tierscope::region
