/// `node`: anonymous memory bound to one NUMA node. Local DRAM, remote DRAM, and CXL memory
/// that the system shows as a CPU-less node are this target with another node number.
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "base/capacity.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "base/syscall.hpp"
#include "targets/pages.hpp"
#include "targets/target.hpp"

namespace tierscope::targets::node {
namespace {

constexpr std::size_t PROBED_PAGES = 4096;  // 32 KiB of answers; 98 % probability to show a stray share of 0.1 %

std::string online_nodes() {
  std::ifstream file("/sys/devices/system/node/online");
  std::string text;
  return file >> text ? text : "0";
}

unsigned parse_node(const std::string& word) {
  unsigned node = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), node);
  if (error != std::errc{} || end != word.data() + word.size())
    throw BadPlan("node '" + word + "' is not a number; online nodes: " + online_nodes());
  const bool known = std::filesystem::exists("/sys/devices/system/node/node" + word);
  if (!known && (node != 0 || std::filesystem::exists("/sys/devices/system/node")))
    throw BadPlan("node " + word + " is not online; online nodes: " + online_nodes());
  return node;
}

class NodeTarget final : public Target {
 public:
  explicit NodeTarget(const TargetOptions& options)
      : node_(parse_node(options.where.empty() ? "0" : options.where)),
        pages_(options.pages),
        page_bytes_(pages::size_of(options.pages)) {}

  [[nodiscard]] Buffer map(std::size_t size_bytes) const override {
    const bool reserved = pages::reserved(pages_);
    const std::size_t grain = grain_of(size_bytes), size = (size_bytes + grain - 1) / grain * grain;
    reserved ? require_reserved(size) : capacity::require(size, capacity::of_node(node_));
    Buffer buffer = reserved ? map_reserved(size) : map_anonymous(size);
    if (sys::mbind(buffer.bytes(), node_) != 0) refuse(size, errno);
    return buffer;
  }

  [[nodiscard]] Placement inspect(const Buffer& buffer) const override {
    Placement placement;
    placement.pages = pages::found(buffer.bytes());
    ask_nodes(buffer, placement);
    for (const auto& [node, bytes] : placement.nodes)
      if (node != node_)
        throw Unsupported(std::to_string(bytes >> 20U) + " MiB asked for on node " + std::to_string(node_) +
                          " are on node " + std::to_string(node) + "; free memory there or ask for less");
    return placement;
  }

 private:
  /// Return the grain of the mapping's size. A small footprint does not take a transparent page of 32 or 512 MiB for
  /// itself.
  [[nodiscard]] std::size_t grain_of(std::size_t size_bytes) const {
    constexpr std::size_t SPARED = std::size_t{2} << 20U;
    const bool small = pages_ == "thp" && page_bytes_ > SPARED && size_bytes < page_bytes_ / 2;
    return small ? pages::base() : page_bytes_;
  }
  /// Containers forbid mbind (EPERM), small kernels lack it (ENOSYS): with one node there is nothing to choose.
  void refuse(std::size_t size, int number) const {
    const auto nodes = online_nodes();
    if (nodes == "0" && (number == EPERM || number == ENOSYS)) return;
    throw SystemError("bind " + std::to_string(size) + " bytes to node " + std::to_string(node_) +
                          " (online nodes: " + nodes + "; in a container: docker run --cap-add SYS_NICE)",
                      number);
  }

  /// Map one inaccessible page more on both sides, so that the mapping stays separate in smaps.
  [[nodiscard]] Buffer map_anonymous(std::size_t size) const {
    const std::size_t mapped = size + 2 * pages::huge();
    void* at = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw SystemError("map " + std::to_string(size) + " bytes", errno);
    const auto start = reinterpret_cast<std::uintptr_t>(at);
    const std::size_t offset = (start / pages::huge() + 1) * pages::huge() - start;
    Buffer buffer(at, mapped, offset, size);
    if (mprotect(buffer.bytes().data(), size, PROT_READ | PROT_WRITE) != 0)
      throw SystemError("open " + std::to_string(size) + " bytes for writing", errno);
    madvise(buffer.bytes().data(), size, pages_ == "thp" ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);  // verified by inspect
    return buffer;
  }

  [[nodiscard]] Buffer map_reserved(std::size_t size) const {
    constexpr int SHIFT = 26;  // MAP_HUGE_SHIFT
    const int log2 = std::countr_zero(page_bytes_);
    void* at =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (log2 << SHIFT), -1, 0);
    if (at == MAP_FAILED) throw SystemError("map " + std::to_string(size) + " bytes of " + pages_ + " pages", errno);
    return {at, size, 0, size};
  }

  void require_reserved(std::size_t size) const {
    const auto free = pages::free_huge_pages(page_bytes_, static_cast<int>(node_));
    const auto needed = size / page_bytes_;
    if (free >= needed) return;
    throw Unsupported(pages_ + " pages: " + std::to_string(needed) + " needed, " + std::to_string(free) +
                      " free on node " + std::to_string(node_) + "; as root: echo " + std::to_string(needed) +
                      " > /sys/devices/system/node/node" + std::to_string(node_) + "/hugepages/hugepages-" +
                      std::to_string(page_bytes_ / 1024) + "kB/nr_hugepages, or use pages=thp");
  }

  /// Ask the kernel for the node of up to PROBED_PAGES pages, evenly spread, and scale the result.
  static void ask_nodes(const Buffer& buffer, Placement& placement) {
    const std::size_t total = buffer.bytes().size() / pages::base();
    const std::size_t count = std::min(total, PROBED_PAGES);
    std::vector<void*> at(count);
    std::vector<int> status(count, -1);
    for (std::size_t i = 0; i < count; ++i) at[i] = buffer.bytes().data() + i * total / count * pages::base();
    placement.how = "smaps; move_pages: " + std::to_string(count) + " of " + std::to_string(total) + " pages";
    if (sys::page_nodes(at, status) != 0) {
      placement.how = "smaps; move_pages is forbidden here: node not verified";
      return;
    }
    for (const int node : status)
      if (node >= 0) placement.nodes[static_cast<unsigned>(node)] += buffer.bytes().size() / count;
  }

  unsigned node_;
  std::string pages_;
  std::size_t page_bytes_;
};

constexpr TargetEntry entry{"node", "anonymous memory on one NUMA node", "node:N", &make_target<NodeTarget>};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::targets::node
